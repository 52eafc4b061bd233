"""Ways to choose memories by words, measured on the labelled set of recall."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from memlab.evals.labelled import Label, RecallSet
from memlab.evals.metrics import Answer, no_answer_recall, recall_at
from memlab.memdir.scan import MemoryHeader
from memlab.recall.keyword import KeywordIndex, searched_text
from memlab.settings import Settings
from memlab.text import STOP_WORDS, terms_of, words

TOP = Settings().select_max_memories
DRAWS = 100

Headers = Sequence[MemoryHeader]
# chooses memories for a case, once or in many draws, from the newest first
Method = Callable[[Label, Headers], list[Headers]]


class Measured(NamedTuple):
    """The figures of one method."""

    method: str
    recall: float | None
    no_answer_recall: float | None


def measure_rankings(recall_set: RecallSet, half: str) -> list[Measured]:
    """Measure each method on one half, ``work`` or ``final``."""
    rows = []
    for method, choose in RANKINGS.items():
        answers = [
            Answer([header.filename for header in chosen], case.relevant)
            for case in recall_set.half(half)
            for chosen in choose(case, recall_set.headers[case.directory])
        ]
        recall = recall_at(answers, TOP)
        rows.append(Measured(method, recall, no_answer_recall(answers)))
    return rows


def by_chance(case: Label, headers: Headers) -> list[Headers]:
    """Draw memories at random, many times."""
    chance = random.Random(case.id)
    most = min(TOP, len(headers))
    return [chance.sample(headers, most) for _ in range(DRAWS)]


def by_score(score: Callable[[str, MemoryHeader], int]) -> Method:
    """Rank by what ``score`` gives for a query and a header; 0 is left out."""

    def choose(case: Label, headers: Headers) -> list[Headers]:
        scored = [(score(case.query, header), header) for header in headers]
        scored.sort(key=lambda pair: pair[0], reverse=True)
        return [[header for points, header in scored[:TOP] if points]]

    return choose


def by_index(terms: Callable[[str], list[str]]) -> Method:
    """Rank by BM25 over the terms that ``terms`` makes of a text."""
    index = cache(lambda headers: KeywordIndex(headers, terms))
    return lambda case, headers: [index(headers).rank(case.query, TOP)]


def _substrings(query: str, header: MemoryHeader) -> int:
    """Count the query's words that occur in name and description, even inside
    other words.
    """
    text = f"{header.name} {header.description}".lower()
    return sum(word in text for word in query.lower().split())


def _overlap(query: str, header: MemoryHeader) -> int:
    """Count the whole words that query and header share."""
    return len(set(words(query)).intersection(words(searched_text(header))))


def _without_stop_words(text: str) -> list[str]:
    return [word for word in words(text) if word not in STOP_WORDS]


RANKINGS: dict[str, Method] = {
    "random": by_chance,
    "substring": by_score(_substrings),
    "overlap": by_score(_overlap),
    "BM25": by_index(words),
    "BM25 without stop words": by_index(_without_stop_words),
    "BM25 without stop words, stemmed": by_index(terms_of),
}
