"""The file that a learner hands in, and the table of many, whatever the files contain."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memlab.course import progress_table
from memlab.course.exercise_files import Gap, all_gaps
from memlab.course.own_minutes import Taken
from memlab.course.progress_files import (
    as_csv,
    learners_table,
    notebooks_table,
    read_learners,
    save_progress,
    stuck_table,
)
from memlab.errors import CourseError
from tests.platforms import needs_pipes

GAPS = [
    Gap("bow", 0, 5, planned=False),
    Gap("keel", 0, 5, planned=False),
    Gap("flag", 0, 5, planned=False, bonus=True),
    Gap("mast", 1, 10, planned=False),
]
ESTIMATES = {0: 20, 1: 30}


def hand_in(path: Path, minutes: dict[int, float], *passed: str) -> Path:
    save_progress(path, {n: Taken(took, {}) for n, took in minutes.items()}, passed, GAPS)
    return path


def rows(shown: object) -> list[list[str]]:
    return [line.split() for line in repr(shown).splitlines()[2:]]


def test_the_file_holds_minutes_and_names_of_gaps_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "robin.json"
    save_progress(path, {0: Taken(12.345, {"bow": 4.04})}, ["bow"], GAPS)
    content = json.loads(path.read_text("utf-8"))
    assert content.keys() == {"memlab_progress", "about", "notebooks"}
    assert content["notebooks"] == {"00": {"minutes": 12.3, "gaps": {"bow": 4.0}}}
    save_progress(path, {}, ["bow", "mast"], GAPS)
    assert read_learners([path])[0].passed == {"bow", "mast"}


def test_only_a_progress_file_is_replaced(tmp_path: Path) -> None:
    essay = tmp_path / "essay.txt"
    essay.write_text("An essay.", "utf-8")
    with pytest.raises(CourseError, match="something else"):
        hand_in(essay, {})
    assert essay.read_text("utf-8") == "An essay."
    with pytest.raises(CourseError, match="cannot be written"):
        hand_in(tmp_path / "gone" / "a.json", {})


def test_the_tables_say_who_is_where_and_where_people_are_stuck(tmp_path: Path) -> None:
    hand_in(tmp_path / "ada.json", {0: 18, 1: 31.4}, "bow", "keel", "flag", "mast")
    hand_in(tmp_path / "iggy.json", {0: 44}, "bow")
    hand_in(tmp_path / "maren.json", {0: 25, 1: 9}, "bow", "keel")
    learners = read_learners([tmp_path])
    assert rows(learners_table(learners, GAPS, ESTIMATES)) == [
        ["ada", "2/2", "1/1", "4", "49", "50"],
        ["iggy", "1/2", "1", "44", "20"],
        ["maren", "2/2", "0/1", "2", "34", "50"],
    ]
    assert rows(notebooks_table(learners, GAPS, ESTIMATES)) == [
        ["00", "3", "2", "25", "20"],
        ["01", "2", "1", "20", "30"],
    ]
    assert rows(stuck_table(learners, GAPS)) == [["mast", "01", "1", "2"], ["keel", "00", "1", "3"]]


BAD = {
    "empty": "",
    "no json": "{half",
    "deep": "[" * 50_000,
    "huge": " " * 300_000,
    "a list": "[]",
    "old": '{"memlab_progress": 99, "notebooks": {}}',
    "shape": '{"notebooks": []}',
    "nan": '{"notebooks": {"00": {"minutes": NaN, "gaps": {}}}}',
    "negative": '{"notebooks": {"00": {"minutes": -1, "gaps": {}}}}',
    "digits": '{"notebooks": {"00": {"minutes": ' + "9" * 5_000 + ', "gaps": {}}}}',
    "number": '{"notebooks": {"\\u001b[31m": {"minutes": 1, "gaps": {}}}}',
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_is_not_understood_is_a_row_with_the_reason(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.json").write_text(BAD[name], "utf-8")
    good = hand_in(tmp_path / "zoe.json", {0: 5}, "bow")
    bad, zoe = read_learners([tmp_path])
    assert bad.problem
    assert not zoe.problem
    shown = learners_table([bad, zoe], GAPS, ESTIMATES)
    assert bad.problem in repr(shown)
    assert good.exists()


def test_names_from_outside_cannot_steer_a_terminal_or_a_spreadsheet(tmp_path: Path) -> None:
    hand_in(tmp_path / "=cmd\u202e.json", {0: 5}, "bow", "\x1b[31m")
    gap = '{"notebooks": {"00": {"minutes": 1, "gaps": {"\\u001b[2J": 1}}}}'
    (tmp_path / "gap.json").write_text(gap, "utf-8")
    if os.name != "nt":
        hand_in(tmp_path / "a\x1b[31m\nb.json", {0: 6})
    shown = learners_table(read_learners([tmp_path]), GAPS, ESTIMATES)
    for text in (repr(shown), as_csv(shown)):
        assert not {"\x1b", "\u202e"} & {*text}
    assert "\n'=cmd" in as_csv(shown)


def test_what_was_handed_in_twice_counts_once(tmp_path: Path) -> None:
    path = hand_in(tmp_path / "ada.json", {0: 5}, "bow")
    (tmp_path / "other").mkdir()
    copy = tmp_path / "other" / "ada.json"
    copy.write_bytes(path.read_bytes())
    first, again, other, gone = read_learners([path, path, copy, tmp_path / "gone.json"])
    assert not first.problem
    assert again.problem == other.problem == "the same as ada; not counted again"
    assert [again.name, other.name] == ["ada (2)", "ada (3)"]
    assert gone.problem == "there is no such file"


@needs_pipes
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    assert read_learners([tmp_path])[0].problem == "it is not a file"


def test_the_command_saves_reads_and_says_what_is_wrong(
    tmp_path: Path, toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (toy / "notebooks/00_toy.ipynb").write_text('{"cells": []}', encoding="utf-8")
    mine = tmp_path / "robin.json"
    assert progress_table.main(["--save", str(mine)]) == 0
    assert "no name, no code" in capsys.readouterr().out
    assert progress_table.main([str(mine), str(tmp_path / "gone.json")]) == 0
    said = capsys.readouterr().out
    assert "robin" in said
    assert "there is no such file" in said
    (tmp_path / "empty").mkdir()
    assert progress_table.main([str(tmp_path / "empty")]) == 1
    assert progress_table.main(["--save", str(tmp_path / "no/x.json")]) == 2
    with pytest.raises(SystemExit):
        progress_table.main(["--csv"])


def test_who_has_done_the_short_path_is_stuck_nowhere_on_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = progress_table.progress(core=True)
    assert 0 < len(listed.rows) < len(progress_table.progress().rows)
    taken = {int(row[0]): Taken(20, {}) for row in listed.rows}
    save_progress(tmp_path / "robin.json", taken, [row[1] for row in listed.rows], all_gaps())
    assert progress_table.main([str(tmp_path)]) == 0
    assert "where people are stuck" in capsys.readouterr().out
    assert progress_table.main(["--core", str(tmp_path)]) == 0
    assert "where people are stuck" not in capsys.readouterr().out
    with pytest.raises(SystemExit):
        progress_table.main(["--core", "--save", str(tmp_path / "robin.json")])
