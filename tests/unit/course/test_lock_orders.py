"""Functions that take a lock, in every order of their moves; and learners' parts in the real lock.

Left out: the cases of the exercises themselves (``test_every_exercise``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import CourseClock
from memlab.course import my, run_submission
from memlab.course.lock_orders import Player, alone, endings, every_order, start
from memlab.course.seams import install_seams, remove_seams
from memlab.dream import ConsolidationLock, Held, Refused

OLD = b"7\ntoken old\nbefore none\ndone\n"


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    yield
    remove_seams()


def look_then_write(lock: Any, pid: int, token: str) -> bool:
    if lock.read() is not None:
        return False
    lock.write(f"{pid}\n")
    return True


def read_back(lock: Any, pid: int, token: str) -> bool:
    return look_then_write(lock, pid, token) and lock.read() == f"{pid}\n"


def test_the_six_moves_with_which_both_win_are_found() -> None:
    orders = every_order(read_back)
    assert repr(orders) == "16 orders (1 holder: 12, 2 holders: 4)"
    assert [(each.process, each.name) for each in orders.trace] == [
        (0, "read"),
        (1, "read"),
        (0, "write"),
        (0, "read"),
        (1, "write"),
        (1, "read"),
    ]


def test_a_lock_that_is_created_in_one_move_has_one_holder() -> None:
    def create(lock: Any, pid: int, token: str) -> Any:
        return lock.create(f"{pid}\n")

    assert every_order(create, processes=3).counts == {1: 6}
    assert every_order(create, "7\n").counts == {0: 2}


def test_the_guard_leaves_only_who_comes_first() -> None:
    def guarded(lock: Any, pid: int, token: str) -> bool:
        with lock.guard():
            return look_then_write(lock, pid, token)

    orders = every_order(guarded, processes=3)
    assert orders.counts == {1: 6}
    assert orders.one_each


def test_who_takes_the_guard_twice_or_never_stops_is_found() -> None:
    def twice(lock: Any, pid: int, token: str) -> bool:
        with lock.guard(), lock.guard():
            return True

    def again(lock: Any, pid: int, token: str) -> bool:
        while lock.read() is not None:
            pass
        return True

    assert every_order(twice).waiting
    assert every_order(again, "7\n").waiting


def test_an_exception_in_the_guard_comes_through_and_releases_it() -> None:
    def fails(lock: Any, pid: int, token: str) -> bool:
        with lock.guard():
            lock.read()
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        every_order(fails)


def test_a_function_that_catches_everything_is_stopped_all_the_same() -> None:
    def catches(lock: Any, pid: int, token: str) -> bool:
        try:
            return lock.read() is None
        except BaseException:
            return True

    assert every_order(catches).counts == {2: 2}


def test_a_kill_releases_the_guard_and_tears_a_plain_write() -> None:
    player = Player(look_then_write, (41, "6f"))
    value, disk = alone(player, start(None, 0), [], kill_after=1)
    assert (value, disk.text) == ("killed", "")
    assert len(endings([player, player], start(None, 0), [])) == 3


def lock_of(folder: Path, clock: CourseClock, pid: int = 10) -> ConsolidationLock:
    return ConsolidationLock(
        folder, clock=clock, pid=pid, token=f"t{pid}", alive={10, 20}.__contains__
    )


def left(folder: Path, clock: CourseClock) -> ConsolidationLock:
    """Leave a lock that was done thirty hours ago."""
    lock = lock_of(folder, clock)
    assert lock.try_acquire()
    assert lock.finish()
    clock.advance(30 * 3_600)
    return lock_of(folder, clock)


def test_the_learners_parts_take_and_give_back_the_real_lock(tmp_path: Path) -> None:
    clock = CourseClock()
    lock = left(tmp_path, clock)
    before = lock.path.read_bytes(), lock.path.stat().st_mtime_ns
    calls: list[str] = []

    def noted(name: str, part: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            calls.append(name)
            return part(*given)

        return call

    names = ("is_stale", "take_lock", "roll_back")
    install_seams({name: noted(name, getattr(my, name)) for name in names})
    assert isinstance(lock.try_acquire(), Held)
    assert lock.path.read_text().startswith("10\ntoken t10\nbefore 1")
    assert not lock_of(tmp_path, clock, 20).try_acquire()
    assert lock.rollback()
    assert (lock.path.read_bytes(), lock.path.stat().st_mtime_ns) == before
    assert not lock.rollback(), "once"
    assert calls == ["is_stale", "take_lock", "roll_back"]


def take_anything(lock: Any, pid: int, token: str) -> bool:
    lock.replace("mine")
    return True


def refuse_and_write(lock: Any, pid: int, token: str) -> bool:
    lock.replace("mine")
    return False


def refuse_and_take(lock: Any, pid: int, token: str) -> bool:
    my.take_lock(lock, pid, token)
    return False


def raises(*given: Any) -> bool:
    raise ValueError("oops")


def test_a_part_never_lets_anybody_in_whom_memlab_keeps_out(tmp_path: Path) -> None:
    clock = CourseClock()
    first = lock_of(tmp_path, clock)
    assert first.try_acquire()
    install_seams({"is_stale": lambda *given: True, "take_lock": take_anything})
    assert isinstance(lock_of(tmp_path, clock, 20).try_acquire(), Refused)
    assert first.still_mine()


@pytest.mark.parametrize("part", [take_anything, raises, lambda *given: True, lambda *given: None])
def test_a_wrong_take_lock_is_replaced_by_memlabs_with_a_warning(tmp_path: Path, part: Any) -> None:
    lock = left(tmp_path, CourseClock())
    install_seams({"take_lock": part})
    with pytest.warns(RuntimeWarning, match="your take_lock .*memlab's own version was used"):
        held = lock.try_acquire()
    assert isinstance(held, Held)
    assert held.before.data == b"10\ntoken t10\nbefore none\ndone\n"
    assert lock.still_mine()


@pytest.mark.parametrize("part", [refuse_and_write, refuse_and_take])
def test_a_part_may_refuse_and_then_nothing_has_changed(tmp_path: Path, part: Any) -> None:
    lock = left(tmp_path, CourseClock())
    before = lock.path.read_bytes(), lock.path.stat().st_mtime_ns
    install_seams({"take_lock": part})
    refused = lock.try_acquire()
    assert isinstance(refused, Refused)
    assert "your take_lock" in refused.message
    assert (lock.path.read_bytes(), lock.path.stat().st_mtime_ns) == before
    remove_seams()
    install_seams({"is_stale": lambda *given: False})
    assert isinstance(lock.try_acquire(), Refused)


def removes(lock: Any, token: str, before: Any) -> bool:
    lock.remove()
    return True


@pytest.mark.parametrize("part", [removes, raises, lambda *given: True, lambda *given: False])
def test_a_wrong_roll_back_is_replaced_by_memlabs_with_a_warning(tmp_path: Path, part: Any) -> None:
    lock = left(tmp_path, CourseClock())
    before = lock.path.read_bytes(), lock.path.stat().st_mtime_ns
    assert lock.try_acquire()
    install_seams({"roll_back": part})
    with pytest.warns(RuntimeWarning, match="your roll_back"):
        assert lock.rollback()
    assert (lock.path.read_bytes(), lock.path.stat().st_mtime_ns) == before


def test_a_wrong_roll_back_cannot_undo_anothers_lock(tmp_path: Path) -> None:
    clock = CourseClock()
    slow = left(tmp_path, clock)
    assert slow.try_acquire()
    clock.advance(timedelta(hours=2).total_seconds())
    second = lock_of(tmp_path, clock, 20)
    assert second.try_acquire()
    install_seams({"roll_back": removes})
    with pytest.warns(RuntimeWarning, match="another's lock"):
        assert not slow.rollback()
    assert second.still_mine()


def never_returns(*given: Any) -> bool:
    while True:
        pass


def take_and_give_back(lock: ConsolidationLock) -> bool:
    return bool(lock.try_acquire()) and lock.rollback()


@pytest.mark.parametrize("part", ["is_stale", "take_lock", "roll_back"])
def test_a_part_that_hangs_is_stopped_and_memlabs_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    monkeypatch.setattr(run_submission, "SECONDS", 0.01)
    lock = left(tmp_path, CourseClock())
    before = lock.path.read_bytes(), lock.path.stat().st_mtime_ns
    install_seams({part: never_returns})
    with pytest.warns(RuntimeWarning, match=f"your {part} did not return; memlab's own version"):
        assert take_and_give_back(lock)
    assert (lock.path.read_bytes(), lock.path.stat().st_mtime_ns) == before
