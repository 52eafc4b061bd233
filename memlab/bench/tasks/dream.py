"""The task ``dream``: what is left of a memory directory after a dream?"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from memlab.agent.tools import standard_tools
from memlab.bench.tasks.task import (
    BENCH,
    Case,
    Judged,
    Task,
    make_case,
    sentence,
)
from memlab.dream.dream import Dream
from memlab.dream.lock import ConsolidationLock
from memlab.evals.dream import judge_dream, make_workspace, prefix_of
from memlab.evals.labelled import DreamCase, load_cases, load_dreams
from memlab.runtime import Runtime


@cache
def _cases() -> tuple[Case, ...]:
    labels = [
        *load_dreams(),
        *load_cases(BENCH / "dreams.yaml", DreamCase),
    ]
    return tuple(make_case(label, label.now) for label in labels)


async def _ask(
    case: Case, runtime: Runtime, home: Path, memory: bool
) -> Judged:
    label: DreamCase = case.entry
    workspace = make_workspace(label, home)
    context = replace(workspace.context, clock=runtime.clock)
    tools = standard_tools(runtime.prompts)
    dream = Dream(
        runtime=runtime,
        tools=tools,
        context=context,
        lock=ConsolidationLock(workspace.memory, clock=runtime.clock),
        policy="ask",
        decide=lambda receipt: [change.file for change in receipt.accepted],
        room=home.parent,
    )
    prefix = replace(
        prefix_of(workspace),
        model=runtime.settings.main_model,
        tools=tuple(tool.definition for tool in tools),
    )
    done = await dream.run(prefix, sessions=workspace.transcripts)
    error = "" if done.phase == "done" else context.hide(done.notice)
    verdict = judge_dream(label, workspace.files(), runtime.settings)
    failed = [
        f"{condition.kind} ({condition.about}): {condition.wrong}"
        for condition in verdict.failed
    ]
    problems = [error.rstrip("."), *failed] if error else failed
    changes = [change.line for change in done.receipt.accepted]
    wanted = [
        f"{condition.kind}: {condition.about}"
        for condition in verdict.conditions
    ]
    return Judged(
        said="\n".join(changes) or "no change",
        wanted="\n".join(wanted),
        why=sentence(problems, "Every condition is met"),
        correct=not problems,
        score=1 - len(failed) / len(wanted),
        by="fallback" if error else "model",
        error=error,
    )


DREAM = Task(
    name="dream",
    correct="Every condition of the label is met.",
    prompts=("dream", "tools"),
    load=_cases,
    ask=_ask,
)
