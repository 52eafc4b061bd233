"""A project that was renamed or moved: the doctor notices, and ``move`` brings its memory along."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memlab.cli import doctor
from memlab.cli.move import main
from memlab.clock import CourseClock
from memlab.dream.lock import ConsolidationLock
from memlab.harness import Harness, HarnessOptions
from memlab.memdir.former import memory_of
from memlab.memdir.places import forget_paths, memory_paths
from memlab.memdir.store import MemoryStore
from memlab.models import OfflineModel
from memlab.models.connect import make_runtime
from tests.faults.disks import tree
from tests.unit.agent.helpers import run

COFFEE = "Remember that I take my coffee black."
Command = Callable[..., tuple[int, str]]


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    forget_paths()
    monkeypatch.setenv("MEMLAB_HOME", str(tmp_path / "base"))
    for name in ("MEMLAB_MODEL", "MEMLAB_MEMORY_DIR", "MEMLAB_PROMPTS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "base"


@pytest.fixture
def old(base: Path, tmp_path: Path) -> Path:
    """A project with a memory, two sessions, one of them off the record, and settings."""
    project = tmp_path / "old name"
    project.mkdir()
    talk(project, COFFEE, session="one")
    talk(project, "Hello.", session="two", mode="off")
    folder = memory_paths(project).project_dir
    settings = {"recall": True, "prompts": str(folder / "prompts"), "extraction": True}
    (folder / "settings.json").write_text(json.dumps(settings))
    return project


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    def run_it(*args: object, of: Callable[[list[str]], int] = main) -> tuple[int, str]:
        status = of([str(one) for one in args])
        printed = capsys.readouterr()
        return status, printed.out + printed.err

    return run_it


def everything(folder: Path) -> dict[Path, tuple[bytes, int]]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def talk(project: Path, *said: str, **options: str) -> Harness:
    runtime = make_runtime(model=OfflineModel(clock=CourseClock(), chat=True))
    harness = Harness(project, HarnessOptions(runtime=runtime, environ=dict(os.environ), **options))

    async def turns() -> None:
        for text in said:
            await harness.say(text)
            await harness.drain()

    run(turns)
    return harness


@pytest.mark.behaviour("C6")
def test_what_was_learned_and_said_is_there_under_the_new_path(
    old: Path, base: Path, tmp_path: Path, command: Command
) -> None:
    new = tmp_path / "new"
    before = tree(memory_paths(old).memory_dir)
    old.rename(new)
    status, said = command(old, new)
    assert (status, said.count("\n")) == (0, 2), said
    assert f"{old} -> {new} (memories: 1, sessions: 2, conversations: 2" in said
    assert tree(memory_paths(new).memory_dir) == before
    assert sorted(path.parent.name for path in base.glob("*/*/")) == ["off-the-record", "projects"]
    documents = [json.loads(path.read_bytes()) for path in (base / "conversations").glob("*.json")]
    assert [one["working_dir"] for one in documents] == [str(new)] * 2
    settings = json.loads((memory_paths(new).project_dir / "settings.json").read_bytes())
    assert settings["prompts"] == str(memory_paths(new).project_dir / "prompts")
    (memory_paths(new).project_dir / "settings.json").unlink()
    for session, count in (("one", 4), ("two", 2)):
        assert len(talk(new, resume=session).agent.messages) == count
    assert "coffee" in talk(new, "How do I like my coffee?").agent.system
    moves = [json.loads(line) for line in (base / "moves.jsonl").read_text().splitlines()]
    assert [(one["state"], one["old"], one["new"]) for one in moves] == [
        ("begun", str(old), str(new)),
        ("done", str(old), str(new)),
    ]
    everything_before = everything(base / "projects")
    assert command(old, new)[0] == 0  # once more is no harm
    assert everything(base / "projects") == everything_before
    undone = MemoryStore(memory_paths(new).memory_dir).undo()
    assert undone.change


def test_a_dry_run_writes_nothing(old: Path, base: Path, tmp_path: Path, command: Command) -> None:
    old.rename(tmp_path / "new")
    before = everything(base)
    status, said = command(old, tmp_path / "new", "--dry-run")
    assert (status, said.splitlines()[-1]) == (0, "Nothing was moved.")
    assert "memories: 1" in said
    assert everything(base) == before


def still_there(old: Path, new: Path) -> None:
    new.mkdir()


def not_there(old: Path, new: Path) -> None:
    old.rename(new.with_name("third"))


def same(old: Path, new: Path) -> None:
    new.symlink_to(old)


def occupied(old: Path, new: Path) -> None:
    old.rename(new)
    MemoryStore(memory_paths(new).memory_dir).write_text(
        "tabs.md", "---\nname: Tabs\ndescription: d\ntype: user\n---\n\nTabs.\n"
    )


def dreaming(old: Path, new: Path) -> None:
    directory = memory_paths(old).memory_dir
    assert ConsolidationLock(directory, pid=os.getpid()).try_acquire()
    old.rename(new)


def never_known(old: Path, new: Path) -> None:
    old.rename(new.with_name("third"))
    new.mkdir()
    forget_paths()
    folder = memory_paths(new).project_dir.parent
    (next(folder.glob("*old*"))).rename(folder / "elsewhere")


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (still_there, "this folder still exists, so its memory stays with it. Move or rename"),
        (not_there, "this is not a folder. Give the folder that the project is in now"),
        (same, "both paths belong to the same project"),
        (
            occupied,
            "there are files here already: memory/tabs.md. Move it away",
        ),
        (dreaming, "No dream now: process"),
        (never_known, "memlab has no project with this path. Projects with memories whose"),
    ],
)
def test_what_cannot_be_moved_is_refused_and_left_as_it_is(
    case: Callable[[Path, Path], None],
    said: str,
    old: Path,
    base: Path,
    tmp_path: Path,
    command: Command,
) -> None:
    new = tmp_path / "new"
    case(old, new)
    before = everything(base)
    status, printed = command(old, new)
    assert status == 2
    assert said in printed
    assert printed.count("\n") == 1
    assert everything(base) == before


def test_an_empty_folder_at_the_new_path_is_no_obstacle(
    old: Path, tmp_path: Path, command: Command
) -> None:
    new = tmp_path / "new"
    old.rename(new)
    memory_paths(new).memory_dir.mkdir(parents=True)
    assert command(old, new)[0] == 0
    assert (memory_paths(new).memory_dir / "MEMORY.md").exists()


@pytest.mark.behaviour("C6")
def test_a_session_that_was_opened_at_the_new_path_is_no_obstacle(
    old: Path, tmp_path: Path, command: Command
) -> None:
    new = tmp_path / "new"
    before = tree(memory_paths(old).memory_dir)
    old.rename(new)
    begun = talk(new, "How do I like my coffee?", session="three")
    assert [one for one in begun.notices if "move" in one] == [
        f"Memory of {old} is left (memories: 1). If this project was there before, type:"
        f" python3 -m memlab move '{old}' {new}"
    ]
    assert command(old, new)[0] == 0
    assert tree(memory_paths(new).memory_dir) == before
    sessions = {path.stem for path in memory_paths(new).project_dir.glob("*.jsonl")}
    assert {"one", "three"} <= sessions
    (memory_paths(new).project_dir / "settings.json").unlink()
    moved = talk(new, "How do I like my coffee?")
    assert "coffee" in moved.agent.system
    assert not [one for one in moved.notices if "move" in one]


def test_what_is_wrong_with_another_project_stops_no_session(old: Path, tmp_path: Path) -> None:
    other = memory_paths(old).project_dir
    (other / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    new = tmp_path / "new"
    old.rename(new)
    assert talk(new, "How do I like my coffee?", session="three").notices == []


@pytest.mark.behaviour("C6")
def test_a_repository_made_in_a_folder_above_gets_the_memory(
    old: Path, tmp_path: Path, command: Command
) -> None:
    before = tree(memory_paths(old).memory_dir)
    (tmp_path / ".git").mkdir()
    forget_paths()
    left = memory_of(memory_paths(old))
    assert left is not None
    assert (left.root, left.memories) == (old, 1)
    assert command(old, tmp_path)[0] == 0
    assert tree(memory_paths(old).memory_dir) == tree(memory_paths(tmp_path).memory_dir) == before


@pytest.mark.behaviour("C6")
@pytest.mark.parametrize("kept", ["inode", "name"])
def test_the_doctor_finds_what_was_left_behind_until_it_is_moved(
    kept: str, old: Path, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = tmp_path / ("new" if kept == "inode" else f"elsewhere/{old.name}")
    if kept == "inode":
        old.rename(new)
    else:
        new.mkdir(parents=True)
        old.rmdir()
    monkeypatch.chdir(new)
    status, said = command(of=doctor.main)
    assert status == 1
    assert f"Memory of {old} is left (memories: 1)" in said
    assert f"type: python3 -m memlab move '{old}' " in said
    assert command(old, new)[0] == 0
    assert "is left" not in command(of=doctor.main)[1]


def test_a_worktree_with_separate_memory_can_be_moved(
    base: Path, tmp_path: Path, command: Command
) -> None:
    main_checkout, old, new = tmp_path / "main", tmp_path / "old", tmp_path / "new"
    admin = main_checkout / ".git" / "worktrees" / "old"
    for folder in ("objects", "refs", "worktrees/old"):
        (main_checkout / ".git" / folder).mkdir(parents=True)
    (main_checkout / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (admin / "commondir").write_text("../..\n")
    (admin / "gitdir").write_text(f"{old}/.git\n")
    old.mkdir()
    (old / ".git").write_text(f"gitdir: {admin}\n")
    base.mkdir()
    (base / "settings.json").write_text('{"separate_worktrees": true}')
    talk(old, COFFEE, session="one")
    assert memory_paths(old).memory_dir != memory_paths(main_checkout).memory_dir
    old.rename(new)
    (admin / "gitdir").write_text(f"{new}/.git\n")
    assert command(old, new)[0] == 0
    assert (memory_paths(new).memory_dir / "MEMORY.md").exists()
    assert not memory_paths(main_checkout).memory_dir.exists()
    document = json.loads((base / "conversations" / "one.json").read_bytes())
    assert document["working_dir"] == str(new)


def test_a_stranger_is_told_nothing_of_another_projects_memory(
    old: Path, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory_paths(tmp_path / "stranger")
    (tmp_path / "stranger").mkdir()
    old.rename(tmp_path / "new")
    monkeypatch.chdir(tmp_path / "stranger")
    status, said = command(of=doctor.main)
    assert (status, "old name" in said) == (2, False)
