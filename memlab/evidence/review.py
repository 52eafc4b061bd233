"""What a change of memories loses and gains, whoever proposes it.

``review`` compares the memories before with the memories as a writer wants
them. It says for each file what vanishes, whether a reason or another file
accounts for that, and why a change is refused. A refused change is left out
and the rest is judged again without it, because a merge whose target is
refused would lose what it removes. What is new is judged by the evidence; what
becomes of the doubtful part (flag, hold, ask) is the writer's decision. Code
cannot tell whether a reason is true.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from memlab.evidence.origin import Source, Stamp, remembered
from memlab.evidence.sentences import (
    Sentence,
    as_memory,
    sentences_of,
    split,
    text_of,
)
from memlab.evidence.support import Evidence, Judgement
from memlab.memdir.dates import find_relative_times
from memlab.memdir.index import parse_pointers
from memlab.memdir.memory import format_memory
from memlab.memdir.places import INDEX, INDEXES
from memlab.settings import Settings
from memlab.text import content_words, fold_space, shorten

Contents = Mapping[str, bytes]
REMOVALS = ("contradicted", "stale", "dropped")
COVERED = Settings.covered_share
# Shares of the words of a memory: about the same matter, left of it, found
# again after a merge, and still the same memory.
RELATED, LOST, MERGED, REWRITTEN_BELOW = 0.15, 1 / 3, 0.6, 2 / 3
MEMORY_BYTES, MOST_NEW_FILES, REASON_CHARACTERS = 16_384, 20, 300
RESTED = (
    "it depends on a change that was left out; without it, more would be lost"
)
MEANWHILE = (
    "somebody else changed it in the meantime, and the live version stays"
)
RETURNS = (
    "it repeats what somebody else has changed or removed in the meantime"
)
DOUBTFUL = "a new sentence has no source, or claims more than its source says"
_REFERS = re.compile(
    r"(?i)\W*(?:it|its|this|that|these|they|he|she|his|her)\b"
)
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_ANY_DAY = datetime(2000, 1, 3, tzinfo=UTC)
_BECAUSE = r"^(?:stale|never to be stored) because\b"


@dataclass(frozen=True)
class Change:
    """What a writer wants to do to one file, and what that costs.

    ``kind`` is created, changed, index, or for a removal merged, contradicted,
    stale, dropped. ``into`` is the file that says it now. ``keeps`` is the
    share of the old words that is found again, and ``loses`` has the sentences
    that are not. ``keeps_all`` is false for a merge that is not word for word.
    ``reverses`` has pairs of sentences of which one denies what the other
    affirms. A change with ``refused`` is not made.
    """

    file: str
    kind: str
    into: str = ""
    reason: str = ""
    keeps: float = 1.0
    loses: tuple[str, ...] = ()
    keeps_all: bool = True
    reverses: tuple[str, ...] = ()
    refused: str = ""

    @property
    def rewritten(self) -> bool:
        """Whether a memory says something substantially different, or the
        opposite.
        """
        says_less = self.kind == "changed" and self.keeps < REWRITTEN_BELOW
        return says_less or bool(self.reverses)

    @property
    def needs_person(self) -> bool:
        """Whether it counts towards what is done without asking a person."""
        lossy = self.kind == "merged" and not self.keeps_all
        return self.kind in REMOVALS or lossy or self.rewritten

    @property
    def line(self) -> str:
        """The change in one line."""
        if self.kind == "merged" and self.into:
            return f"{self.file} merged into {self.into}"
        why = f": {self.reason}" if self.reason else ""
        return f"{self.file} {self.kind}{why}"


class Gain(NamedTuple):
    """A new sentence of a file, and the judgement on it."""

    file: str
    sentence: Sentence
    judgement: Judgement


@dataclass(frozen=True)
class Review:
    """Every change, by file, and the new sentences of those that are accepted.

    ``suspicions`` are for the person to decide on.
    """

    changes: tuple[Change, ...] = ()
    gains: tuple[Gain, ...] = ()
    suspicions: tuple[str, ...] = ()

    @property
    def accepted(self) -> tuple[Change, ...]:
        """The changes that no rule refuses."""
        return tuple(one for one in self.changes if not one.refused)

    def stamps(self, file: str = "") -> dict[str, Any]:
        """Give whose words the new sentences are, of all files or of one, by
        key, as the journal keeps it.
        """
        return {
            one.sentence.key: one.judgement.stamp.as_json()
            for one in self.gains
            if file in ("", one.file)
        }


def review(
    before: Contents,
    after: Contents,
    reasons: Mapping[str, str],
    evidence: Evidence,
    left_alone: Mapping[str, str] | None = None,
    live: Contents | None = None,
    *,
    alone: bool = False,
) -> Review:
    """Compare the memories before a change with those that a writer wants.

    ``reasons`` has the reason for each removed file. ``left_alone`` has the
    files that are not changed, with the reason: what the rules refuse, or a
    person rejects. ``live`` are the memories as they are now: what somebody
    has changed since stays, and what they removed does not come back. Where
    the writer is ``alone``, nobody sees what is doubtful, so that is refused.
    """
    names = {*before, *after}
    files = sorted(one for one in names if before.get(one) != after.get(one))
    now = before if live is None else live
    why_not = {
        one: MEANWHILE for one in files if now.get(one) != before.get(one)
    }
    why_not |= _returns(before, after, now, files) | dict(left_alone or {})
    wanted = {one: now[one] for one in now if one not in files}
    wanted |= {one: after[one] for one in files if one in after}
    whole = _Outcome(before, after, reasons, evidence, ())
    at_first = {name: whole.judge(name) for name in files}
    out = {
        name: replace(at_first[name], refused=why_not[name])
        for name in files
        if name in why_not
    }
    while True:
        outcome = whole
        if out or now != before:
            outcome = _Outcome(now, wanted, reasons, evidence, out)
        kept = {
            name: outcome.judge(name, at_first[name], alone=alone)
            for name in files
            if name not in out
        }
        refused = {name: one for name, one in kept.items() if one.refused}
        if not refused:
            break
        out |= refused
    old = Evidence(remembered({name: before.get(name) for name in kept}, {}))
    gains: list[Gain] = []
    for name, change in kept.items():
        new = outcome.new_sentences(name)
        gains += [Gain(name, one, evidence.judge(one)) for one in new]
        pairs = {
            f"“{was.sentence.text}” → “{one.text}”": None
            for one in ([] if name in INDEXES else new)
            for was in old.near(one)
            if one.reverses(was.sentence)
        }
        kept[name] = replace(change, reverses=tuple(pairs))
    changes = tuple((out | kept)[name] for name in files)
    return Review(changes, tuple(gains), _suspicions(changes))


class _Outcome:
    """The memories as they would be without the changes that are left out."""

    def __init__(
        self,
        before: Contents,
        after: Contents,
        reasons: Mapping[str, str],
        evidence: Evidence,
        left_out: Collection[str],
    ) -> None:
        self.before, self.after = before, after
        self.reasons, self.evidence = reasons, evidence
        kept = {name: before[name] for name in left_out if name in before}
        made = {name: after[name] for name in after if name not in left_out}
        self.files = made | kept
        self.words = {
            name: content_words(_said(data))
            for name, data in self.files.items()
            if name not in INDEXES
        }

    def judge(
        self, name: str, first: Change | None = None, *, alone: bool = False
    ) -> Change:
        """Judge a change; ``first`` is what it was while nothing was left out,
        which others may have rested on.
        """
        change = self._judge(name)
        if change.refused:
            return change
        if first and change.keeps < first.keeps:
            return replace(change, refused=RESTED)
        new = self.new_sentences(name) if alone else []
        if any(self.evidence.judge(one).held_back for one in new):
            return replace(change, refused=DOUBTFUL)
        return change

    def _judge(self, name: str) -> Change:
        if name in INDEXES:
            return Change(name, "index", refused=self._unfit_index(name))
        if name not in self.after:
            return self._removal(name)
        keeps, loses = self.found_again(name)
        data, refused = self.after[name], ""
        if len(data) > max(MEMORY_BYTES, len(self.before.get(name, b""))):
            refused = f"{len(data):,} bytes are too many: recall shows the first few thousand"
        elif as_memory(data) is None:
            refused = "it cannot be read as a memory"
        elif keeps < LOST:
            refused = f"of what it said {keeps:.0%} is left, and a rewrite gives no reason"
        kind = "changed" if name in self.before else "created"
        return Change(name, kind, keeps=keeps, loses=loses, refused=refused)

    def _removal(self, name: str) -> Change:
        reason = shorten(self.reasons.get(name, ""), REASON_CHARACTERS)
        claim = re.match(r"(superseded|contradicted) by `?(.+?\.md)", reason)
        into = self.heir(claim[2]) if claim else ""
        keeps, loses = self.found_again(name)
        whole, why = True, ""
        if not claim:
            kind = "stale" if reason.startswith("stale because") else "dropped"
            if len(content_words(re.sub(_BECAUSE, "", reason))) < 2:
                why = "its reason is too short"
        elif claim[1] == "contradicted":
            kind = "contradicted"
            old = content_words(_said(self.before[name]))
            shared = len(old & self.words.get(into, frozenset()))
            if shared < max(1, RELATED * len(old)):
                why = f"{claim[2]} is about another subject"
        else:
            kind = "merged"
            whole = not loses and self._is_word_for_word(name, into)
            if not into:
                why = f"no memory {claim[2]} is left"
            elif keeps < MERGED:
                why = f"{keeps:.0%} of its content is found elsewhere"
        if not reason:
            why = "no reason was given"
        return Change(
            name, kind, into, reason, keeps, loses, whole, refused=why
        )

    def heir(self, name: str) -> str:
        """Follow a merged memory to the one that stays; "" if none does."""
        for _ in range(len(self.before) + 1):
            if name in self.words:
                return name
            reason = self.reasons.get(name, "")
            found = re.match(r"superseded by `?(.+?\.md)", reason)
            name = found[1] if found else ""
        return ""

    def found_again(self, name: str) -> tuple[float, tuple[str, ...]]:
        """Give the share of a memory's words that is found again, and the
        sentences that are not.

        What a new sentence in the person's words takes back does not count.
        """
        old = split(_said(self.before.get(name)))
        old = [one for one in old if len(one.words) > 1] or old
        own = content_words(_said(self.after.get(name)))
        lost = [
            one for one in old if not (_found(one, [own]) or self._has(one))
        ]
        if lost:
            answers = Evidence(
                Source(one, Stamp())
                for one in self.new_sentences(self.heir(name))
                if not one.label and self.evidence.judge(one).answers
            )
            answered = {
                one
                for one in lost
                if answers.near(one) and self.evidence.takes_back(one)
            }
            old = [one for one in old if one not in answered]
            lost = [one for one in lost if one not in answered]
        gone = sum(len(one.words) for one in lost)
        whole = sum(len(one.words) for one in old) or 1
        return 1 - gone / whole, tuple(one.text for one in lost)

    def _has(self, sentence: Sentence) -> bool:
        """Tell whether one of the memories says a sentence."""
        return _found(sentence, [*self.words.values()])

    def new_sentences(self, name: str) -> list[Sentence]:
        """List what a file says and did not say before; an index may repeat
        names and descriptions.
        """
        had = {one.key for one in sentences_of(name, self.before.get(name))}
        for file in self.words if name in INDEXES else ():
            labels = sentences_of(file, self.files[file])
            had |= {one.key for one in labels if one.label}
        now = sentences_of(name, self.files.get(name))
        return [one for one in now if one.key not in had]

    def _is_word_for_word(self, name: str, into: str) -> bool:
        """Tell whether a merge moves sentences as they are, and its target
        says nothing else, and describes itself in words that were there.
        """
        there = as_memory(self.files.get(into))
        about = Sentence(there.description if there else "")
        parts = [
            data
            for one, data in self.before.items()
            if one == into
            or (one not in self.files and self.heir(one) == into)
        ]
        known = frozenset[str]().union(*map(content_words, map(_said, parts)))
        had = set[str]().union(*map(_body, parts))
        now = _body(self.files.get(into))
        moved = _body(self.before[name]) <= now <= had
        return moved and _found(about, [known])

    def _unfit_index(self, name: str) -> str:
        """Say why an index stays as it is and only follows its memories, or
        nothing. A pointer that is lost is put back by code.
        """
        text = text_of(self.after.get(name))
        if name not in self.after or "\0" in text or "\ufffd" in text:
            return "it was removed or broken"
        folded, below = fold_space(text), name.removesuffix(INDEX)
        hooks = {one.file: one.hook for one in parse_pointers(text)}
        texts = [*self.words.values(), *map(content_words, hooks.values())]
        for line in map(
            fold_space, text_of(self.before.get(name)).split("\n")
        ):
            pointers = parse_pointers(line)
            said = [
                one.hook
                for one in pointers
                if one.file in hooks and below + one.file in self.words
            ]
            for one in () if line in folded else said if pointers else [line]:
                if not _found(Sentence(one), texts):
                    return f"this would be lost: {one[:80]}"
        return ""


def _said(data: bytes | None) -> str:
    """Give a memory's body and description; of what is no memory, all."""
    memory = as_memory(data)
    if memory is None:
        return text_of(data)
    return f"{memory.body}\n\n{memory.description}"


