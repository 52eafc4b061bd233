"""A project that was renamed or moved: the doctor notices, and ``move`` brings its memory along."""

from __future__ import annotations

import json
import os
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

pytestmark = pytest.mark.behaviour("C6")


def begin(project: Path, session: str, remembered: str) -> MemoryStore:
    """Leave what a chat leaves: a memory, a session with notes, one off the record, settings."""
    forget_paths()
    paths = memory_paths(project)
    store = MemoryStore(paths.memory_dir)
    store.write_text(f"{remembered}.md", note(f"{remembered} in all code."))
    told = {"root": str(project), "inode": project.stat().st_ino}
    hidden = project.parent / "base/off-the-record" / paths.project_dir.name
    for file, text in {
        paths.project_dir / f"{session}.jsonl": json.dumps(told),
        paths.project_dir / "latest.lock": "",
        paths.project_dir / "session-memory" / session / "memory.md": f"notes of {session}",
        paths.project_dir / "settings.json": f'{{"main_model": "{session}"}}',
        hidden / f"{session}-hidden.jsonl": f"words of {session}",
    }.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return store


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a memory and a session."""
    monkeypatch.setenv("MEMLAB_HOME", str(tmp_path / "base"))
    project = tmp_path / "[old] name"
    project.mkdir()
    begin(project, "one", "tabs")
    return project


def tree(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def moved(*args: Path) -> int:
    return guarded("move", lambda: move.main([*map(str, args)]))


CALLS = 15  # that change something


@pytest.mark.parametrize("stop", range(CALLS + 1))
def test_it_can_be_killed_before_any_step_and_run_again(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: int
) -> None:
    memories = tree(memory_paths(old).memory_dir)
    new, calls = old.rename(tmp_path / "new"), iter(range(99))
    begin(new, "two", "spaces").remove("spaces.md")  # a session was opened there
    before = tree(tmp_path / "base")

    def dies(name: str) -> Any:
        def call(path: Path, *given: Any, **more: Any) -> Any:
            if next(calls) == stop:
                raise KeyboardInterrupt
            return real(path, *given, **more)

        real = getattr(Path, name)
        return call

    with monkeypatch.context() as patch:
        for name in ("rename", "replace", "mkdir", "rmdir"):
            patch.setattr(Path, name, dies(name))
        ended = moved(old, new)
    assert (ended == 0) == (stop == CALLS)
    assert ended == 0 or moved(old, new) == 0
    paths, after = memory_paths(new), tree(tmp_path / "base")
    assert tree(paths.memory_dir) == memories
    assert [path.name for path in (tmp_path / "base/projects").iterdir()] == [
        paths.project_dir.name
    ]
    assert {"one.jsonl", "two.jsonl"} < {path.name for path in paths.project_dir.iterdir()}
    assert {"one", "two"} == {
        path.name for path in (paths.project_dir / "session-memory").iterdir()
    }
    assert b"one" in (paths.project_dir / "settings.json").read_bytes()
    assert {*before.values()} == {*after.values()}  # nothing is lost
    assert moved(old, new) == 2  # nothing is left to be moved


def test_what_is_set_aside_is_said_however_often_a_project_moves(
    old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("b", "c", old.name):
        new = old.rename(tmp_path / name)
        begin(new, name, "spaces").remove("spaces.md")
        assert moved(old, new) == 0
        said = capsys.readouterr().out.splitlines()
        aside = [Path(line.partition(": ")[2]) for line in said if "set aside" in line]
        assert len(aside) == 2
        assert all(path.exists() for path in aside)
        old = new
    texts = b"".join(tree(tmp_path / "base").values())
    assert all(f'"{name}"'.encode() in texts for name in ("b", "c", old.name))


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
    store = begin(old.rename(new), "two", "spaces")
    refused("memories already")
    store.remove("spaces.md")
    for project in (old, new):
        chat = FileLock(memory_paths(project).project_dir / "abc.lock")
        with chat:
            refused("session abc is open")
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
