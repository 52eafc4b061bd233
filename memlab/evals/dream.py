"""Dreamers measured on the labelled set of dreaming: each case set up, dreamt
over, judged.

Run as ``python -m memlab.evals.dream``. It measures on the half *work*, and
with ``--final`` on the half *final* too. Left out: how well a memory is
written, and a language model: the offline stand-in is rules, and its figure
says nothing about a model. A condition looks at words; what says the opposite
in the same words meets it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from collections.abc import (
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from memlab.agent.fork import fork_context, run_forked_agent
from memlab.agent.request import RequestPrefix
from memlab.agent.tool import ToolContext
from memlab.agent.tools import standard_tools
from memlab.agent.transcript import Transcript
from memlab.clock import CourseClock, to_nanoseconds
from memlab.dream.dream import Dream, DreamTask, dream_prompt
from memlab.dream.lock import ConsolidationLock
from memlab.errors import MemoryFormatError
from memlab.evals.command import in_one_sentence
from memlab.evals.labelled import (
    Absolute,
    DreamCase,
    PastSession,
    Settled,
    contains,
    contains_all,
    load_dreams,
    read_directory,
)
from memlab.memdir.index import cut, memlab_caps, parse_pointers
from memlab.memdir.memory import Memory, parse_memory
from memlab.memdir.places import INDEX
from memlab.memdir.store import MemoryStore
from memlab.models.connect import make_runtime
from memlab.models.offline import OfflineModel
from memlab.runtime import Runtime
from memlab.settings import Settings

Files = Mapping[str, bytes]
"""A memory directory: file names from its top, and their bytes."""

CONDITIONS = (
    *(
        "keep",
        "merge",
        "drop",
        "settle",
        "absolute",
        "not said",
        "untouched",
        "unchanged",
    ),
    *("nothing else gone", "nothing new", "readable", "logs as they were"),
    *("index caps", "index lines", "index pointers", "index keeps"),
)
LOSSES = frozenset(
    {
        "keep",
        "not said",
        "nothing else gone",
        "untouched",
        "unchanged",
        "readable",
    }
)
"""The conditions whose failure means that something is gone or made up."""


# Judging what a dream left


@dataclass(frozen=True)
class Condition:
    """One condition of a case: its kind (of ``CONDITIONS``), its subject, what
    is wrong ("").
    """

    kind: str
    about: str
    wrong: str

    def __bool__(self) -> bool:
        return not self.wrong


@dataclass(frozen=True)
class Verdict:
    """What became of one case, condition by condition."""

    case: DreamCase
    conditions: tuple[Condition, ...]

    @property
    def failed(self) -> tuple[Condition, ...]:
        """The conditions that are not met."""
        return tuple(
            condition for condition in self.conditions if not condition
        )

    def __bool__(self) -> bool:
        return not self.failed


@dataclass(frozen=True)
class DreamScore:
    """Counts over a set of verdicts: cases and conditions, those met, and the
    losses.
    """

    cases: int
    cases_met: int
    conditions: int
    conditions_met: int
    lost: int


def judge_dream(
    case: DreamCase, after: Files, settings: Settings | None = None
) -> Verdict:
    """Judge the directory that a dream left.

    A tombstone counts as gone. The store's own files (names that begin with a
    dot) do not count.
    """
    files = {
        name: data for name, data in after.items() if not name.startswith(".")
    }
    memories, unreadable = _memories(files)
    conditions = (
        *_labels(case, memories),
        *_bytes(case, files),
        *_files(case, files, memories, unreadable),
        *_index(case, files, memories, settings or Settings()),
    )
    return Verdict(case, conditions)


def score_dreams(verdicts: Sequence[Verdict]) -> DreamScore:
    """Count over a set of verdicts."""
    conditions = [
        condition for verdict in verdicts for condition in verdict.conditions
    ]
    return DreamScore(
        cases=len(verdicts),
        cases_met=sum(map(bool, verdicts)),
        conditions=len(conditions),
        conditions_met=sum(map(bool, conditions)),
        lost=sum(
            condition.kind in LOSSES
            for condition in conditions
            if not condition
        ),
    )


def _memories(files: Files) -> tuple[dict[str, Memory], list[str]]:
    """Read every memory of the directory except tombstones; also name what
    cannot be read.
    """
    memories: dict[str, Memory] = {}
    unreadable: list[str] = []
    for name in sorted(files):
        if (
            name == INDEX
            or name.startswith("logs/")
            or not name.endswith(".md")
        ):
            continue
        try:
            memory = parse_memory(files[name])
        except MemoryFormatError:
            unreadable.append(name)
            continue
        if not memory.is_tombstone:
            memories[name] = memory
    return memories, unreadable


def _labels(
    case: DreamCase, memories: Mapping[str, Memory]
) -> Iterator[Condition]:
    """Judge what the labels ask of the memories' words."""
    texts = {
        file: "\n".join((memory.name, memory.description, memory.body))
        for file, memory in memories.items()
    }

    def with_all(phrases: Iterable[str]) -> list[str]:
        return [
            file for file, text in texts.items() if contains_all(text, phrases)
        ]

    for keep in case.must_keep:
        kept = with_all(keep.says)
        met = keep.file in kept if keep.file else bool(kept)
        where = f" in {keep.file}" if keep.file else ""
        yield _condition("keep", keep.says, met, f"is nowhere{where}")
    for merge in case.must_merge:
        left = [file for file in merge.files if file in memories]
        wrong = f"left of them: {', '.join(left) or 'none'}"
        yield _condition("merge", merge.files, len(left) == 1, wrong)
    for drop in case.must_drop:
        left = with_all(drop.says)
        if drop.file in memories and drop.file not in left:
            left.append(drop.file)
        yield _condition(
            "drop", [drop.file], not left, f"still there: {', '.join(left)}"
        )
    for settled in case.settled:
        yield _settled(settled, texts)
    for absolute in case.must_be_absolute:
        yield _absolute(absolute, texts)
    for rule in case.must_not_say:
        said = with_all(rule.says)
        yield _condition(
            "not said", rule.says, not said, f"is in {', '.join(said)}"
        )