def _body(data: bytes | None) -> set[str]:
    """Give the keys of the sentences of a memory's body."""
    return {one.key for one in sentences_of("", data) if not one.label}


def _found(sentence: Sentence, texts: Sequence[frozenset[str]]) -> bool:
    """Tell whether one of the texts has most of a sentence's words and all of
    its numbers; a date in place of "tomorrow" loses nothing.
    """
    wanted, least = sentence.words, COVERED * len(sentence.words)
    for had in texts:
        if len(wanted & had) >= least and sentence.numbers <= had:
            return True
    text = sentence.text
    for time in reversed(find_relative_times(text, _ANY_DAY)):
        text = text[: time.offset] + text[time.offset + len(time.words) :]
    return text != sentence.text and _found(Sentence(text), texts)


def _returns(
    before: Contents,
    after: Contents,
    live: Contents,
    files: Iterable[str],
) -> dict[str, str]:
    """Refuse what repeats a sentence that somebody removed since ``before``,
    and a flood of new files.
    """
    gone: set[str] = set()
    for name, data in before.items():
        if data != live.get(name):
            gone |= _body(data) - _body(live.get(name))
    new = [one for one in files if one not in before and one not in INDEXES]
    why = f"{len(new):,} new files in one change, and at most {MOST_NEW_FILES} are accepted"
    found = dict.fromkeys(new if len(new) > MOST_NEW_FILES else (), why)
    for name in files:
        if gone and (_body(after.get(name)) - _body(before.get(name))) & gone:
            found[name] = RETURNS
    return found


