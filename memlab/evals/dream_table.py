"""Dreamers measured on the labelled set of dreaming: each case laid out, dreamt over, judged.

Run as ``python -m memlab.evals.dream_table``. It measures on the half *work*, and with ``--final``
on the half *final* too. Left out: a language model. The offline stand-in is measured and stands
apart: it is rules, and its figure says nothing about a model.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from memlab.agent.fork import fork_context, run_forked_agent
from memlab.agent.request import RequestPrefix
from memlab.agent.tool import ToolContext
from memlab.agent.tools import standard_tools
from memlab.agent.transcript import Transcript, nanoseconds
from memlab.clock import CourseClock
from memlab.dream.dream import Dream, dream_prompt
from memlab.dream.lock import ConsolidationLock
from memlab.dream.task import DreamTask
from memlab.evals.dream_score import DreamScore, Verdict, judge_dream, score_dreams
from memlab.evals.dream_set import DreamCase, PastSession, files_before, mtimes_before
from memlab.evals.labelled_dream import load_dreams
from memlab.memdir.index import INDEX
from memlab.memdir.store import MemoryStore
from memlab.models.connect import make_runtime
from memlab.models.model import OfflineModel
from memlab.runtime import Runtime
from memlab.settings import Settings

FOLDER = Path(__file__).parents[2] / "data" / "labelled" / "dream"


@dataclass(frozen=True)
class DreamPlace:
    """A case laid out on disk: what an agent works in, the transcripts, the last dream's time."""

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
        """Read the memory directory as it is now: every file by name, in binary."""
        found = (path for path in sorted(self.memory.rglob("*")) if path.is_file())
        return {path.relative_to(self.memory).as_posix(): path.read_bytes() for path in found}


Dreamer = Callable[[DreamPlace], Awaitable[object]]
"""Puts the memory of a place in order, whatever it does for that."""


@dataclass(frozen=True)
class DreamRow:
    """One dreamer on some cases: the counts, and the verdict on each case."""

    dreamer: str
    score: DreamScore
    verdicts: tuple[Verdict, ...]


async def measure_dreamer(
    name: str, dreamer: Dreamer, cases: Sequence[DreamCase], folder: Path
) -> DreamRow:
    """Let a dreamer put each case in order, each in a directory of its own below ``folder``."""
    verdicts = []
    for case in cases:
        place = lay_out(case, folder / case.id)
        await dreamer(place)
        verdicts.append(judge_dream(case, place.files(), place.settings))
    return DreamRow(name, score_dreams(verdicts), tuple(verdicts))


async def dream_table(
    dreamers: Mapping[str, Dreamer], cases: Sequence[DreamCase]
) -> tuple[DreamRow, ...]:
    """Measure dreamers by name on some cases, in a directory that is gone afterwards."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="memlab-dreams-") as made:
        for number, (name, dreamer) in enumerate(dreamers.items()):
            folder = Path(os.path.realpath(made)) / str(number)
            rows.append(await measure_dreamer(name, dreamer, cases, folder))
    return tuple(rows)


def lay_out(case: DreamCase, home: Path) -> DreamPlace:
    """Write a case's memories, logs, lock and transcripts, each with its time."""
    name = case.project.split(",")[0]
    project, base = home / name, home / ".memlab" / "projects" / f"-home-{name}"
    memory, sessions = base / "memory", base / "sessions"
    for folder in (project, memory, sessions):
        folder.mkdir(parents=True)
    times = mtimes_before(case)
    for file, data in files_before(case).items():
        path = memory / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, ns=(nanoseconds(times[file]),) * 2)
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
    transcripts = tuple(_write_session(one, sessions, f"~/{name}") for one in case.sessions)
    return DreamPlace(case, context, transcripts, clock)


async def sleeps_through(place: DreamPlace) -> None:
    """Change nothing: the row every other has to be compared with."""


async def drops_everything(place: DreamPlace) -> None:
    """Remove every memory: what the tidiest directory would be."""
    for memory in place.case.memories:
        (place.memory / memory.file).unlink()
    (place.memory / INDEX).write_bytes(b"")


