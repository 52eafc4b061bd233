"""Ordinary functions that take a lock, in every order of their moves; and memlab's own."""

from __future__ import annotations

from typing import Any

import pytest

from memlab.course import every_order, explore
from memlab.course.orders import Game, begin
from memlab.dream.lock import is_stale, roll_back, take_lock

HELD = "44\ntoken d3\nbefore none\n"


def look_then_write(lock: Any, pid: int, token: str) -> bool:
    if lock.read() is not None:
        return False
    lock.write(f"{pid}\n")
    return True


def read_back(lock: Any, pid: int, token: str) -> bool:
    return look_then_write(lock, pid, token) and lock.read() == f"{pid}\n"


def remove_then_create(lock: Any, pid: int, token: str) -> Any:
    text = lock.read()
    if text is not None:
        if not is_stale(text, lock.hours(), lock.alive):
            return False
        lock.remove()
    return lock.create(f"{pid}\n")


def guarded(lock: Any, pid: int, token: str) -> bool:
    with lock.guard():
        return look_then_write(lock, pid, token)


def any_back(lock: Any, token: str, before: Any) -> bool:
    with lock.guard():
        if before is None:
            lock.remove()
        else:
            lock.replace(*before)
        return True


@pytest.mark.parametrize(
    ("take", "text", "said", "moves"),
    [
        (look_then_write, None, "6 orders (1 holder: 2, 2 holders: 4)", 4),
        (read_back, None, "16 orders (1 holder: 12, 2 holders: 4)", 6),
        (remove_then_create, "7\n", "72 orders (1 holder: 42, 2 holders: 30)", 8),
        (guarded, None, "2 orders (1 holder: 2)", 0),
    ],
)
def test_the_races_of_the_notebook_are_found_with_their_numbers(
    take: Any, text: str | None, said: str, moves: int
) -> None:
    orders = every_order(take, text)
    assert repr(orders) == said
    assert len(orders.moves.rows) == moves


@pytest.mark.parametrize("processes", [2, 3])
@pytest.mark.parametrize(
    ("text", "hours", "living", "holders"),
    [(None, 0, [], 1), ("7\n", 100, [], 1), (HELD, 0.5, [], 1), (HELD, 0.5, [44], 0)],
)
def test_memlabs_own_lock_has_at_most_one_holder_in_every_order(
    text: str | None, hours: float, living: list[int], holders: int, processes: int
) -> None:
    orders = every_order(take_lock, text, hours=hours, processes=processes, living=living)
    assert set(orders.counts) == {holders}


def test_memlabs_own_lock_holds_through_a_crash_an_hour_and_a_failing_dream() -> None:
    situations, *bad = explore(take_lock, roll_back)
    assert situations > 1_000
    assert bad == [0, 0]
    assert min(explore(take_lock, roll_back, guard=False)[1:]) > 0
    without_token = explore(take_lock, roll_back, token=False)
    assert without_token[1] > 0 == without_token[2]
    any_rollback = explore(take_lock, any_back)
    assert any_rollback[2] > 0 == any_rollback[1]


def test_a_crash_releases_the_guard_and_tears_a_plain_write() -> None:
    game = Game(guarded, guarded)
    states = game.ways(begin(None, may=["crash"]))
    assert {state.disk.text for state in states} == {None, "", "41\n", "42\n"}
    ends = [set(game.values(state)) for state in states if not any(game.after(state))]
    assert {"died", True} in ends
    assert not any("waits for the guard" in one for one in ends)


def test_who_takes_the_guard_twice_or_never_stops_is_found() -> None:
    def twice(lock: Any, pid: int, token: str) -> bool:
        with lock.guard(), lock.guard():
            return True

    def again(lock: Any, pid: int, token: str) -> bool:
        while lock.read() is not None:
            pass
        return True

    for take, ending in ((twice, "waits for the guard"), (again, "still trying after 40 moves")):
        game = Game(take)
        ends = [one for one in game.ways(begin("7\n", processes=1)) if not any(game.after(one))]
        assert [game.values(one) for one in ends] == [[ending]]
