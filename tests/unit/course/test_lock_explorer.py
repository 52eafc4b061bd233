"""The explorer: what it says of each protocol, and that it can find what is wrong with one.

Left out: whether the steps of ours are what the real lock does (``test_lock``).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from memlab.course.lock_explorer import (
    ANY_ROLLBACK,
    BROKEN,
    NAIVE,
    NO_GUARD,
    NO_TOKEN,
    NOBODY,
    OURS,
    STALE,
    TEMP_AND_RENAME,
    UNLINK_AND_CREATE,
    WAIT_AND_VERIFY,
    WAIT_LONG_ENOUGH,
    WRITE_THEN_VERIFY,
    Lock,
    Moment,
    Process,
    Protocol,
    Step,
    World,
    _Game,
    describe,
    explore,
    free,
    go,
)

LIFE = {"whole": True, "crashes": 1, "ticks": 1, "failures": 1}


def test_every_order_of_independent_steps_is_counted_once() -> None:
    steps = (Step("does one", lambda world, _: world), Step("does two", lambda world, _: world))
    report = explore(Protocol("independent", {"take": steps}), 2)
    assert report.schedules == len(set(permutations("aabb"))) == 6
    assert report.states == 3 * 3


def test_who_must_wait_cannot_go_first() -> None:
    def second(world: World, process: int) -> World | None:
        return world if process == 0 or world.processes[0].phase == "dreams" else None

    assert explore(Protocol("in order", {"take": (Step("waits", second),)}), 2).schedules == 1


@pytest.mark.parametrize(
    ("protocol", "processes", "states", "schedules", "two"),
    [
        (WRITE_THEN_VERIFY, 2, 28, 16, 4),
        (WRITE_THEN_VERIFY, 3, 224, 702, 300),
        (TEMP_AND_RENAME, 2, 37, 64, 24),
        (TEMP_AND_RENAME, 3, 321, 24_750, 13_392),
        (UNLINK_AND_CREATE, 2, 39, 20, 6),
        (UNLINK_AND_CREATE, 3, 537, 1_464, 846),
        (WAIT_AND_VERIFY, 2, 46, 46, 4),
        (WAIT_AND_VERIFY, 3, 449, 10_836, 1_404),
        (WAIT_LONG_ENOUGH, 2, 36, 30, 0),
        (WAIT_LONG_ENOUGH, 3, 254, 3_708, 0),
        (OURS, 2, 21, 2, 0),
        (OURS, 3, 55, 6, 0),
    ],
)
def test_a_contest(
    protocol: Protocol, processes: int, states: int, schedules: int, two: int
) -> None:
    report = explore(protocol, processes)
    assert (report.states, report.schedules, report.two_commit) == (states, schedules, two)
    assert report.no_winner == 0
    assert bool(report.trace) == bool(two)


@pytest.mark.behaviour("J3")
@pytest.mark.slow
def test_ours_holds_through_a_crash_an_hour_and_a_failing_dream() -> None:
    report = explore(OURS, 3, **LIFE)
    assert report.safe
    assert (report.states, report.schedules) == (36_635, 1_693_344)
    for start in (None, STALE._replace(done=True)):
        assert explore(OURS, 2, start=start, **LIFE).safe


@pytest.mark.parametrize("protocol", NAIVE, ids=lambda one: one.name)
def test_no_repair_of_the_naive_lock_survives_the_hour(protocol: Protocol) -> None:
    report = explore(protocol, 2, whole=True, ticks=1)
    assert report.two_commit > 0


def test_each_bug_put_into_ours_is_found() -> None:
    found = {one.name: explore(one, 2, **LIFE) for one in BROKEN}
    assert found[NO_GUARD.name].two_commit > 0
    assert found[NO_TOKEN.name].two_commit > 0
    assert found[ANY_ROLLBACK.name].wrong_rollback > 0
    assert found[ANY_ROLLBACK.name].two_commit == 0, "the token at the commit still stands"
    assert all(report.trace for report in found.values())


def test_without_a_crash_or_an_hour_two_of_the_bugs_sleep() -> None:
    assert explore(NO_TOKEN, 2, whole=True).safe
    assert explore(ANY_ROLLBACK, 2, whole=True, failures=1).safe
    assert not explore(NO_GUARD, 2, whole=True).safe


def test_the_shortest_trace_tells_how_two_come_to_hold() -> None:
    trace = explore(WRITE_THEN_VERIFY).trace
    old, mine, other = "a dead process, of long ago", "P1, of hour 1", "P2, of hour 1"
    look, write, read = (
        f"next: {step}"
        for step in ("looks at the lock", "writes its id into the lock", "reads the lock again")
    )
    assert trace == (
        Moment("P1 looks at the lock", old, (write, look)),
        Moment("P2 looks at the lock", old, (write, write)),
        Moment("P1 writes its id into the lock", mine, (read, write)),
        Moment("P1 reads the lock again", mine, ("dreams", write)),
        Moment("P2 writes its id into the lock", other, ("dreams", read)),
        Moment("P2 reads the lock again", other, ("dreams", "dreams")),
    )


@pytest.mark.parametrize("protocol", [WRITE_THEN_VERIFY, *BROKEN], ids=lambda one: one.name)
def test_a_trace_can_be_replayed_to_its_bad_end(protocol: Protocol) -> None:
    trace = explore(protocol, 2, **LIFE).trace
    game = _Game(protocol, whole=True)
    world = World(STALE, (Process("take"),) * 2, crashes=1, ticks=1, failures=1)
    for moment in trace:
        assert not game.two_commit(world), "the trace ends with the first"
        assert not game.wrong_rollback(world)
        world = dict(game.moves(world))[moment.move]
        assert describe(world.lock) == moment.lock
    assert game.two_commit(world) or game.wrong_rollback(world)


def test_ours_goes_on_after_a_crash_and_after_the_hour() -> None:
    """Nothing of the proof is empty: takeovers, commits and rollbacks are among its worlds."""
    seen = dict.fromkeys(("taken over", "committed", "rolled back", "lost"), 0)

    def spy(name: str, step: Step) -> Step:
        def do(world: World, process: int) -> World | None:
            if name != "taken over" or (world.lock and world.lock.token not in (NOBODY, process)):
                seen[name] += 1
            return step.do(world, process)

        return replace(step, do=do)

    phases = dict(OURS.phases)
    phases["take"] = (*phases["take"][:5], spy("taken over", phases["take"][5]), phases["take"][6])
    phases["commit"] = (
        *phases["commit"][:2],
        spy("committed", phases["commit"][2]),
        *phases["commit"][3:],
    )
    phases["back"] = (*phases["back"][:5], spy("rolled back", phases["back"][5]), phases["back"][6])
    phases["lost"] = (spy("lost", phases["lost"][0]),)
    assert explore(Protocol("spied on", phases), 2, **LIFE).safe
    assert all(seen.values()), seen


def test_what_keeps_nobody_out() -> None:
    world = go(World(None, (Process("take"),) * 2), 1, "crashed")
    assert free(world, None)
    assert free(world, Lock(0, 0, 1, done=True))
    assert free(world, Lock(1, 1, 1)), "its process crashed"
    assert free(world, Lock(0, 0, 0)), "older than an hour"
    assert not free(world, Lock(0, 0, 1))


def test_the_picture_shows_who_moves_and_what_is_in_the_lock() -> None:
    report = explore(WRITE_THEN_VERIFY, 2)
    assert report.summary == "write, then verify: 4 of 16 orders end with two holders"
    svg = report.picture.svg()
    for number, moment in enumerate(report.trace, start=1):
        assert f">{number}. {moment.move.split(' ', 1)[1]}<" in svg
        assert moment.lock in svg
    assert "✕ Now two processes can each end a dream on one lock." in svg
    assert "✓ No order goes wrong." in explore(OURS, 2).picture.svg()
    rolled_back = explore(ANY_ROLLBACK, 2, **LIFE)
    assert "put back another&#x27;s lock" in rolled_back.picture.svg()
