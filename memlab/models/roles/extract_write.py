"""What was found, made into memory files: which file it belongs to, and what
stands in it.

A memory is written in the words of the person. Left out: rewording; the name
is a piece of the first sentence, and an update puts the new text where the old
one stood.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memlab.errors import MemoryFormatError
from memlab.memdir.dates import find_relative_times
from memlab.memdir.memory import (
    Memory,
    MemoryType,
    format_memory,
    parse_memory,
)
from memlab.memdir.path_safety import file_name
from memlab.models.roles.extract_dates import absolute
from memlab.models.roles.extract_facts import CHANGE, REASON
from memlab.models.roles.extract_find import Found
from memlab.models.roles.extract_heard import Known
from memlab.text import shorten, terms_of, words

NAME, DESCRIPTION = 48, 150
# In words that carry nothing: what a template says is not what the person
# said.
_HOW = {
    "confirmation": "Go on like this without being told again.",
    "praise": "Go on like this without being told again.",
    "deadline": (
        "Go by this until then; after that, ask the person whether it is"
        " still so."
    ),
    "feedback": (
        "Do so without being told again; ask the person where it may not"
        " apply."
    ),
    "project": "Go by this until the person says that it is so no more.",
}


@dataclass(frozen=True)
class Plan:
    """One thing to write, and the memory it changes, if there is one."""

    found: Found
    target: Known | None


def plan(found: Iterable[Found], known: Sequence[Known]) -> list[Plan]:
    """Choose for each thing the memory that is about the same matter; no two
    share one.
    """
    plans, taken = list[Plan](), set[str]()
    for one in found:
        target = _target(
            one, [each for each in known if each.file not in taken]
        )
        if target:
            taken.add(target.file)
        plans.append(Plan(one, target))
    return plans


def new_file(name: str, taken: Collection[str]) -> str:
    """Give a file name that no other memory has."""
    return file_name(name, taken)


def compose(
    one: Plan, old: str | None, *, bare: bool = False
) -> Memory | None:
    """Write the memory; None where the file says it already.

    ``old`` is the file's text, None for a new one. ``bare`` leaves out what
    the agent had said, or else the reasons.
    """
    found, at = one.found, one.found.at
    told, why = _parted(found, bare)
    rule = _dated(_joined(map(_plain, told)), at)
    reason = _dated(_joined(why), at)
    if not terms_of(rule):
        return None
    if old is not None and _says(old, rule):
        return None
    kind = MemoryType.parse(found.type)
    try:
        before = parse_memory(old) if old is not None else None
    except MemoryFormatError:  # what cannot be read is not written over
        return None
    if before and before.type:
        kind = before.type
    body = f"{rule} {reason}".strip()
    if kind in (MemoryType.feedback, MemoryType.project):
        how = _HOW.get(found.kind) or _HOW[str(kind)]
        body = (
            f"{rule}\n\n**Why:** {reason or 'The person said so.'}\n\n**How to"
            f" apply:** {how}"
        )
    description = shorten(rule, DESCRIPTION)
    if before is None:
        return Memory(_name(rule), description, kind, body)
    if kind is MemoryType.user:
        body = f"{body}\n\nBefore that:\n\n{before.body.strip()}"
    return replace(
        before, description=description, type=kind, body=f"\n{body}\n"
    )


def file_text(memory: Memory) -> str:
    """Give the text of a memory file."""
    return format_memory(memory)


def _target(found: Found, known: Sequence[Known]) -> Known | None:
    best, most = None, 0.0
    for one in known:
        score = _likeness(found, one)
        if score > most:
            best, most = one, score
    return best


def _likeness(found: Found, known: Known) -> float:
    """Say how much a memory is about the same matter; 0 where it is another
    one.
    """
    if found.type != known.type:
        return 0.0
    stem = set(terms_of(known.file.removesuffix(".md").replace("-", " ")))
    about = (stem | set(terms_of(known.about))) - _numbers(known.about)
    own, near = (
        about & found.terms,
        about & (found.terms | set(terms_of(found.around))),
    )
    if (
        found.kind == "background"
        and known.type == "user"
        and _PERSON.search(known.file)
    ):
        return 2.0 + len(own)
    if not own or found.kind == "background":
        return 0.0
    changed = CHANGE.search(" ".join(found.told))
    moved = changed and len(stem & own) >= 0.5 * len(stem)
    whole = stem and stem <= near and len(stem & own) >= len(stem) / 3
    many = len(own) >= 0.25 * len(about) and len(near) >= 0.4 * len(about)
    most = len(own) > 1 and many
    return float(len(near) + len(own)) if moved or whole or most else 0.0


def _numbers(text: str) -> set[str]:
    return {word for word in words(text) if word.isdigit()}


_PERSON = re.compile(
    r"(?i)background|role|who|person|about|profile|developer|experience|skill"
)
_LEAD = re.compile(r"""(?ix)
    ^(?: (?:yes|yeah|no|nope|ok(?:ay)?|good|right|fine|well|oh|ja|nein|oui|non)[,.!:;]\s+(?=\w)
    | (?:so|and|but|then|also|please|bitte)\b,?\s+(?=\w)
    | (?:please\s)?(?:remember|note|(?:keep|bear)\s(?:this\s|that\s)?in\smind|make\sa\snote
            |don['’]t\sforget|for\sthe\srecord|merke?\sdir|retiens|notiere?)
        (?:\s(?:that|for\snext\stime|for\slater|to\sself|bitte|bien|que|dass))?\s*[:,]?\s+(?=\w{2})
    | keep\sfor\slater:?\s+ | (?:it['’]s|it\sis)\s(?:settled|decided)[:,]\s+ )
    """)


def _plain(sentence: str) -> str:
    """Take what leads up to a sentence from its head."""
    while (cut := _LEAD.sub("", sentence)) != sentence:
        sentence = cut
    return sentence[:1].upper() + sentence[1:]


def _parted(found: Found, bare: bool) -> tuple[Sequence[str], Sequence[str]]:
    """Part what was told from its reason; where only one sentence holds both,
    at "because".
    """
    echo = () if bare else found.echo
    told, why = (
        [*echo, *found.told],
        ([] if bare and not found.echo else list(found.why)),
    )
    if not why and found.type in ("feedback", "project"):
        reasons = [one for one in told if REASON.search(one)]
        if reasons and len(reasons) < len(told):
            why = reasons
            told = [one for one in told if one not in reasons]
        elif (
            reasons and (cut := REASON.search(reasons[0])) and cut.start() > 0
        ):
            why = [
                reasons[0][cut.start() :][:1].upper()
                + reasons[0][cut.start() + 1 :]
            ]
            told = [
                (
                    one
                    if one != reasons[0]
                    else one[: cut.start()].rstrip(" ,;–—-") + "."
                )
                for one in told
            ]
    return told, why


def _joined(sentences: Iterable[str]) -> str:
    """Put sentences one behind the other, each with an end."""
    ended = (re.sub(r"[;,:]?$", "", one) for one in sentences if one)
    return " ".join(
        one if re.search(r"[.!?…][\"'”’)]*$", one) else f"{one}."
        for one in ended
    )


def _dated(text: str, at: datetime) -> str:
    """Make every date absolute; what the rules of dates miss, the checks' own
    rules find.
    """
    text = absolute(text, at.date()).text
    for phrase in reversed(find_relative_times(text, at)):
        day = re.search(r"\d{4}-\d\d-\d\d", phrase.instead)
        if phrase.sure and day:
            end = phrase.offset + len(phrase.words)
            text = f"{text[: phrase.offset]}{_lead(phrase.words)}{day[0]}{text[end:]}"
    return re.sub(
        r"(^|[.!?] )([a-z])", lambda one: one[1] + one[2].upper(), text
    )


def _lead(phrase: str) -> str:
    word = re.match(
        r"(?i)(by|until|till|before|after|on|due|since|starts?|begins?|ends?)\b",
        phrase,
    )
    return f"{word[0]} " if word else "on "


def _says(old: str, rule: str) -> bool:
    """Say whether a file holds what a rule says: most of its words, and every
    number.
    """
    there, wanted = set(terms_of(old)), set(terms_of(rule))
    numbers = _numbers(rule)
    few = len(wanted) < 3 or CHANGE.search(rule)
    return (
        not few
        and len(wanted & there) >= 0.8 * len(wanted)
        and numbers <= set(words(old))
    )


def _name(rule: str) -> str:
    """Take a name from the first sentence that says something, cut at a word."""
    parts = re.split(r"(?<=[.!?…])\s+", rule)
    name = next(
        (one for one in parts if len(terms_of(one)) > 1), parts[0]
    ).rstrip(".!?… ")
    while len(name) > NAME and " " in name:
        name = name.rsplit(" ", 1)[0]
    return _LOOSE_END.sub("", name)[:NAME].strip(" \"'`“”«»,;:–—-") or "Memory"


_LOOSE_END = re.compile(
    r"(?i)(?:[\s,;:]+(?:and|or|the|a|an|of|to|in|on|for|with|that|is|are|from|by|at|not|it|we|its|I|as))+$"
)
