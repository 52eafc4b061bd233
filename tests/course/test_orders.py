"""Ordinary functions that take a lock, in every order of their moves; and memlab's own."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import CourseClock
from memlab.course import own_parts, parts
from memlab.course.gap import all_gaps, load
from memlab.course.orders import Game, State, every_order, explore, start, takers
from memlab.dream import lock as machine
from memlab.dream.lock import ConsolidationLock, Held, Refused, is_stale, roll_back, take_lock
from memlab.memdir.folder import Folder


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


def any_back(lock: Any, token: str, before: Any) -> bool:
    with lock.guard():
        if before is None:
            lock.remove()
        else:
            lock.replace(*before)
        return True


def test_the_races_of_the_notebook_are_found_with_their_numbers() -> None:
    assert repr(every_order(look_then_write)) == "6 orders (1 holder: 2, 2 holders: 4)"
    orders = every_order(read_back)
    assert repr(orders) == "16 orders (1 holder: 12, 2 holders: 4)"
    assert [(move.process, move.name) for move in orders.trace] == [
        (0, "read"),
        (1, "read"),
        (0, "write"),
        (0, "read"),
        (1, "write"),
        (1, "read"),
    ]
    orders = every_order(remove_then_create, "7\n", hours=100)
    assert repr(orders) == "72 orders (1 holder: 42, 2 holders: 30)"
    assert len(orders.moves.rows) == 8


def test_a_lock_that_is_created_in_one_move_has_one_holder() -> None:
    def create(lock: Any, pid: int, token: str) -> Any:
        return lock.create(f"{pid}\n")

    assert every_order(create, processes=3).counts == {1: 6}
    assert every_order(create, "7\n").counts == {0: 2}


@pytest.mark.parametrize("processes", [2, 3])
def test_memlabs_own_lock_has_one_holder_in_every_order(processes: int) -> None:
    assert set(every_order(take_lock, processes=processes).counts) == {1}
    assert set(every_order(take_lock, "7\n", processes=processes).counts) == {1}
    held = "43\ntoken d3\nbefore none\n"
    assert set(every_order(take_lock, held, hours=0.5, living=[43]).counts) == {0}
    assert set(every_order(take_lock, held, hours=0.5).counts) == {1}


def test_memlabs_own_lock_holds_through_a_crash_an_hour_and_a_failing_dream() -> None:
    more = {"crashes": 1, "failures": 1, "hours": 1}
    ours = explore(take_lock, roll_back, **more)
    assert ours[1:] == (0, 0)
    assert ours.situations > 1_000
    without_token = explore(take_lock, roll_back, token=False, **more)
    assert without_token.two_can_apply > 0
    assert without_token.wrong_rollback == 0
    any_rollback = explore(take_lock, any_back, **more)
    assert any_rollback.two_can_apply == 0
    assert any_rollback.wrong_rollback > 0
    assert min(explore(take_lock, roll_back, guard=False, failures=1, hours=1)[1:]) > 0
    without_hours = explore(take_lock, any_back, crashes=1, failures=1)
    assert without_hours[1:] == (0, 0)


def test_who_takes_the_guard_twice_or_never_stops_is_found() -> None:
    def twice(lock: Any, pid: int, token: str) -> bool:
        with lock.guard(), lock.guard():
            return True

    def again(lock: Any, pid: int, token: str) -> bool:
        while lock.read() is not None:
            pass
        return True

    assert ends(twice) == {("waits for the guard",) * 2}
    assert ends(again, "7\n") == {("still trying after 40 moves",) * 2}


def ends(take: Callable[..., Any], text: str | None = None, **more: int) -> set[tuple[Any, ...]]:
    game = Game(takers(take, 2))
    states = game.states(State(start(text), ((), ()), **more))
    return {game.values(state) for state in states if not any(game.after(state))}


def test_an_exception_comes_through_and_a_bare_except_does_not_escape() -> None:
    def fails(lock: Any, pid: int, token: str) -> bool:
        with lock.guard():
            raise ValueError("no")

    def catches(lock: Any, pid: int, token: str) -> bool:
        try:
            return lock.read() is None
        except BaseException:
            return True

    with pytest.raises(ValueError, match="no"):
        every_order(fails)
    assert every_order(catches).counts == {2: 2}


def test_a_crash_releases_the_guard_and_tears_a_plain_write() -> None:
    def guarded(lock: Any, pid: int, token: str) -> bool:
        with lock.guard():
            return look_then_write(lock, pid, token)

    assert ends(guarded, crashes=1) >= {("died", True), ("died", False), (True, "died")}
    game = Game(takers(look_then_write, 1))
    texts = {state.disk.text for state in game.states(State(start(None), ((),), 1))}
    assert texts == {None, "", "41\n"}


# learners' parts in the real lock


def lock_of(folder: Path, clock: Any, pid: int = 10) -> ConsolidationLock:
    return ConsolidationLock(
        folder, clock=clock, pid=pid, token=f"t{pid}", alive={10, 20}.__contains__
    )


@pytest.fixture
def left(tmp_path: Path) -> ConsolidationLock:
    """Leave a lock that was done thirty hours ago."""
    clock = CourseClock()
    lock = lock_of(tmp_path, clock)
    assert lock.try_acquire()
    assert lock.finish()
    clock.advance(30 * 3_600)
    return lock_of(tmp_path, clock)


def state(lock: ConsolidationLock) -> tuple[bytes, int]:
    return lock.path.read_bytes(), os.stat(lock.path).st_mtime_ns


def use(name: str, source: str) -> None:
    own_parts.my.use(all_gaps()[name], load(name, source))


@pytest.mark.parametrize("letter", ["a", "b"])
def test_the_learners_parts_take_and_give_back_the_real_lock(
    left: ConsolidationLock, letter: str
) -> None:
    source = Path(__file__).parent.joinpath(f"right/nb10_{letter}.py").read_text("utf-8")
    for name in ("is_stale", "take_lock", "roll_back"):
        use(name, source)
    before = state(left)
    held = left.try_acquire()
    assert isinstance(held, Held)
    assert left.path.read_text().startswith("10\ntoken t10\nbefore 1")
    assert isinstance(lock_of(left.directory, left._clock, 20).try_acquire(), Refused)
    assert left.still_mine()
    assert left.rollback()
    assert state(left) == before
    assert not left.rollback(), "once"
    assert parts.calls["take_lock"] == 2
    assert parts.calls["roll_back"] == 1
    assert parts.calls["is_stale"] >= 2


@pytest.mark.parametrize("ending", ["1 / 0", "while True:\n            pass"])
def test_a_part_that_fails_after_it_has_written_leaves_nothing_behind(
    left: ConsolidationLock, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "SECONDS", 0.2)
    before = state(left)
    body = f"    with lock.guard():\n        lock.replace('half')\n        {ending}\n"
    use("take_lock", f"def take_lock(lock, pid, token):\n{body}")
    use("roll_back", f"def roll_back(lock, token, before):\n{body}")
    held = left.try_acquire()
    assert isinstance(held, Held)
    assert held.before == (before[0].decode(), before[1])
    assert left.still_mine()
    assert left.rollback()
    assert state(left) == before


def test_a_read_only_disk_is_no_mistake_of_a_part(
    left: ConsolidationLock, capsys: pytest.CaptureFixture[str]
) -> None:
    source = Path(__file__).parent.joinpath("right/nb10_a.py").read_text("utf-8")
    use("take_lock", source)
    before = state(left)
    with pytest.MonkeyPatch.context() as broken:
        broken.setattr(Folder, "create", read_only)
        refused = left.try_acquire()
    assert isinstance(refused, Refused)
    assert "may read and write it" in refused.message
    assert "take_lock" not in capsys.readouterr().out
    assert state(left) == before
    assert left.try_acquire(), "and the guard is free again"


def read_only(*_: object, **__: object) -> None:
    raise OSError(errno.EROFS, os.strerror(errno.EROFS))


def test_a_part_may_refuse(left: ConsolidationLock) -> None:
    before = state(left)
    use("is_stale", "def is_stale(text, hours, alive):\n    return False\n")
    refused = left.try_acquire()
    assert isinstance(refused, Refused)
    assert state(left) == before
    parts.remove_all()
    assert machine.is_stale is is_stale
    assert left.try_acquire()
