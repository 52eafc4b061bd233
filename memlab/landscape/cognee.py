"""Cognee: a knowledge graph that is built from text and searched with
vectors.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memlab.landscape.asking import Asks, cost_of, extract_facts
from memlab.landscape.system import Asked, Cost, Turn
from memlab.landscape.vectors import Embedder, VectorIndex

ENTRIES = 5
STEPS = 3
"""From one statement over an entity to another statement takes two steps; a
third goes on to its entities or its chunk."""
PASSED_ON = 0.5
STATEMENTS, CHUNKS = 8, 2
BYTES_PER_EDGE = 16
"""Two numbers, one for each end."""


@dataclass(frozen=True)
class Node:
    """A node of the graph: ``kind`` is chunk, statement or entity."""

    kind: str
    text: str


class Cognee:
    """Connects chunks, statements and entities, and walks from one to another.

    Each text becomes a *chunk*, and a model reads *statements* about
    *entities* out of it. All three are nodes. Entities with the same name are
    one node, so texts that never mention each other are connected through what
    they are about. A question enters the graph at the nodes whose vectors are
    nearest, and a walk from there collects what they are connected with.
    Nothing replaces an older statement: both are in the graph, with their
    dates.

    Left out: ontologies and types of entities, summaries, labels on the edges,
    resolving different names of one thing, and weights that change with
    feedback.
    """

    name = "Cognee"

    def __init__(self, asks: Asks, embedder: Embedder) -> None:
        self._asks = asks
        self.edges: dict[Node, dict[Node, None]] = defaultdict(dict)
        self._nodes: dict[str, Node] = {}
        self._vectors = VectorIndex(embedder)

    def remember(self, turn: Turn) -> None:
        """Add a turn as a chunk, with the statements and entities in it."""
        day = f"{turn.at:%Y-%m-%d}"
        chunk = self._node("chunk", f"{day} {turn.who}: {turn.text}")
        for fact in extract_facts(self._asks, turn):
            statement = self._node("statement", f"{day}: {fact.text}")
            self._connect(statement, chunk)
            for name in fact.about:
                self._connect(statement, self._node("entity", name))

    def recall(self, question: Asked) -> Sequence[str]:
        """Return the statements, and then the chunks, that a walk from the
        nearest nodes reaches with the highest scores.
        """
        near = self._vectors.nearest(question.text, len(self._nodes))
        similarities = {self._nodes[key]: value for key, value in near}
        entries = dict(list(similarities.items())[:ENTRIES])
        reached = self.walk(entries)
        scores = {
            node: energy + similarities.get(node, 0.0)
            for node, energy in reached.items()
        }
        best = sorted(scores, key=lambda node: -scores[node])
        statements = [node.text for node in best if node.kind == "statement"]
        chunks = [node.text for node in best if node.kind == "chunk"]
        return [*statements[:STATEMENTS], *chunks[:CHUNKS]]

    def walk(self, entries: Mapping[Node, float]) -> dict[Node, float]:
        """Return the nodes that are reached from the entries, with what
        arrives at each.

        A node passes on at most half of what it gets, and less the more
        neighbours it has: what is connected with everything says little.
        """
        reached = dict(entries)
        frontier = dict(entries)
        for _ in range(STEPS):
            arriving: dict[Node, float] = {}
            for node, energy in frontier.items():
                neighbours = self.edges[node]
                share = PASSED_ON / max(math.log2(1 + len(neighbours)), 1)
                for neighbour in neighbours:
                    arriving[neighbour] = max(
                        arriving.get(neighbour, 0.0), energy * share
                    )
            frontier = {
                node: energy
                for node, energy in arriving.items()
                if energy > reached.get(node, 0.0)
            }
            reached |= frontier
        return reached

    def cost(self) -> Cost:
        """Return what building the graph used; recall asks no model."""
        edges = sum(len(others) for others in self.edges.values()) // 2
        return cost_of(
            self._asks,
            embeddings=self._vectors.embeddings,
            stored_bytes=self._vectors.stored_bytes + BYTES_PER_EDGE * edges,
        )

    def _node(self, kind: str, text: str) -> Node:
        """Return the node of this kind and text, made if there is none."""
        key = f"{kind} {text.casefold() if kind == 'entity' else text}"
        if key not in self._nodes:
            self._nodes[key] = Node(kind, text)
            self._vectors.add(key, text)
        return self._nodes[key]

    def _connect(self, one: Node, other: Node) -> None:
        self.edges[one][other] = None
        self.edges[other][one] = None
