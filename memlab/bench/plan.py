"""The plan of a run: which questions are asked, in which order, and which of
them the log has answers to already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memlab.bench.answer import Answer, Key
from memlab.bench.log import Log
from memlab.bench.tasks.task import Case, Task
from memlab.bench.variants import Variant
from memlab.errors import MemlabError


@dataclass(frozen=True)
class Question:
    """One case to be asked under one variant.

    ``repeat`` is the number that the log has. ``shown`` is the one in the
    report, which differs for a prompt that is compared with itself.
    """

    variant: Variant
    version: str
    case: Case
    repeat: int
    shown: int
    key: Key


@dataclass(frozen=True)
class Plan:
    """What a run is to ask, and what the log has of it already."""

    task: Task
    half: str
    variants: tuple[Variant, ...]
    repeats: int
    model: str
    mode: str
    cases: tuple[Case, ...]
    questions: tuple[Question, ...]
    there: Mapping[Key, Answer]

    @property
    def todo(self) -> tuple[Question, ...]:
        """What has not been answered yet."""
        return tuple(
            question
            for question in self.questions
            if question.key not in self.there
        )

    @property
    def versions(self) -> dict[str, str]:
        """The prompt version of each variant, by its name."""
        return {
            variant.name: variant.version(self.task.prompts)
            for variant in self.variants
        }

    @property
    def reasons(self) -> dict[str, str]:
        """The reason of each label, by the case's id."""
        return {case.id: case.reason for case in self.cases}

    def answers(self, log: Log) -> list[Answer]:
        """Return the answers that belong to the plan, under the names and
        numbers of its own variants.
        """
        known = log.answers
        return [
            known[question.key].model_copy(
                update={
                    "variant": question.variant.name,
                    "repeat": question.shown,
                }
            )
            for question in self.questions
            if question.key in known
        ]


def plan(
    task: Task,
    variants: Sequence[Variant],
    *,
    half: str,
    repeats: int,
    model: str,
    mode: str,
    log: Log,
    cases: Sequence[Case] | None = None,
) -> Plan:
    """Plan a run: every case under every variant, so many times.

    The variants of a case are asked one after the other, so that an
    interrupted run can compare what it has.
    """
    chosen = tuple(task.cases(half) if cases is None else cases)
    seen: Counter[str] = Counter()
    numbered: list[tuple[Variant, str, int]] = []
    for variant in variants:
        version = variant.version(task.prompts)
        numbered.append((variant, version, seen[version] * repeats))
        seen[version] += 1
    questions = tuple(
        Question(
            variant,
            version,
            case,
            before + number,
            number,
            Key(
                task.name,
                version,
                case.id,
                case.version,
                before + number,
                model,
            ),
        )
        for case in chosen
        for number in range(1, repeats + 1)
        for variant, version, before in numbered
    )
    known = log.answers
    return Plan(
        task=task,
        half=half,
        variants=tuple(variants),
        repeats=repeats,
        model=model,
        mode=mode,
        cases=chosen,
        questions=questions,
        there={
            question.key: known[question.key]
            for question in questions
            if question.key in known
        },
    )


def some_cases(
    cases: Sequence[Case], ids: Sequence[str] = (), limit: int = 0
) -> tuple[Case, ...]:
    """Return the cases with these ids, or so many from the whole list.

    Raises MemlabError for an id that is not there.
    """
    if ids:
        by_id = {case.id: case for case in cases}
        missing = [id for id in ids if id not in by_id]
        if missing:
            raise MemlabError(
                f"not in this half: {', '.join(missing)}",
                where="--cases",
                do=f"The ids look like {', '.join(list(by_id)[:3])}",
            )
        return tuple(by_id[id] for id in dict.fromkeys(ids))
    if not limit or limit >= len(cases):
        return tuple(cases)
    return tuple(cases[n * len(cases) // limit] for n in range(limit))
