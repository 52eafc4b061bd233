"""What every task has in common: a case, what a model made of it, and how one
case is asked.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memlab.bench.variants import digest
from memlab.clock import CourseClock
from memlab.evals.labelled import LABELLED
from memlab.runtime import Runtime
from memlab.settings import Settings

BENCH = LABELLED / "bench"
"""The cases that the bench adds to those of the sibling folders."""
MOST_SAID = 2_000
"""How many characters of an answer, and of its label, the log keeps."""


@dataclass(frozen=True)
class Case:
    """One labelled entry; ``version`` is 12 hex digits of all that is asked
    and of the label.
    """

    id: str
    half: str
    reason: str
    version: str
    at: datetime
    entry: Any = field(repr=False)


@dataclass(frozen=True)
class Judged:
    """What the model made of a case, as a log keeps it.

    ``metrics`` are the task's figures besides ``score``; one that has no
    meaning for this case is missing. ``stored`` is what was chosen, stored or
    said, as JSON: ``Task.judge`` makes the same of it at any time.
    """

    said: str
    wanted: str
    why: str
    correct: bool
    score: float
    metrics: Mapping[str, float] = field(default_factory=dict)
    by: str = "model"
    error: str = ""
    stored: Any = None


@dataclass(frozen=True)
class Task:
    """One task. ``correct`` says what counts as correct; ``prompts`` are those
    that it sends.

    ``ask`` gets a runtime whose clock shows the time of the case, an empty
    folder, and whether the memory is there; ``judge`` gets what it stored, and
    the error that there was. ``pair`` asks each case with and
    without the memory. A task that ``needs_model`` is not asked of rules. A
    task that ``selects`` asks the model that selects memories.
    """

    name: str
    correct: str
    prompts: tuple[str, ...]
    load: Callable[[], tuple[Case, ...]]
    ask: Callable[[Case, Runtime, Path, bool], Awaitable[Judged]]
    judge: Callable[[Case, Any, str], Judged] | None = None
    needs_model: bool = False
    pair: bool = False
    selects: bool = False

    def cases(self, half: str) -> tuple[Case, ...]:
        """Return the cases of ``work`` or ``final``."""
        return tuple(case for case in self.load() if case.half == half)

    def model(self, settings: Settings) -> str:
        """Return the name of the model that it asks."""
        return settings.select_model if self.selects else settings.main_model


class CaseClock(CourseClock):
    """Shows the time of a case, gives the same names on every machine, and
    waits in real time.
    """

    async def sleep(self, seconds: float) -> None:
        """Wait for this number of real seconds."""
        await asyncio.sleep(seconds)


async def ask_case(
    task: Task, case: Case, runtime: Runtime, memory: bool = True
) -> Judged:
    """Ask one case in a scratch folder; what was said is cut to a readable
    length.
    """
    runtime = runtime.with_changes(clock=CaseClock(case.at))
    with tempfile.TemporaryDirectory(prefix="memlab-bench-") as scratch:
        home = Path(scratch).resolve() / "home"
        home.mkdir()
        judged = await task.ask(case, runtime, home, memory)
    return replace(
        judged,
        said=_cut(judged.said),
        wanted=_cut(judged.wanted),
    )


def make_case(
    label: Any,
    at: datetime,
    *,
    entry: Any = None,
    also: Any = None,
) -> Case:
    """Make the case of a label.

    ``entry`` is what the task asks about, by default the label itself.
    ``also`` is what is asked besides the label, for the version.
    """
    # as JSON, a set would have another order in every process
    shown = label.model_dump(mode="python")
    return Case(
        id=label.id,
        half=label.half,
        reason=label.reason.strip(),
        version=digest([shown, also]),
        at=at,
        entry=label if entry is None else entry,
    )


def unusable(what: str, wanted: str, error: str) -> Judged:
    """Judge a reply that gave no choice or no answer: it is wrong, and the
    fallback's.
    """
    return Judged(
        said=f"no usable {what}",
        wanted=wanted,
        why=f"The model gave no {what} ({error.rstrip('.')}).",
        correct=False,
        score=0.0,
        by="fallback",
        error=error,
    )


def listed(names: Iterable[str]) -> str:
    """Return the names with commas, or ``nothing``."""
    return ", ".join(names) or "nothing"


def sentence(problems: Sequence[str], otherwise: str) -> str:
    """Make one sentence of the problems, or of what holds without any."""
    text = "; ".join(problems) or otherwise
    return re.sub(r"\s+", " ", text[0].upper() + text[1:]) + "."


def _cut(text: str) -> str:
    if len(text) <= MOST_SAID:
        return text
    return text[: MOST_SAID - 1] + "…"
