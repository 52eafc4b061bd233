from __future__ import annotations

from pathlib import Path

import pytest

from memlab.course import data_files
from memlab.course.notebook_folder import prepare_folder
from memlab.errors import CourseError

EXAMPLE = data_files.data_folder("example")


def test_a_notebooks_folder_is_the_example_with_the_times_of_the_story() -> None:
    folder = prepare_folder(0, EXAMPLE)
    memory = folder.memory / "season-opening.md"
    assert memory.read_bytes() == (EXAMPLE / "memory" / "season-opening.md").read_bytes()
    assert memory.stat().st_mtime_ns == 1_774_427_754 * 1_000_000_000
    newest = max(file.stat().st_mtime_ns for file in folder.sessions.glob("*.jsonl"))
    assert (folder.project / "README.md").stat().st_mtime_ns == newest


def test_a_second_one_is_fresh_and_at_the_same_path() -> None:
    first = prepare_folder(0, EXAMPLE)
    (first.memory / "mine.md").write_text("mine", "utf-8")
    (first.memory / "season-opening.md").unlink()
    assert prepare_folder(0, EXAMPLE) == first != prepare_folder(1, EXAMPLE)
    names = {file.name for file in first.memory.iterdir()}
    assert names == {file.name for file in (EXAMPLE / "memory").iterdir()}


def test_without_the_repository_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_files, "CLONE", tmp_path)
    with pytest.raises(CourseError, match="Clone the whole repository"):
        data_files.data_folder("example")
