"""A project that was renamed or moved: the doctor notices, and ``move`` brings its memory along."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from memlab.cli import doctor, move
from memlab.cli.commands import guarded
from memlab.dream.lock import ConsolidationLock
from memlab.memdir.places import forget_paths, memory_paths
from memlab.memdir.store import MemoryStore
from tests.faults.disks import tree

Command = Callable[..., tuple[int, str]]
TEXT = "---\nname: {0}\ndescription: {0}\ntype: user\n---\n\n{0}, in all code.\n"
pytestmark = pytest.mark.behaviour("C6")


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a memory, a session, and one that is off the record."""
    monkeypatch.setenv("MEMLAB_HOME", str(tmp_path / "base"))
    project = tmp_path / "old name"
    project.mkdir()
    begin(project, "one", "Tabs")
    folder = memory_paths(project).project_dir
    (tmp_path / "base/off-the-record" / folder.name).mkdir(parents=True)
    (tmp_path / "base/off-the-record" / folder.name / "two.jsonl").write_text("secret")
    return project


def begin(project: Path, session: str, remembered: str) -> MemoryStore:
    forget_paths()
    paths = memory_paths(project)
    store = MemoryStore(paths.memory_dir)
    store.write_text(f"{remembered.lower()}.md", TEXT.format(remembered))
    told = {"root": str(project), "inode": project.stat().st_ino}
    (paths.project_dir / f"{session}.jsonl").write_text(json.dumps(told))
    return store


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    def run(*args: Path, of: Callable[[list[str]], int] = move.main) -> tuple[int, str]:
        status = guarded("move", lambda: of(list(map(str, args))))
        printed = capsys.readouterr()
        return status, printed.out + printed.err

    return run


@pytest.mark.parametrize("steps", range(5))
def test_it_can_be_killed_before_any_step_and_run_again(
    old: Path, tmp_path: Path, command: Command, steps: int
) -> None:
    new = tmp_path / "new"
    before = tree(memory_paths(old).memory_dir)
    old.rename(new)
    begin(new, "three", "Spaces").remove("spaces.md")  # as a session that was opened there
    calls = iter(range(9))
    rename = Path.rename

    def dies(path: Path, target: Any) -> Path:
        if next(calls) == steps:
            raise KeyboardInterrupt
        return rename(path, target)

    with mock.patch.object(Path, "rename", dies):
        ended = command(old, new)
    status, said = ended if ended[0] == 0 else command(old, new)
    assert (status, "memories: 1" in said) == (0, True), said
    assert tree(memory_paths(new).memory_dir) == before
    sessions = {path.stem for path in (tmp_path / "base").rglob("*.jsonl")}
    assert {"one", "two", "three"} < sessions
    assert len([*(tmp_path / "base" / "projects").iterdir()]) == 1
    everything = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"Spaces, in all code." in everything
    assert command(old, new)[0] == 2  # nothing is left to be moved
    assert (ended[0] == 0) == (steps == 4)


@pytest.mark.parametrize(
    "said",
    ["folder still exists", "no folder", "no other project", "already: spaces.md", "No dream now"],
)
def test_what_cannot_be_moved_is_refused_and_left_as_it_is(
    said: str, old: Path, tmp_path: Path, command: Command
) -> None:
    new = tmp_path / "new"
    if said == "folder still exists":
        new.mkdir()
    elif said == "no other project":
        new.symlink_to(old)
    elif said == "already: spaces.md":
        begin(old.rename(new), "three", "Spaces")
    elif said == "No dream now":
        ConsolidationLock(memory_paths(old).memory_dir, pid=os.getpid()).try_acquire()
        old.rename(new)
    before = tree(tmp_path / "base")
    status, printed = command(old, new)
    assert (status, said in printed) == (2, True), printed
    assert tree(tmp_path / "base") == before


def test_a_repository_made_in_a_folder_above_gets_the_memory(
    old: Path, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    forget_paths()
    monkeypatch.chdir(old)
    status, said = command(of=doctor.main)
    assert (status, f"Memory of {old} is left (memories: 1)" in said) == (1, True)
    assert command(old, tmp_path)[0] == 0
    assert (memory_paths(old).memory_dir / "tabs.md").exists()
    assert "is left" not in command(of=doctor.main)[1]
