from __future__ import annotations

from typing import Any

import pytest

from memlab.course.widgets.time_machine import (
    BODIES,
    MOMENTS,
    Moment,
    TimeMachine,
    ask_gates,
    cost_in_words,
    time_machine,
)
from memlab.course.widgets.widget import VIEW
from memlab.dream.gates import GATES
from memlab.memdir.toggles import Toggles


def shut(**changed: Any) -> str:
    report = ask_gates(Moment(**changed))
    return report.shut.name if report.shut is not None else ""


@pytest.mark.parametrize(
    ("changed", "gate"),
    [
        ({}, ""),
        ({"figures": {"time": None}}, ""),
        ({"toggles": Toggles()}, "toggles"),
        ({"figures": {"time": 23.5}}, "time"),
        ({"figures": {"time": 24}}, ""),
        ({"figures": {"throttle": 9}}, "throttle"),
        ({"figures": {"throttle": 10}}, ""),
        ({"figures": {"sessions": 4}}, "sessions"),
        ({"figures": {"sessions": 5}}, ""),
        ({"figures": {"time": 0.5}, "body": "a dream is at work"}, "time"),
        (
            {
                "figures": {"time": 0.5},
                "body": "a dream is at work",
                "toggles": Toggles(auto_dream=True, min_hours=0),
            },
            "lock",
        ),
        (
            {
                "figures": {"time": 0.5},
                "body": "its process is gone",
                "toggles": Toggles(auto_dream=True, min_hours=0),
            },
            "",
        ),
        ({"figures": {"time": -24}}, ""),
    ],
)
def test_the_real_gates_answer_in_a_made_up_moment(changed: dict[str, Any], gate: str) -> None:
    assert shut(**changed) == gate


def test_the_stored_table_shuts_every_gate_once_at_least() -> None:
    reports = [ask_gates(moment) for moment in MOMENTS]
    assert {report.shut.name for report in reports if report.shut is not None} == {
        gate.__name__ for gate in GATES
    }
    assert any(report.open for report in reports)


def test_the_twin_has_one_line_a_moment_with_signs_reason_and_cost() -> None:
    rows = {row[0]: row[1:] for row in TimeMachine().table.rows}
    assert rows["three hours after a dream"] == (
        "✓✗" + "·" * (len(GATES) - 2),
        "3.0 h since the last consolidation, 24 needed",
        "1 stat",
    )
    assert rows["the same, dreams switched off"][2] == "no disk"
    stats = 9  # six sessions, and three for the lock
    assert rows["a first evening, no lock yet"][2] == f"1 listing, {stats} stats, 1 read"
    assert "✓ open, ✗ shut, · not asked" in TimeMachine().markdown


def test_a_price_is_told_in_words() -> None:
    assert cost_in_words({}) == "no disk"
    assert cost_in_words({"listings": 1, "stats": 14, "reads": 0}) == "1 listing, 14 stats"


def parts_of(shown_widget: Any) -> dict[str, Any]:
    answer, presets, turned = shown_widget.box.children
    dials, switches = turned.children
    named = {
        one.description.partition(":")[0]: one
        for one in (*presets.children, *dials.children, *switches.children)
    }
    return named | {"answer": answer}


def test_the_gates_are_doors_in_a_row_and_the_first_that_is_shut_is_named() -> None:
    answer = TimeMachine().shown(Moment(figures={"time": 3}))
    doors = answer.split("<li")[1:]
    assert len(doors) == len(GATES)
    assert "1. toggles</b> ✓ open" in doors[0]
    assert "2. time</b> ✗ shut" in doors[1]
    assert "3.0 h since the last consolidation, 24 needed" in doors[1]
    assert all("· not asked" in door for door in doors[2:])
    assert "✗ No dream: the door time is shut." in answer
    assert "✓ All doors are open" in TimeMachine().shown(Moment())


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: moment.name)
def test_a_button_turns_everything_to_a_moment(moment: Moment) -> None:
    parts = parts_of(time_machine())
    parts["bare"].value = True
    parts["minutes since the last scan"].value = 1
    parts["no lock file"].value = True
    parts[moment.name].click()
    assert parts["answer"].value == TimeMachine().shown(moment)


def test_each_switch_says_what_it_means() -> None:
    labels = [one.description for one in time_machine().box.children[2].children[1].children]
    assert "auto_dream: the memory is consolidated, and so rewritten, when due" in labels


def test_turning_a_dial_changes_the_answer() -> None:
    parts = parts_of(time_machine())
    answer = parts["answer"]
    assert answer.value.count("✓ open") == len(GATES)
    parts["hours since the lock's time"].value = 2
    assert answer.value.count("✗ shut") == 1
    assert "2.0 h since the last consolidation, 24 needed" in answer.value
    parts["hours needed, by flag"].value = 0
    assert answer.value.count("✓ open") == len(GATES)
    parts["the lock says"].value = "a dream is at work"
    parts["hours since the lock's time"].value = 0.5
    assert "process 4200 is consolidating this memory" in answer.value
    parts["no lock file"].value = True
    assert answer.value.count("✓ open") == len(GATES)
    parts["minutes since the last scan"].value = 3
    assert "3.0 min since the last session scan" in answer.value
    parts["minutes since the last scan"].value = 15
    parts["sessions since then"].value = 1
    assert "1 other sessions since then, 5 needed" in answer.value
    parts["bare"].value = True
    assert "bare is on" in answer.value
    assert answer.value.count("not asked") == len(GATES) - 1


def test_every_gate_with_a_figure_has_a_dial_that_opens_and_shuts_it() -> None:
    parts = parts_of(time_machine())
    dials = {
        "time": "hours since the lock's time",
        "throttle": "minutes since the last scan",
        "sessions": "sessions since then",
    }
    for name, label in dials.items():
        report = ask_gates(Moment(figures={name: 0}))
        assert report.shut is not None
        assert report.shut.name == name
        start, before = parts[label].value, parts["answer"].value
        parts[label].value = 0
        assert parts["answer"].value != before
        parts[label].value = start


def test_every_lock_can_be_chosen() -> None:
    assert list(parts_of(time_machine())["the lock says"].options) == list(BODIES)


def test_whatever_is_turned_shows() -> None:
    """A lock of another day is free whatever it says, so the answer quotes it."""
    parts = parts_of(time_machine())
    answer = parts["answer"]
    assert "The lock file: 4200, token t, before none, done; its time: 30 h ago." in answer.value
    seen = {answer.value}
    for body in list(BODIES)[1:]:
        parts["the lock says"].value = body
        assert answer.value not in seen
        seen.add(answer.value)
    parts["hours since the lock's time"].value = -1
    assert "The lock file: empty; its time: 1 h ahead." in answer.value
    parts["no lock file"].value = True
    assert "There is no lock file." in answer.value


def test_the_twin_does_not_change_with_clicks() -> None:
    shown_widget = time_machine()
    before = shown_widget._repr_mimebundle_()
    assert VIEW in before
    parts_of(shown_widget)["no lock file"].value = True
    assert shown_widget._repr_mimebundle_()["text/markdown"] == before["text/markdown"]
