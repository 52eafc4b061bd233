"""The tasks of the bench: what is asked about a labelled case, and what counts
as correct.

A case is asked in a scratch folder that is shown to the model as its home, at
the time that the label gives. So a request contains nothing of this machine or
of today, and a recorded answer fits it anywhere.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

from memlab.agent.request import CallError, RequestPrefix, ask_model
from memlab.agent.tool import ToolContext
from memlab.agent.tools import standard_tools
from memlab.agent.transcript import Transcript
from memlab.bench.variants import Variant
from memlab.clock import CourseClock, to_nanoseconds
from memlab.dream.dream import Dream
from memlab.dream.lock import ConsolidationLock
from memlab.evals.labelled import (
    LABELLED,
    Label,
    load_labels,
    load_recall_set,
    memory_file,
)
from memlab.evals.measure import (
    dream_problems,
    extraction_problems,
    following_problems,
    selection_problems,
)
from memlab.extract.extractor import Extraction, ExtractionHost, Extractor
from memlab.memdir.instructions import memory_section
from memlab.memdir.memory import parse_memory
from memlab.memdir.places import INDEX
from memlab.memdir.scan import scan_memory_files
from memlab.memdir.store import MemoryStore
from memlab.prompts.blocks import block
from memlab.recall.attach import Surfaced, surface
from memlab.recall.selection import select_relevant_memories
from memlab.runtime import Runtime

Asked = tuple[Any, str]
Checked = tuple[Iterable[str], str]
Messages = list[tuple[dict[str, Any], datetime]]  # each with its time


@dataclass(frozen=True)
class Judged:
    """What became of a case. ``stored`` is what the model chose, stored,
    changed or said, and ``error`` says why there is nothing.
    """

    correct: bool
    why: str
    said: str
    stored: Any = None
    error: str = ""


class Task(ABC):
    """One task. ``correct`` says in a sentence what counts as correct, and
    ``prompts`` are those that it sends. One that ``needs_model`` cannot be
    answered by the fallback rules.
    """

    name: str
    correct: str
    prompts: tuple[str, ...]
    files: tuple[str, ...]
    needs_model = False

    @abstractmethod
    async def ask(self, label: Label, runtime: Runtime, home: Path) -> Asked:
        """Ask one case in an empty folder; the runtime's clock shows its time.

        Gives what was chosen, stored, changed or said, as JSON, and the error
        if the model gave no usable answer.
        """

    @abstractmethod
    def check(self, label: Label, stored: Any) -> Checked:
        """Give what is wrong with it, and what was said, to be shown."""

    def load(self) -> tuple[Label, ...]:
        """Read all cases."""
        return _labels(self.files)

    def cases(self, half: str) -> list[Label]:
        """Return the cases of ``work`` or ``final``."""
        return [case for case in self.load() if case.half == half]

    def judge(self, label: Label, stored: Any, error: str = "") -> Judged:
        """Judge what was stored; without a usable answer, a case is wrong."""
        if error:
            why = f"The model gave no usable answer ({error.rstrip('.')})."
            return Judged(False, why, "", stored, error)
        problems, said = self.check(label, stored)
        wrong = "; ".join(problems)
        why = " ".join((wrong or self.correct.rstrip(".")).split())
        return Judged(not wrong, f"{why[0].upper()}{why[1:]}.", said, stored)


@cache
def _labels(files: tuple[str, ...]) -> tuple[Label, ...]:
    paths = [path for file in files for path in sorted(LABELLED.glob(file))]
    return load_labels(*paths)


class CaseClock(CourseClock):
    """Shows the time of a case, gives the same names on every machine, and
    waits in real time.
    """

    async def sleep(self, seconds: float) -> None:
        """Wait for this number of real seconds."""
        await asyncio.sleep(seconds)


async def ask_case(
    task: Task, label: Label, runtime: Runtime, variant: Variant | None = None
) -> Judged:
    """Ask one case in a scratch folder, with the runtime's prompts or those of
    a variant.
    """
    now = label.now or label.at or load_recall_set().now[label.directory]
    prompts = variant and variant.prompts
    runtime = runtime.with_changes(clock=CaseClock(now), prompts=prompts)
    asked = label
    if variant and not variant.memory:
        asked = Label(label, memory=None)
    with tempfile.TemporaryDirectory(prefix="memlab-bench-") as scratch:
        home = Path(scratch).resolve() / "home"
        stored, error = await task.ask(asked, runtime, home)
    return task.judge(label, stored, error)


def is_attack(label: Label) -> bool:
    """Tell whether a case tests an attack: what code stops, and not what a
    model resists.
    """
    return bool(label.trick) or label.kind == "hostile"


class Select(Task):
    """Which memories of a directory help with a message?"""

    name = "select"
    correct = (
        "Every relevant memory is chosen, no tempting one, and at most one"
        " other; where nothing helps, nothing is chosen."
    )
    prompts = ("select", "select_request")
    files = ("select/cases.yaml", "bench/select.yaml")

    async def ask(self, label: Label, runtime: Runtime, home: Path) -> Asked:
        """Send the side-query of a recall."""
        headers = load_recall_set().headers[label.directory]
        tools = label.recent_tools
        selection = await select_relevant_memories(
            label.query, headers, runtime, recent_tools=tools
        )
        error = "" if selection.by == "model" else selection.error
        return [header.filename for header in selection.chosen], error

    def check(self, label: Label, stored: Any) -> Checked:
        """Judge the files that were chosen."""
        said = ", ".join(stored) or "nothing"
        return selection_problems(label, stored), said


class Extract(Task):
    """What of a dialogue is worth remembering?"""

    name = "extract"
    correct = (
        "Everything that the label wants is stored, with its date, and"
        " nothing else is."
    )
    prompts = ("extract", "memory", "reminders", "tools")
    files = (
        "extract/dialogues/*.yaml",
        "bench/dialogues.yaml",
        "bench/poison.yaml",
    )

    async def ask(self, label: Label, runtime: Runtime, home: Path) -> Asked:
        """Run the extractor over a dialogue."""
        messages = _messages(label.turns, label.at, label.id)
        memory = home / "memory"
        context = _context(runtime, home / "project", memory)
        before = _memory_files(label.existing)
        _write(memory, before, messages[0][1])
        system = memory_section(
            memory, show=context.show, prompts=runtime.prompts
        )
        times = {
            str(_name(label.id, number)): at
            for number, (_, at) in enumerate(messages)
        }
        prefix = _prefix(runtime, system, messages, times)
        host = _Host(label, times)
        extractor = Extractor(**_parts(runtime, context), host=host)
        await extractor(prefix)
        await extractor.drain()
        stored = []
        for file, data in _files_below(memory).items():
            if Path(file).name != INDEX and data != before.get(file):
                new = parse_memory(data)
                said = {"name": new.name, "description": new.description}
                kind = {"type": new.raw_type or None}
                stored.append({"file": file, **said, **kind, "body": new.body})
        return stored, host.error

    def check(self, label: Label, stored: Any) -> Checked:
        """Judge the memories that are new or changed."""
        said = [f"{one['file']}: {one['body'].strip()}" for one in stored]
        problems = extraction_problems(label, stored)
        return problems, "\n".join(said) or "nothing"


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


class DreamTask(Task):
    """What is left of a memory directory after a dream?"""

    name = "dream"
    correct = "Every condition of the label is met."
    prompts = ("dream", "tools")
    files = ("dream/*.yaml", "bench/dreams.yaml")

    async def ask(self, label: Label, runtime: Runtime, home: Path) -> Asked:
        """Dream once, of a directory with some sessions."""
        name = label.project.split(",")[0]
        base = home / ".memlab" / "projects" / f"-home-{name}"
        memory, sessions = base / "memory", base / "sessions"
        context = _context(runtime, home / name, memory)
        context.sessions = sessions
        before = _before_dream(label)
        _write(memory, before, max(one.mtime for one in label.memories))
        for one in (*label.memories, *label.logs):
            _set_time(memory / one.file, one.mtime)
        last = CourseClock(label.last_dream)
        lock = ConsolidationLock(memory, clock=last)
        lock.try_acquire()
        lock.finish()
        dream = Dream(
            **_parts(runtime, context),
            lock=ConsolidationLock(memory, clock=runtime.clock),
            decide=lambda receipt: [one.file for one in receipt.accepted],
            room=home.parent,
        )
        turns = [
            Label(role="person", text="Thanks, that is all for today."),
            Label(role="agent", text="Good night."),
        ]
        system = f"You help with {label.project}."
        prefix = _prefix(runtime, system, _messages(turns, label.now))
        transcripts = [
            _write_session(one, sessions, f"~/{name}")
            for one in label.sessions
        ]
        done = await dream.run(prefix, sessions=transcripts)
        after = _files_below(memory)
        stored = {
            file: after[file].decode() if file in after else None
            for file in sorted({*before, *after})
            if before.get(file) != after.get(file)
        }
        failed = done.phase != "done"
        return stored, context.hide(done.notice) if failed else ""

    def check(self, label: Label, stored: Any) -> Checked:
        """Judge the files that changed."""
        before = _before_dream(label)
        after = {file: before[file] for file in before.keys() - stored}
        for file, text in stored.items():
            if text is not None:
                after[file] = text.encode()
        said = ", ".join(stored) or "no change"
        return dream_problems(label, before, after), said


def _before_dream(label: Label) -> dict[str, bytes]:
    """Give the memory directory before the dream."""
    files = _memory_files(label.memories)
    files |= {log.file: log.text.encode() for log in label.logs}
    index = label.index or files[INDEX].decode()
    if dead := label.index_dead:
        for number in range(1, dead["count"] + 1):
            line = f"- [{dead.title}]({dead.file}) — {dead.hook}\n"
            index += line.replace("{n}", f"{number:03}")
    return files | {INDEX: index.encode()}


def _write_session(session: Label, folder: Path, cwd: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{session.id}.jsonl"
    clock = CourseClock(session.messages[0].at)
    transcript = Transcript(path, clock=clock, cwd=cwd)
    for message, at in _messages(session.messages, session.messages[-1].at):
        clock.advance((at - clock.now()).total_seconds())
        transcript.append(message["role"], message["content"])
    return path


class Follow(Task):
    """Does an answer follow its memory, and only where that is right?"""

    name = "follow"
    correct = (
        "The answer complies with the memory where that is right, and does"
        " not where the memory is out of date, out of scope or"
        " contradicted."
    )
    prompts = ("agent", "memory", "reminders", "tools")
    files = ("follow/cases.yaml",)
    needs_model = True

    async def ask(self, label: Label, runtime: Runtime, home: Path) -> Asked:
        """Send what memlab's agent would send after recall has chosen the
        memory, or with an empty memory directory.
        """
        prompts, settings = runtime.prompts, runtime.settings
        memory = home / "memory"
        context = _context(runtime, home / "project", memory)
        words: dict[str, Any] = {"show": context.show, "prompts": prompts}
        texts = [label.message]
        if label.screen:
            shown = f"```\n{label.screen.text}\n```"
            texts.insert(0, f"On screen, {label.screen.file}:\n\n{shown}")
        if label.memory:
            files = _memory_files([label.memory])
            _write(memory, files, label.memory.modified)
            found = scan_memory_files(memory)
            more = {"now": label.now, "settings": settings, **words}
            attached = surface(found, Surfaced(), known=found, **more)
            texts[:0] = [each.text for each in attached.attachments]
        agent = prompts.load(
            "agent",
            project=context.show(context.project),
            instructions=block("instructions", ""),
        )
        system = f"{agent}\n\n{memory_section(memory, **words)}"
        content = [{"type": "text", "text": text} for text in texts]
        messages = [({"role": "user", "content": content}, label.now)]
        body = _prefix(runtime, system, messages).body(1_024)
        tools = [
            one for one in body.pop("tools") if one["name"] in label.tools
        ]
        if tools:
            body["tools"] = tools
        try:
            answer = await ask_model(
                runtime.client, body, purpose="follow", settings=settings
            )
        except CallError as failure:
            return {}, failure.what
        calls = [[call["name"], call["input"]] for call in answer.calls]
        return {"text": answer.text, "calls": calls}, ""

    def check(self, label: Label, stored: Any) -> Checked:
        """Judge the answer, by its text and its first call of a tool."""
        text, calls = stored["text"], stored["calls"]
        failed = "; ".join(following_problems(label, text, calls))
        problems = [f"it did not follow the memory: {failed}"]
        if not label.follow:
            why = label.wrong_because.replace("-", " ")
            problems = [f"it followed a memory that is {why}"]
        if label.follow == (not failed):
            problems = []
        said = [text.strip()] if text.strip() else []
        for name, given in calls:
            values = ", ".join(f"{key}={given[key]!r}" for key in given)
            said.append(f"{name}({values})")
        return problems, "\n".join(said)


# What several tasks need


def _context(runtime: Runtime, project: Path, memory: Path) -> ToolContext:
    """Make the folders that tools work in."""
    for folder in (project, memory):
        folder.mkdir(parents=True)
    store = MemoryStore(memory, clock=runtime.clock)
    return ToolContext(project, project.parent, runtime.clock, memory, store)


def _parts(runtime: Runtime, context: ToolContext) -> dict[str, Any]:
    tools = standard_tools(runtime.prompts)
    return {"runtime": runtime, "context": context, "tools": tools}


def _prefix(
    runtime: Runtime,
    system: str,
    messages: Messages,
    uuids: Iterable[str] = (),
) -> RequestPrefix:
    tools = standard_tools(runtime.prompts)
    return RequestPrefix(
        runtime.settings.main_model,
        system,
        tuple(tool.definition for tool in tools),
        tuple(message for message, _ in messages),
        tuple(uuids),
        max_tokens=4_000,
    )


def _memory_files(memories: Sequence[Label]) -> dict[str, bytes]:
    """Write memories as files, with an index: the newest on top."""
    files = {one.file: memory_file(one) for one in memories}
    newest = sorted(memories, key=lambda one: one.file)
    newest.sort(key=lambda one: one.mtime, reverse=True)
    index = "".join(
        f"- [{one.name}]({one.file}) — {one.description}\n" for one in newest
    )
    return files | {INDEX: index.encode()} if index else files


def _write(folder: Path, files: Mapping[str, bytes], at: datetime) -> None:
    for file, data in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        _set_time(path, at)


def _set_time(path: Path, at: datetime) -> None:
    """Set the time that a request shows, so that it is the same every day."""
    os.utime(path, ns=(to_nanoseconds(at),) * 2)


def _files_below(folder: Path) -> dict[str, bytes]:
    """Read the memory files of a directory, without what the store keeps."""
    return {
        name: path.read_bytes()
        for path in sorted(folder.rglob("*.md"))
        if not (name := path.relative_to(folder).as_posix()).startswith(".")
    }


def _messages(turns: Sequence[Label], at: datetime, id: str = "") -> Messages:
    """Write turns as messages, each with its time, which is that of the next
    turn if it has none. Calls of tools in a row are one message.
    """
    times = [at]
    for turn in reversed(turns):
        times.insert(0, turn.at or times[0])
    messages: Messages = []
    before = ""
    for number, (turn, at) in enumerate(zip(turns, times, strict=False)):
        if turn.role == "person":
            messages.append(({"role": "user", "content": turn.text}, at))
        elif turn.role == "agent":
            text = {"type": "text", "text": turn.text}
            messages.append(({"role": "assistant", "content": [text]}, at))
        else:
            if before not in ("agent", "tool"):
                messages.append(({"role": "assistant", "content": []}, at))
            if before != "tool":
                messages.append(({"role": "user", "content": []}, at))
            name = f"toolu_{_name(id, number).hex[:16]}"
            call = {
                "type": "tool_use",
                "id": name,
                "name": turn.tool,
                "input": {},
            }
            if isinstance(turn.tool, Label):
                call |= turn.tool
            messages[-2][0]["content"].append(call)
            result = {"tool_use_id": name, "content": turn.text}
            messages[-1][0]["content"].append(
                {"type": "tool_result", **result}
            )
        before = turn.role
    return messages


def _name(case: str, number: int) -> UUID:
    return uuid5(NAMESPACE_OID, f"{case} {number}")


TASKS: dict[str, Task] = {
    task.name: task for task in (Select(), Extract(), DreamTask(), Follow())
}
