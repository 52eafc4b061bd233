"""Cognee's idea: build a knowledge graph from text, and enter it by
similarity.
"""

from __future__ import annotations

import math
from collections import defaultdict

from memlab.landscape.history import Turn
from memlab.landscape.system import nearest, similarity

ENTRIES, STEPS, PASSED_ON, RECALLED = 5, 3, 0.5, 10


class Cognee:
    """Chunks of text, the statements in them, and the entities that these are
    about are nodes of one graph. A question enters it at the most similar
    nodes, and a walk finds what is connected with them. Nothing is replaced.

    Left out: ontologies, types, summaries, and finding out that two names mean
    one thing. In the product, a model builds the graph.
    """

    name = "Cognee"

    def __init__(self) -> None:
        self.calls = 0
        self.links: dict[str, set[str]] = defaultdict(set)
        self.statements: set[str] = set()

    def remember(self, turn: Turn) -> None:
        """Add a turn as a chunk, with its statements and entities."""
        self.calls += 1
        for fact in turn.facts:
            self.statements.add(str(fact))
            for other in (str(turn), *fact.about):
                self.links[str(fact)].add(other)
                self.links[other].add(str(fact))

    def walk(self, entries: dict[str, float]) -> dict[str, float]:
        """Return what arrives at each node that can be reached.

        A node passes on at most half of what it gets, and less the more
        neighbours it has: what is linked with everything says little.
        """
        reached = dict(entries)
        for _ in range(STEPS):
            for node, energy in list(reached.items()):
                neighbours = self.links[node]
                share = energy * PASSED_ON / math.log2(1 + len(neighbours))
                for neighbour in neighbours:
                    best = max(reached.get(neighbour, 0.0), share)
                    reached[neighbour] = best
        return reached

    def recall(self, question: str) -> list[str]:
        """Return the statements that get most from a walk."""
        nodes = {node: node for node in self.links}
        found = nearest(question, nodes, ENTRIES)
        scores = self.walk(
            {node: similarity(question, node) for node in found}
        )
        for node in scores:
            scores[node] += similarity(question, node)
        best = sorted(scores, key=lambda node: (-scores[node], node))
        return [node for node in best if node in self.statements][:RECALLED]