def _settled(settled: Settled, texts: Mapping[str, str]) -> Condition:
    new = [
        file
        for file in settled.files
        if contains_all(texts.get(file, ""), settled.says)
    ]
    old = [
        file
        for file, text in texts.items()
        for gone in settled.gone
        if contains(text, gone)
    ]
    wrong = "none of the files contains the later statement"
    if old:
        wrong = f"the earlier statement is still in {', '.join(old)}"
    return _condition("settle", settled.says, bool(new) and not old, wrong)


def _absolute(absolute: Absolute, texts: Mapping[str, str]) -> Condition:
    words, day = absolute.counted.words, absolute.date.isoformat()
    left = [
        file for file in absolute.files if contains(texts.get(file, ""), words)
    ]
    dated = any(
        contains_all(text, (*absolute.says, day)) for text in texts.values()
    )
    wrong = f"{day} is nowhere next to {', '.join(absolute.says)}"
    if left:
        wrong = f"{words!r} is still in {', '.join(left)}"
    return _condition(
        "absolute", [f"{words} -> {day}"], dated and not left, wrong
    )


def _bytes(case: DreamCase, after: Files) -> Iterator[Condition]:
    """Judge what has to stay byte for byte."""
    before = case.files
    changed = [
        name
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    ]
    for file in case.untouched:
        wrong = "gone" if file not in after else "its bytes changed"
        yield _condition("untouched", [file], file not in changed, wrong)
    if case.unchanged:
        wrong = f"changed: {', '.join(changed)}"
        yield _condition("unchanged", ["every file"], not changed, wrong)
    if case.logs:
        logs = [log.file for log in case.logs if log.file in changed]
        yield _condition(
            "logs as they were", [], not logs, f"changed: {', '.join(logs)}"
        )


def _files(
    case: DreamCase,
    after: Files,
    memories: Mapping[str, Memory],
    unreadable: Sequence[str],
) -> Iterator[Condition]:
    """Judge which files are there, and whether each can be read as a memory."""
    may_go = {file for merge in case.must_merge for file in merge.files}
    may_go |= {drop.file for drop in case.must_drop} | set(case.may_go)
    there = {*memories, *unreadable, *may_go}
    gone = [
        memory.file for memory in case.memories if memory.file not in there
    ]
    yield _condition(
        "nothing else gone", [], not gone, f"gone: {', '.join(gone)}"
    )
    new = sorted(after.keys() - case.files.keys())
    yield _condition("nothing new", [], not new, f"new: {', '.join(new)}")
    empty = [
        file
        for file, memory in memories.items()
        if not (memory.name.strip() and memory.body.strip())
    ]
    untyped = [
        file
        for file, memory in memories.items()
        if not memory.type and file not in empty
    ]
    odd = [*unreadable, *empty, *untyped]
    yield _condition(
        "readable", [], not odd, f"no whole memory: {', '.join(odd)}"
    )


