"""A move that is killed before any of its steps: nothing is lost, and the same command ends it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memlab.cli.move import Move, MoveError
from memlab.clock import CourseClock
from memlab.memdir.folder import Folder
from memlab.memdir.memory import Memory, MemoryType
from memlab.memdir.places import forget_paths, memory_paths
from memlab.memdir.store import MemoryStore

CHANGING = ("create", "append", "rename", "remove", "make", "sync")


class Killed(BaseException):
    """The process ended here."""


@contextmanager
def killed_before(steps: int) -> Iterator[None]:
    """End the process before a step that changes something."""
    left = steps

    def step(work: Any) -> Any:
        def call(*args: Any, **more: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise Killed
            return work(*args, **more)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in CHANGING:
            patch.setattr(Folder, name, step(getattr(Folder, name)))
        yield


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMLAB_HOME", str(tmp_path / "base"))
    monkeypatch.delenv("MEMLAB_MEMORY_DIR", raising=False)
    forget_paths()
    return tmp_path


def project(home: Path) -> tuple[Path, Path]:
    """Make a project with a memory, sessions, settings and documents, and rename it."""
    old, new, base = home / "old", home / "new", home / "base"
    old.mkdir()
    folder = memory_paths(old).project_dir
    store = MemoryStore(folder / "memory", clock=CourseClock())
    store.write(Memory("tabs", "about tabs", MemoryType.user, "\nTabs, not spaces.\n"))
    (folder / "one.jsonl").write_text("one\n")
    (folder / "settings.json").write_text(json.dumps({"prompts": str(folder / "mine")}))
    apart = base / "off-the-record" / folder.name
    apart.mkdir(parents=True)
    (apart / "one.words.jsonl").write_text("secret\n")
    (apart / "two.jsonl").write_text("two\n")
    (base / "conversations").mkdir()
    for name in ("one", "two"):
        document = {"id": name, "working_dir": str(old), "messages": [str(old)]}
        (base / "conversations" / f"{name}.json").write_text(json.dumps(document))
    old.rename(new)
    return old, new


def contents(base: Path) -> dict[str, bytes]:
    """Give every file by its path, leaving out the journal and who held a guard."""
    return {
        path.relative_to(base).as_posix(): path.read_bytes()
        for path in base.rglob("*")
        if path.is_file() and path.name not in ("moves.jsonl", "guard.lock")
    }


def assert_kept(base: Path, words: list[bytes], steps: int) -> None:
    kept = b"".join(contents(base).values())
    for word in words:
        assert word in kept, f"lost after {steps} steps"


def move(old: Path, new: Path) -> None:
    work = Move(old, new, clock=CourseClock())
    work.check()
    work.run()


def opened(new: Path) -> None:
    """Leave at the new path what a session leaves there that forgets what it has saved."""
    forget_paths()
    folder = memory_paths(new).project_dir
    store = MemoryStore(folder / "memory", clock=CourseClock())
    store.write(Memory("spaces", "of one day", MemoryType.user, "\nSpaces, for one day.\n"))
    store.remove("spaces.md")
    (folder / "three.jsonl").write_text("three\n")


def killed_after(steps: int, home: Path, *, is_open: bool = False) -> bool:
    """Begin a move and kill it; say whether it had been over before."""
    old, new = project(home)
    if is_open:
        opened(new)
    try:
        with killed_before(steps):
            move(old, new)
    except Killed:
        return False
    return True


@pytest.mark.behaviour("C6")
@pytest.mark.parametrize("is_open", [False, True], ids=["nothing there", "a session there"])
def test_it_can_be_killed_before_any_step_and_run_again(
    home: Path, monkeypatch: pytest.MonkeyPatch, is_open: bool
) -> None:
    words = [b"Tabs, not spaces.", b"one\n", b"two\n", b"secret\n", b'"id": "two"']
    words += [b"Spaces, for one day.", b"three\n"] * is_open
    steps = 0
    while True:
        here = home / str(steps)
        here.mkdir()
        monkeypatch.setenv("MEMLAB_HOME", str(here / "base"))
        over = killed_after(steps, here, is_open=is_open)
        base, old, new = here / "base", here / "old", here / "new"
        assert_kept(base, words, steps)
        if over:
            break
        move(old, new)
        assert_kept(base, words, steps)
        assert os.listdir(base / "projects") == [memory_paths(new).project_dir.name]
        ended = (base / "moves.jsonl").read_text("utf-8").splitlines()[-1]
        assert json.loads(ended)["state"] == "done"
        document = json.loads((base / "conversations" / "one.json").read_bytes())
        assert document["working_dir"] == str(new)
        assert document["messages"] == [str(old)], "what was said stays as it was said"
        paths = memory_paths(new)
        settings = json.loads((paths.project_dir / "settings.json").read_bytes())
        assert settings == {"prompts": f"{paths.project_dir}/mine"}
        steps += 1
    assert steps > 15


def test_a_move_that_was_begun_cannot_go_elsewhere(home: Path) -> None:
    assert not killed_after(6, home)
    (home / "third").mkdir()
    with pytest.raises(MoveError, match="was begun and not finished"):
        move(home / "old", home / "third")
    move(home / "old", home / "new")
    with pytest.raises(MoveError, match="memlab has no project with this path"):
        move(home / "old", home / "third")


def test_a_journal_with_a_torn_line_is_no_obstacle(home: Path) -> None:
    assert not killed_after(6, home)
    with (home / "base" / "moves.jsonl").open("ab") as journal:
        journal.write(b'{"at": "2026')
    move(home / "old", home / "new")
    assert (memory_paths(home / "new").memory_dir / "tabs.md").exists()
