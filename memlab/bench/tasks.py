"""The tasks of the bench: what is asked about a labelled case, and what counts
as correct.

A case is asked in a scratch folder that is shown to the model as its home, at
the time that the label gives. So a request contains nothing of this machine or
of today, and a recorded answer fits it anywhere.
"""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from memlab.agent.request import CallError, RequestPrefix, ask_model
from memlab.agent.tool import ToolContext
from memlab.agent.tools import standard_tools
from memlab.agent.transcript import Transcript
from memlab.clock import CourseClock, to_nanoseconds
from memlab.dream.dream import Dream
from memlab.dream.lock import ConsolidationLock
from memlab.evals.labelled import (
    LABELLED,
    Label,
    load_labels,
    load_recall_set,
)
from memlab.evals.measure import (
    dream_problems,
    extraction_problems,
    following_problems,
    selection_problems,
)
from memlab.extract.extractor import Extraction, ExtractionHost, Extractor
from memlab.memdir.instructions import memory_section
from memlab.memdir.memory import (
    Memory,
    MemoryType,
    format_memory,
    parse_memory,
)
from memlab.memdir.places import INDEX
from memlab.memdir.scan import scan_memory_files
from memlab.memdir.store import MemoryStore
from memlab.prompts.blocks import block
from memlab.recall.attach import Surfaced, surface
from memlab.recall.selection import select_relevant_memories
from memlab.runtime import Runtime

EXTRACT_TOKENS, FOLLOW_TOKENS = 4_000, 1_024
"""How long an answer may be."""

Asked = tuple[Any, str]
"""What was chosen, stored, changed or said, as JSON, and the error if the
model gave no usable answer.
"""


@dataclass(frozen=True)
class Judged:
    """What became of a case. ``stored`` is what the model chose, stored,
    changed or said, and ``error`` says why there is nothing.
    """

    correct: bool
    why: str
    said: str
    wanted: str
    stored: Any = None
    error: str = ""


@dataclass(frozen=True)
class Task:
    """One task. ``correct`` says in a sentence what counts as correct, and
    ``prompts`` are those that it sends. One that ``needs_model`` cannot be
    answered by the fallback rules.

    ``ask`` gets a runtime whose clock shows the time of the case, an empty
    folder, and whether the memory is there; ``check`` gives what is wrong, what
    was said, and what was wanted.
    """

    name: str
    correct: str
    prompts: tuple[str, ...]
    load: Callable[[], tuple[Label, ...]]
    ask: Callable[[Label, Runtime, Path, bool], Awaitable[Asked]]
    check: Callable[[Label, Any], tuple[list[str], str, str]]
    needs_model: bool = False

    def cases(self, half: str) -> list[Label]:
        """Return the cases of ``work`` or ``final``."""
        return [case for case in self.load() if case.half == half]

    def judge(self, label: Label, stored: Any, error: str = "") -> Judged:
        """Judge what was stored; without a usable answer, a case is wrong."""
        if error:
            why = f"The model gave no usable answer ({error.rstrip('.')})."
            return Judged(False, why, "", "", stored, error)
        problems, said, wanted = self.check(label, stored)
        why = "; ".join(problems) or self.correct.rstrip(".")
        why = re.sub(r"\s+", " ", why[0].upper() + why[1:]) + "."
        return Judged(not problems, why, said, wanted, stored)


class CaseClock(CourseClock):
    """Shows the time of a case, gives the same names on every machine, and
    waits in real time.
    """

    async def sleep(self, seconds: float) -> None:
        """Wait for this number of real seconds."""
        await asyncio.sleep(seconds)


async def ask_case(
    task: Task, label: Label, runtime: Runtime, memory: bool = True
) -> Judged:
    """Ask one case in a scratch folder."""
    runtime = runtime.with_changes(clock=CaseClock(_time_of(label)))
    with tempfile.TemporaryDirectory(prefix="memlab-bench-") as scratch:
        home = Path(scratch).resolve() / "home"
        home.mkdir()
        stored, error = await task.ask(label, runtime, home, memory)
    return task.judge(label, stored, error)


def is_attack(label: Label) -> bool:
    """Tell whether a case tests an attack: what code stops, and not what a
    model resists.
    """
    return "trick" in label or label.get("kind") == "hostile"


def _time_of(label: Label) -> datetime:
    now: datetime | None = label.get("now") or label.get("at")
    return now or load_recall_set().now[label.directory]


# Which memories of a directory help with a message?


@cache
def _selections() -> tuple[Label, ...]:
    more = load_labels(LABELLED / "bench" / "select.yaml")
    return (*load_recall_set().cases, *more)


