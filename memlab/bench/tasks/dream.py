"""The task ``dream``: what is left of a memory directory after a dream?"""

from __future__ import annotations

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
    after = workspace.files()
    changed = {
        name: after[name].decode() if name in after else None
        for name in sorted({*label.files, *after})
        if label.files.get(name) != after.get(name)
        and not name.startswith(".")
    }
    judged = _judge(case, changed, error)
    changes = [change.line for change in done.receipt.accepted]
    return replace(judged, said="\n".join(changes) or "no change")


def _judge(case: Case, stored: Any, error: str) -> Judged:
    """Judge the files that a dream has changed; None for one that is gone."""
    label: DreamCase = case.entry
    after = dict(label.files)
    for name, text in stored.items():
        after.pop(name, None)
        if text is not None:
            after[name] = text.encode()
    verdict = judge_dream(label, after)
    failed = [
        f"{condition.kind} ({condition.about}): {condition.wrong}"
        for condition in verdict.failed
    ]
    problems = [error.rstrip("."), *failed] if error else failed
    wanted = [
        f"{condition.kind}: {condition.about}"
        for condition in verdict.conditions
    ]
    return Judged(
        said=", ".join(stored) or "no change",
        wanted="\n".join(wanted),
        why=sentence(problems, "Every condition is met"),
        correct=not problems,
        score=1 - len(failed) / len(wanted),
        by="fallback" if error else "model",
        error=error,
        stored=stored,
    )


DREAM = Task(
    name="dream",
    correct="Every condition of the label is met.",
    prompts=("dream", "tools"),
    load=_cases,
    ask=_ask,
    judge=_judge,
)
