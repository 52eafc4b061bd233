"""A project that was renamed or moved: the doctor notices, and ``move`` brings its memory along."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from memlab.cli import doctor, move
from memlab.cli.commands import guarded
from memlab.dream.lock import ConsolidationLock
from memlab.memdir.places import forget_paths, memory_paths
from memlab.memdir.store import MemoryStore
from tests.house import note

pytestmark = pytest.mark.behaviour("C6")


def begin(project: Path, session: str, remembered: str) -> MemoryStore:
    forget_paths()
    paths = memory_paths(project)
    store = MemoryStore(paths.memory_dir)
    store.write_text(f"{remembered}.md", note(f"{remembered} in all code."))
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
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    before = tree(memory_paths(old).memory_dir)
    new, calls, rename = old.rename(tmp_path / "new"), iter(range(9)), Path.rename
    begin(new, "three", "spaces").remove("spaces.md")  # a session was opened there

    def dies(path: Path, target: Any) -> Path:
        if next(calls) == steps:
            raise KeyboardInterrupt
        return rename(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", dies)
        ended = moved(old, new)
    assert (ended == 0) == (steps == 4)
    assert ended == 0 or moved(old, new) == 0
    assert tree(memory_paths(new).memory_dir) == before
    files = tree(tmp_path / "base")
    assert {"one", "two", "three"} < {Path(file).stem for file in files}
    assert len([*(tmp_path / "base" / "projects").iterdir()]) == 1
    assert b"spaces in all code." in b"".join(files.values())
    assert moved(old, new) == 2  # nothing is left to be moved


def test_what_cannot_be_moved_is_refused_and_left_as_it_is(
    old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = tmp_path / "new"

    def refused(said: str) -> None:
        before = tree(tmp_path / "base")
        assert (moved(old, new), tree(tmp_path / "base")) == (2, before)
        assert said in capsys.readouterr().err

    refused("no folder")
    new.mkdir()
    refused("folder still exists")
    new.rmdir()
    store = begin(old.rename(new), "three", "spaces")
    refused("already: spaces.md")
    store.remove("spaces.md")
    ConsolidationLock(memory_paths(old).memory_dir, pid=os.getpid()).try_acquire()
    refused("No dream now")


def test_a_repository_made_in_a_folder_above_gets_the_memory(
    old: Path, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
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