async def _ask_selection(
    label: Label, runtime: Runtime, home: Path, memory: bool
) -> Asked:
    selection = await select_relevant_memories(
        label.query,
        load_recall_set().headers[label.directory],
        runtime,
        recent_tools=label.recent_tools,
    )
    error = "" if selection.by == "model" else selection.error
    return [header.filename for header in selection.chosen], error


def _check_choice(
    label: Label, chosen: Sequence[str]
) -> tuple[list[str], str, str]:
    """Judge the files that were chosen for a message."""
    wanted = ", ".join(sorted(label.relevant)) or "nothing"
    said = ", ".join(chosen) or "nothing"
    return [*selection_problems(label, chosen)], said, wanted


# What of a dialogue is worth remembering?


@cache
def _dialogues() -> tuple[Label, ...]:
    bench = LABELLED / "bench"
    paths = sorted((LABELLED / "extract" / "dialogues").glob("*.yaml"))
    return load_labels(*paths, bench / "dialogues.yaml", bench / "poison.yaml")


async def _ask_extraction(
    label: Label, runtime: Runtime, home: Path, memory: bool
) -> Asked:
    project, directory = home / "project", home / "memory"
    project.mkdir()
    directory.mkdir()
    messages = _messages(label.turns, label.at, label.id)
    times = {
        str(uuid5(NAMESPACE_OID, f"{label.id} {number}")): at
        for number, (_, at) in enumerate(messages)
    }
    for old in label.existing:
        (directory / old.file).write_bytes(_memory_file(old))
    store = MemoryStore(directory, clock=runtime.clock)
    if label.existing:
        (directory / INDEX).write_text(store.settled().text, "utf-8")
    for path in directory.iterdir():
        _set_time(path, messages[0][1])
    context = ToolContext(project, home, runtime.clock, directory, store)
    prefix = RequestPrefix(
        model=runtime.settings.main_model,
        system=memory_section(
            directory, show=context.show, prompts=runtime.prompts
        ),
        tools=_definitions(runtime),
        messages=tuple(message for message, _ in messages),
        uuids=tuple(times),
        max_tokens=EXTRACT_TOKENS,
    )
    before = _files_below(directory)
    host = _Host(label, times)
    extractor = Extractor(
        runtime=runtime,
        tools=standard_tools(runtime.prompts),
        context=context,
        host=host,
    )
    await extractor(prefix)
    await extractor.drain()
    stored = []
    for file, data in _files_below(directory).items():
        if Path(file).name != INDEX and data != before.get(file):
            new = parse_memory(data)
            fields = {
                key: getattr(new, key) for key in ("name", "description")
            }
            kind = new.raw_type or None
            stored.append(
                {"file": file, **fields, "type": kind, "body": new.body}
            )
    return stored, host.error


class _Host(ExtractionHost):
    """Knows when a dialogue's messages were written, and its CLAUDE.md."""

    def __init__(self, label: Label, times: dict[str, datetime]) -> None:
        self.label, self.times = label, times
        self.error = ""

    def project_instructions(self) -> str:
        return str(self.label.claude_md)

    def time_of(self, uuid: str) -> datetime | None:
        return self.times.get(uuid)

    def on_end(self, run: Extraction) -> None:
        self.error = run.error if run.stopped == "error" else ""


def _check_stored(label: Label, stored: Any) -> tuple[list[str], str, str]:
    said = [f"{one['file']}: {one['body'].strip()}" for one in stored]
    wanted = [f"{must.type}: {', '.join(must.says)}" for must in label.must]
    return (
        [*extraction_problems(label, stored)],
        "\n".join(said) or "nothing",
        "\n".join(wanted) or "nothing",
    )


# What is left of a memory directory after a dream?


@cache
def _dreams() -> tuple[Label, ...]:
    paths = sorted((LABELLED / "dream").glob("*.yaml"))
    return load_labels(*paths, LABELLED / "bench" / "dreams.yaml")


