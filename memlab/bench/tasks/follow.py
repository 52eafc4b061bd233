"""The task ``follow``: does an answer comply with the memory that it was given,
and only where that is right?
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from memlab.agent.request import CallError, RequestPrefix, ask_model
from memlab.agent.tools import standard_tools
from memlab.bench.tasks.task import Case, Judged, Task, make_case, unusable
from memlab.clock import to_nanoseconds
from memlab.evals.follow import Said, failed_checks
from memlab.evals.labelled import FollowCase, load_follow
from memlab.memdir.instructions import memory_section
from memlab.memdir.memory import Memory, format_memory
from memlab.memdir.places import INDEX
from memlab.memdir.scan import scan_memory_files
from memlab.memdir.store import MemoryStore
from memlab.prompts.blocks import block
from memlab.recall.attach import Surfaced, surface
from memlab.runtime import Runtime

REPLY_TOKENS = 1_024
"""How long a reply may be, which needs a few lines."""
_WRONG = {
    "out-of-date": "out of date",
    "out-of-scope": "out of scope",
    "contradicted": "contradicted",
}


@cache
def _cases() -> tuple[Case, ...]:
    return tuple(make_case(label, label.now) for label in load_follow())


async def _ask(
    case: Case, runtime: Runtime, home: Path, memory: bool
) -> Judged:
    label: FollowCase = case.entry
    body = follow_request(label, runtime, home, memory)
    try:
        answer = await ask_model(
            runtime.client,
            body,
            purpose="follow",
            settings=runtime.settings,
        )
    except CallError as failure:
        return _judge(case, {}, failure.what)
    calls = [(str(call["name"]), call["input"]) for call in answer.calls]
    return _judge(case, {"text": answer.text, "calls": calls}, "")


def _judge(case: Case, stored: Any, error: str) -> Judged:
    label: FollowCase = case.entry
    if error:
        return unusable("answer", _wanted(label), error)
    calls = tuple((name, given) for name, given in stored["calls"])
    judged = judge_answer(label, Said(stored["text"], calls))
    return replace(judged, stored=stored)


def follow_request(
    case: FollowCase, runtime: Runtime, home: Path, memory: bool
) -> dict[str, Any]:
    """Build the request of a follow case: what memlab's agent would send after
    recall has chosen the memory, or with an empty memory directory.
    """
    prompts, settings = runtime.prompts, runtime.settings
    project, folder = home / "project", home / "memory"
    project.mkdir()
    folder.mkdir()
    texts: list[str] = []

    def show(path: Path) -> str:
        return f"~/{path.relative_to(home).as_posix()}"

    if memory:
        _write_memory(folder, case)
        headers = scan_memory_files(folder, settings).headers
        attached = surface(
            headers,
            Surfaced(),
            now=case.now,
            settings=settings,
            known=headers,
            show=show,
            prompts=prompts,
        )
        texts += [each.text for each in attached.attachments]
    if case.screen is not None:
        texts.append(
            f"On screen, {case.screen.file}:\n\n```\n{case.screen.text}\n```"
        )
    texts.append(case.message)
    system = prompts.load(
        "agent",
        project=show(project),
        instructions=block("instructions", ""),
    )
    section = memory_section(
        folder, show=show, settings=settings, prompts=prompts
    )
    offered = [
        tool.definition
        for tool in standard_tools(prompts)
        if tool.name in case.tools
    ]
    content = [{"type": "text", "text": text} for text in texts]
    body = RequestPrefix(
        model=settings.main_model,
        system=f"{system}\n\n{section}",
        tools=tuple(offered),
        messages=({"role": "user", "content": content},),
        effort=settings.main_effort,
    ).body(REPLY_TOKENS)
    if not offered:
        del body["tools"]
    return body


def judge_answer(case: FollowCase, said: Said) -> Judged:
    """Judge an answer or a tool call by the checks of its case."""
    failed = failed_checks(case, said)
    followed = not failed
    correct = followed is case.follow
    why = "It followed" if followed else "It did not follow"
    if case.follow:
        why += " the memory"
        figure = "followed where right"
    else:
        why += f" a memory that is {_WRONG[case.wrong_because or '']}"
        figure = "followed where wrong"
    if case.follow and failed:
        why += f": {'; '.join(failed)}"
    return Judged(
        said=said.shown,
        wanted=_wanted(case),
        why=f"{why}.",
        correct=correct,
        score=float(correct),
        metrics={figure: float(followed)},
    )


def _wanted(case: FollowCase) -> str:
    return ("such as: " if case.follow else "rather: ") + Said.of(
        case.good
    ).shown


def _write_memory(folder: Path, case: FollowCase) -> None:
    """Write the memory and the index, with the time that the label gives."""
    note = case.memory
    path = folder / note.file
    text = format_memory(
        Memory(note.name, note.description, note.type, note.body)
    )
    path.write_text(text, encoding="utf-8")
    index = folder / INDEX
    index.write_text(MemoryStore(folder).settled().text, encoding="utf-8")
    for each in (path, index):
        os.utime(each, ns=(to_nanoseconds(note.modified),) * 2)


FOLLOW = Task(
    name="follow",
    correct=(
        "The answer complies with the memory where that is right, and does not"
        " where the memory is out of date, out of scope or contradicted."
    ),
    prompts=("agent", "memory", "reminders", "tools"),
    load=_cases,
    ask=_ask,
    judge=_judge,
    needs_model=True,
    pair=True,
)
