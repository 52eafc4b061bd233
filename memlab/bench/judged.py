"""What a task says about one case: the half of a log line that needs a label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Judged:
    """What the model made of a case, as a log keeps it.

    ``metrics`` are the task's figures besides ``score``; one that has no
    meaning for this case is missing.
    """

    said: str
    wanted: str
    why: str
    correct: bool
    score: float
    metrics: Mapping[str, float] = field(default_factory=dict)
    by: str = "model"
    error: str = ""