async def _ask_dream(
    label: Label, runtime: Runtime, home: Path, memory: bool
) -> Asked:
    name = label.project.split(",")[0]
    base = home / ".memlab" / "projects" / f"-home-{name}"
    project, directory, sessions = (
        home / name,
        base / "memory",
        base / "sessions",
    )
    for folder in (project, directory, sessions):
        folder.mkdir(parents=True)
    before = _before_dream(label)
    times = {one.file: one.mtime for one in (*label.memories, *label.logs)}
    for file, data in before.items():
        path = directory / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        newest = max(one.mtime for one in label.memories)
        _set_time(path, times.get(file, newest))
    last = ConsolidationLock(directory, clock=CourseClock(label.last_dream))
    last.try_acquire()
    last.finish()
    store = MemoryStore(directory, clock=CourseClock(label.now))
    context = ToolContext(
        project, home, runtime.clock, directory, store, sessions
    )
    dream = Dream(
        runtime=runtime,
        tools=standard_tools(runtime.prompts),
        context=context,
        lock=ConsolidationLock(directory, clock=runtime.clock),
        policy="ask",
        decide=lambda receipt: [change.file for change in receipt.accepted],
        room=home.parent,
    )
    goodbye = {"type": "text", "text": "Good night."}
    prefix = RequestPrefix(
        model=runtime.settings.main_model,
        system=f"You help with {label.project}.",
        tools=_definitions(runtime),
        messages=(
            {"role": "user", "content": "Thanks, that is all for today."},
            {"role": "assistant", "content": [goodbye]},
        ),
    )
    transcripts = [
        _write_session(one, sessions, f"~/{name}") for one in label.sessions
    ]
    done = await dream.run(prefix, sessions=transcripts)
    after = _files_below(directory)
    stored = {
        file: after[file].decode() if file in after else None
        for file in sorted({*before, *after})
        if before.get(file) != after.get(file)
    }
    failed = done.phase != "done"
    return stored, context.hide(done.notice) if failed else ""


def _before_dream(label: Label) -> dict[str, bytes]:
    """Give the memory directory before the dream, with its index: the newest
    memory on top, unless the label has an index.
    """
    files = {one.file: _memory_file(one) for one in label.memories}
    files |= {log.file: log.text.encode() for log in label.logs}
    newest = sorted(label.memories, key=lambda one: (one.mtime, one.file))
    lines = [
        f"- [{one.name}]({one.file}) — {one.description}\n"
        for one in reversed(newest)
    ]
    index = label.index or "".join(lines)
    if dead := label.index_dead:
        for number in range(1, dead["count"] + 1):
            line = f"- [{dead.title}]({dead.file}) — {dead.hook}\n"
            index += line.replace("{n}", f"{number:03}")
    return files | {INDEX: index.encode()}


def _write_session(session: Label, folder: Path, cwd: str) -> Path:
    clock = CourseClock(session.messages[0].at)
    transcript = Transcript(
        folder / f"{session.id}.jsonl", clock=clock, cwd=cwd
    )
    for message, at in _messages(session.messages, session.messages[-1].at):
        clock.advance((at - clock.now()).total_seconds())
        transcript.append(message["role"], message["content"])
    return transcript.path


def _check_changes(label: Label, stored: Any) -> tuple[list[str], str, str]:
    before = _before_dream(label)
    after = dict(before)
    for file, text in stored.items():
        after.pop(file, None)
        if text is not None:
            after[file] = text.encode()
    said = ", ".join(stored) or "no change"
    return [*dream_problems(label, before, after)], said, label.reason


# Does an answer follow its memory, and only where that is right?


@cache
def _followings() -> tuple[Label, ...]:
    return load_labels(LABELLED / "follow" / "cases.yaml")


async def _ask_following(
    label: Label, runtime: Runtime, home: Path, memory: bool
) -> Asked:
    """Send what memlab's agent would send after recall has chosen the memory,
    or with an empty memory directory.
    """
    prompts, settings = runtime.prompts, runtime.settings
    project, directory = home / "project", home / "memory"
    project.mkdir()
    directory.mkdir()
    texts: list[str] = []

    def show(path: Path) -> str:
        return f"~/{path.relative_to(home).as_posix()}"

    if memory:
        path = directory / label.memory.file
        path.write_bytes(_memory_file(label.memory))
        index = directory / INDEX
        index.write_text(MemoryStore(directory).settled().text, "utf-8")
        _set_time(path, label.memory.modified)
        _set_time(index, label.memory.modified)
        headers = scan_memory_files(directory, settings).headers
        attached = surface(
            headers,
            Surfaced(),
            now=label.now,
            settings=settings,
            known=headers,
            show=show,
            prompts=prompts,
        )
        texts += [each.text for each in attached.attachments]
    if label.screen:
        shown = f"```\n{label.screen.text}\n```"
        texts.append(f"On screen, {label.screen.file}:\n\n{shown}")
    texts.append(label.message)
    system = prompts.load(
        "agent",
        project=show(project),
        instructions=block("instructions", ""),
    )
    section = memory_section(
        directory, show=show, settings=settings, prompts=prompts
    )
    content = [{"type": "text", "text": text} for text in texts]
    body = RequestPrefix(
        model=settings.main_model,
        system=f"{system}\n\n{section}",
        tools=_definitions(runtime, label.tools),
        messages=({"role": "user", "content": content},),
        effort=settings.main_effort,
    ).body(FOLLOW_TOKENS)
    if not label.tools:
        del body["tools"]
    try:
        answer = await ask_model(
            runtime.client, body, purpose="follow", settings=settings
        )
    except CallError as failure:
        return {}, failure.what
    calls = [[str(call["name"]), call["input"]] for call in answer.calls]
    return {"text": answer.text, "calls": calls}, ""


