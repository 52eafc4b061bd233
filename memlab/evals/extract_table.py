"""What an extraction stores of the labelled dialogues, each in a project of its own.

Run as ``python -m memlab.evals.extract_table``. It measures on the half *work*, and with
``--final`` on the half *final* too. A method is an async callable that gets a room in which the
dialogue has been led. Left out: rankings. The stand-in is rules, and its figure says nothing about
a model.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from memlab.agent.request import RequestPrefix
from memlab.agent.tool import ToolContext
from memlab.agent.tools import standard_tools
from memlab.clock import CourseClock
from memlab.evals.extract_set import (
    Attempt,
    Dialogue,
    StoredMemory,
    message_times,
    to_messages,
)
from memlab.evals.labelled_extract import (
    PoisonScore,
    Score,
    judge,
    load_dialogues,
    load_poison,
    score,
    score_poison,
)
from memlab.extract.extractor import ExtractionHost, Extractor
from memlab.memdir.index import INDEX, rebuild_index
from memlab.memdir.instructions import memory_section
from memlab.memdir.memory import Memory, MemoryType, format_memory, parse_memory
from memlab.memdir.store import MemoryStore
from memlab.models.connect import make_runtime
from memlab.settings import Settings

FOLDER = Path(__file__).parents[2] / "data" / "labelled" / "extract"


@dataclass(frozen=True)
class Room:
    """A project with its memory directory, in which a dialogue has been led just now.

    ``prefix`` is the conversation as a fork sends it, ``times`` has each message's by uuid.
    """

    dialogue: Dialogue
    prefix: RequestPrefix
    times: Mapping[str, datetime]
    context: ToolContext
    clock: CourseClock

    @property
    def memory(self) -> Path:
        """The memory directory."""
        return self.context.project.parent / "memory"


Method = Callable[[Room], Awaitable[object]]


@dataclass(frozen=True)
class Table:
    """What a method stored of dialogues and attempts, and how that is judged."""

    dialogues: tuple[Dialogue, ...]
    attempts: tuple[Attempt, ...]
    stored: Mapping[str, Sequence[StoredMemory]] = field(repr=False)

    @property
    def score(self) -> Score:
        """The figures over the dialogues."""
        return score(self.dialogues, self.stored)

    @property
    def poison(self) -> PoisonScore:
        """What became of the attempts and their twins."""
        return score_poison(self.attempts, self.stored)

    def figures(self) -> Iterator[tuple[str, str]]:
        """Give each figure with its counts, ready to print."""
        one, shown = self.score, _percent
        yield "precision", f"{shown(one.precision)}  ({one.met} of {one.stored} stored)"
        yield "recall", f"{shown(one.recall)}  ({one.met} of {one.wanted} labels)"
        yield "type accuracy", f"{shown(one.type_accuracy)}  ({one.right_type} of {one.met})"
        yield "date accuracy", f"{shown(one.date_accuracy)}  ({one.right_date} of {one.dated})"
        yield "restraint", f"{shown(one.restraint)}  ({one.kept_quiet} of {one.quiet})"
        yield "must not, stored", str(one.forbidden)
        if self.attempts:
            fate = self.poison
            tried = len(fate.poisoned) + len(fate.strayed) + len(fate.resisted)
            yield "poisoned", f"{len(fate.poisoned)} of {tried} attempts"
            yield "strayed", f"{len(fate.strayed)} of {tried} attempts"
            yield (
                "agreed twins stored",
                (f"{len(fate.agreed)} of {len(fate.agreed) + len(fate.overlooked)}"),
            )

    def misses(self) -> Iterator[tuple[str, str, str]]:
        """Give dialogue, 'missed', 'extra' or 'forbidden', and what: label texts or a file."""
        for one in (*self.dialogues, *(attempt.dialogue for attempt in self.attempts)):
            result = judge(one, self.stored[one.id])
            for must in result.missed:
                yield one.id, "missed", f"{must.type}: {', '.join(must.says)}"
            for memory in result.extra:
                kind = "forbidden" if memory in result.forbidden else "extra"
                yield one.id, kind, f"{memory.type}: {memory.description}"


async def by_extractor(room: Room) -> None:
    """Run the extractor once over the whole dialogue; offline, the stand-in answers it."""
    runtime = make_runtime("offline", clock=room.clock)
    extractor = Extractor(
        runtime=runtime, tools=standard_tools(), context=room.context, host=_RoomHost(room)
    )
    await extractor(room.prefix)
    await extractor.drain()
    await runtime.client.close()


class _RoomHost(ExtractionHost):
    """Knows a dialogue's times and its CLAUDE.md."""

    def __init__(self, room: Room) -> None:
        self._room = room

    def project_instructions(self) -> str:
        return self._room.dialogue.claude_md

    def time_of(self, uuid: str) -> datetime | None:
        return self._room.times.get(uuid)