def _index(
    case: DreamCase,
    after: Files,
    memories: Mapping[str, Memory],
    limit: Settings,
) -> Iterator[Condition]:
    """Judge the index: its caps, its lines, and that pointers and memories are
    the same files.
    """
    text = after.get(INDEX, b"").decode("utf-8", "replace")
    shown = cut(text, memlab_caps(limit))
    yield _condition("index caps", [], not shown.fired, f"over: {shown.fired}")
    longest = max(map(len, text.splitlines()), default=0)
    short = longest <= limit.index_line_characters
    yield _condition(
        "index lines", [], short, f"a line of {longest} characters"
    )
    files = [pointer.file for pointer in parse_pointers(text)]
    distinct = dict.fromkeys(files)
    wrong = [
        f"leads nowhere: {file}" for file in distinct if file not in memories
    ]
    wrong += [f"missing: {file}" for file in memories if file not in distinct]
    wrong += [f"twice: {file}" for file in distinct if files.count(file) > 1]
    more = f"; {len(wrong) - 3} more" if len(wrong) > 3 else ""
    yield _condition(
        "index pointers", [], not wrong, "; ".join(wrong[:3]) + more
    )
    for text_to_keep in case.index_keeps:
        met = text_to_keep in text
        yield _condition(
            "index keeps", [text_to_keep], met, "no longer in the index"
        )


def _condition(
    kind: str, about: Iterable[str], met: bool, wrong: str
) -> Condition:
    return Condition(kind, ", ".join(about), "" if met else wrong)


# Running a dreamer


@dataclass(frozen=True)
class Workspace:
    """A case on disk: what an agent works in, and the transcripts since the
    last dream.
    """

    case: DreamCase
    context: ToolContext
    transcripts: tuple[Path, ...]
    clock: CourseClock
    settings: Settings = field(default_factory=Settings)

    @property
    def memory(self) -> Path:
        """The memory directory."""
        assert self.context.memory
        return self.context.memory

    def files(self) -> dict[str, bytes]:
        """Read the memory directory as it is now: every file by name, in
        binary.
        """
        return read_directory(self.memory)


Dreamer = Callable[[Workspace], Awaitable[object]]
"""Puts the memory of a workspace in order, by whatever means."""


def make_workspace(case: DreamCase, home: Path) -> Workspace:
    """Write a case's memories, logs, lock and transcripts below a home, each
    with its time.
    """
    name = case.project.split(",")[0]
    base = home / ".memlab" / "projects" / f"-home-{name}"
    project, memory, sessions = home / name, base / "memory", base / "sessions"
    for folder in (project, memory, sessions):
        folder.mkdir(parents=True)
    mtimes = case.mtimes
    for file, data in case.files.items():
        path = memory / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, ns=(to_nanoseconds(mtimes[file]),) * 2)
    lock = ConsolidationLock(memory, clock=CourseClock(case.last_dream))
    lock.try_acquire()
    lock.finish()
    clock = CourseClock(case.now)
    context = ToolContext(
        project=project,
        home=home,
        clock=clock,
        memory=memory,
        store=MemoryStore(memory, clock=clock),
        sessions=sessions,
    )
    transcripts = [
        _write_session(session, sessions, f"~/{name}")
        for session in case.sessions
    ]
    return Workspace(case, context, tuple(transcripts), clock)


def _write_session(session: PastSession, folder: Path, cwd: str) -> Path:
    clock = CourseClock(session.messages[0].at)
    transcript = Transcript(
        folder / f"{session.id}.jsonl", clock=clock, cwd=cwd
    )
    for number, said in enumerate(session.messages):
        clock.advance((said.at - clock.now()).total_seconds())
        if said.role == "person":
            transcript.append("user", said.text)
        elif said.role == "agent":
            transcript.append(
                "assistant", [{"type": "text", "text": said.text}]
            )
        else:
            call = {
                "type": "tool_use",
                "id": f"toolu_{number}",
                "name": said.tool,
                "input": {},
            }
            result = {
                "type": "tool_result",
                "tool_use_id": call["id"],
                "content": said.text,
            }
            transcript.append("assistant", [call])
            transcript.append("user", [result])
    return transcript.path


async def do_nothing(workspace: Workspace) -> None:
    """Change nothing: the row that every other has to be compared with."""


async def drop_everything(workspace: Workspace) -> None:
    """Remove every memory: what the tidiest directory would be."""
    for memory in workspace.case.memories:
        (workspace.memory / memory.file).unlink()
    (workspace.memory / INDEX).write_bytes(b"")