def _check_answer(label: Label, stored: Any) -> tuple[list[str], str, str]:
    failed = [*following_problems(label, stored["text"], stored["calls"])]
    problems = []
    if label.follow and failed:
        problems = [f"it did not follow the memory: {'; '.join(failed)}"]
    if not label.follow and not failed:
        wrong = label.wrong_because.replace("-", " ")
        problems = [f"it followed a memory that is {wrong}"]
    good = label.good
    if isinstance(good, dict):
        good = _shown_call(good["tool"], good["input"])
    calls = [_shown_call(*call) for call in stored["calls"]]
    said = "\n".join(filter(None, [stored["text"].strip(), *calls]))
    return problems, said, f"such as: {good}"


def _shown_call(name: str, given: dict[str, Any]) -> str:
    return f"{name}({', '.join(f'{k}={v!r}' for k, v in given.items())})"


# What several tasks need


def _definitions(
    runtime: Runtime, names: Sequence[str] = ()
) -> tuple[dict[str, Any], ...]:
    """Give the tools as a request describes them, all or only these."""
    tools = standard_tools(runtime.prompts)
    return tuple(t.definition for t in tools if not names or t.name in names)


def _memory_file(label: Label) -> bytes:
    kind = MemoryType(label.type) if label.type else None
    memory = Memory(label.name, label.description, kind, label.body)
    return format_memory(memory).encode()


def _set_time(path: Path, at: datetime) -> None:
    """Set the time that a request shows, so that it is the same every day."""
    os.utime(path, ns=(to_nanoseconds(at),) * 2)


def _messages(
    turns: Sequence[Label], at: datetime, id: str = ""
) -> list[tuple[dict[str, Any], datetime]]:
    """Write turns as messages, each with its time, which is that of the next
    turn if it has none. Calls of tools in a row are one message.
    """
    times = [at]
    for turn in reversed(turns):
        times.insert(0, turn.at or times[0])
    messages: list[tuple[dict[str, Any], datetime]] = []
    before = ""
    for number, (turn, at) in enumerate(zip(turns, times, strict=False)):
        if turn.role == "person":
            messages.append(({"role": "user", "content": turn.text}, at))
        elif turn.role == "agent":
            text = {"type": "text", "text": turn.text}
            messages.append(({"role": "assistant", "content": [text]}, at))
        else:
            name = f"toolu_{uuid5(NAMESPACE_OID, f'{id} {number}').hex[:16]}"
            call = {
                "type": "tool_use",
                "id": name,
                "name": turn.tool,
                "input": {},
            }
            if isinstance(turn.tool, Label):
                call |= turn.tool
            result = {
                "type": "tool_result",
                "tool_use_id": name,
                "content": turn.text,
            }
            if before == "tool":
                messages[-1][0]["content"].append(result)
            else:
                if before != "agent":
                    messages.append(({"role": "assistant", "content": []}, at))
                messages.append(({"role": "user", "content": [result]}, at))
            messages[-2][0]["content"].append(call)
        before = turn.role
    return messages


def _files_below(directory: Path) -> dict[str, bytes]:
    """Read the memory files of a directory, without what the store keeps."""
    return {
        name: path.read_bytes()
        for path in sorted(directory.rglob("*.md"))
        if (name := path.relative_to(directory).as_posix())[0] != "."
    }


TASKS = {
    task.name: task
    for task in (
        Task(
            "select",
            "Every relevant memory is chosen, no tempting one, and at most one"
            " other; where nothing helps, nothing is chosen.",
            ("select", "select_request"),
            _selections,
            _ask_selection,
            _check_choice,
        ),
        Task(
            "extract",
            "Everything that the label wants is stored, with its date, and"
            " nothing else is.",
            ("extract", "memory", "reminders", "tools"),
            _dialogues,
            _ask_extraction,
            _check_stored,
        ),
        Task(
            "dream",
            "Every condition of the label is met.",
            ("dream", "tools"),
            _dreams,
            _ask_dream,
            _check_changes,
        ),
        Task(
            "follow",
            "The answer complies with the memory where that is right, and does"
            " not where the memory is out of date, out of scope or"
            " contradicted.",
            ("agent", "memory", "reminders", "tools"),
            _followings,
            _ask_following,
            _check_answer,
            needs_model=True,
        ),
    )
}
