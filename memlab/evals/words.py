"""Which words two texts share, told more roughly than any search would tell it.

The rules of a labelled set use it: texts it finds unrelated share nothing that a stemmer could
find. It ranks nothing, and no method that is judged may use it.
"""

from __future__ import annotations

import re
from itertools import takewhile

_LITTLE = """
a about after again all am an and any are as at be been before being but by can could did do does
doing down each every first for from go goes going had has have having he her here him his how i if
in into is it its just least many me more most much my no none not now of off on once one only or
other our out over own right same say she should so some something still such than that the their
them then there these they this those through to too two until up us was we were what when where
whether which while who whom whose why will with without would you your
"""
LITTLE_WORDS = frozenset(re.findall(r"\w+", _LITTLE))


def little_words(text: str) -> frozenset[str]:
    """Give the words of a text that say nothing about its matter."""
    return LITTLE_WORDS.intersection(_words(text))


def content_words(text: str) -> frozenset[str]:
    """Give a text's other words, without those of one and two letters that hold no digit."""
    return frozenset(
        word
        for word in _words(text)
        if word not in LITTLE_WORDS and (len(word) > 2 or any(map(str.isdigit, word)))
    )


def shared_words(text: str, other: str) -> frozenset[str]:
    """Give the content words of ``text`` that ``other`` has as well, whatever their endings.

    Two words count as one when they begin with the same five letters, or when one is the other
    and at most three letters more; words with a digit only when they are equal.
    """
    others = content_words(other)
    return frozenset(
        word for word in content_words(text) if any(_one_word(word, their) for their in others)
    )


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def _one_word(word: str, other: str) -> bool:
    if not (word.isalpha() and other.isalpha()):
        return word == other
    pairs = zip(word, other, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    shorter, longer = sorted((len(word), len(other)))
    return same >= 5 or (same == shorter and longer - shorter <= 3)
