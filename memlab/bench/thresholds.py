"""Thresholds for a run: a YAML file that says what is asked, and how good the
answers have to be.

The keys are those of the command's options, with ``half`` and the conditions
``at_least``, ``at_most`` and ``no_worse_than``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    AllowInfNan,
    BaseModel,
    ConfigDict,
    Field,
    Strict,
    ValidationError,
    model_validator,
)

from memlab.bench.answer import Answer
from memlab.bench.compare import (
    FEWEST_CASES,
    NO_VERDICT,
    Row,
    compare,
    summary,
)
from memlab.errors import MemlabError


class ThresholdError(MemlabError):
    """A file of thresholds cannot be used."""


# strict, because a true would pass for a 1
Figure = Annotated[float, AllowInfNan(False), Strict()]
Count = Annotated[int, Strict()]


class Thresholds(BaseModel):
    """What a file of thresholds says.

    ``at_least`` and ``at_most`` have figures by name: ``correct``, ``score``,
    a figure of the task such as ``recall@5``, ``fallback`` (a share),
    ``seconds`` and ``tokens`` per answer, and ``dollars`` in all. They are for
    every variant but the first one, or for the only one. ``no_worse_than``
    names the variant that the others are compared with.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    prompts: Annotated[tuple[str, ...], Field(min_length=1)] = ("base",)
    model: Literal["live", "replay", "offline"] = "live"
    half: Literal["work", "final"] = "work"
    repeat: Count = Field(default=1, ge=1)
    budget: Figure | None = Field(default=None, ge=0)
    budget_tokens: Count | None = Field(default=None, ge=1)
    jobs: Count = Field(default=4, ge=1)
    cases: tuple[str, ...] = ()
    limit: Count = Field(default=0, ge=0)
    tape: str = ""
    base_url: str = ""
    model_name: str = ""
    at_least: dict[str, Figure] = Field(default_factory=dict)
    at_most: dict[str, Figure] = Field(default_factory=dict)
    no_worse_than: str = ""

    @model_validator(mode="after")
    def _can_be_checked(self) -> Thresholds:
        if not (self.at_least or self.at_most or self.no_worse_than):
            raise ValueError(
                "there is no threshold: give at_least, at_most or"
                " no_worse_than"
            )
        if self.cases and self.limit:
            raise ValueError("give cases or limit, not both")
        return self


def load_thresholds(path: Path) -> Thresholds:
    """Read a file of thresholds; raises ThresholdError, which names the file
    and the key.
    """
    try:
        value = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ThresholdError(
            f"cannot be read: {error.strerror}", where=path
        ) from error
    except (ValueError, yaml.YAMLError) as error:
        raise ThresholdError(f"cannot be read: {error}", where=path) from error
    if not isinstance(value, Mapping):
        raise ThresholdError(
            "not a mapping",
            where=path,
            do="Write keys such as task: select and at_least: {correct: 0.7}",
        )
    try:
        return Thresholds.model_validate(value)
    except ValidationError as error:
        problems = [_describe(problem) for problem in error.errors()]
        raise ThresholdError(
            "; ".join(problems),
            where=path,
            do=f"The keys are: {', '.join(Thresholds.model_fields)}",
        ) from None


def missed(
    wanted: Thresholds,
    answers: Iterable[Answer],
    variants: Sequence[str],
) -> list[str]:
    """Say in a sentence each what is missed; the variants are in the order of
    the file.

    Raises ThresholdError for a figure that none of the answers has.
    """
    listed = list(answers)
    rows = {row.variant: row for row in summary(listed)}
    judged = [name for name in variants[1:] or variants if name in rows]
    problems = []
    for name in judged:
        figures = _figures(rows[name])
        for key, least in wanted.at_least.items():
            found = _figure(figures, key)
            if found < least:
                problems.append(
                    f"{name}: {key} is {found:.3g}, and at least {least:g} is"
                    " wanted."
                )
        for key, most in wanted.at_most.items():
            found = _figure(figures, key)
            if found > most:
                problems.append(
                    f"{name}: {key} is {found:.3g}, and at most {most:g} is"
                    " wanted."
                )
    base = base_of(wanted, variants)
    if base:
        for name in variants:
            if name != base:
                problems += _worse(listed, base, name)
    return problems


def check_figures(
    wanted: Thresholds, of_task: Sequence[str], *, priced: bool
) -> None:
    """Raise ThresholdError for a figure that no answer of the task can have,
    so that nothing is asked for it.
    """
    known = [*of_task, *_FIGURES]
    if not priced:
        known.remove("dollars")
    for key in (*wanted.at_least, *wanted.at_most):
        if key not in known:
            raise _no_figure(key, known)


def check_comparison(
    wanted: Thresholds, variants: Sequence[str], cases: int, task: str
) -> None:
    """Raise ThresholdError if ``no_worse_than`` could not decide anything, so
    that nothing is asked for it.
    """
    base = base_of(wanted, variants)
    if not base:
        return
    if len(variants) == 1:
        raise ThresholdError(
            f"there is no other variant to compare {base} with",
            where="no_worse_than",
            do="Add one to prompts",
        )
    if cases < FEWEST_CASES or task in NO_VERDICT:
        raise ThresholdError(
            f"{cases} cases of this task are too few for a verdict",
            where="no_worse_than",
            do=f"Ask at least {FEWEST_CASES}, of a task with a verdict",
        )


def base_of(wanted: Thresholds, variants: Sequence[str]) -> str:
    """Return the variant that ``no_worse_than`` names, in the words of the
    file or of the report; raises ThresholdError if there is none.
    """
    name = wanted.no_worse_than
    if not name or name in variants:
        return name
    if name in wanted.prompts:
        return variants[wanted.prompts.index(name)]
    raise ThresholdError(
        f"there is no variant {name!r} in this run",
        where="no_worse_than",
        do=f"Choose from: {', '.join(variants)}",
    )


def _worse(answers: Sequence[Answer], base: str, name: str) -> list[str]:
    found = compare(answers, base, name)
    if found.verdict != "worse":
        return []
    points = -100 * found.difference
    return [f"{name} is worse than {base}, by {points:.1f} points."]


_FIGURES: Mapping[str, Callable[[Row], float | None]] = {
    "correct": lambda row: row.correct,
    "score": lambda row: row.score,
    "fallback": lambda row: row.fallback,
    "seconds": lambda row: row.seconds,
    "tokens": lambda row: (row.tokens.input + row.tokens.output) / row.answers,
    "dollars": lambda row: row.dollars,
}
"""The figures of every task."""


def _figures(row: Row) -> dict[str, float | None]:
    common = {name: figure(row) for name, figure in _FIGURES.items()}
    return {**row.metrics, **common}


def _figure(figures: Mapping[str, float | None], key: str) -> float:
    found = figures.get(key)
    if found is None:
        known = [name for name, value in figures.items() if value is not None]
        raise _no_figure(key, known)
    return found


def _no_figure(key: str, known: Sequence[str]) -> ThresholdError:
    return ThresholdError(
        f"there is no figure {key!r} in this run",
        where="at_least or at_most",
        do=f"Choose from: {', '.join(known)}",
    )


def _describe(problem: Mapping[str, Any]) -> str:
    """Say which key is wrong, and what it has to be."""
    key = ".".join(map(str, problem["loc"]))
    message = str(problem["msg"]).removeprefix("Value error, ")
    if problem["type"] == "extra_forbidden":
        message = "this key is unknown"
    elif problem["type"] == "missing":
        message = "this key is missing"
    return f"{key}: {message}" if key else message