async def run(method: Method, dialogues: Iterable[Dialogue]) -> dict[str, list[StoredMemory]]:
    """Let a method loose on each dialogue, and give what it stored, by the dialogue's id.

    The dialogues are in scratch directories that are gone afterwards.
    """
    stored = {}
    for one in dialogues:
        with tempfile.TemporaryDirectory() as scratch:
            room = make_room(one, Path(scratch).resolve())
            before = _contents(room.memory)
            await method(room)
            stored[one.id] = list(_changed(room.memory, before))
    return stored


async def measure(
    method: Method, half: str = "work", *, folder: Path | str = FOLDER, poison: bool = True
) -> Table:
    """Measure a method on one half of the labelled set, ``work`` or ``final``."""
    dialogues = tuple(one for one in load_dialogues(folder) if one.half == half)
    attempts = tuple(one for one in load_poison(folder) if one.half == half and poison)
    stored = await run(method, [*dialogues, *(one.dialogue for one in attempts)])
    return Table(dialogues, attempts, stored)


def make_room(dialogue: Dialogue, home: Path) -> Room:
    """Lay out a dialogue's project below a home: its CLAUDE.md, its memories, its conversation."""
    clock = CourseClock(dialogue.at)
    project, memory = home / "project", home / "memory"
    project.mkdir(parents=True)
    memory.mkdir()
    for one in dialogue.existing:
        kind = MemoryType.parse(one.type) if one.type else None
        there = Memory(one.name, one.description, kind, one.body)
        (memory / one.file).write_text(format_memory(there), encoding="utf-8")
    if dialogue.existing:
        (memory / INDEX).write_text(rebuild_index(memory), encoding="utf-8")
    messages = tuple(to_messages(dialogue))
    uuids = tuple(f"{dialogue.id}-{number}" for number in range(len(messages)))
    context = ToolContext(
        project=project,
        home=home,
        clock=clock,
        memory=memory,
        store=MemoryStore(memory, clock=clock),
    )
    prefix = RequestPrefix(
        model=Settings().main_model,
        system=memory_section(memory, show=context.show),
        tools=tuple(tool.definition for tool in standard_tools()),
        messages=messages,
        uuids=uuids,
    )
    times = dict(zip(uuids, message_times(dialogue), strict=True))
    return Room(dialogue, prefix, times, context, clock)


def _contents(memory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(memory).as_posix(): path.read_bytes()
        for path in sorted(memory.rglob("*.md"))
        if path.name != INDEX and ".memlab" not in path.parts
    }


def _changed(memory: Path, before: Mapping[str, bytes]) -> Iterator[StoredMemory]:
    for file, data in _contents(memory).items():
        if data != before.get(file):
            one = parse_memory(data, path=memory / file)
            yield StoredMemory(file, one.name, one.description, one.raw_type or None, one.body)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures and the misses."""
    parser = argparse.ArgumentParser(prog="python -m memlab.evals.extract_table")
    parser.add_argument("--final", action="store_true", help="the half for one figure at the end")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the labelled set lies")
    parser.add_argument(
        "--misses", action="store_true", help="list what was missed or stored amiss"
    )
    given = parser.parse_args(arguments)
    for half in ("work", "final") if given.final else ("work",):
        table = asyncio.run(measure(by_extractor, half, folder=given.folder))
        print(f"\n== {half}: offline stand-in (rules), {len(table.dialogues)} dialogues")
        for name, figure in table.figures():
            print(f"{name:22}{figure}")
        for miss in table.misses() if given.misses else ():
            print(f"  {miss[0]:28}{miss[1]:10}{miss[2]}")


if __name__ == "__main__":
    main()
