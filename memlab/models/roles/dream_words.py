"""What a dreamer by rules sees in sentences: their words, what kind of value a
word is, sameness.

Two sentences are the same when nearly all words of one stand in the other, and
neither names another value or denies what the other says. Left out: meaning.
The same thing in other words is not seen.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memlab.memdir.dates import DAYS, NUMBERS
from memlab.text import words

_TOKEN = re.compile(r"[\w+]+(?:(?:://|[.@:/’'-])[\w+]+)*")
_COMMON = frozenset(
    words("""
    a about after again all also always am an and any anymore are as at be because been before being
    but by can could d did do does during each every everything for from had has have he her his how
    i if in instead into is it its just least like ll longer m made make many more most much must my
    never new no not now of off on once one ones only or other our out over own please rather re s
    same she should since so some still such t than that the their them then there these they thing
    this those to too until up us ve very was we were what when where which while who whom whose why
    will with without would yet you your
    """)
)
_DENIALS = frozenset(
    words("no not never none nothing nobody without don cannot isn aren won")
)
_ENDINGS = ("ings", "ing", "ers", "ed", "er", "es", "s", "e", "y")
_CLASSES = {
    "time": r"\d{1,2}:\d\d",
    "date": r"\d{4}-\d\d-\d\d",
    "weekday": rf"(?:{'|'.join(DAYS)})s?",
    "address": (
        r"https?://.+|\w[^@]*@.+|[a-z][\w-]*(?:\.[a-z][\w-]*)+(?:/[\w./-]*)?"
    ),
    "number": rf"\d+|{'|'.join(NUMBERS[2:])}|eleven|twelve|twenty|thirty",
}
_KINDS = {
    kind: re.compile(pattern, re.IGNORECASE)
    for kind, pattern in _CLASSES.items()
}
_BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d+\.)\s)")
_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'“(*\[]*[A-Z0-9])")
_LABEL = re.compile(
    r"\s*(?:[-*+]\s+|\d+\.\s+)?(?:\*\*[^*\n]+:\*\*|\*\*[^*\n]+\*\*:)?\s*"
)

LABEL = re.compile(r"(?im)^[ \t]*\*\*(why|how to apply):?\*\*:?[ \t]*")
# A dream compares every memory with every other, and asks the same of the same
# texts each time.
_remembered = lru_cache(maxsize=20_000)

SAME, ENOUGH = 0.7, 0.9


@_remembered
def tokens(text: str) -> tuple[str, ...]:
    """List the words of a text as they stand there; an address or a time is
    one word.
    """
    found: list[str] = []
    for token in _TOKEN.findall(text):
        whole = kind_of(token) or re.search(r"\d|[.@]", token)
        found += [token] if whole else re.split(r"[/’'-]", token)
    return tuple(found)


@_remembered
def kind_of(token: str) -> str:
    """Say which kind of value a word is: time, date, weekday, address, number,
    or "".
    """
    return next(
        (kind for kind, pattern in _KINDS.items() if pattern.fullmatch(token)),
        "",
    )


def values(text: str, kind: str) -> list[str]:
    """List the values of one kind in a text, each once."""
    return list(
        dict.fromkeys(one for one in tokens(text) if kind_of(one) == kind)
    )


@_remembered
def all_values(text: str) -> frozenset[str]:
    """Give every value of any kind in a text, in small letters."""
    return frozenset(one.lower() for one in tokens(text) if kind_of(one))


@_remembered
def stems(text: str) -> frozenset[str]:
    """Give the words of a text that say something, their endings cut off,
    values included.
    """
    return frozenset(
        stem(one) for one in tokens(text) if one.lower() not in _COMMON
    )


@_remembered
def subject_stems(text: str) -> frozenset[str]:
    """Give the same without the values: what a sentence is about."""
    plain = (
        one
        for one in tokens(text)
        if not kind_of(one) and one.lower() not in _COMMON
    )
    return frozenset(map(stem, plain))


def stem(word: str) -> str:
    """Cut the ending off a word; a value stays whole."""
    low = word.lower()
    if kind_of(low) in ("time", "date", "address") or any(
        map(str.isdigit, low)
    ):
        return low
    if low.endswith("ies") and len(low) > 4:
        return low[:-3]
    for ending in _ENDINGS:
        if low.endswith(ending) and len(low) - len(ending) >= 3:
            return low.removesuffix(ending)
    return low


@_remembered
def denies(text: str) -> bool:
    """Tell whether a text holds a word of denial."""
    return bool(_DENIALS.intersection(words(text)))


@_remembered
def sentences(text: str) -> tuple[str, ...]:
    """Give the sentences of a Markdown text exactly as they stand in it,
    without list marks.
    """
    found: list[str] = []
    for block in _BLOCK.split(text):
        label = _LABEL.match(block)
        pieces = _END.split(block[label.end() if label else 0 :])
        found += [piece.strip() for piece in pieces if piece.strip()]
    return tuple(found)


def sections(body: str) -> dict[str, str]:
    """Cut a memory's body at Why and How to apply: what comes before them is
    named "".
    """
    found = list(LABEL.finditer(body))
    ends_at = [*(one.start() for one in found[1:]), len(body)]
    parts = {"": body[: found[0].start()] if found else body}
    for match, end in zip(found, ends_at, strict=False):
        parts.setdefault(match[1].lower(), body[match.end() : end])
    return parts


def same(one: str, other: str) -> bool:
    """Tell whether two sentences say the same: most words in common, no other
    value or denial.
    """
    a, b = stems(one), stems(other)
    if not a or not b or denies(one) != denies(other):
        return False
    clash = all_values(one) - all_values(other) and all_values(
        other
    ) - all_values(one)
    within = (
        len(a & b) >= ENOUGH * min(len(a), len(b)) and min(len(a), len(b)) >= 3
    )
    return not clash and (within or len(a & b) >= SAME * len(a | b))


def says_more(one: str, other: str) -> bool:
    """Tell whether a sentence holds all that another says, and no fewer words."""
    a, b = stems(one), stems(other)
    return b <= a and denies(one) == denies(other)
