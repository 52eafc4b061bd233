"""The task ``select``: which memories of a directory help with a message?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from memlab.bench.tasks.task import (
    BENCH,
    Case,
    Judged,
    Task,
    listed,
    make_case,
    sentence,
    unusable,
)
from memlab.evals.labelled import RecallCase, load_cases, load_recall_set
from memlab.evals.metrics import (
    Answer,
    hit_at,
    mrr,
    no_answer_precision,
    no_answer_recall,
    recall_at,
)
from memlab.memdir.scan import MemoryHeader
from memlab.recall.selection import select_relevant_memories
from memlab.runtime import Runtime
from memlab.settings import Settings

_TOP = Settings().select_max_memories
_FIGURES: Mapping[str, Callable[[list[Answer]], float | None]] = {
    f"recall@{_TOP}": lambda answers: recall_at(answers, _TOP),
    f"hit@{_TOP}": lambda answers: hit_at(answers, _TOP),
    "MRR": mrr,
    "no-answer precision": no_answer_precision,
    "no-answer recall": no_answer_recall,
}


@cache
def select_cases() -> tuple[Case, ...]:
    """Load the cases; the entry of each is its label and the headers of its
    directory.
    """
    labelled = load_recall_set()
    entries = [
        *labelled.cases,
        *load_cases(BENCH / "select.yaml", RecallCase),
    ]
    made = []
    for entry in entries:
        headers = labelled.headers[entry.directory]
        shown = [
            [
                header.filename,
                header.name,
                header.description,
                header.type,
                header.mtime,
            ]
            for header in headers
        ]
        now = labelled.directories[entry.directory].now
        made.append(
            make_case(
                entry,
                now,
                entry=(entry, headers),
                also=shown,
            )
        )
    return tuple(made)


async def _ask(
    case: Case, runtime: Runtime, home: Path, memory: bool
) -> Judged:
    label: RecallCase
    headers: Sequence[MemoryHeader]
    label, headers = case.entry
    selection = await select_relevant_memories(
        label.query, headers, runtime, recent_tools=label.recent_tools
    )
    error = "" if selection.by == "model" else selection.error
    return _judge(case, [one.filename for one in selection.chosen], error)


def _judge(case: Case, stored: list[str], error: str) -> Judged:
    label: RecallCase = case.entry[0]
    if error:
        wanted = listed(sorted(label.relevant))
        return unusable("choice", wanted, error)
    return replace(judge_choice(label, stored), stored=stored)


def judge_choice(case: RecallCase, chosen: Sequence[str]) -> Judged:
    """Judge the file names that a model chose."""
    hit = case.relevant.intersection(chosen)
    total = len(case.relevant) + len(chosen)
    figures = [Answer(tuple(chosen), case.relevant)]
    metrics = {
        name: value
        for name, formula in _FIGURES.items()
        if (value := formula(figures)) is not None
    }
    problems = _problems(case, chosen)
    return Judged(
        said=listed(chosen),
        wanted=listed(sorted(case.relevant)),
        why=sentence(problems, "It chose what was wanted"),
        correct=not problems,
        score=2 * len(hit) / total if total else 1.0,
        metrics=metrics,
    )


def _problems(case: RecallCase, chosen: Sequence[str]) -> list[str]:
    missing = sorted(case.relevant.difference(chosen))
    tempted = [name for name in chosen if name in case.tempting]
    others = [
        name
        for name in chosen
        if name not in case.relevant and name not in case.tempting
    ]
    problems = []
    if missing:
        problems.append(f"left out {listed(missing)}")
    if tempted:
        problems.append(f"chose the tempting {listed(tempted)}")
    if others and not case.relevant:
        problems.append(f"chose {listed(others)}, where nothing helps")
    elif len(others) > 1:
        problems.append(f"chose {len(others)} others: {listed(others)}")
    return problems


SELECT = Task(
    name="select",
    correct=(
        "Every relevant memory is chosen, no tempting one, and at most one"
        " other; where nothing helps, nothing is chosen."
    ),
    prompts=("select", "select_request"),
    load=select_cases,
    ask=_ask,
    judge=_judge,
    selects=True,
)
