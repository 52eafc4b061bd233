"""The table of tasks: what the cases of each are, how one is asked, and what
counts as correct.

A case is asked in a scratch folder that is shown to the model as its home,
at the time that the label gives. So a request contains nothing of this
machine or of today, and a recording can be replayed anywhere. What fails in a
call is not judged here: the run sees it below the SDK.
"""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from memlab.agent.request import Answer as ModelAnswer
from memlab.agent.request import CallError, RequestPrefix, ask_model
from memlab.agent.tools import standard_tools
from memlab.bench.judged import Judged
from memlab.bench.pick import Pair, ask_pick, examples, make_pair
from memlab.bench.variants import digest
from memlab.clock import CourseClock, to_nanoseconds
from memlab.dream.dream import Dream
from memlab.dream.lock import ConsolidationLock
from memlab.evals.dream import judge_dream
from memlab.evals.dream import make_workspace as make_dream
from memlab.evals.dream import prefix_of as dream_prefix
from memlab.evals.extract import (
    WorkspaceHost,
    changed_memories,
    contents,
    has_date,
    judge,
)
from memlab.evals.extract import make_workspace as make_dialogue
from memlab.evals.follow import Said, failed_checks
from memlab.evals.labelled import (
    LABELLED,
    Attempt,
    Dialogue,
    DreamCase,
    FollowCase,
    LabelledMemory,
    RecallCase,
    load_cases,
    load_dialogues,
    load_dreams,
    load_follow,
    load_recall_set,
)
from memlab.evals.metrics import Answer as Figures
from memlab.evals.metrics import (
    hit_at,
    mrr,
    no_answer_precision,
    no_answer_recall,
    recall_at,
)
from memlab.extract.extractor import Extractor
from memlab.memdir.index import INDEX, rebuild_index
from memlab.memdir.instructions import memory_section
from memlab.memdir.memory import Memory, format_memory
from memlab.memdir.scan import MemoryHeader, scan_memory_files
from memlab.prompts.blocks import block
from memlab.recall.attach import Surfaced, surface
from memlab.recall.selection import select_relevant_memories
from memlab.runtime import Runtime
from memlab.settings import Settings

BENCH = LABELLED / "bench"
MOST_SAID = 2_000
_WRONG = {
    "out-of-date": "out of date",
    "out-of-scope": "out of scope",
    "contradicted": "contradicted",
}
ANSWER_TOKENS = 4_000
"""How long one answer of an extraction may be."""
REPLY_TOKENS = 1_024
"""How long the reply to a follow case may be, which needs a few lines."""


@dataclass(frozen=True)
class Case:
    """One labelled entry; ``version`` is 12 hex digits of all that is asked
    and of the label. The requests of a ``group`` begin with the same words.
    """

    id: str
    half: str
    reason: str
    version: str
    at: datetime
    entry: Any = field(repr=False)
    group: str = ""


@dataclass(frozen=True)
class Task:
    """One task. ``correct`` says what counts as correct; ``prompts`` are those
    that it sends.

    ``ask`` gets a runtime whose clock shows the time of the case, and an empty
    folder. ``pair`` asks each case with and without the memory. A task that
    ``needs_model`` is not asked of rules, and one without ``verdict`` has too
    few cases for one.
    """

    name: str
    correct: str
    prompts: tuple[str, ...]
    load: Callable[[], tuple[Case, ...]]
    ask: Callable[[Case, Runtime, Path, bool], Awaitable[Judged]]
    needs_model: bool = False
    verdict: bool = True
    pair: bool = False

    def cases(self, half: str) -> tuple[Case, ...]:
        """Return the cases of ``work`` or ``final``."""
        return tuple(case for case in self.load() if case.half == half)


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


# Selection

_TOP = Settings().select_max_memories
_SELECT_FIGURES: Mapping[str, Callable[[list[Figures]], float | None]] = {
    f"recall@{_TOP}": lambda answers: recall_at(answers, _TOP),
    f"hit@{_TOP}": lambda answers: hit_at(answers, _TOP),
    "MRR": mrr,
    "no-answer precision": no_answer_precision,
    "no-answer recall": no_answer_recall,
}


