"""A project that was renamed or moved: the doctor notices, and ``move`` brings its memory along."""

from __future__ import annotations

import json
import os
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from memlab.cli import doctor, move
from memlab.cli.commands import guarded
from memlab.dream.lock import ConsolidationLock
from memlab.memdir.places import forget_paths, memory_paths
from memlab.memdir.store import MemoryStore
from tests.house import note

Capture = pytest.CaptureFixture[str]
pytestmark = pytest.mark.behaviour("C6")


def begin(project: Path, session: str, remembered: str) -> MemoryStore:
    """Leave what a chat leaves: a memory, a session with notes, one off the record, settings."""
    forget_paths()
    paths = memory_paths(project)
    store = MemoryStore(paths.memory_dir)
    store.write_text(f"{remembered}.md", note(f"{remembered} in all code."))
    folder = paths.project_dir
    hidden = project.parent / "base/off-the-record" / folder.name
    told = {"root": str(project), "inode": project.stat().st_ino, "session": session}
    notes = folder / "session-memory" / session / "memory.md"
    files = [folder / f"{session}.jsonl", folder / "settings.json", notes, hidden / session]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(told))
    (folder / "latest.lock").touch()
    return store


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a memory, which was moved once before."""
    monkeypatch.setenv("MEMLAB_HOME", str(tmp_path / "base"))
    first = tmp_path / "first"
    first.mkdir()
    begin(first, "one", "tabs")
    project = first.rename(tmp_path / "[old] name")
    begin(project, "two", "spaces").remove("spaces.md")
    assert moved(first, project) == 0
    return project


def tree(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def moved(*args: Path) -> int:
    return guarded("move", lambda: move.main([*map(str, args)]))


CALLS = 15  # that change something


@pytest.mark.parametrize("stop", range(CALLS + 1))
def test_it_can_be_killed_before_any_step_and_run_again(
    old: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, stop: int
) -> None:
    memories = tree(memory_paths(old).memory_dir)
    new = old.rename(tmp_path / "new")
    begin(new, "three", "spaces").remove("spaces.md")  # a session was opened there
    before = tree(tmp_path / "base")
    calls = count()

    def dies(call: Any) -> Any:
        def step(*given: Any, **more: Any) -> Any:
            if next(calls) == stop:
                raise KeyboardInterrupt
            return call(*given, **more)

        return step

    with monkeypatch.context() as patch:
        for name in ("rename", "replace", "mkdir", "rmdir"):
            patch.setattr(Path, name, dies(getattr(Path, name)))
        ended = moved(old, new)
    assert (ended == 0) == (stop == CALLS)
    assert ended == 0 or moved(old, new) == 0
    assert {*tree(tmp_path / "base").values()} == {*before.values()}  # nothing is lost
    paths = memory_paths(new)
    assert tree(paths.memory_dir) == memories
    assert [*(tmp_path / "base/projects").iterdir()] == [paths.project_dir]
    for found in ("*.jsonl", "session-memory/*"):
        names = {path.stem for path in paths.project_dir.glob(found)}
        assert names == {"one", "two", "three"}
    assert b"one" in (paths.project_dir / "settings.json").read_bytes()
    said = capsys.readouterr().out.splitlines()
    aside = [line.partition(": ")[2] for line in said if "set aside" in line]
    assert len(aside) == sum(map(os.path.exists, aside)) == 2  # settings and memory
    assert moved(old, new) == 2  # nothing is left to be moved


def test_what_cannot_be_moved_is_refused_and_left_as_it_is(
    old: Path, tmp_path: Path, capsys: Capture
) -> None:
    new = tmp_path / "new"

    def refused(said: str) -> None:
        before = tree(tmp_path / "base")
        assert (moved(old, new), tree(tmp_path / "base")) == (2, before)
        assert said in capsys.readouterr().err

    refused("not a folder")
    new.mkdir()
    refused("folder still exists")
    new.rmdir()
    store = begin(old.rename(new), "three", "spaces")
    refused("memories already")
    store.remove("spaces.md")
    for project in (old, new):
        with FileLock(memory_paths(project).project_dir / "abc.lock"):
            refused("session abc is open")
    ConsolidationLock(memory_paths(old).memory_dir, pid=os.getpid()).try_acquire()
    refused("No dream now")


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