async def dream_in_place(workspace: Workspace) -> object:
    """Let the offline stand-in work on the directory itself, with no review
    behind it.
    """
    context = workspace.context
    prompt = dream_prompt(
        context,
        sessions=workspace.transcripts,
        last=workspace.case.last_dream,
        settings=workspace.settings,
    )
    return await run_forked_agent(
        prefix_of(workspace),
        prompt,
        _runtime(workspace),
        tools=standard_tools(),
        context=fork_context(context, who="dream"),
        purpose="dream",
        max_turns=workspace.settings.dream_max_turns,
    )


async def dream_in_a_transaction(workspace: Workspace) -> DreamTask:
    """Let the offline stand-in dream as memlab does: on a copy, reviewed,
    committed at once.
    """
    dream = Dream(
        runtime=_runtime(workspace),
        tools=standard_tools(),
        context=workspace.context,
        lock=ConsolidationLock(workspace.memory, clock=workspace.clock),
        policy="ask",
        decide=lambda receipt: [change.file for change in receipt.accepted],
    )
    return await dream.run(
        prefix_of(workspace), sessions=workspace.transcripts
    )


DREAMERS: Mapping[str, Dreamer] = {
    "does nothing": do_nothing,
    "drops everything": drop_everything,
    "rules, on the directory itself": dream_in_place,
    "rules, in a transaction": dream_in_a_transaction,
}


def _runtime(workspace: Workspace) -> Runtime:
    model = OfflineModel(clock=workspace.clock, settings=workspace.settings)
    return make_runtime("offline", model=model, settings=workspace.settings)


def prefix_of(workspace: Workspace) -> RequestPrefix:
    """Make the short conversation that a dream is forked from."""
    return RequestPrefix(
        model=workspace.settings.main_model,
        system=f"You help with {workspace.case.project}.",
        tools=tuple(tool.definition for tool in standard_tools()),
        messages=(
            {"role": "user", "content": "Thanks, that is all for today."},
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "Good night."}],
            },
        ),
    )


# The table


@dataclass(frozen=True)
class DreamRow:
    """One dreamer on some cases: the counts, and the verdict on each case."""

    dreamer: str
    score: DreamScore
    verdicts: tuple[Verdict, ...]

    def misses(self) -> list[str]:
        """Write a line for each condition that the dreamer failed."""
        return [
            f"{verdict.case.id}:"
            f" {condition.kind}{f' ({condition.about})' if condition.about else ''}:"
            f" {condition.wrong}"
            for verdict in self.verdicts
            for condition in verdict.failed
        ]


async def measure_dreams(
    dreamers: Mapping[str, Dreamer], cases: Sequence[DreamCase]
) -> tuple[DreamRow, ...]:
    """Measure dreamers by name, each on each case in a scratch directory."""
    rows = []
    for name, dreamer in dreamers.items():
        verdicts = []
        for case in cases:
            with tempfile.TemporaryDirectory(
                prefix="memlab-dreams-"
            ) as scratch:
                workspace = make_workspace(
                    case, Path(scratch).resolve() / case.id
                )
                await dreamer(workspace)
                settings = workspace.settings
                verdicts.append(judge_dream(case, workspace.files(), settings))
        rows.append(DreamRow(name, score_dreams(verdicts), tuple(verdicts)))
    return tuple(rows)


def lines(rows: Iterable[DreamRow]) -> list[str]:
    """Write the rows as a table in plain text, with a header line."""
    shown = [
        f"{'dreamer':32}{'cases met':>12}{'conditions met':>18}{'losses':>9}"
    ]
    for row in rows:
        counts = row.score
        cases = f"{counts.cases_met} of {counts.cases}"
        conditions = f"{counts.conditions_met} of {counts.conditions}"
        shown.append(
            f"{row.dreamer:32}{cases:>12}{conditions:>18}{counts.lost:>9}"
        )
    return shown


@in_one_sentence()
def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table of one half or of both, and what the rules miss."""
    parser = argparse.ArgumentParser(prog="python -m memlab.evals.dream")
    parser.add_argument(
        "--final", action="store_true", help="measure on the half final too"
    )
    halves = (
        ("work", "final") if parser.parse_args(arguments).final else ("work",)
    )
    began = datetime.now()
    for half in halves:
        cases = [case for case in load_dreams() if case.half == half]
        rows = asyncio.run(measure_dreams(DREAMERS, cases))
        print(f"\n== {half}: {len(cases)} cases", *lines(rows), sep="\n")
        for row in rows[2:]:
            print(
                *(f"  {row.dreamer}: {miss}" for miss in row.misses()),
                sep="\n",
            )
    print(f"\n{(datetime.now() - began).total_seconds():.0f} s")


if __name__ == "__main__":
    main()
