"""What came of one case: one line of the log, and the one thing that every
other part of the bench reads.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from memlab.ledger import Tokens


class Key(NamedTuple):
    """What makes two answers the same question asked again."""

    task: str
    version: str
    case: str
    case_version: str
    repeat: int
    model: str


class Answer(BaseModel):
    """What a model made of one case under one variant of the prompts.

    ``version`` and ``case_version`` are 12 hex digits each, of the prompts
    that the task sends and of the labelled case. ``repeat`` counts from 1.
    ``score`` is the graded figure of the task, from 0 to 1; ``correct`` is
    its yes or no. ``metrics`` are the task's other figures for this answer,
    by the name that a report shows; a figure without a meaning for this
    answer is missing, and a report shows the mean over the other answers.
    ``by`` is ``model`` or ``fallback``, and ``error`` says why the fallback
    answered. ``dollars`` is None for a model without a price.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    variant: str
    version: str
    case: str
    case_version: str
    half: str
    repeat: int = Field(ge=1)
    model: str
    mode: str
    at: datetime
    correct: bool
    score: float = Field(ge=0, le=1)
    metrics: dict[str, float] = Field(default_factory=dict)
    said: str
    wanted: str
    why: str
    by: str = "model"
    error: str = ""
    seconds: float = 0.0
    calls: int = 1
    tokens: Tokens = Field(default_factory=Tokens)
    dollars: float | None = None

    @property
    def key(self) -> Key:
        """The question that this answers."""
        return Key(
            self.task,
            self.version,
            self.case,
            self.case_version,
            self.repeat,
            self.model,
        )