async def rules_on_the_directory(place: DreamPlace) -> object:
    """Let the offline stand-in work on the directory itself, with no review behind it."""
    return await run_forked_agent(
        _prefix(place),
        dream_prompt(
            place.context,
            sessions=place.transcripts,
            last=place.case.last_dream,
            settings=place.settings,
        ),
        _runtime(place),
        tools=standard_tools(),
        context=fork_context(place.context, who="dream"),
        purpose="dream",
        max_turns=place.settings.dream_max_turns,
    )


async def rules_in_a_transaction(place: DreamPlace) -> DreamTask:
    """Let the offline stand-in dream as memlab does: on a copy, reviewed, committed as one."""
    lock = ConsolidationLock(place.memory, clock=place.clock)
    dream = Dream(
        runtime=_runtime(place),
        tools=standard_tools(),
        context=place.context,
        lock=lock,
        policy="ask",
        decide=lambda receipt: [change.file for change in receipt.accepted],
    )
    return await dream.run(_prefix(place), sessions=place.transcripts)


DREAMERS: Mapping[str, Dreamer] = {
    "does nothing": sleeps_through,
    "drops everything": drops_everything,
    "rules, on the directory itself": rules_on_the_directory,
    "rules, in a transaction": rules_in_a_transaction,
}


def _runtime(place: DreamPlace) -> Runtime:
    model = OfflineModel(clock=place.clock, settings=place.settings)
    return make_runtime("offline", model=model, settings=place.settings)


def _prefix(place: DreamPlace) -> RequestPrefix:
    return RequestPrefix(
        model=place.settings.main_model,
        system=f"You help with {place.case.project}.",
        tools=tuple(tool.definition for tool in standard_tools()),
        messages=(
            {"role": "user", "content": "Thanks, that is all for today."},
            {"role": "assistant", "content": [{"type": "text", "text": "Good night."}]},
        ),
    )


def _write_session(session: PastSession, folder: Path, cwd: str) -> Path:
    clock = CourseClock(session.messages[0].at)
    transcript = Transcript(folder / f"{session.id}.jsonl", clock=clock, cwd=cwd)
    for number, said in enumerate(session.messages):
        clock.advance((said.at - clock.now()).total_seconds())
        text = {"type": "text", "text": said.text}
        if said.role == "person":
            transcript.append("user", said.text)
        elif said.role == "agent":
            transcript.append("assistant", [text])
        else:
            call = {"type": "tool_use", "id": f"toolu_{number}", "name": said.tool, "input": {}}
            result = {"type": "tool_result", "tool_use_id": call["id"], "content": said.text}
            transcript.append("assistant", [call])
            transcript.append("user", [result])
    return transcript.path


def lines(rows: Iterable[DreamRow]) -> list[str]:
    """Write the rows as a table in plain text, with a head line."""
    shown = [f"{'dreamer':32}{'cases met':>12}{'conditions met':>18}{'losses':>9}"]
    for row in rows:
        one = row.score
        cases, conditions = (
            f"{one.cases_met} of {one.cases}",
            f"{one.conditions_met} of {one.conditions}",
        )
        shown.append(f"{row.dreamer:32}{cases:>12}{conditions:>18}{one.lost:>9}")
    return shown


def misses(row: DreamRow) -> list[str]:
    """Write a line for each condition that a dreamer failed."""
    return [
        f"{verdict.case.id}: {one.kind}{f' ({one.about})' if one.about else ''}: {one.wrong}"
        for verdict in row.verdicts
        for one in verdict.failed
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table of one half or of both, and what the rules miss."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--final", action="store_true", help="measure on the half final too")
    halves = ("work", "final") if parser.parse_args(arguments).final else ("work",)
    began = datetime.now()
    for half in halves:
        cases = [case for case in load_dreams(FOLDER) if case.half == half]
        rows = asyncio.run(dream_table(DREAMERS, cases))
        print(f"\n== {half}: {len(cases)} cases", *lines(rows), sep="\n")
        for row in rows[2:]:
            print(*(f"  {row.dreamer}: {miss}" for miss in misses(row)), sep="\n")
    print(f"\n{(datetime.now() - began).total_seconds():.0f} s")


if __name__ == "__main__":
    main()
