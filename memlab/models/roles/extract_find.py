"""What of a conversation is worth a memory: sentences that anchor one, and
those that explain it.

A sentence with a sign is an anchor; the other sentences of the message are its
reasons. Anchors of one type are one memory. Left out: what the words mean. A
wish without a sign is missed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memlab.models.roles import extract_signs as sign
from memlab.models.roles.extract_heard import Asked, Known, Message
from memlab.models.roles.extract_label import Label, changed_matter, label_of
from memlab.models.roles.extract_never import (
    holds_secret,
    is_in_jest,
    is_never_stored,
    is_no_statement,
    is_reported,
    learns,
    speaks_of_secrets,
    speaks_to_agent,
    stands_in,
    takes_back,
)
from memlab.text import terms_of, words


@dataclass(frozen=True)
class Found:
    """Something to store: its type, why it was taken, what was told, the
    reasons.

    ``around`` is what was spoken of, for finding the memory that it changes;
    ``echo`` what the agent had said of it.
    """

    type: str
    kind: str
    told: tuple[str, ...]
    why: tuple[str, ...]
    around: str
    at: datetime
    echo: tuple[str, ...] = ()

    @property
    def terms(self) -> frozenset[str]:
        """The terms of what was told and why."""
        return frozenset(terms_of(" ".join((*self.told, *self.why))))


_WEAK = ("general", "praise", "note", "there")


def find(asked: Asked) -> list[Found]:
    """Find what to store, in the order in which it was said."""
    found: list[Found] = []
    for message in asked.messages:
        if message.at is None:
            continue
        if takes_back(message.sentences):
            found = [one for one in found if one.at != _last(found)]
        found += [
            one
            for one in _in_message(message, message.at, asked.known)
            if _is_news(one, message, asked)
        ]
    return _merged(found)


def _last(found: Sequence[Found]) -> datetime | None:
    return found[-1].at if found else None


def _is_news(found: Found, message: Message, asked: Asked) -> bool:
    agent_knows = re.search(
        r"(?i)CLAUDE\.md\b.{0,40}\b(?:says|has|already|too|same)",
        message.after,
    )
    return not agent_knows and not any(
        stands_in(one, asked.instructions) for one in found.told
    )


def _in_message(
    message: Message, at: datetime, known: Sequence[Known]
) -> list[Found]:
    said = message.sentences
    if is_in_jest(said) or takes_back(said):
        return []
    near = speaks_of_secrets(" ".join((*said, *message.before)))
    usable = [
        one
        for one in said
        if not (
            is_no_statement(one)
            or is_never_stored(one)
            or holds_secret(one, near=near)
        )
    ]
    excluded = sum(map(is_never_stored, said))
    if excluded > 1 and not any(map(sign.REMEMBER.search, said)):
        return []
    labels = [
        label_of(one, message, at) or changed_matter(one, known)
        for one in usable
    ]
    if learns(said) and not any(map(sign.REMEMBER.search, said)):
        labels = [
            _unless_learnt(one, label)
            for one, label in zip(usable, labels, strict=True)
        ]
    if excluded and {label[1] for label in labels if label} == {"note"}:
        return []
    around = " ".join((*message.before, *said))
    if agreed := _agreed(message, near):
        rest = tuple(
            one
            for one, label in zip(usable, labels, strict=True)
            if one not in agreed
        )
        return [
            Found(
                _agreed_type(agreed, said),
                "agreement",
                agreed,
                rest,
                around,
                at,
            )
        ]
    groups = _groups(usable, labels)
    if near:
        groups = [(label, told, ()) for label, told, _ in groups]
    return [
        Found(
            *label, told, why, around, at, _choice(label, told, message, near)
        )
        for label, told, why in groups
    ]


Group = tuple[Label, tuple[str, ...], tuple[str, ...]]


def _groups(
    usable: Sequence[str], labels: Sequence[Label | None]
) -> list[Group]:
    """Put anchors of one type together, and every other sentence to the anchor
    before it.
    """
    if ("user", "taste") in labels:
        labels = [
            (
                ("user", "taste")
                if label == ("feedback", "rule") and _continues(one)
                else label
            )
            for one, label in zip(usable, labels, strict=True)
        ]
    strong = [label for label in labels if label and label[1] not in _WEAK]
    if strong:
        labels = [label and _adopted(label, strong) for label in labels]
    labels = _with_matter(usable, labels)
    anchors = [label for label in labels if label]
    if all(label[1] == "there" for label in anchors):
        return []
    first: dict[str, Label] = {}
    for label in anchors:
        first.setdefault(label[0], label)
    told: dict[str, list[str]] = {kind: [] for kind in first}
    why: dict[str, list[str]] = {kind: [] for kind in first}
    current = anchors[0][0]
    for sentence, own in zip(usable, labels, strict=True):
        current = own[0] if own else current
        if own or not sentence.endswith("?"):
            (told if own else why)[current].append(sentence)
    return [
        (label, tuple(told[kind]), tuple(why[kind]))
        for kind, label in first.items()
    ]


def _unless_learnt(one: str, label: Label | None) -> Label | None:
    """Drop what tells how things are in code the person has just understood."""
    told = label and label[1] in (
        "taste",
        "rule",
        "general",
        "praise",
        "decision",
    )
    return label if not told or speaks_to_agent(one) else None


def _with_matter(
    usable: Sequence[str], labels: Sequence[Label | None]
) -> list[Label | None]:
    """Let a wish that only says how far it goes ("in every language") take in
    what it is about.
    """
    full = list(labels)
    for n, (one, label) in enumerate(zip(usable, labels, strict=True)):
        bare = (
            label == ("user", "taste")
            and len(terms_of(sign.EVERYWHERE.sub(" ", one))) < 3
        )
        near = [place for place in (n - 1, n + 1) if 0 <= place < len(usable)]
        if bare and near and not any(labels[place] for place in near):
            full[near[0]] = label
    return full


def _continues(one: str) -> bool:
    """Say whether a rule goes on with what was said before: it neither asks
    nor names a place.
    """
    return not (sign.IMPERATIVE.search(one) or sign.HERE.search(one))


def _adopted(label: Label, strong: Sequence[Label]) -> Label:
    """Let a weak anchor follow a strong one: of its own type, if there is one."""
    if label[1] not in _WEAK:
        return label
    return next((one for one in strong if one[0] == label[0]), strong[0])


def _choice(
    label: Label, told: Sequence[str], message: Message, near: bool
) -> tuple[str, ...]:
    """Give what the agent had done, for a confirmation that only points at it."""
    own = set(terms_of(" ".join(told)))
    clean = [one for one in message.before if _may_repeat(one, near)]
    if label[1] not in ("confirmation", "praise") or len(own) > 3 or not clean:
        return ()
    return (
        max(
            clean,
            key=lambda one: (len(own & set(terms_of(one))), len(words(one))),
        ),
    )


def _may_repeat(sentence: str, near: bool) -> bool:
    """Say whether a sentence of the agent may stand in a memory, once the
    person agreed.
    """
    left = (
        is_no_statement(sentence)
        or is_never_stored(sentence)
        or is_reported(sentence)
    )
    return not left and not holds_secret(sentence, near=near)


def _agreed(message: Message, near: bool) -> tuple[str, ...]:
    """Give the agent's standing offer if the person's message begins with a
    yes to it.
    """
    if not message.sentences or not sign.YES.search(message.sentences[0]):
        return ()
    if any(map(sign.ONCE.search, message.sentences)):
        return ()
    offered = [one for one in message.before if sign.PROPOSAL.search(one)]
    if not any(map(sign.STANDING.search, offered)):
        return ()
    standing = [one for one in offered if sign.STANDING.search(one)]
    return tuple(one for one in standing if not holds_secret(one, near=near))


def _agreed_type(agreed: Sequence[str], said: Sequence[str]) -> str:
    text = " ".join((*agreed, *said))
    mine = re.search(r"(?i)\byou(?:['’]d)? (?:prefer|like|want)\b", text)
    wide = sign.EVERYWHERE.search(text) or sign.TO_READER.search(text) or mine
    return "user" if wide and not sign.HERE.search(text) else "feedback"


def _merged(found: Iterable[Found]) -> list[Found]:
    """Join what was said twice in one run: the same type, and many words in
    common.
    """
    merged: list[Found] = []
    for one in found:
        for place, other in enumerate(merged):
            shared = len(one.terms & other.terms)
            again = "update" in (one.kind, other.kind)
            least = min(len(one.terms), len(other.terms))
            if one.type == other.type and (again or shared >= 0.5 * least):
                told = tuple(dict.fromkeys((*other.told, *one.told)))
                why = tuple(dict.fromkeys((*other.why, *one.why)))
                merged[place] = replace(other, told=told, why=why, at=one.at)
                break
        else:
            merged.append(one)
    return merged
