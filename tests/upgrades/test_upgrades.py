"""What an older version left behind is opened by this one, and nothing of it is lost."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memlab.cli.reset import refresh
from memlab.cli.setup.clone import Clone
from memlab.clock import CourseClock
from memlab.harness import Harness, HarnessOptions
from memlab.memdir.journal import VERSION
from memlab.memdir.lint import diagnose
from memlab.memdir.paths import Where, forget_paths
from memlab.memdir.store import MemoryStore, set_aside_notice
from memlab.models import OfflineModel
from memlab.models.connect import make_runtime
from tests.faults.disks import tree

FOLDER = Path(__file__).parent
COFFEE = "i-take-my-coffee-black.md"


@pytest.fixture(params=sorted(path.name for path in FOLDER.glob("version_*.json")))
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Give a home as one version left it, with the times and modes that everything had."""
    recorded = json.loads((FOLDER / request.param).read_text("utf-8"))
    umask = os.umask(0)
    try:
        for name, about in recorded.items():
            path = tmp_path / name
            if "text" in about:
                path.write_bytes(about["text"].encode())
                path.chmod(int(about["mode"], 8))
                os.utime(path, ns=(about["mtime"], about["mtime"]))
            else:
                path.mkdir(int(about["mode"], 8))
    finally:
        os.umask(umask)
    forget_paths()
    return tmp_path


@pytest.fixture
def memory(home: Path) -> Path:
    return home / ".memlab" / "projects" / "-home-robin-tidebook" / "memory"


def harness(home: Path, **more: str) -> Harness:
    clock = CourseClock()
    return Harness(
        home / "tidebook",
        HarnessOptions(
            runtime=make_runtime("offline", model=OfflineModel(clock=clock)),
            base=home / ".memlab",
            where=Where(home, "/home/robin"),
            environ={},
            **more,
        ),
    )


def test_memories_and_their_times_are_as_they_were(memory: Path) -> None:
    before = {name: file for name, file in tree(memory).items() if name.endswith(".md")}
    MemoryStore(memory)
    assert tree(memory) == before, "and the temporary files of an interrupted write are gone"


def test_its_history_goes_on(memory: Path) -> None:
    store = MemoryStore(memory)
    known = [entry.id for entry in store.history()]
    written = store.write_text(
        "boats.md", "---\nname: B\ndescription: d\ntype: user\n---\nx boat\n"
    )
    assert written.change == f"change-{len(known) + 1:04d}"
    assert [entry.id for entry in store.history()] == [*known, written.change]
    lines = (memory / ".memlab" / "journal.jsonl").read_text("utf-8").splitlines()
    assert json.loads(lines[2 * len(known)]) == {"version": VERSION}


def test_its_changes_can_be_undone(memory: Path) -> None:
    store = MemoryStore(memory)
    store.undo()
    assert store.read("ops/ports.md").body == "\nPort 5432.\n"
    assert (memory / "MEMORY.md").read_text("utf-8").endswith("\nA line of my own.\n")
    store.undo("change-0001")
    assert not (memory / COFFEE).exists()


def test_what_it_forgot_for_good_stays_forgotten(memory: Path) -> None:
    store = MemoryStore(memory)
    assert not [sha for sha in store.set_aside if b"oars" in store.content(sha)]
    store.forget_for_good("boathouse-door.md", confirmed=True)
    assert b"boathouse-door" not in (memory / ".memlab" / "journal.jsonl").read_bytes()


def test_what_it_was_writing_when_it_was_killed_is_kept_and_reported(memory: Path) -> None:
    store = MemoryStore(memory)
    assert any(b"Kayaks" in store.content(sha) for sha in store.set_aside)
    assert "3 stored versions" in set_aside_notice(store)


def test_the_doctor_looks_at_it(memory: Path) -> None:
    rules = {one.rule for one in diagnose(memory).findings}
    assert {"leftover", "lost-history"} <= rules
    assert "journal" not in rules


def test_its_sessions_go_on(home: Path, memory: Path) -> None:
    resumed = harness(home, resume="one")
    assert len([one for one in resumed.agent.messages if one["role"] == "user"]) >= 2
    assert resumed.toggles.source("auto_dream") == "user settings"
    assert resumed.store.read(COFFEE)


def test_its_copies_of_notebooks_go_on(home: Path) -> None:
    clone = Clone(home / "clone")
    mine = (clone.my / "01_memory_files.ipynb").read_bytes()
    for path in clone.notebooks.glob("*.ipynb"):
        path.write_text(path.read_text("utf-8").replace("1 + 1", "2 + 2"), "utf-8")
    refresh(clone)
    assert (clone.my / "01_memory_files.ipynb").read_bytes() == mine, "a changed copy is kept"
    assert b"2 + 2" in (clone.my / "00_start_here.ipynb").read_bytes(), "others are renewed"
