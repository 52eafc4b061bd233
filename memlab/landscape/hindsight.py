"""Hindsight's idea: keep what is known apart from what is believed, and search
in four ways at once.
"""

from __future__ import annotations

from memlab.landscape import graph
from memlab.landscape.history import Fact, Turn
from memlab.landscape.system import (
    Judge,
    matching,
    month_asked,
    named_in,
    nearest,
)

CONFIDENCE, DOUBT = 0.7, 0.2
"""How much a new opinion is trusted, and what a contradiction takes away."""
CANDIDATES, RECALLED = 30, 10


def fuse(rankings: list[list[int]]) -> list[int]:
    """Return what several searches found, as one list, best first."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for place, number in enumerate(ranking, start=1):
            scores[number] = scores.get(number, 0) + 1 / (60 + place)
    return sorted(scores, key=lambda number: (-scores[number], number))


def four_searches(question: str, facts: list[Fact]) -> dict[str, list[int]]:
    """Rank the numbers of the facts in four ways, at most 30 each."""
    texts = {number: fact.text for number, fact in enumerate(facts)}
    by_meaning = nearest(question, texts, len(texts))
    by_entities: dict[int, None] = {}  # those of the nearest entity first
    start = named_in(question, facts)
    for name in graph.walk(graph.links_of(facts), start, 1):
        found = [n for n in by_meaning if name in facts[n].about]
        by_entities |= dict.fromkeys(found)
    month = month_asked(question)
    return {
        "meaning": by_meaning[:CANDIDATES],
        "words": matching(question, texts, CANDIDATES),
        "entities": list(by_entities)[:CANDIDATES],
        "time": [n for n in by_meaning if facts[n].at.month == month][
            :CANDIDATES
        ],
    }


class Hindsight:
    """Four networks: the *world*, the agent's *experience*, *opinions* with a
    confidence, and neutral *observations*. Nothing is deleted: an opinion that
    was contradicted loses confidence, and comes last.

    The history says which network a fact belongs to. Left out: the re-ranker,
    a model that reads the question and a candidate together; summaries of
    people and things; and the agent's disposition.
    """

    name = "Hindsight"

    def __init__(self, judge: Judge) -> None:
        self.calls = 0
        self.judge = judge
        self.facts: list[Fact] = []
        self.confidence: list[float] = []

    def remember(self, turn: Turn) -> None:
        """Add the facts of a turn, and let them change opinions."""
        self.calls += 1
        for fact in turn.facts:
            for number, old in enumerate(self.facts):
                if (
                    old.kind == "opinion"
                    and self.judge(fact, old) == "corrects"
                ):
                    self.confidence[number] -= DOUBT
            self.facts.append(fact)
            self.confidence.append(CONFIDENCE if fact.kind == "opinion" else 1)

    def recall(self, question: str) -> list[str]:
        """Fuse what four searches find; doubtful opinions come last."""
        fused = fuse(list(four_searches(question, self.facts).values()))
        fused.sort(key=lambda number: self.confidence[number] < CONFIDENCE)
        texts = []
        for number in fused[:RECALLED]:
            fact, sure = self.facts[number], self.confidence[number]
            texts.append(f"{fact} ({fact.kind}, confidence {sure:.1f})")
        return texts