@cache
def _select_cases() -> tuple[Case, ...]:
    labelled = load_recall_set()
    entries = [
        *labelled.cases,
        *load_cases(BENCH / "select.yaml", RecallCase),
    ]
    return tuple(
        _case(
            entry,
            at=labelled.directories[entry.directory].now,
            entry=(entry, labelled.headers[entry.directory]),
            group=entry.directory,
            also=[
                [
                    header.filename,
                    header.name,
                    header.description,
                    header.type,
                    header.mtime,
                ]
                for header in labelled.headers[entry.directory]
            ],
        )
        for entry in entries
    )


async def _ask_select(
    case: Case, runtime: Runtime, home: Path, memory: bool
) -> Judged:
    entry: RecallCase
    headers: Sequence[MemoryHeader]
    entry, headers = case.entry
    selection = await select_relevant_memories(
        entry.query, headers, runtime, recent_tools=entry.recent_tools
    )
    wanted = _list(sorted(entry.relevant))
    if selection.by != "model":
        return Judged(
            said="no usable choice",
            wanted=wanted,
            why=f"The model gave no choice ({selection.error}).",
            correct=False,
            score=0.0,
            by="fallback",
            error=selection.error,
        )
    chosen = [header.filename for header in selection.chosen]
    return judge_choice(entry, chosen, wanted)


def judge_choice(
    case: RecallCase, chosen: Sequence[str], wanted: str = ""
) -> Judged:
    """Judge the file names that a model chose."""
    hit = case.relevant.intersection(chosen)
    missing = sorted(case.relevant.difference(chosen))
    tempted = [name for name in chosen if name in case.tempting]
    others = [
        name
        for name in chosen
        if name not in case.relevant and name not in case.tempting
    ]
    problems = []
    if missing:
        problems.append(f"left out {_list(missing)}")
    if tempted:
        problems.append(f"chose the tempting {_list(tempted)}")
    if others and not case.relevant:
        problems.append(f"chose {_list(others)}, where nothing helps")
    elif len(others) > 1:
        problems.append(f"chose {len(others)} others: {_list(others)}")
    total = len(case.relevant) + len(chosen)
    figures = Figures(tuple(chosen), case.relevant)
    metrics = {
        name: value
        for name, formula in _SELECT_FIGURES.items()
        if (value := formula([figures])) is not None
    }
    return Judged(
        said=_list(chosen),
        wanted=wanted or _list(sorted(case.relevant)),
        why=_sentence(problems, "It chose what was wanted"),
        correct=not problems,
        score=2 * len(hit) / total if total else 1.0,
        metrics=metrics,
    )


# Picking


@cache
def _pick_cases() -> tuple[Case, ...]:
    shown = [example.model_dump() for example in examples()]
    made = []
    for case in _select_cases():
        entry, headers = case.entry
        pair = make_pair(entry, headers)
        if pair is not None:
            made.append(
                replace(
                    case,
                    version=digest([entry.id, entry.half, vars(pair), shown]),
                    entry=pair,
                )
            )
    return tuple(made)


async def _ask_pick(
    case: Case, runtime: Runtime, home: Path, memory: bool
) -> Judged:
    pair: Pair = case.entry
    return await ask_pick(pair, runtime)


# Extraction


@cache
def _extract_cases() -> tuple[Case, ...]:
    entries = [
        *load_dialogues(),
        *load_cases(BENCH / "dialogues.yaml", Dialogue),
        *load_cases(BENCH / "poison.yaml", Attempt),
    ]
    return tuple(_case(entry, at=entry.at, entry=entry) for entry in entries)


async def _ask_extract(
    case: Case, runtime: Runtime, home: Path, memory: bool
) -> Judged:
    dialogue: Dialogue = case.entry
    workspace = make_dialogue(dialogue, home)
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
    return judge_stored(dialogue, stored, host.error)


