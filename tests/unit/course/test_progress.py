"""The list of gaps, and the command that prints it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.course import progress_table
from memlab.course.parts_file import PartsFile, Section, write_parts_file
from tests.unit.course.toy import EXERCISE


def test_the_command_lists_each_gap_and_counts_what_has_passed(
    toy: Path, homes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert progress_table.main([]) == 0
    said = capsys.readouterr().out
    assert ["00", "tail", "todo"] in [line.split() for line in said.splitlines()]
    assert "0 of 1 have passed" in said

    code = "def tail(row, start):\n    return sorted(row)[start:]"
    for section, state, count in (
        (Section("tail", 0, code), "passed", 1),
        (Section("tail", 0, code, by="ours"), "ours", 0),
        (Section("tail", 0, code, off=True), "off", 0),
        (Section("tail", 0, code.replace("sorted", ""), mark="0" * 8), "edited", 0),
        (Section("tail", 0, "tail = 1 / 0"), "broken", 0),
    ):
        homes.mkdir(exist_ok=True)
        write_parts_file(homes / "memory.py", PartsFile().with_section(section))
        assert progress_table.main([]) == 0
        said = capsys.readouterr().out
        assert ["00", "tail", state] in [line.split() for line in said.splitlines()]
        assert f"{count} of 1 have passed" in said


def test_an_exercise_that_cannot_be_read_is_said(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (toy / EXERCISE / "prompt.md").write_text("no header", encoding="utf-8")
    assert progress_table.main([]) == 2
    assert "memlab progress: data/exercises/00/tail/prompt.md" in capsys.readouterr().err
