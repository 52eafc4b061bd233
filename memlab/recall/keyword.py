"""Keyword ranking: BM25 over the headers of memories, for when no model
answers.

A rare word counts more than a common one, and a match in a short header more
than one in a long header. Meaning is not considered: a paraphrase, another
language or a misspelt word shares no term with the memory it is about.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from memlab.memdir.scan import MemoryHeader
from memlab.text import terms_of

# BM25's usual constants: how soon a repeated term stops counting, and how much
# length counts against a match.
K1, B = 1.2, 0.75


class Corpus(NamedTuple):
    """What BM25 has to know of all memories: how many there are, and how many
    of them contain a term.
    """

    memories: int
    containing: Mapping[str, int]


def keyword_rank(
    query: str, headers: Iterable[MemoryHeader], limit: int
) -> list[MemoryHeader]:
    """Give the memories that share a term with the query, best first, at most
    ``limit``.

    Equal scores are ordered by time, newest first, and then by file name.
    """
    return KeywordIndex(headers).rank(query, limit)


def rank_among(
    query: str, headers: Iterable[MemoryHeader], limit: int, corpus: Corpus
) -> list[MemoryHeader]:
    """Rank some memories as ``keyword_rank`` would if it had all of them: a
    term that most of these few contain may be rare.
    """
    return KeywordIndex(headers, corpus=corpus).rank(query, limit)


class KeywordIndex:
    """Headers prepared for many queries: each term with the memories that
    contain it, and weights.

    ``terms`` turns a text into the terms that are compared. Without a
    ``corpus``, these headers are all memories.
    """

    def __init__(
        self,
        headers: Iterable[MemoryHeader],
        terms: Callable[[str], list[str]] = terms_of,
        corpus: Corpus | None = None,
    ) -> None:
        self._terms = terms
        self._headers = newest_first(headers)
        found = [
            Counter(terms(searched_text(header))) for header in self._headers
        ]
        if corpus is None:
            containing = Counter(term for counts in found for term in counts)
            corpus = Corpus(len(found), containing)
        in_all = sum(counts.total() for counts in found)
        average = in_all / max(len(found), 1) or 1

        self._weights: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, counts in enumerate(found):
            length = 1 - B + B * counts.total() / average
            for term, times in counts.items():
                count = corpus.containing.get(term, 0)
                rest = corpus.memories - count
                weight = math.log(1 + (rest + 0.5) / (count + 0.5))
                repeated = times * (K1 + 1) / (times + K1 * length)
                self._weights[term].append((number, weight * repeated))

    def rank(self, query: str, limit: int) -> list[MemoryHeader]:
        """Give the memories that share a term with the query, as
        ``keyword_rank`` does.
        """
        scores: dict[int, float] = defaultdict(float)
        for term in sorted({*self._terms(query)}):
            for number, weight in self._weights.get(term, ()):
                scores[number] += weight
        best = heapq.nsmallest(
            limit, scores, key=lambda number: (-scores[number], number)
        )
        return [self._headers[number] for number in best]


def newest_first(headers: Iterable[MemoryHeader]) -> list[MemoryHeader]:
    """Sort as a scan does: by time, and then by file name."""
    return sorted(
        headers, key=lambda each: (-each.mtime.timestamp(), each.filename)
    )


def searched_text(header: MemoryHeader) -> str:
    """Give what is searched of a memory: its name, its description and its
    file name.
    """
    return f"{header.name}\n{header.description}\n{header.filename.removesuffix('.md')}"
