"""What an older version left behind is opened by this one, and nothing of it is lost."""

from __future__ import annotations

import asyncio
import base64
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memlab.bench.log import read_log
from memlab.clock import CourseClock
from memlab.course.own_parts import part_files, split_old_file
from memlab.harness import Harness, HarnessOptions
from memlab.memdir.journal import VERSION
from memlab.memdir.lint import diagnose
from memlab.memdir.paths import Where, forget_paths
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles
from memlab.models import OfflineModel
from memlab.models.connect import make_runtime
from memlab.recall.first_stage import FirstStage, Proposed
from memlab.recall.sqlite_stage import SqliteIndex
from memlab.settings import Settings
from tests.faults.disks import tree
from tests.platforms import needs_git

FOLDER = Path(__file__).parent
THE_LAST_DAY = datetime(2026, 4, 7, 15, 0, tzinfo=UTC)
COFFEE = "*take-my-coffee-black.md"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Give a home as 0.2 left it, with the times and modes that everything had."""
    return restored("version_0_2.json", tmp_path)


def restored(name: str, tmp_path: Path) -> Path:
    recorded = json.loads((FOLDER / name).read_text("utf-8"))
    umask = os.umask(0)
    try:
        for name, about in recorded.items():
            path = tmp_path / name
            if "mtime" in about:
                text = about.get("text")
                data = base64.b64decode(about["base64"]) if text is None else text.encode()
                path.write_bytes(data)
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
    return folder_of(home, "tidebook") / "memory"


def folder_of(home: Path, project: str) -> Path:
    return home / ".memlab" / "projects" / f"-home-robin-{project}"


def harness(home: Path, project: str = "tidebook", **more: Any) -> Harness:
    clock = CourseClock(THE_LAST_DAY)
    model = OfflineModel(clock=clock)
    return Harness(
        home / project,
        HarnessOptions(
            runtime=make_runtime("offline", model=model),
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
    assert {"version": VERSION} in map(json.loads, lines)


def test_its_changes_can_be_undone(memory: Path) -> None:
    store = MemoryStore(memory)
    store.undo()
    assert store.read("ops/ports.md").body == "\nPort 5432.\n"
    assert (memory / "MEMORY.md").read_text("utf-8").endswith("\nA line of my own.\n")
    store.undo("change-0001")
    assert not list(memory.glob(COFFEE))


def test_what_it_forgot_for_good_stays_forgotten(memory: Path) -> None:
    store = MemoryStore(memory)
    assert not [sha for sha in store.set_aside if b"oars" in store.content(sha)]
    assert not [
        path for path in memory.rglob("*") if path.is_file() and b"oars" in path.read_bytes()
    ]


def test_what_it_was_writing_when_it_was_killed_is_not_half_there(memory: Path) -> None:
    MemoryStore(memory)
    assert not list(memory.rglob("*.tmp"))
    assert not (memory / "kayaks.md").exists()
    assert "kayaks" not in (memory / "MEMORY.md").read_text("utf-8")


def test_the_doctor_looks_at_it(memory: Path) -> None:
    rules = {one.rule for one in diagnose(memory).findings}
    assert "leftover" in rules
    assert "journal" not in rules


def test_its_sessions_go_on(home: Path, memory: Path) -> None:
    resumed = harness(home, resume="one")
    assert len([one for one in resumed.agent.messages if one["role"] == "user"]) >= 2
    assert resumed.toggles.source("auto_dream") == "user settings"
    (coffee,) = memory.glob(COFFEE)
    assert resumed.store.read(coffee.name)


ALL_ON = Toggles(team=True, personal=True, session_memory=True)


@needs_git
def test_its_team_memories_are_read_with_their_history(home: Path) -> None:
    shared = harness(home, "ferry", toggles=ALL_ON).team
    commit = shared.commit_of("team/pier.md")
    assert commit is not None
    assert commit.author == "Mika"
    assert "where the ferry sails from" in shared.index().text


def test_its_personal_memories_count_in_every_project(home: Path) -> None:
    other = harness(home, "harbour", toggles=ALL_ON)
    assert [one.filename for one in other.personal.memories().all] == ["personal/tabs.md"]
    assert len(other.personal.store.history()) == 1


def test_its_notes_go_on(home: Path) -> None:
    resumed = harness(home, "ferry", toggles=ALL_ON, resume="ferry-one")
    notes = asyncio.run(resumed.session_memory.notes())
    assert "The buoy at the mole was repaired by Tuva" in notes.text


def test_its_logs_grow_and_keep_their_lines(home: Path) -> None:
    logging = harness(home, "harbour", toggles=Toggles(daily_log=True), resume="harbour-one")
    (log,) = (folder_of(home, "harbour") / "memory").glob("logs/*/*/*.md")
    before = log.read_text("utf-8")
    assert "The crane is out of order." in before
    asyncio.run(logging.say("Remember that the crane works again."))
    after = log.read_text("utf-8")
    assert after.startswith(before)
    assert "works again" in after.removeprefix(before)


def test_its_index_of_the_memories_is_used_or_built_again(home: Path) -> None:
    memory = folder_of(home, "ferry") / "memory"
    notices: list[str] = []
    settings = Settings().with_changes(first_stage="sqlite", scan_max_files=1)
    stage = FirstStage(memory, SqliteIndex(memory), settings, notices.append)
    found = stage.propose("When is high tide?")
    assert isinstance(found, Proposed)
    assert "tide.md" in [header.filename for header in found.scan]
    assert notices == []


def test_its_dream_can_still_be_accepted(home: Path) -> None:
    memory = folder_of(home, "ferry") / "memory"
    review = harness(home, "ferry", toggles=ALL_ON).dreams.waiting
    waiting = review.look()
    assert waiting is not None
    assert waiting.proposal.reasons == {"rope.md": "the shed was emptied"}
    review.accept(["rope.md"])
    assert not (memory / "rope.md").exists()
    store = MemoryStore(memory)
    store.undo(who="user")
    assert store.read("rope.md").body == "\nThe long rope is in the shed.\n"


def test_its_run_of_the_bench_goes_on(home: Path) -> None:
    log = read_log(home / "clone" / "my" / "bench" / "select.jsonl")
    (part,) = log.parts
    assert part.ended == "interrupted"
    assert [answer.said for answer in log.answers.values()] == ["pier.md"]


def test_the_learners_parts_are_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMLAB_COURSE_HOME", str(home / "clone" / "my"))
    (line,) = split_old_file()
    assert "(is_inside)" in line
    (state, source) = part_files()["is_inside"]
    assert state == "edited", "so it is checked when it is loaded"
    assert source.endswith("    return path.is_relative_to(folder)\n")
