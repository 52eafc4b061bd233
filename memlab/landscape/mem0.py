"""Mem0's idea (2025): decide about each fact when it is written."""

from __future__ import annotations

from memlab.landscape.history import Fact, Turn
from memlab.landscape.system import Judge, nearest

NEIGHBOURS, RECALLED = 10, 10


def operations_for(fact: str, neighbours: list[tuple[int, str]]) -> list[str]:
    """Return the operations with which a fact changes the list."""
    nearest: dict[str, int] = {}
    for number, judgement in neighbours:
        nearest.setdefault(judgement, number)

    if "same" in nearest:
        return ["NOOP"]
    if "corrects" in nearest:
        return [f"DELETE {nearest['corrects']}", "ADD"]
    if "near" in nearest:
        return [f"UPDATE {nearest['near']}: {fact}"]
    return ["ADD"]


class Mem0:
    """A list of sentences that are true now.

    There is no second look and no history: what was updated or deleted is
    gone. Left out: the summary that helps to find facts, filters by user and
    session, and the service. In the product, a model decides.
    """

    name = "Mem0"

    def __init__(self, judge: Judge) -> None:
        self.calls = 0
        self.judge = judge
        self.memories: dict[int, Fact] = {}
        self.deleted: list[tuple[Fact, Fact]] = []

    def remember(self, turn: Turn) -> None:
        """Find the facts of a turn, and decide about each of them."""
        self.calls += 1
        for fact in turn.facts:
            self.write(fact)

    def write(self, fact: Fact) -> None:
        """Compare a fact with its neighbours, and do what was decided."""
        self.calls += 1
        texts = {number: old.text for number, old in self.memories.items()}
        neighbours = [
            (number, self.judge(fact, self.memories[number]))
            for number in nearest(fact.text, texts, NEIGHBOURS)
        ]
        for operation in operations_for(fact.text, neighbours):
            verb, _, rest = operation.partition(" ")
            if verb == "DELETE":
                self.deleted.append((fact, self.memories.pop(int(rest))))
            elif verb == "UPDATE":
                self.memories[int(rest.partition(":")[0])] = fact
            elif verb == "ADD":
                self.memories[max(self.memories, default=0) + 1] = fact

    def recall(self, question: str) -> list[str]:
        """Return the memories that are most similar to the question."""
        texts = {number: fact.text for number, fact in self.memories.items()}
        found = nearest(question, texts, RECALLED)
        return [str(self.memories[number]) for number in found]
