"""Texts as vectors: a hashed bag of words and characters, which knows nothing
of meaning.
"""

from __future__ import annotations

import hashlib
import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Protocol

from memlab.text import terms_of

Vector = Mapping[int, float]
"""Places and values; all other places are zero, and the length is one."""

PLACES = 2**20


class Embedder(Protocol):
    """Turns texts into vectors, and says who made them (``name``)."""

    name: str

    def embed(self, text: str) -> Vector:
        """Return the vector of a text."""


class HashedBag:
    """Counts words and groups of three characters, each at a place that its
    hash gives.
    """

    name = "hashed bag of words and characters"

    def embed(self, text: str) -> Vector:
        """Return the counts, scaled to length one."""
        terms = terms_of(text)
        groups = [
            f"#{padded[start : start + 3]}"
            for padded in (f" {term} " for term in terms)
            for start in range(len(padded) - 2)
        ]
        counts = Counter(_place(each) for each in (*terms, *groups))
        length = math.sqrt(sum(count**2 for count in counts.values()))
        return {place: count / length for place, count in counts.items()}


class Remembered:
    """Keeps the vectors of another embedder, so that systems which embed the
    same texts do so once.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self._embedder = embedder
        self._vectors: dict[str, Vector] = {}

    def embed(self, text: str) -> Vector:
        """Return the vector of a text, computed at most once."""
        if text not in self._vectors:
            self._vectors[text] = self._embedder.embed(text)
        return self._vectors[text]


class VectorIndex:
    """Texts that are found by similarity; each has a key.

    ``embeddings`` counts the texts that were turned into vectors.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embeddings = 0
        self._embedder = embedder
        self._texts: dict[str, str] = {}
        self._vectors: dict[str, Vector] = {}
        # for each place the keys whose vectors are not zero there
        self._holders: defaultdict[int, dict[str, float]] = defaultdict(dict)

    @property
    def stored_bytes(self) -> int:
        """The size of the texts, and of the vectors with 4 bytes for each
        place and for each value.
        """
        texts = sum(len(text.encode()) for text in self._texts.values())
        values = sum(len(vector) for vector in self._vectors.values())
        return texts + 8 * values

    def add(self, key: str, text: str) -> None:
        """Add a text, in place of the one that had its key."""
        self.remove(key)
        vector = self._embed(text)
        self._texts[key] = text
        self._vectors[key] = vector
        for place, value in vector.items():
            self._holders[place][key] = value

    def remove(self, key: str) -> None:
        """Remove the text with a key, if there is one."""
        self._texts.pop(key, None)
        for place in self._vectors.pop(key, {}):
            del self._holders[place][key]

    def nearest(self, text: str, limit: int) -> list[tuple[str, float]]:
        """Return the keys of the most similar texts with their similarity,
        best first; the one that was added earlier comes first where two are
        equal.
        """
        scores = dict.fromkeys(self._texts, 0.0)
        for place, value in self._embed(text).items():
            for key, other in self._holders.get(place, {}).items():
                scores[key] += value * other
        return heapq.nlargest(
            limit, scores.items(), key=lambda found: found[1]
        )

    def _embed(self, text: str) -> Vector:
        self.embeddings += 1
        return self._embedder.embed(text)


def similarity(one: Vector, other: Vector) -> float:
    """Return the cosine of two vectors, from 0 (nothing shared) to 1."""
    if len(one) > len(other):
        one, other = other, one
    return sum(value * other.get(place, 0.0) for place, value in one.items())


def _place(term: str) -> int:
    digest = hashlib.blake2b(term.encode(), digest_size=8).digest()
    return int.from_bytes(digest) % PLACES
