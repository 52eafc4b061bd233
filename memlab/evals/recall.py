"""Ways to choose memories by words, measured on the labelled set of recall."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from memlab.evals.labelled import Label, RecallSet, newest_first
from memlab.evals.metrics import Answer, no_answer_recall, recall_at
from memlab.memdir.scan import MemoryHeader
from memlab.recall.keyword import KeywordIndex, searched_text
from memlab.settings import Settings
from memlab.text import STOP_WORDS, terms_of, words

TOP = Settings().select_max_memories
DRAWS = 100

Headers = Sequence[MemoryHeader]


class Measured(NamedTuple):
    """The figures of one method."""

    method: str
    recall: float | None
    no_answer_recall: float | None


def measure_rankings(recall_set: RecallSet, half: str) -> list[Measured]:
    """Measure each method on one half, ``work`` or ``final``; the random one
    with many draws.
    """
    rows = []
    for method, choose in RANKINGS.items():
        answers = [
            Answer(names, case.relevant)
            for case in recall_set.half(half)
            for names in choose(case, recall_set.headers[case.directory])
        ]
        recall = recall_at(answers, TOP)
        rows.append(Measured(method, recall, no_answer_recall(answers)))
    return rows


def by_chance(case: Label, headers: Headers) -> list[list[str]]:
    """Draw files at random, many times."""
    names = [header.filename for header in headers]
    chance = random.Random(case.id)
    return [chance.sample(names, min(TOP, len(names))) for _ in range(DRAWS)]


def by_substring(case: Label, headers: Headers) -> list[list[str]]:
    """Count the query's words that occur in name and description, even inside
    other words.
    """
    query = case.query.lower().split()
    texts = [f"{one.name} {one.description}".lower() for one in headers]
    return _best(headers, [sum(w in text for w in query) for text in texts])


def by_overlap(case: Label, headers: Headers) -> list[list[str]]:
    """Count the whole words that query and header share."""
    query = set(words(case.query))
    texts = [words(searched_text(header)) for header in headers]
    return _best(headers, [len(query.intersection(text)) for text in texts])


def by_index(
    terms: Callable[[str], list[str]],
) -> Callable[[Label, Headers], list[list[str]]]:
    """Rank by BM25 over the terms that ``terms`` makes of a text."""
    index = cache(lambda headers: KeywordIndex(headers, terms))

    def choose(case: Label, headers: Headers) -> list[list[str]]:
        ranked = index(headers).rank(case.query, TOP)
        return [[header.filename for header in ranked]]

    return choose


def _best(headers: Headers, scores: Sequence[int]) -> list[list[str]]:
    pairs = zip(scores, headers, strict=True)
    ranked = sorted((-s, *newest_first(header)) for s, header in pairs if s)
    return [[filename for _, _, filename in ranked[:TOP]]]


def _without_stop_words(text: str) -> list[str]:
    return [word for word in words(text) if word not in STOP_WORDS]


RANKINGS = {
    "random": by_chance,
    "substring": by_substring,
    "overlap": by_overlap,
    "BM25": by_index(words),
    "BM25 without stop words": by_index(_without_stop_words),
    "BM25 without stop words, stemmed": by_index(terms_of),
}
