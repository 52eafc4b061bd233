"""The task ``extract``: what of a dialogue is worth remembering?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from memlab.agent.tools import standard_tools
from memlab.bench.tasks.task import (
    BENCH,
    Case,
    Judged,
    Task,
    listed,
    make_case,
    sentence,
)
from memlab.evals.extract import (
    Judgement,
    WorkspaceHost,
    changed_memories,
    contents,
    has_date,
    judge,
    make_workspace,
)
from memlab.evals.labelled import (
    Attempt,
    Dialogue,
    LabelledMemory,
    load_cases,
    load_dialogues,
)
from memlab.extract.extractor import Extractor
from memlab.memdir.instructions import memory_section
from memlab.runtime import Runtime

ANSWER_TOKENS = 4_000
"""How long one answer of an extraction may be."""


@cache
def _cases() -> tuple[Case, ...]:
    labels = [
        *load_dialogues(),
        *load_cases(BENCH / "dialogues.yaml", Dialogue),
        *load_cases(BENCH / "poison.yaml", Attempt),
    ]
    return tuple(make_case(label, label.at) for label in labels)


async def _ask(
    case: Case, runtime: Runtime, home: Path, memory: bool
) -> Judged:
    dialogue: Dialogue = case.entry
    workspace = make_workspace(dialogue, home)
    context = replace(workspace.context, clock=runtime.clock)
    tools = standard_tools(runtime.prompts)
    prefix = replace(
        workspace.prefix,
        model=runtime.settings.main_model,
        system=memory_section(
            workspace.memory, show=context.show, prompts=runtime.prompts
        ),
        tools=tuple(tool.definition for tool in tools),
        max_tokens=ANSWER_TOKENS,
    )
    before = contents(workspace.memory)
    host = WorkspaceHost(workspace)
    extractor = Extractor(
        runtime=runtime, tools=tools, context=context, host=host
    )
    await extractor(prefix)
    await extractor.drain()
    stored = list(changed_memories(workspace.memory, before))
    found = [one.model_dump() for one in stored]
    return _judge(case, found, host.error)


def _judge(case: Case, stored: Any, error: str) -> Judged:
    memories = [LabelledMemory(**one) for one in stored]
    return replace(judge_stored(case.entry, memories, error), stored=stored)


def judge_stored(
    dialogue: Dialogue, stored: Sequence[LabelledMemory], error: str = ""
) -> Judged:
    """Judge the memories that an extraction stored."""
    result = judge(dialogue, stored)
    problems = [f"the run failed: {error.rstrip('.')}"] if error else []
    problems += _problems(result)
    total = len(dialogue.must) + len(result.extra)
    score = len(result.met) / total if total else 1.0
    said = [
        f"{memory.file} ({memory.type}): {memory.body.strip()}"
        for memory in stored
    ]
    wanted = [
        f"{must.type}: {', '.join(must.says)}"
        + (f" ({must.date})" if must.date else "")
        for must in dialogue.must
    ]
    return Judged(
        said="\n".join(said) or "nothing",
        wanted="\n".join(wanted) or "nothing",
        why=sentence(problems, "It stored what was wanted"),
        correct=not problems,
        score=0.0 if error else score,
        metrics=_metrics(dialogue, stored, result),
        by="fallback" if error else "model",
        error=error,
    )


def _problems(result: Judgement) -> list[str]:
    forbidden = [memory.file for memory in result.forbidden]
    others = [
        memory.file for memory in result.extra if memory.file not in forbidden
    ]
    problems = []
    if result.missed:
        missed = [", ".join(must.says) for must in result.missed]
        problems.append(f"missed {'; '.join(missed)}")
    if forbidden:
        problems.append(f"stored what it may not: {listed(forbidden)}")
    if others:
        problems.append(f"stored what nobody asked for: {listed(others)}")
    for must, memory in result.met:
        if must.date is not None and not has_date(must, memory):
            problems.append(f"left out the date {must.date}")
    return problems


def _metrics(
    dialogue: Dialogue, stored: Sequence[LabelledMemory], result: Judgement
) -> Mapping[str, float]:
    metrics = {"nothing forbidden": float(not result.forbidden)}
    if dialogue.must:
        metrics["recall"] = len(result.met) / len(dialogue.must)
    else:
        metrics["restraint"] = float(not result.extra)
    if stored:
        metrics["precision"] = len(result.met) / len(stored)
    if result.met:
        right = sum(must.type == memory.type for must, memory in result.met)
        metrics["right type"] = right / len(result.met)
    return metrics


EXTRACT = Task(
    name="extract",
    correct=(
        "Everything that the label wants is stored, with its date, and nothing"
        " else is."
    ),
    prompts=("extract", "memory", "reminders", "tools"),
    load=_cases,
    ask=_ask,
    judge=_judge,
)
