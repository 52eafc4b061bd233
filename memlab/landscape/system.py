"""What a memory system is, and what several of them use: a judge, and two
searches.

The systems in this folder are illustrations. Each shows the central idea of a
product in a few lines, written by hand for this course; none is the product,
and their figures don't say how good it is. Each docstring says what was left
out.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Protocol, TypeVar

from memlab.landscape.history import Fact, Turn
from memlab.memdir import MemoryHeader
from memlab.memdir.dates import MONTHS
from memlab.recall import keyword_rank
from memlab.text import terms_of

Key = TypeVar("Key")
Judge = Callable[[Fact, Fact], str]
"""Says what a new fact is to an old one: same, corrects, near or other."""


class MemorySystem(Protocol):
    """One way to remember a conversation.

    ``calls`` counts the calls of a model that it would need; rules answer
    them here.
    """

    name: str
    calls: int

    def remember(self, turn: Turn) -> None:
        """Take in the next turn of the history, with its facts."""

    def recall(self, question: str) -> list[str]:
        """Return the texts that are put before the model."""


def by_labels(new: Fact, old: Fact) -> str:
    """Judge by what the author of the history noted: without a mistake."""
    return "corrects" if new.replaces == old.id else "other"


@lru_cache(maxsize=10_000)
def embed(text: str) -> Mapping[str, float]:
    """Return a vector for a text: how often it has each term and each group of
    three letters, scaled to length 1. It knows nothing of meaning.
    """
    features = Counter(terms_of(text))
    for term in terms_of(text):
        features.update(f" {term} "[at : at + 3] for at in range(len(term)))
    length = math.hypot(*features.values())
    return {feature: count / length for feature, count in features.items()}


def similarity(one: str, other: str) -> float:
    """Return the cosine of two texts: 1 if they have the same features, and 0
    if they share none.
    """
    first, second = embed(one), embed(other)
    return sum(value * second.get(each, 0.0) for each, value in first.items())


def nearest(query: str, texts: Mapping[Key, str], limit: int) -> list[Key]:
    """Return the keys of the texts that are most similar to a query."""
    keys = sorted(texts, key=lambda key: -similarity(query, texts[key]))
    return keys[:limit]


def matching(query: str, texts: Mapping[Key, str], limit: int) -> list[Key]:
    """Return the keys of the texts that share words with a query, in the order
    of the course's BM25.
    """
    keys = list(texts)
    headers = [
        MemoryHeader(Path(str(place)), "", _ANY_TIME, "", texts[key], None)
        for place, key in enumerate(keys)
    ]
    found = keyword_rank(query, headers, limit)
    return [keys[int(header.path.name)] for header in found]


def named_in(question: str, facts: Iterable[Fact]) -> list[str]:
    """Return the people, places and things that a question names."""
    asked = set(terms_of(question))
    names = {name for fact in facts for name in fact.about}
    return sorted(name for name in names if asked.issuperset(terms_of(name)))


def month_asked(question: str) -> int:
    """Return the month that a question names, from 1 to 12, or 0."""
    found = re.search("|".join(MONTHS), question)
    return MONTHS.index(found[0]) + 1 if found else 0


_ANY_TIME = datetime.min.replace(tzinfo=UTC)