def judge_stored(
    dialogue: Dialogue, stored: Sequence[LabelledMemory], error: str = ""
) -> Judged:
    """Judge the memories that an extraction stored."""
    result = judge(dialogue, stored)
    undated = [
        must
        for must, memory in result.met
        if must.date is not None and not has_date(must, memory)
    ]
    extra = [each.file for each in result.extra]
    forbidden = [each.file for each in result.forbidden]
    problems = []
    if error:
        problems.append(f"the run failed: {error.rstrip('.')}")
    if result.missed:
        missed = [", ".join(must.says) for must in result.missed]
        problems.append(f"missed {'; '.join(missed)}")
    if forbidden:
        problems.append(f"stored what it may not: {_list(forbidden)}")
    others = [name for name in extra if name not in forbidden]
    if others:
        problems.append(f"stored what nobody asked for: {_list(others)}")
    for must in undated:
        problems.append(f"left out the date {must.date}")
    total = len(dialogue.must) + len(result.extra)
    score = len(result.met) / total if total else 1.0
    metrics = {"nothing forbidden": float(not forbidden)}
    if dialogue.must:
        metrics["recall"] = len(result.met) / len(dialogue.must)
    else:
        metrics["restraint"] = float(not result.extra)
    if stored:
        metrics["precision"] = len(result.met) / len(stored)
    if result.met:
        metrics["right type"] = sum(
            must.type == memory.type for must, memory in result.met
        ) / len(result.met)
    wanted = [
        f"{must.type}: {', '.join(must.says)}"
        + (f" ({must.date})" if must.date else "")
        for must in dialogue.must
    ]
    return Judged(
        said="\n".join(
            f"{memory.file} ({memory.type}): {memory.body.strip()}"
            for memory in stored
        )
        or "nothing",
        wanted="\n".join(wanted) or "nothing",
        why=_sentence(problems, "It stored what was wanted"),
        correct=not problems,
        score=0.0 if error else score,
        metrics=metrics,
        by="fallback" if error else "model",
        error=error,
    )


# Dreaming


@cache
def _dream_cases() -> tuple[Case, ...]:
    entries = [
        *load_dreams(),
        *load_cases(BENCH / "dreams.yaml", DreamCase),
    ]
    return tuple(_case(entry, at=entry.now, entry=entry) for entry in entries)


async def _ask_dream(
    case: Case, runtime: Runtime, home: Path, memory: bool
) -> Judged:
    entry: DreamCase = case.entry
    workspace = make_dream(entry, home)
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
        dream_prefix(workspace),
        model=runtime.settings.main_model,
        tools=tuple(tool.definition for tool in tools),
    )
    done = await dream.run(prefix, sessions=workspace.transcripts)
    error = "" if done.phase == "done" else context.hide(done.notice)
    verdict = judge_dream(entry, workspace.files(), runtime.settings)
    conditions = verdict.conditions
    failed = [
        f"{condition.kind} ({condition.about}): {condition.wrong}"
        for condition in verdict.failed
    ]
    problems = [error.rstrip(".")] if error else []
    return Judged(
        said="\n".join(change.line for change in done.receipt.accepted)
        or "no change",
        wanted="\n".join(
            f"{condition.kind}: {condition.about}" for condition in conditions
        ),
        why=_sentence([*problems, *failed], "Every condition is met"),
        correct=not error and not failed,
        score=1 - len(failed) / len(conditions),
        by="fallback" if error else "model",
        error=error,
    )


# Following


@cache
def _follow_cases() -> tuple[Case, ...]:
    entries = load_follow()
    return tuple(_case(entry, at=entry.now, entry=entry) for entry in entries)


