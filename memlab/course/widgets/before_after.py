"""Each question without and with its memory: is the evidence in the request,
at what cost?

Two requests are compared, and none is sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from types import ModuleType
from typing import Any

from memlab.course.baselines import nothing, with_its_memory
from memlab.course.display import Table, table
from memlab.course.lab import Lab
from memlab.course.measuring import Hit, Question, Rule, measure
from memlab.course.widgets.widget import Widget, chooser


@dataclass(frozen=True)
class Pair:
    """One question measured twice: sent alone, and sent with the file that
    answers it.
    """

    question: Question
    without: Hit
    with_memory: Hit


@dataclass(frozen=True)
class BeforeAfter:
    """All pairs."""

    pairs: tuple[Pair, ...]

    @property
    def table(self) -> Table:
        """One line a question."""
        return table(
            [
                (
                    pair.question.question,
                    pair.without.found,
                    pair.without.tokens,
                    pair.with_memory.found,
                    pair.with_memory.tokens,
                )
                for pair in self.pairs
            ],
            (
                "question",
                "without: evidence",
                "tokens",
                "with its memory: evidence",
                "tokens",
            ),
        )

    def shown(self, index: int) -> str:
        """Describe one pair in HTML; text from files is escaped."""
        pair = self.pairs[index]
        evidence = " and ".join(f"“{text}”" for text in pair.question.evidence)
        return (
            f"<p>Needed in the request: <b>{escape(evidence)}</b></p>"
            f"<p>{_describe('Without memory', pair.without)}<br>"
            f"{_describe(f'With {pair.question.memory}', pair.with_memory)}</p>"
            f"<p>{escape(pair.question.why)}</p>"
        )


def compare(lab: Lab) -> BeforeAfter:
    """Measure every question of a lab without and with its memory, by the
    lab's rule.
    """
    rule: Rule = lab.parts.get("contains_evidence")
    questions: Sequence[Question] = lab.questions
    without = measure("00 without", nothing(lab), questions, rule).detail
    with_it = measure("00 with", with_its_memory(lab), questions, rule).detail
    return BeforeAfter(tuple(map(Pair, questions, without, with_it)))


def before_after(lab: Lab) -> Widget:
    """Show one question at a time to choose from; its static version is the
    table of all.
    """
    compared = compare(lab)
    return Widget(compared.table, partial(_box, compared))


def _box(compared: BeforeAfter, widgets: ModuleType) -> Any:
    labels = [
        f"{number}. {pair.question.question}"
        for number, pair in enumerate(compared.pairs, 1)
    ]
    return widgets.VBox(chooser(widgets, "Question", labels, compared.shown))


def _describe(label: str, hit: Hit) -> str:
    sign = "✓ it is there" if hit.found else "✗ it is missing"
    return f"{escape(label)}: {sign}, {hit.tokens:,} tokens"
