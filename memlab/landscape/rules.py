"""The judgement that these systems ask of a model, computed from words: does a
new text repeat an old one, correct it, or belong to it?

All systems share these rules, so what differs between them is their idea and
not who judges. Words cannot see that two texts are about the same matter if
they share none ("tabs" and "I have come round to spaces"). The judgement does
not depend on the embedding model.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import lru_cache

from memlab.evidence.sentences import Sentence
from memlab.memdir.dates import MONTHS
from memlab.text import terms_of

CORRECTED = 0.35
"""Share of words that an announced change has in common with the old text."""

SAME_MATTER = 0.6
"""Share from which two texts are about the same, without an announcement."""

_CHANGE = re.compile(
    r"\b(?:no longer|not any ?more|any ?more|no more|instead(?: of)?"
    r"|rather than|in place of|replac(?:e|es|ed|ing)|switch(?:ed|es|ing)?"
    r"|mov(?:e|ed|es|ing)|chang(?:ed|es|ing)|used to|from now on|since(?: then)?"
    r"|by now|now|stopped|gave up|given up|back to|renamed|after all|dropped"
    r"|has become|became|(?:took|takes?|taken) over|turned out|these days"
    r"|as of|cancel(?:l?ed|s)|postponed|rescheduled|correct(?:ed|s|ion)"
    r"|(?:took|takes|taken) back|rais(?:ed|es)|lower(?:ed|s)|tighten(?:ed|s)"
    r"|loosen(?:ed|s)|soften(?:ed|s)|relax(?:ed|es)|come (?:to|round)"
    r"|brought (?:down|up)|stricter|still)\b",
    re.IGNORECASE,
)
# Half of what people say about themselves has these, whatever it is about.
_WEAK = frozenset(
    terms_of("""
        robin prefers likes wants thinks says finds believes needs told asked
        asks keeps agent user longer instead tidebook
    """)
)
_PAST = re.compile(
    r"\b(?:back then|used to|before|originally|earlier|at first|formerly"
    r"|previous(?:ly)?|in the past|once|at the time|first"
    r"|(?:in|during|by|until|on|early|late|mid|end of|beginning of)[\s-]+"
    r"(?:the end of |the middle of |the beginning of )?"
    rf"(?:{'|'.join(MONTHS)})|\d{{4}}-\d\d-\d\d|last (?:week|month))\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")


class Relation(Enum):
    """What a new text is to an old one."""

    SAME = auto()
    CORRECTS = auto()
    NEAR = auto()
    OTHER = auto()


def relation(new: str, old: str) -> Relation:
    """Judge what ``new``, which was said later, is to ``old``.

    It corrects the old text if both are about the same matter and it announces
    a change, or denies what the old one affirms, or has other numbers. It
    repeats the old text if it adds no word, and is near to it if it shares
    most words otherwise.
    """
    common = share(new, old)
    if common < CORRECTED:
        return Relation.OTHER
    adds = not _terms(new) <= _terms(old)
    if (adds and says_change(new)) or _reverses(new, old):
        return Relation.CORRECTS
    if not adds:
        return Relation.SAME
    if common < SAME_MATTER:
        return Relation.OTHER
    numbers = set(_NUMBER.findall(new)), set(_NUMBER.findall(old))
    if all(numbers) and numbers[0] != numbers[1]:
        return Relation.CORRECTS
    return Relation.NEAR


def share(one: str, other: str) -> float:
    """Return the share of the shorter text's words that are in both; only
    words that show what a text is about count.
    """
    first, second = _matter(one), _matter(other)
    fewer = min(len(first), len(second))
    return len(first & second) / fewer if fewer else 0.0


@lru_cache(maxsize=4_096)
def says_change(text: str) -> bool:
    """Tell whether a text announces that something is different now."""
    return _CHANGE.search(text) is not None


def asks_about_past(question: str) -> bool:
    """Tell whether a question is about an earlier time."""
    return _PAST.search(question) is not None


def _reverses(new: str, old: str) -> bool:
    """Tell whether a text denies what an older one affirms, or the other way
    round.
    """
    return Sentence(new).reverses(Sentence(old))


@lru_cache(maxsize=4_096)
def _terms(text: str) -> frozenset[str]:
    return frozenset(terms_of(text))


@lru_cache(maxsize=4_096)
def _matter(text: str) -> frozenset[str]:
    return frozenset(terms_of(_CHANGE.sub(" ", text))) - _WEAK