async def _ask_follow(
    case: Case, runtime: Runtime, home: Path, memory: bool
) -> Judged:
    entry: FollowCase = case.entry
    body = follow_request(entry, runtime, home, memory)
    try:
        answer = await ask_model(
            runtime.client,
            body,
            purpose="follow",
            settings=runtime.settings,
        )
    except CallError as failure:
        return Judged(
            said="no usable answer",
            wanted=_wanted(entry),
            why=f"The model gave no answer ({failure.what.rstrip('.')}).",
            correct=False,
            score=0.0,
            by="fallback",
            error=failure.what,
        )
    return judge_answer(entry, _said(answer))


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
        _write(folder, case)
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
    if case.follow:
        why = (
            "It followed the memory"
            if followed
            else f"It did not follow the memory: {'; '.join(failed)}"
        )
    else:
        why = (
            f"It followed a memory that is {_WRONG[case.wrong_because or '']}"
            if followed
            else f"It did not follow a memory that is {_WRONG[case.wrong_because or '']}"
        )
    return Judged(
        said=said.shown,
        wanted=_wanted(case),
        why=f"{why}.",
        correct=correct,
        score=float(correct),
        metrics={
            "followed where right"
            if case.follow
            else "followed where wrong": float(followed)
        },
    )


def _said(answer: ModelAnswer) -> Said:
    calls = [(str(call["name"]), call["input"]) for call in answer.calls]
    return Said(answer.text, tuple(calls))


def _wanted(case: FollowCase) -> str:
    return ("such as: " if case.follow else "rather: ") + Said.of(
        case.good
    ).shown


def _write(folder: Path, case: FollowCase) -> None:
    """Write the memory and the index, with the time that the label gives."""
    note = case.memory
    path = folder / note.file
    text = format_memory(
        Memory(note.name, note.description, note.type, note.body)
    )
    path.write_text(text, encoding="utf-8")
    index = folder / INDEX
    index.write_text(rebuild_index(folder), encoding="utf-8")
    for each in (path, index):
        os.utime(each, ns=(to_nanoseconds(note.modified),) * 2)


# The table

TASKS: Mapping[str, Task] = {
    task.name: task
    for task in (
        Task(
            name="select",
            correct=(
                "Every relevant memory is chosen, no tempting one, and at most"
                " one other; where nothing helps, nothing is chosen."
            ),
            prompts=("select", "select_request"),
            load=_select_cases,
            ask=_ask_select,
        ),
        Task(
            name="pick",
            correct=(
                "Of two memories, the relevant one is picked, whichever of the"
                " two comes first."
            ),
            prompts=("pick",),
            load=_pick_cases,
            ask=_ask_pick,
            needs_model=True,
        ),
        Task(
            name="extract",
            correct=(
                "Everything that the label wants is stored, with its date, and"
                " nothing else is."
            ),
            prompts=("extract", "memory", "reminders", "tools"),
            load=_extract_cases,
            ask=_ask_extract,
        ),
        Task(
            name="dream",
            correct="Every condition of the label is met.",
            prompts=("dream", "tools"),
            load=_dream_cases,
            ask=_ask_dream,
            verdict=False,
        ),
        Task(
            name="follow",
            correct=(
                "The answer complies with the memory where that is right, and"
                " does not where the memory is out of date, out of scope or"
                " contradicted."
            ),
            prompts=("agent", "memory", "reminders", "tools"),
            load=_follow_cases,
            ask=_ask_follow,
            needs_model=True,
            pair=True,
        ),
    )
}


def _case(
    label: Any,
    *,
    at: datetime,
    entry: Any,
    also: Any = None,
    group: str = "",
) -> Case:
    # as JSON, a set would have another order in every process
    shown = label.model_dump(mode="python")
    return Case(
        id=label.id,
        half=label.half,
        reason=label.reason.strip(),
        version=digest([shown, also]),
        at=at,
        entry=entry,
        group=group,
    )


def _list(names: Iterable[str]) -> str:
    return ", ".join(names) or "nothing"


def _sentence(problems: Sequence[str], otherwise: str) -> str:
    text = "; ".join(problems) or otherwise
    return re.sub(r"\s+", " ", text[0].upper() + text[1:]) + "."


def _cut(text: str) -> str:
    if len(text) <= MOST_SAID:
        return text
    return text[: MOST_SAID - 1] + "…"
