"""Keyword ranking: BM25 over what a header says of a memory, for when no model answers.

Little words are dropped, endings are cut, a rare word counts more than a common one and a short
header more than a long one. Left out: meaning. A paraphrase, another language and a misspelt word
share no term with what they mean, and are missed.
"""

from __future__ import annotations

import heapq
import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import lru_cache

from memlab.memdir.scan import MemoryHeader
from memlab.text import words

Terms = Callable[[str], list[str]]

# BM25's usual constants: how soon a repeated term stops counting, how much length is held against.
K1, B = 1.2, 0.75

STOP_WORDS = frozenset(
    words("""
    a about after again all also always am an and any are as at be been before being both but by can
    cannot could did do does doing don done down during each every few for from get gets go goes
    going got had has have having he her here him his how i if in into is isn it its just let like
    ll m many may me might more most much must my need never no nor not now of off ok on once one
    only or other our ours out over own please pls rather re s same shall she should so some still
    such t than thanks that the their them then there these they thing this those though to too
    under until up upon us use used using ve very via want was we well were what when where whether
    which while who whom whose why will with within without would yes yet you your
    """)
)
_ENDINGS = ("ment", "ion", "ing", "ed", "ly", "er", "es", "s", "e")


def keyword_rank(query: str, headers: Iterable[MemoryHeader], limit: int) -> list[MemoryHeader]:
    """Give the memories that share a term with the query, best first, at most ``limit``.

    Equal scores are ordered by time, newest first, and then by file name.
    """
    return KeywordIndex(headers).rank(query, limit)


class KeywordIndex:
    """Headers made ready for many queries: each term with the memories that hold it, and weights.

    ``terms`` turns a text into the terms that are compared.
    """

    def __init__(self, headers: Iterable[MemoryHeader], terms: Terms | None = None) -> None:
        self._terms = terms or terms_of
        self._headers = sorted(headers, key=lambda each: (-each.mtime.timestamp(), each.filename))
        counts = [Counter(self._terms(searched_text(header))) for header in self._headers]
        sizes = [count.total() for count in counts]
        usual = sum(sizes) / len(sizes) if sizes else 0.0
        spread = Counter(term for count in counts for term in count)
        self._weights: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, (count, size) in enumerate(zip(counts, sizes, strict=True)):
            for term, times in count.items():
                rare = math.log(1 + (len(counts) - spread[term] + 0.5) / (spread[term] + 0.5))
                damped = times * (K1 + 1) / (times + K1 * (1 - B + B * size / usual))
                self._weights[term].append((number, rare * damped))

    def rank(self, query: str, limit: int) -> list[MemoryHeader]:
        """Give the memories that share a term with the query, as ``keyword_rank`` does."""
        scores: dict[int, float] = defaultdict(float)
        for term in sorted({*self._terms(query)}):
            for number, weight in self._weights.get(term, ()):
                scores[number] += weight
        best = heapq.nsmallest(limit, scores, key=lambda number: (-scores[number], number))
        return [self._headers[number] for number in best]


def searched_text(header: MemoryHeader) -> str:
    """Give what is searched of a memory: its name, its description and its file name."""
    return f"{header.name}\n{header.description}\n{header.filename.removesuffix('.md')}"


def terms_of(text: str) -> list[str]:
    """Split a text into terms: words without accents, without the little ones, cut to a stem."""
    if not text.isascii():
        apart = unicodedata.normalize("NFKD", text)
        text = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


def _without_endings(word: str) -> int:
    """Give the shortest length, three or more, behind which a word consists of endings."""
    cuts = {len(word)}
    if word.endswith(_ENDINGS):
        for at in range(len(word) - 1, 2, -1):
            if any(word.startswith(end, at) and at + len(end) in cuts for end in _ENDINGS):
                cuts.add(at)
            elif min(cuts) - at > 4:  # no ending is longer
                break
    return min(cuts)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Cut an English word's endings down to three letters or more: ``printing`` → ``print``.

    Rules of two lines in place of a library: they find within one hundredth what Snowball finds,
    and Snowball in Python takes a tenth of a second to get going.
    """
    short = word[: _without_endings(word)]
    if len(short) > 3 and short[-1] in ("y", short[-2]):
        return short[:-1] + ("i" if short[-1] == "y" else "")
    return short
