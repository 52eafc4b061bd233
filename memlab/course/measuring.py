"""The measuring rule: does what is needed stand in the request, and what does
the request cost?

Left out: whether a model would make good use of what it reads. That is another
measurement, and needs a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memlab.course.evidence import stands_in
from memlab.course.example import Question
from memlab.errors import CourseError
from memlab.text import request_text, request_tokens

Builder = Callable[[Question], Mapping[str, Any]]
Rule = Callable[[str, str], bool]


@dataclass(frozen=True)
class Hit:
    """One question's outcome: was all its evidence in the request, and at how
    many tokens.
    """

    question: str
    found: bool
    tokens: int


@dataclass(frozen=True)
class Row:
    """One line of the scoreboard; ``tokens_mean`` is rounded to whole tokens."""

    notebook: int
    label: str
    found: int
    of: int
    tokens_mean: int
    detail: tuple[Hit, ...]


def measure(
    stage: str,
    builder: Builder,
    questions: Iterable[Question],
    rule: Rule = stands_in,
) -> Row:
    """Measure one stage, named as ``00 nothing``: a notebook's number and a
    label.

    A question counts when each of its evidence texts stands in the request by
    the rule, and in the question by no means: what the person said already is
    not memory.
    """
    number, _, label = stage.partition(" ")
    if not number.isdecimal() or not label:
        raise CourseError(
            "is no stage's name",
            where=repr(stage),
            do="Begin with a number: '02 the hooks'",
        )
    hits = tuple(
        _hit(question, builder(question), rule) for question in questions
    )
    tokens = round(sum(hit.tokens for hit in hits) / len(hits)) if hits else 0
    found = sum(hit.found for hit in hits)
    return Row(int(number), label, found, len(hits), tokens, hits)


def _hit(question: Question, request: Mapping[str, Any], rule: Rule) -> Hit:
    text = request_text(request)
    found = _all_stand(rule, text, question.evidence) and not any(
        stands_in(question.question, evidence)
        for evidence in question.evidence
    )
    return Hit(question.id, found, request_tokens(request))


def _all_stand(rule: Rule, text: str, evidence: Sequence[str]) -> bool:
    return bool(evidence) and all(rule(text, each) for each in evidence)
