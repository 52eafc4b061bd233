"""The commands ``start`` and ``progress``, with the course's own gaps."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.course import gap_list, start
from memlab.course.gap import all_gaps
from memlab.course.own_parts import my, parts_folder, write_part

BEFORE_02 = [name for name, gap in all_gaps().items() if gap.notebook < 2]


def states(capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, str], str]:
    """Return each gap's state as ``progress`` prints it, and the last line."""
    assert gap_list.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split() for line in lines if line.strip()[:2].isdigit()]
    return {row[1]: row[2] for row in rows if len(row) == 3}, lines[-1]


def test_start_fills_in_what_is_missing_and_progress_lists_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    total = len(all_gaps())
    assert states(capsys) == (
        dict.fromkeys(all_gaps(), "todo"),
        f"0 of {total} have passed (my/parts)",
    )
    mine = "def file_stem(title):\n    return 'mine'\n"
    write_part(all_gaps()["file_stem"], mine, "passed")
    assert start.main(["02"]) == 0
    others = [name for name in BEFORE_02 if name != "file_stem"]
    said = capsys.readouterr().out
    assert f"filled in for {len(others)} parts of earlier notebooks: {', '.join(others)}." in said
    assert "def file_stem(title):\n    return 'mine'" in (
        (parts_folder() / "file_stem.py").read_text("utf-8")
    )
    found, last = states(capsys)
    assert {name for name, state in found.items() if state == "ours"} == {*others}
    assert last == f"1 of {total} have passed (my/parts)"
    assert start.main(["02"]) == 0
    assert "Nothing to fill in: you can begin notebook 02." in capsys.readouterr().out
    assert my.load() == []


def test_a_notebook_that_does_not_exist_is_refused(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert start.main(["77"]) == 2
    assert "memlab start: there is no notebook 77" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        start.main(["seven"])
    assert not home.exists()
