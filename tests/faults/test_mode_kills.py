"""A writer of each mode is killed again and again: nothing is lost, and nothing is half."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from memlab.memdir.index import parse_pointers
from memlab.memdir.log_lines import append_log
from memlab.memdir.personal import move_memory, personal_store
from memlab.memdir.places import notes_file
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles
from tests.faults.killing import DONE, STARTED, TIMES, until_killed
from tests.house import House, git, note, talk, use
from tests.platforms import needs_fork, needs_git

LOG, TODAY = "logs/2026/03/2026-03-30.md", date(2026, 3, 30)


class Mode:
    """The files of one mode: ``change`` makes the change of a number, ``state`` reads them."""

    def __init__(self, house: House) -> None:
        self.house = house

    def change(self, number: int) -> None:
        raise NotImplementedError

    def state(self) -> object:
        raise NotImplementedError

    def wanted(self, number: int) -> object:
        """Give the state after so many changes."""
        raise NotImplementedError


class SessionNotes(Mode):
    """Notes that a fork writes after each turn of a conversation."""

    def __init__(self, house: House) -> None:
        super().__init__(house)
        self.file = notes_file(house.folder, "one")
        self.harness = house.harness("one", toggles=Toggles(session_memory=True, extraction=False))

    def text(self, number: int) -> str:
        return f"# Notes {number}\n\n" + f"all of {number} " * (number * 37 % 120) + "\n"

    def change(self, number: int) -> None:
        path = f"~/{self.file.relative_to(self.house.home)}"
        call = use("Write", file_path=path, content=self.text(number))
        self.house.answers("session", [call], "Done.")
        talk(self.harness, f"This is turn {number}.")

    def state(self) -> object:
        again = self.house.harness("", resume="one") if self.file.exists() else None
        assert again is None or not [*self.file.parent.glob(".*")]
        return self.file.read_text("utf-8") if self.file.exists() else ""

    def wanted(self, number: int) -> object:
        return self.text(number - 1) if number else ""


class TeamFiles(Mode):
    """Memories in a clone, with their index."""

    def __init__(self, house: House) -> None:
        super().__init__(house)
        self.team = house.memory / "team"
        self.team.mkdir(parents=True)
        git(self.team, "init", "-q")
        (self.team / "MEMORY.md").touch()

    def text(self, number: int) -> str:
        return note(f"all of {number} " * (number * 37 % 900 + 1), f"m{number % 4}", "reference")

    def change(self, number: int) -> None:
        file = f"team/m{number % 4}.md"
        if number % 3 == 2 and (self.house.memory / file).exists():
            self.house.store.remove(file, who="user")
        else:
            self.house.store.write_text(file, self.text(number), who="user")

    def state(self) -> object:
        assert self.house.store.history() is not None  # settles what was interrupted
        found = {one.name: one.read_text("utf-8") for one in self.team.glob("m*.md")}
        index = (self.team / "MEMORY.md").read_text("utf-8")
        assert {one.file for one in parse_pointers(index)} == found.keys()
        status = git(self.team, "status", "--porcelain", "-uall").splitlines()
        assert not [line for line in status if not line.endswith(".md")]
        return found

    def wanted(self, number: int) -> object:
        found = dict[str, str]()
        for one in range(number):
            file = f"m{one % 4}.md"
            if one % 3 == 2 and file in found:
                del found[file]
            else:
                found[file] = self.text(one)
        return found


class PersonalMemories(Mode):
    """One memory that moves there and back; a kill may leave it in both places."""

    def __init__(self, house: House) -> None:
        super().__init__(house)
        self.text = note("Robin uses tabs. " * 500)
        house.store.write_text("tabs.md", self.text, who="user")

    def stores(self, number: int) -> list[MemoryStore]:
        both = [self.house.store, personal_store(self.house.base / "personal")]
        return both if number % 2 == 0 else both[::-1]

    def change(self, number: int) -> None:
        move_memory("tabs.md", *self.stores(number))

    def state(self) -> object:
        paths = [one.directory / "tabs.md" for one in self.stores(0)]
        found = [one for one in paths if one.exists()]
        assert found, "the memory is in neither place"
        assert {one.read_text("utf-8") for one in found} == {self.text}
        return found

    def wanted(self, number: int) -> object:
        return [self.stores(number)[0].directory / "tabs.md"]


class DailyLog(Mode):
    """A log to which lines are added; a torn line stays, and the next one begins on its own."""

    torn = ""

    def line(self, number: int) -> str:
        return f"- {number}: " + f"all of {number} " * (number * 53 % 40) + "end\n"

    def change(self, number: int) -> None:
        old = str(self.state())
        new = old + "\n" * (not old.endswith("\n") and bool(old)) + self.line(number)
        append_log(self.house.store, LOG, new, TODAY, {})

    def state(self) -> object:
        file = self.house.memory / LOG
        return file.read_text("utf-8") if file.exists() else ""

    def wanted(self, number: int) -> object:
        return "".join(map(self.line, range(number)))


MODES: list[Callable[[House], Mode]] = [SessionNotes, TeamFiles, PersonalMemories, DailyLog]


@needs_fork
@needs_git
@pytest.mark.behaviour("L1", "L2", "L2b", "L3", "A8")
@pytest.mark.parametrize("kills", TIMES)
@pytest.mark.parametrize("make", MODES)
def test_a_killed_writer_of_a_mode_loses_nothing(
    house: House, make: Callable[[House], Mode], kills: int
) -> None:
    mode, chance, number, within = make(house), random.Random(kills), 0, 0

    def work(pipe: int) -> None:
        for count in range(number, number + 100):
            os.write(pipe, STARTED)
            mode.change(count)
            os.write(pipe, DONE)

    for _ in range(kills):
        said = until_killed(work, chance)
        number += said.count(DONE)
        within += said.endswith(STARTED)
        state = mode.state()
        if isinstance(mode, DailyLog):
            whole = str(mode.wanted(number))
            assert str(state).startswith(whole), "an earlier line is lost or changed"
            rest = str(state).removeprefix(whole)
            assert mode.line(number).startswith(rest)
            if rest and rest != mode.line(number):  # torn: the next line begins on its own
                mode.change(number)
                assert mode.state() == f"{whole}{rest}\n{mode.line(number)}"
                (house.memory / LOG).write_text(whole)
            number += rest == mode.line(number)
            continue
        if isinstance(mode, PersonalMemories) and state != mode.wanted(number):
            mode.change(number)  # a second try finishes what the first began
            state = mode.state()
        if state != mode.wanted(number):
            number += 1
        assert state == mode.wanted(number), "as before or as after, and nothing between"
    assert within > kills / 6, "the kills fell into the writing"


WRITER = """
import sys
from datetime import date
from memlab.errors import MemoryRefusedError
from memlab.memdir.log_lines import append_log
from memlab.memdir.store import MemoryStore

_, folder, file, name = sys.argv
store, number = MemoryStore(folder), 0
path = store.directory / file
while number < 20:
    text = path.read_text() if path.exists() else ""
    try:
        append_log(store, file, text + f"- {name} {number}\\n", date(2026, 3, 30), {"who": name})
        number += 1
    except MemoryRefusedError:
        pass  # the other one was quicker: read again
"""


@pytest.mark.slow
@pytest.mark.behaviour("L3")
def test_two_processes_that_add_to_a_log_at_once_lose_no_line(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path), LOG]
    running = [subprocess.Popen([*command, name]) for name in ("one", "two")]
    assert [process.wait(60) for process in running] == [0, 0]
    lines = (tmp_path / LOG).read_text(encoding="utf-8").splitlines()
    assert len(lines) == 40
    for name in ("one", "two"):
        mine = [line for line in lines if line.startswith(f"- {name}")]
        assert mine == [f"- {name} {number}" for number in range(20)]
