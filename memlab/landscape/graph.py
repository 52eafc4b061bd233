"""Mem0g's idea: beside the list, a graph of what the facts are about."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from memlab.landscape.history import Fact
from memlab.landscape.mem0 import RECALLED, Mem0
from memlab.landscape.system import Judge, month_asked, named_in, nearest

STEPS = 2


def walk(
    links: list[tuple[str, str]], start: list[str], steps: int
) -> list[str]:
    """Return the entities within so many steps, nearest first."""
    frontier = set(start)
    reached = sorted(frontier)
    for _ in range(steps):
        arrived = set()
        for one, other in links:
            if one in frontier:
                arrived.add(other)
            if other in frontier:
                arrived.add(one)
        frontier = arrived.difference(reached)
        reached += sorted(frontier)
    return reached


def links_of(facts: Iterable[Fact]) -> list[tuple[str, str]]:
    """Return a link for every two entities that a fact is about."""
    return [pair for fact in facts for pair in combinations(fact.about, 2)]


class Mem0Graph(Mem0):
    """Mem0 with a graph: a fact that was contradicted has ended there, and is
    not deleted, so a question about the past still finds it.

    Left out: types of entities, the names of relations, and the merging of
    two names for one entity. In the product, a model reads the relations.
    """

    name = "Mem0g"

    def __init__(self, judge: Judge) -> None:
        super().__init__(judge)
        self.facts: dict[str, Fact] = {}
        self.ended: set[str] = set()

    def write(self, fact: Fact) -> None:
        """Decide as Mem0 does; then end what the fact contradicts."""
        super().write(fact)
        self.calls += 1
        for old in self.facts.values():
            if self.judge(fact, old) == "corrects":
                self.ended.add(old.id)
        self.facts[fact.id] = fact

    def recall(self, question: str) -> list[str]:
        """Return Mem0's memories, and facts around the question's entities."""
        known = dict(self.facts)
        if not month_asked(question):
            for ended in self.ended:
                del known[ended]
        links = links_of(known.values())
        start = named_in(question, known.values())
        reached = walk(links, start, STEPS)
        around = {
            fact.id: fact.text
            for fact in known.values()
            if not set(fact.about).isdisjoint(reached)
        }
        found = nearest(question, around, RECALLED)
        texts = [
            *super().recall(question),
            *(str(known[each]) for each in found),
        ]
        return list(dict.fromkeys(texts))
