"""A writer of each mode is killed again and again: nothing is lost, and nothing is half."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from memlab.errors import MemoryRefusedError
from memlab.memdir.log_lines import append_log
from memlab.memdir.personal import move_memory, personal_store
from memlab.memdir.places import notes_file
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles
from tests.faults.killing import DONE, STARTED, TIMES, child, until_killed
from tests.house import House, note, talk, use
from tests.platforms import needs_fork

pytestmark = needs_fork
LOG, TODAY = "logs/2026/03/2026-03-30.md", date(2026, 3, 30)
# What makes the change of a number, what there is, and what there is after so many changes.
Mode = tuple[Callable[[int], object], Callable[[], object], Callable[[int], object]]


def session_notes(house: House) -> Mode:
    file = notes_file(house.folder, "one")
    more = {"toggles": Toggles(session_memory=True, extraction=False)}
    harness = house.harness("one", **more)

    def text(number: int) -> str:
        return f"all of {number} " * (number * 37 % 120) + "\n" if number else ""

    def change(number: int) -> None:
        path = f"~/{file.relative_to(house.home)}"
        call = use("Write", file_path=path, content=text(number + 1))
        house.answers("session", [call], "Done.")
        talk(harness, f"This is turn {number}.")

    def state() -> str:
        if not file.exists():
            return ""
        house.harness(resume="one", **more)
        assert os.listdir(file.parent) == [file.name]
        return file.read_text("utf-8")

    return change, state, text


def personal(house: House) -> Mode:
    """One memory that moves there and back."""
    text = note("Robin uses tabs. " * 500)
    house.store.write_text("tabs.md", text)
    both = [house.store, personal_store(house.base / "personal")]

    def change(number: int) -> None:
        move_memory("tabs.md", *both[:: -1 if number % 2 else 1])

    def state() -> list[bool]:
        paths = [one.directory / "tabs.md" for one in both]
        return [path.exists() and path.read_text("utf-8") == text for path in paths]

    return change, state, lambda number: [number % 2 == 0, number % 2 == 1]


def daily_log(house: House) -> Mode:
    def text(number: int) -> str:
        return "".join(f"- {n}" + f" all of {n}" * (n * 53 % 40) + "\n" for n in range(number))

    def state() -> str:
        file = house.memory / LOG
        return file.read_text("utf-8") if file.exists() else ""

    return lambda n: append_log(house.store, LOG, text(n + 1), TODAY, {}), state, text


@pytest.mark.behaviour("L1", "L2b", "L3", "A8")
@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("make", [session_notes, personal, daily_log])
def test_a_killed_writer_of_a_mode_loses_nothing(house: House, make: Any, times: int) -> None:
    change, state, wanted = make(house)
    chance, number, within = random.Random(times), 0, 0

    def work(pipe: int) -> None:
        for count in range(number, number + 100):
            os.write(pipe, STARTED)
            change(count)
            os.write(pipe, DONE)

    for _ in range(times):
        said = until_killed(work, chance)
        number += said.count(DONE)
        within += said.endswith(STARTED)
        found = state()
        if found == [True, True]:  # a move was killed: a second try finishes it
            change(number)
            found = state()
        assert found in (wanted(number), wanted(number + 1)), "nothing between"
        number += found != wanted(number)
    assert within > times / 6, "the kills fell into the writing"


@pytest.mark.slow
@pytest.mark.behaviour("L3")
def test_two_processes_that_add_to_a_log_at_once_lose_no_line(tmp_path: Path) -> None:
    def write(name: str) -> None:
        store, number = MemoryStore(tmp_path), 0
        path = store.directory / LOG
        while number < 20:
            text = path.read_text() if path.exists() else ""
            try:
                append_log(store, LOG, f"{text}- {name} {number}\n", TODAY, {})
            except MemoryRefusedError:
                continue  # the other one was quicker: read again
            number += 1

    running = [child(write, name) for name in ("one", "two")]
    assert [os.waitpid(pid, 0)[1] for pid in running] == [0, 0]
    lines = (tmp_path / LOG).read_text(encoding="utf-8").splitlines()
    for name in ("one", "two"):
        mine = [line for line in lines if line.startswith(f"- {name}")]
        assert mine == [f"- {name} {number}" for number in range(20)]
