"""Writers of each mode that are killed again and again, and how each leaves its files.

``python -m tests.faults.mode_kills 20`` kills each twenty times and prints what it found.
"""

from __future__ import annotations

import asyncio
import os
import random
import select
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from memlab.harness import Harness
from memlab.memdir.daily_log import log_path
from memlab.memdir.folder import Folder
from memlab.memdir.index import parse_pointers
from memlab.memdir.log_lines import append_log
from memlab.memdir.personal import move_memory, personal_store
from memlab.memdir.places import forget_paths, notes_file
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles
from memlab.models.request import ModelRequest
from memlab.models.wire import Reply, say
from memlab.text import as_blocks, block_text
from tests.faults import scenes
from tests.faults.test_kills import DONE, STARTED, Model, step
from tests.unit.modes.helpers import git, memory
from tests.unit.test_harness import House

CALL = b"c"
TURN = "This is turn"
TODAY = date(2026, 3, 30)
BEFORE, AFTER, BOTH, TORN = "as before", "as after", "in both places", "the last line torn"


def until_killed(work: Callable[[int], None], chance: random.Random) -> bytes:
    """Let a child work, kill it at a random call that changes a file, and give what it said it had
    done.

    Most of a change's time is spent on thinking, so a moment chosen by the clock would hardly ever
    fall between two calls.
    """
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _tell_calls(write_end)
            work(write_end)
        finally:
            os._exit(1)
    os.close(write_end)
    said = b""
    calls = chance.randrange(1, 20)
    while said.count(CALL) < calls:
        sign = os.read(read_end, 1)
        assert sign, "the child ended by itself"
        said += sign
    select.select([], [], [], chance.random() * 0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while more := os.read(read_end, 4_096):
        said += more
    os.close(read_end)
    return said.replace(CALL, b"")


def _tell_calls(pipe: int) -> None:
    """Have every call that changes a file give a sign beforehand, in this process."""

    def telling(call: Callable[..., Any]) -> Callable[..., Any]:
        def told(*given: Any, **more: Any) -> Any:
            os.write(pipe, CALL)
            return call(*given, **more)

        return told

    for name in ("create", "append", "rename", "remove", "sync"):
        setattr(Folder, name, telling(getattr(Folder, name)))


@dataclass
class Scene:
    """The files of one mode; ``number`` counts the changes that are known to have happened."""

    folder: Path
    number: int = 0
    found: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        forget_paths()
        self.house = House(self.folder / "home")
        self.begin()

    def begin(self) -> None:
        """Make what there is before the first kill."""

    def work(self, pipe: int) -> None:
        """Change the files until killed, with a sign before and after each change."""
        raise NotImplementedError

    def judge(self, interrupted: bool) -> str:
        """Assert that nothing is lost or half, count on, and say how the kill left the files."""
        raise NotImplementedError

    def kill(self, chance: random.Random) -> None:
        said = until_killed(self.work, chance)
        self.number += said.count(DONE)
        interrupted = said.endswith(STARTED)
        state = self.judge(interrupted)
        self.found["killed in a write" if interrupted else "killed between writes"] += 1
        if interrupted:
            self.found[f"in a write: {state}"] += 1


class SessionNotes(Scene):
    """A conversation whose notes a fork writes after every turn; each time it is resumed."""

    session = ""

    def text(self, number: int) -> str:
        return f"# Notes {number}\n\n" + f"all of {number} " * (number * 37 % 120) + "\n"

    @property
    def file(self) -> Path:
        return notes_file(self.house.folder, "one")

    def harness(self) -> Harness:
        known = (self.house.folder / "one.jsonl").exists()
        which = {"resume": "one"} if known else {"session": "one"}
        toggles = Toggles(session_memory=True, extraction=False)
        return self.house.harness(**which, toggles=toggles)  # type: ignore[arg-type]

    def work(self, pipe: int) -> None:
        harness = self.harness()
        number = self.number
        path = harness.context.show(self.file)

        def write(request: ModelRequest) -> Reply:
            if request.answers_since:
                return Reply([say("Done.")])
            os.write(pipe, STARTED)
            given = {"file_path": path, "content": self.text(number)}
            return Reply([{"type": "tool_use", "id": "toolu_1", "name": "Write", "input": given}])

        self.house.model.roles["session"] = write

        async def live() -> None:
            nonlocal number
            for _ in range(1_000):
                await harness.say(f"{TURN} {number}.")
                await harness.drain()
                os.write(pipe, DONE)
                number += 1

        asyncio.run(live())

    def judge(self, interrupted: bool) -> str:
        left = self.file.read_text("utf-8") if self.file.exists() else ""
        before = self.text(self.number - 1) if self.number else ""
        after = self.text(self.number)
        assert left in (before, after), "half a file of notes"
        # what is not in the notes is new to the next run
        harness = self.harness()
        assert [path.name for path in self.file.parent.glob(".*")] == []
        writer = harness.session_memory.writer
        assert harness.context.conversation
        conversation = harness.context.conversation()
        noted = 0
        if writer.cursor in conversation.uuids:
            noted = conversation.uuids.index(writer.cursor) + 1
        state = AFTER if left == after else BEFORE
        done = self.number + (state == AFTER)
        # a turn that was killed is said again, in the same words
        turns = {
            text
            for text in map(block_text, _contents(conversation.messages[:noted]))
            if TURN in text
        }
        assert len(turns) <= done, "a message counts as noted that is not"
        if state == AFTER:
            self.number += 1
        return state


def _contents(messages: Any) -> list[Mapping[str, Any]]:
    return [
        block
        for message in messages
        if message["role"] == "user"
        for block in as_blocks(message["content"])
    ]


class TeamFiles(Scene):
    """Memories in a clone, with their index; a session begins before the first change."""

    model: Model

    def begin(self) -> None:
        self.model = {}
        origin = self.folder / "origin.git"
        git(self.folder, "init", "-q", "--bare", str(origin))
        self.house.memory.mkdir(parents=True)
        git(self.house.memory, "clone", "-q", str(origin), "team")
        self.team = self.house.memory / "team"
        (self.team / "MEMORY.md").touch()
        self.house.harness("zero", toggles=Toggles(team=True))

    def work(self, pipe: int) -> None:
        self.house.harness("one", toggles=Toggles(team=True))
        store, mine = _InTeam(scenes.open_store(self.house.memory)), dict(self.model)
        for count in range(self.number, self.number + 1_000):
            os.write(pipe, STARTED)
            step(mine, count, store)  # type: ignore[arg-type]
            os.write(pipe, DONE)

    def kill(self, chance: random.Random) -> None:
        self.known = self.number
        super().kill(chance)

    def judge(self, interrupted: bool) -> str:
        for count in range(self.known, self.number):
            step(self.model, count)
        store = scenes.open_store(self.house.memory)
        names = [path for path in self.team.glob("*.md") if path.name != "MEMORY.md"]
        bodies = {path.stem: store.read(f"team/{path.name}").body for path in names}
        state = BEFORE
        if interrupted:
            further = dict(self.model)
            step(further, self.number)
            if bodies == further:
                state = AFTER
                self.model = further
                self.number += 1
        assert bodies == self.model, "a memory of the team is lost or half"
        index = (self.team / "MEMORY.md").read_text("utf-8")
        assert {one.file for one in parse_pointers(index)} == {path.name for path in names}
        status = git(self.team, "status", "--porcelain")
        assert not [line for line in status.splitlines() if not line.endswith(".md")]
        assert not (self.team / ".memlab").exists()
        return state


@dataclass
class _InTeam:
    """A store whose memories are all in ``team/``."""

    store: MemoryStore

    def read(self, file: str) -> Any:
        return self.store.read(f"team/{file}")

    def remove(self, file: str) -> None:
        self.store.remove(f"team/{file}")

    def write(self, given: Any) -> None:
        from memlab.memdir.memory import format_memory

        file = given.path.name if given.path else f"{given.name}.md"
        self.store.write_text(f"team/{file}", format_memory(given))


class PersonalMemories(Scene):
    """One memory that is promoted and demoted in turns; a kill may leave it in both places."""

    def begin(self) -> None:
        self.text = memory("Tabs", "Robin uses tabs. " * 500, type="user")
        self.project.write_text("tabs.md", self.text)

    @property
    def project(self) -> MemoryStore:
        return scenes.open_store(self.house.memory)

    @property
    def personal(self) -> MemoryStore:
        return personal_store(self.house.base / "personal")

    def places(self) -> list[MemoryStore]:
        both = (self.project, self.personal)
        return [store for store in both if (store.directory / "tabs.md").exists()]

    def work(self, pipe: int) -> None:
        stores = (self.project, self.personal)
        for number in range(self.number, self.number + 1_000):
            source, target = stores if number % 2 == 0 else stores[::-1]
            os.write(pipe, STARTED)
            move_memory("tabs.md", source, target)
            os.write(pipe, DONE)

    def judge(self, interrupted: bool) -> str:
        places = self.places()
        assert places, "the memory is in neither place"
        for store in places:
            body = store.read("tabs.md").body.strip()
            assert body == ("Robin uses tabs. " * 500).strip()
        stores = (self.project, self.personal)
        source, target = stores if self.number % 2 == 0 else stores[::-1]
        state = BOTH
        if len(places) == 1:
            state = AFTER if places[0].directory == target.directory else BEFORE
        if state == BOTH:
            move_memory("tabs.md", source, target)  # moving it again finishes the job
            assert [one.directory for one in self.places()] == [target.directory]
        if state in (AFTER, BOTH):
            self.number += 1
        return state


class DailyLog(Scene):
    """A log to which lines are added; a torn line stays, and the next line begins on its own."""

    def begin(self) -> None:
        self.lines: list[str] = []

    @property
    def file(self) -> Path:
        return self.house.memory / log_path(TODAY)

    def line(self, number: int) -> str:
        return f"- {number}: " + f"all of {number} " * (number * 53 % 40) + "end\n"

    def append(self, store: MemoryStore, number: int) -> None:
        old = self.file.read_text("utf-8") if self.file.exists() else ""
        if old and not old.endswith("\n"):
            old += "\n"
        append_log(store, log_path(TODAY), old + self.line(number), TODAY, {})

    def work(self, pipe: int) -> None:
        store = scenes.open_store(self.house.memory)
        for number in range(self.number, self.number + 1_000):
            os.write(pipe, STARTED)
            self.append(store, number)
            os.write(pipe, DONE)

    def kill(self, chance: random.Random) -> None:
        self.known = self.number
        super().kill(chance)

    def judge(self, interrupted: bool) -> str:
        self.lines += [self.line(number) for number in range(self.known, self.number)]
        text = self.file.read_text("utf-8") if self.file.exists() else ""
        whole = "".join(self.lines)
        assert text.startswith(whole), "an earlier line is lost or changed"
        rest = text.removeprefix(whole)
        assert self.line(self.number).startswith(rest)
        state = AFTER if rest == self.line(self.number) else TORN if rest else BEFORE
        if rest:
            self.lines.append(rest if rest.endswith("\n") else f"{rest}\n")
            self.number += 1
        # the next line is whole, whatever the kill has left
        self.append(scenes.open_store(self.house.memory), self.number)
        self.lines.append(self.line(self.number))
        self.number += 1
        assert self.file.read_text("utf-8") == "".join(self.lines)
        return state


MODES: Mapping[str, Callable[[Path], Scene]] = {
    "session memory": SessionNotes,
    "team memory": TeamFiles,
    "personal memory": PersonalMemories,
    "daily log": DailyLog,
}


def kill_often(mode: str, folder: Path, kills: int) -> Scene:
    """Kill the writer of one mode so often; each time nothing may be lost or half."""
    import anthropic  # noqa: F401 - loaded once, before the fork

    scene = MODES[mode](folder)
    chance = random.Random(kills)
    for _ in range(kills):
        scene.kill(chance)
    return scene


def main() -> None:
    """Print what so many kills of each mode left behind."""
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    print(f"kill -9, {kills} times per mode, {datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
    for mode in MODES:
        with tempfile.TemporaryDirectory() as folder:
            scene = kill_often(mode, Path(folder), kills)
        counts = ", ".join(f"{what} {count}" for what, count in sorted(scene.found.items()))
        print(f"{mode}: {scene.number} changes in all; {counts}; lost 0, half 0")


if __name__ == "__main__":
    main()