def _suspicions(changes: Iterable[Change]) -> tuple[str, ...]:
    """Say where one reason is given for the removal of several memories: a
    model that does that has not looked at each of them.
    """
    groups: defaultdict[frozenset[str], list[Change]] = defaultdict(list)
    for one in changes:
        if one.kind in REMOVALS and not one.refused:
            said = Sentence(re.sub(_BECAUSE, "", one.reason))
            own = Sentence(one.file).words | said.numbers
            groups[said.words - own].append(one)
    return tuple(
        f"The same reason is given for {len(group)} memories"
        f" ({', '.join(one.file for one in group)}): {group[0].reason}"
        for group in groups.values()
        if len(group) > 1
    )


class Kept(NamedTuple):
    """A rewritten memory with what it would have lost below the new text.

    ``replaced`` has what was not added, because the person takes it back.
    """

    data: bytes
    lost: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()


def _is_redated(old: Sentence, now: Iterable[Sentence]) -> bool:
    said = _DATE.sub("", old.text)
    return said != old.text and any(
        Sentence(said).words <= one.words for one in now
    )


def keep_lost(
    old: bytes, new: bytes, others: Iterable[str], evidence: Evidence
) -> Kept:
    """Add to a rewritten memory the sentences of its body that vanish,
    although nothing that the person said takes them back.

    A sentence that begins with a pronoun goes with the one before it, and one
    that is repeated with another date does not vanish.
    ``others`` are the texts of the other memories.
    """
    was, memory = as_memory(old), as_memory(new)
    if was is None or memory is None:
        return Kept(new)
    texts = [content_words(memory.text), *map(content_words, others)]
    now = split(memory.body)
    vanished = [
        one
        for one in split(was.body)
        if not _found(one, texts) and not _is_redated(one, now)
    ]
    taken_back, last = set[Sentence](), False
    for one in split(was.body):
        last = evidence.takes_back(one) or (
            last and _REFERS.match(one.text) is not None
        )
        if last and one in vanished:
            taken_back.add(one)
    if any(not one.inferable for one in taken_back):
        # the reasons go with the statement that they belonged to
        taken_back |= {one for one in vanished if one.inferable}
    lost = tuple(one.text for one in vanished if one not in taken_back)
    replaced = tuple(one.text for one in vanished if one in taken_back)
    if lost:
        body = "\n\n".join([memory.body.rstrip(), *lost]) + "\n"
        new = format_memory(replace(memory, body=body)).encode()
    return Kept(new, lost, replaced)
