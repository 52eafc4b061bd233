from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from memlab.clock import STORY_START
from memlab.course import Lab, begin, my
from memlab.course.gate_examples import (
    COURSE,
    HOLDER,
    ME,
    all_gates,
    cost_in_words,
    gate_table,
    gates_for,
    leave_lock,
    lock_for,
)
from memlab.dream import Held, Refused, ScanThrottle
from memlab.dream.gates import GATES, Situation, Verdict
from memlab.memdir.toggles import load_toggles

DONE = b"4000\ntoken old\nbefore none\ndone\n"


@pytest.fixture
def lab() -> Lab:
    return begin(9)


def test_on_the_first_evening_all_gates_are_open(lab: Lab) -> None:
    report = gates_for(lab)
    assert report.open
    assert len(report.sessions) == 14


def test_a_table_shows_what_was_not_asked(lab: Lab) -> None:
    leave_lock(lab, DONE, hours=3)
    states = {row[0]: row[1] for row in gate_table(gates_for(lab)).rows}
    not_asked = {gate.__name__: "not asked" for gate in GATES}
    assert states == not_asked | {"toggles": "open", "time": "shut"}
    assert list(states) == list(not_asked)


def test_the_table_of_gates_has_each_question_limit_and_cost(lab: Lab) -> None:
    rows = {name: rest for name, *rest in all_gates(lab.settings).rows}
    assert list(rows) == [gate.__name__ for gate in GATES]
    assert rows["toggles"][1:] == ["yes", "no disk"]
    assert rows["sessions"][1:] == ["5 sessions or more", "1 listing, 1 stat"]
    assert rows["lock"][1:] == ["no", "2 stats, 1 read"]


def test_a_price_is_told_in_words() -> None:
    assert cost_in_words({}) == "no disk"
    assert cost_in_words({"listings": 1, "stats": 14, "reads": 0}) == "1 listing, 14 stats"


def test_the_course_dreams_and_the_flag_file_of_the_lab_is_heard(lab: Lab) -> None:
    found = load_toggles(lab.sessions, base=lab.base, environ={}, defaults=COURSE)
    assert found.auto_dream
    (lab.base / "flags.json").write_text('{"enabled": false}', "utf-8")
    found = load_toggles(lab.sessions, base=lab.base, environ={}, defaults=COURSE)
    shut = gates_for(lab, toggles=found).shut
    assert shut is not None
    assert shut.reason.startswith("auto_dream is off (flags.json")


def test_a_lock_is_left_with_the_age_it_is_given(lab: Lab) -> None:
    leave_lock(lab, DONE, hours=30)
    assert gates_for(lab).hours_since == 30
    leave_lock(lab, DONE, hours=-1)
    assert gates_for(lab).hours_since is None


def test_a_throttle_that_is_handed_in_is_kept(lab: Lab) -> None:
    leave_lock(lab, DONE, hours=30)
    throttle = ScanThrottle()
    names = [
        one.shut.name
        for one in (gates_for(lab, throttle) for _ in range(2))
        if one.shut is not None
    ]
    assert names == ["sessions", "throttle"]


def test_only_the_living_keep_others_out(lab: Lab) -> None:
    assert isinstance(lock_for(lab, HOLDER).try_acquire(), Held)
    assert isinstance(lock_for(lab, ME, {HOLDER}).try_acquire(), Refused)
    assert isinstance(lock_for(lab, ME).try_acquire(), Held)


def test_a_learners_chain_decides_in_the_lab(lab: Lab) -> None:
    def gate_chain(gates, look):  # type: ignore[no-untyped-def]
        name, is_open = gates[0]
        is_open(look(name))
        return [(name, "shut")]

    with my.completed(gate_chain=gate_chain):
        assert [verdict.name for verdict in gates_for(lab).verdicts] == ["toggles"]
        assert not gates_for(lab).open


def test_a_gate_that_is_added_is_asked(lab: Lab) -> None:
    def weekday(now: Situation) -> Verdict:
        """Is it a weekday?"""
        return Verdict("weekday", False, "it is Monday")

    rows = (*GATES, weekday)
    report = gates_for(lab, gates=rows)
    assert report.shut is not None
    assert report.shut.name == "weekday"
    assert gate_table(report, rows).rows[-1][:3] == ("weekday", "shut", "it is Monday")


def test_the_gates_can_be_asked_at_another_time(lab: Lab) -> None:
    monday = STORY_START - timedelta(days=14)
    leave_lock(lab, DONE, hours=3, at=monday)
    assert gates_for(lab, at=monday).hours_since == 3
    assert gates_for(lab).hours_since == 14 * 24 + 3


def test_nothing_lies_outside_the_lab(lab: Lab, tmp_path: Path) -> None:
    assert lock_for(lab).path.is_relative_to(tmp_path)
