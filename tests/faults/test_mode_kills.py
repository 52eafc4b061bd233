"""Writers of a mode are killed again and again: nothing is lost, and nothing is half."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from memlab.memdir.log_lines import append_log
from memlab.memdir.personal import move_memory, personal_store
from memlab.memdir.places import notes_file
from memlab.memdir.toggles import Toggles
from tests.faults.killing import DONE, STARTED, TIMES, until_killed
from tests.house import House, note, talk, use
from tests.platforms import needs_fork

LOG, TODAY = "logs/2026/03/2026-03-30.md", date(2026, 3, 30)
# What makes the change of a number, what there is, and what there is after so many changes.
Mode = tuple[Callable[[int], object], Callable[[], object], Callable[[int], object]]


def lines(number: int) -> str:
    return "".join(f"- {n}" + f" all of {n}" * (n * 53 % 40) + "\n" for n in range(number))


def session_notes(house: House) -> Mode:
    file = notes_file(house.folder, "one")
    more = {"toggles": Toggles(session_memory=True, extraction=False)}
    harness, path = house.harness("one", **more), f"~/{file.relative_to(house.home)}"

    def change(number: int) -> None:
        call = use("Write", file_path=path, content=lines(number + 1))
        house.answers("session", [call], "Done.")
        talk(harness, f"This is turn {number}.")

    def state() -> str:
        if not file.exists():
            return ""
        house.harness(resume="one", **more)
        assert os.listdir(file.parent) == [file.name]
        return file.read_text("utf-8")

    return change, state, lines


def personal(house: House) -> Mode:
    """One memory that moves there and back."""
    text, both = note("Robin uses tabs. " * 500), [house.store]
    both.append(personal_store(house.base / "personal"))
    house.store.write_text("tabs.md", text)

    def state() -> list[bool]:
        paths = [one.directory / "tabs.md" for one in both]
        return [path.exists() and path.read_text("utf-8") == text for path in paths]

    return (
        lambda number: move_memory("tabs.md", *both[:: -1 if number % 2 else 1]),
        state,
        lambda number: [number % 2 == 0, number % 2 == 1],
    )


def daily_log(house: House) -> Mode:
    def state() -> str:
        file = house.memory / LOG
        return file.read_text("utf-8") if file.exists() else ""

    return lambda n: append_log(house.store, LOG, lines(n + 1), TODAY, {}), state, lines


@needs_fork
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
        if state() == [True, True]:  # a move was killed: a second try finishes it
            change(number)
        found = state()
        assert found in (wanted(number), wanted(number + 1)), "nothing between"
        number += found != wanted(number)
    assert within > times / 6, "the kills fell into the writing"
