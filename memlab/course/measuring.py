"""The scoreboard's questions, and the rule that measures a request against
one.

A question counts if its evidence is in the request. Whether a model would make
good use of what it reads is another measurement, and needs a model. The rule
compares words, so a paraphrase of the evidence does not count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field

from memlab.errors import CourseError
from memlab.text import fold_space, request_text, request_tokens


class Question(BaseModel):
    """One question of the scoreboard: a request that contains all its
    ``evidence`` can answer it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    question: str
    evidence: tuple[str, ...] = Field(min_length=1)
    memory: str
    session: str
    why: str


def load_questions(folder: Path) -> tuple[Question, ...]:
    """Read the example's ``questions.yaml``."""
    text = (folder / "questions.yaml").read_text("utf-8")
    questions = yaml.load(text, yaml.BaseLoader)
    return tuple(map(Question.model_validate, questions))


def contains_evidence(text: str, evidence: str) -> bool:
    """Tell whether a text contains the evidence as whole words.

    Upper and lower case are the same, and so is any run of white space; no
    letter, digit or underscore may touch it. Empty evidence is never
    contained.
    """
    wanted = re.escape(fold_space(evidence).casefold())
    pattern = rf"(?<!\w){wanted}(?!\w)"
    return (
        bool(wanted)
        and re.search(pattern, fold_space(text).casefold()) is not None
    )


Builder = Callable[[Question], Mapping[str, Any]]


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
) -> Row:
    """Measure one stage, named as ``00 nothing``: a notebook's number and a
    label.

    A question counts when the request contains each of its evidence texts. One
    that contains such a text itself never counts: what the person has just
    said is not memory.
    """
    number, _, label = stage.partition(" ")
    if not number.isdecimal() or not label:
        raise CourseError(
            "is not a stage's name",
            where=repr(stage),
            do="Begin with a number: '02 the hooks'",
        )
    hits = tuple(_hit(question, builder(question)) for question in questions)
    tokens = round(sum(hit.tokens for hit in hits) / len(hits)) if hits else 0
    found = sum(hit.found for hit in hits)
    return Row(int(number), label, found, len(hits), tokens, hits)


def _hit(question: Question, request: Mapping[str, Any]) -> Hit:
    text = request_text(request)
    found = _contains_all(text, question.evidence) and not any(
        contains_evidence(question.question, evidence)
        for evidence in question.evidence
    )
    return Hit(question.id, found, request_tokens(request))


def _contains_all(text: str, evidence: Sequence[str]) -> bool:
    return bool(evidence) and all(
        contains_evidence(text, phrase) for phrase in evidence
    )
