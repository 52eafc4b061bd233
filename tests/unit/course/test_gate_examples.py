from __future__ import annotations

from pathlib import Path

import pytest

from memlab.course import Lab, begin, my
from memlab.course.gate_examples import COURSE, HOLDER, ME, gates_for, lock_for
from memlab.dream import Held, Refused
from memlab.memdir.toggles import load_toggles


@pytest.fixture
def lab() -> Lab:
    return begin(9)


def test_on_the_first_evening_all_gates_are_open(lab: Lab) -> None:
    report = gates_for(lab)
    assert report.open
    assert len(report.sessions) == 14


def test_the_course_dreams_and_the_flag_file_of_the_lab_is_heard(lab: Lab) -> None:
    found = load_toggles(lab.sessions, base=lab.base, environ={}, defaults=COURSE)
    assert found.auto_dream
    (lab.base / "flags.json").write_text('{"enabled": false}', "utf-8")
    found = load_toggles(lab.sessions, base=lab.base, environ={}, defaults=COURSE)
    shut = gates_for(lab, toggles=found).shut
    assert shut is not None
    assert shut.reason.startswith("auto_dream is off (flags.json")


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


def test_nothing_lies_outside_the_lab(lab: Lab, tmp_path: Path) -> None:
    assert lock_for(lab).path.is_relative_to(tmp_path)
