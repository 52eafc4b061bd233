"""A project that was renamed or moved: the doctor notices, and ``move`` brings its memory along."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from memlab.cli import doctor, move
from memlab.cli.commands import guarded
from memlab.dream.lock import ConsolidationLock
from memlab.memdir.places import forget_paths, memory_paths
from memlab.memdir.store import MemoryStore
from tests.house import note

pytestmark = pytest.mark.behaviour("C6")
Capture = pytest.CaptureFixture[str]


def begin(project: Path, session: str, remembered: str) -> MemoryStore:
    forget_paths()
    paths = memory_paths(project)
    store = MemoryStore(paths.memory_dir)
    text = note(f"{remembered}, in all code.", remembered)
    store.write_text(f"{remembered}.md", text)
    told = {"root": str(project), "inode": project.stat().st_ino}
    (paths.project_dir / f"{session}.jsonl").write_text(json.dumps(told))
    return store


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a memory, a session, and one that is off the record."""
    monkeypatch.setenv("MEMLAB_HOME", str(tmp_path / "base"))
    project = tmp_path / "old name"
    project.mkdir()
    begin(project, "one", "tabs")
    secret = tmp_path / "base/off-the-record" / memory_paths(project).project_dir.name
    secret.mkdir(parents=True)
    (secret / "two.jsonl").write_text("secret")
    return project


def tree(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def moved(*args: Path) -> int:
    return guarded("move", lambda: move.main([*map(str, args)]))


@pytest.mark.parametrize("steps", range(5))
def test_it_can_be_killed_before_any_step_and_run_again(
    old: Path, tmp_path: Path, capsys: Capture, steps: int
) -> None:
    before = tree(memory_paths(old).memory_dir)
    new, calls, rename = old.rename(tmp_path / "new"), iter(range(9)), Path.rename
    begin(new, "three", "spaces").remove("spaces.md")  # a session was opened there

    def dies(path: Path, target: Any) -> Path:
        if next(calls) == steps:
            raise KeyboardInterrupt
        return rename(path, target)

    with mock.patch.object(Path, "rename", dies):
        ended = moved(old, new)
    assert (ended == 0) == (steps == 4)
    assert ended == 0 or moved(old, new) == 0
    assert "memories: 1" in capsys.readouterr().out
    assert tree(memory_paths(new).memory_dir) == before
    files = tree(tmp_path / "base")
    assert {"one", "two", "three"} < {Path(file).stem for file in files}
    assert len([*(tmp_path / "base" / "projects").iterdir()]) == 1
    assert b"spaces, in all code." in b"".join(files.values())
    assert moved(old, new) == 2  # nothing is left to be moved


REFUSED = "folder still exists|no folder|no other project|already: spaces.md|No dream now"


@pytest.mark.parametrize("said", REFUSED.split("|"))
def test_what_cannot_be_moved_is_refused_and_left_as_it_is(
    said: str, old: Path, tmp_path: Path, capsys: Capture
) -> None:
    new = tmp_path / "new"
    if said == "folder still exists":
        new.mkdir()
    elif said == "no other project":
        new.symlink_to(old)
    elif said == "already: spaces.md":
        begin(old.rename(new), "three", "spaces")
    elif said == "No dream now":
        ConsolidationLock(memory_paths(old).memory_dir, pid=os.getpid()).try_acquire()
        old.rename(new)
    before = tree(tmp_path / "base")
    assert (moved(old, new), tree(tmp_path / "base")) == (2, before)
    assert said in capsys.readouterr().err


def test_a_repository_made_in_a_folder_above_gets_the_memory(
    old: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    forget_paths()
    monkeypatch.chdir(old)
    assert doctor.main([]) == 1
    assert f"Memory of {old} is left (memories: 1)" in capsys.readouterr().out
    assert moved(old, tmp_path) == 0
    assert (memory_paths(old).memory_dir / "tabs.md").exists()
    doctor.main([])
    assert "is left" not in capsys.readouterr().out
