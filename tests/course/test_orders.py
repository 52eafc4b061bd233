"""Functions that take a lock, in every order of their moves: two of the notebook, and memlab's."""

from __future__ import annotations

from typing import Any

import pytest

from memlab.course import every_order, explore
from memlab.dream.lock import roll_back, take_lock

HELD = "44\ntoken d3\nbefore none\n"


def look_then_write(lock: Any, pid: int, token: str) -> bool:
    return lock.read() is None and lock.write(f"{pid}\n") is None


def read_back(lock: Any, pid: int, token: str) -> bool:
    return look_then_write(lock, pid, token) and lock.read() == f"{pid}\n"


def any_back(lock: Any, token: str, before: Any) -> bool:
    with lock.guard():
        lock.remove() if before is None else lock.replace(*before)
        return True


def test_the_races_of_the_notebook_are_found_with_their_numbers() -> None:
    assert repr(every_order(look_then_write)) == "6 orders (1 holder: 2, 2 holders: 4)"
    orders = every_order(read_back)
    assert repr(orders) == "16 orders (1 holder: 12, 2 holders: 4)"
    assert len(orders.moves.rows) == 6


@pytest.mark.parametrize("processes", [2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("text", "hours", "living", "holders"),
    [(None, 0, [], 1), ("7\n", 100, [], 1), (HELD, 0.5, [], 1), (HELD, 0.5, [44], 0)],
)
def test_memlabs_own_lock_has_at_most_one_holder_in_every_order(
    text: str | None, hours: float, living: list[int], holders: int, processes: int
) -> None:
    orders = every_order(take_lock, text, hours=hours, processes=processes, living=living)
    assert set(orders.counts) == {holders}


def test_it_holds_through_a_crash_an_hour_and_a_failing_dream() -> None:
    situations, *bad = explore(take_lock, roll_back)
    assert situations > 1_000
    assert bad == [0, 0]


@pytest.mark.slow
def test_without_guard_token_or_owner_the_explorer_finds_what_goes_wrong() -> None:
    assert min(explore(take_lock, roll_back, guard=False)[1:]) > 0
    _, two, wrong = explore(take_lock, roll_back, token=False)
    assert two > 0 == wrong
    _, two, wrong = explore(take_lock, any_back)
    assert wrong > 0 == two
