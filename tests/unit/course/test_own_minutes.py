"""How long the learner really took, with a clock that only the test moves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memlab.course import checking, lab, own_minutes, progress_table, quizzes
from memlab.course.own_minutes import Stopwatch, Taken, read_taken
from tests.unit.course.toy import EXERCISE, FILES


class Clock:
    """Seconds that stand still until somebody waits."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now

    def wait(self, minutes: float) -> None:
        self.now += minutes * 60


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "my" / "minutes.json"


@pytest.fixture
def stopwatch(clock: Clock, file: Path) -> Stopwatch:
    return Stopwatch(clock, lambda: file)


def test_minutes_are_added_up_without_pauses(
    clock: Clock, stopwatch: Stopwatch, file: Path
) -> None:
    clock.wait(50)
    stopwatch.begin(4)
    for minutes in (3, 9, 10.5, 2):
        clock.wait(minutes)
        stopwatch.tick()
    stopwatch.write()
    assert read_taken(file) == {4: Taken(14)}
    clock.wait(1)
    stopwatch.begin(5)
    clock.wait(6)
    stopwatch.begin(4)
    assert read_taken(file) == {4: Taken(15), 5: Taken(6)}

    again = Stopwatch(clock, lambda: file)
    clock.wait(2)
    again.begin(4)
    clock.wait(5)
    again.checked("terms", passed=False)
    assert read_taken(file)[4] == Taken(20)


def test_a_gap_takes_from_its_first_check_or_from_the_last_pass(
    clock: Clock, stopwatch: Stopwatch, file: Path
) -> None:
    stopwatch.begin(4)
    clock.wait(8)
    stopwatch.checked("terms", passed=False)
    clock.wait(9)
    stopwatch.checked("terms", passed=False)
    clock.wait(3)
    stopwatch.checked("terms", passed=True)
    clock.wait(7)
    stopwatch.checked("score", passed=True)
    clock.wait(1)
    stopwatch.checked("terms", passed=True)
    assert read_taken(file) == {4: Taken(28, {"terms": 12, "score": 7})}


def test_nothing_is_recorded_before_begin_or_where_nothing_can_be_written(
    clock: Clock, stopwatch: Stopwatch, file: Path
) -> None:
    clock.wait(3)
    stopwatch.checked("terms", passed=True)
    assert not file.exists()
    file.parent.write_text("a file where the folder should be")
    stopwatch.begin(1)
    clock.wait(2)
    stopwatch.checked("terms", passed=False)
    file.parent.unlink()
    clock.wait(1)
    stopwatch.checked("terms", passed=False)
    assert read_taken(file) == {1: Taken(3)}, "what could not be written is not lost"


@pytest.mark.parametrize("text", ["", "[]", '{"notebooks": {"04": 3}}', '{"notebooks": {"x": {}}}'])
def test_a_file_that_somebody_has_changed_is_begun_again(
    clock: Clock, stopwatch: Stopwatch, file: Path, text: str
) -> None:
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    assert read_taken(file) == {}
    stopwatch.begin(1)
    clock.wait(2)
    stopwatch.checked("terms", passed=False)
    assert read_taken(file) == {1: Taken(2)}


def test_begin_check_and_quiz_fill_the_file_that_progress_shows(
    toy: Path,
    homes: Path,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    stopwatch = Stopwatch(clock)
    for module in (checking, lab, own_minutes, quizzes):
        monkeypatch.setattr(module, "STOPWATCH", stopwatch)
    (toy / "notebooks/00_toy.ipynb").write_text('{"cells": []}', encoding="utf-8")
    assert progress_table.main([]) == 0
    assert "your minutes" not in capsys.readouterr().out

    stopwatch.begin(0)
    names: dict[str, object] = {}
    for text, minutes in (
        (FILES[f"{EXERCISE}/starter.py"], 4),
        (FILES[f"{EXERCISE}/solution.py"], 9),
    ):
        exec(text, names)
        clock.wait(minutes)
        checking.check(names["tail"])
    clock.wait(2)
    quizzes.answer(0, 1, "b")

    written = json.loads((homes / "minutes.json").read_text(encoding="utf-8"))
    assert written["notebooks"] == {"00": {"minutes": 15.0, "gaps": {"tail": 9.0}}}
    assert written.keys() == {"about", "notebooks"}
    capsys.readouterr()
    assert progress_table.main([]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["notebook", "your", "minutes", "estimate"] in rows
    assert ["00_toy", "15", "5"] in rows
