"""What an older version left behind is opened by this one, and nothing of it is lost."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import CourseClock
from memlab.harness import Harness
from memlab.memdir.journal import JOURNAL
from memlab.memdir.places import forget_paths
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles, load_settings
from memlab.text import request_text
from tests.faults.disks import tree
from tests.faults.scenes import leaks
from tests.house import House, note, run, talk
from tests.upgrades.leave_behind import recorded, restored, stamps_in, stores_in, use

OLD = Path(__file__).with_name("version_0_2.json")
STAMPS = json.loads(OLD.with_name("version_0_2_stamps.json").read_text("utf-8"))
DOOR = note("It opens outwards.", "Door")


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return restored(OLD, tmp_path_factory.mktemp("left"))


@pytest.fixture
def home(left: Path, tmp_path: Path) -> Path:
    """A home as 0.2 left it."""
    forget_paths()
    return Path(shutil.copytree(left, tmp_path, dirs_exist_ok=True))


def folder_of(home: Path, project: str) -> Path:
    return home / ".memlab" / "projects" / f"-home-robin-{project}"


def store_of(home: Path, project: str) -> MemoryStore:
    return MemoryStore(folder_of(home, project) / "memory", clock=CourseClock())


def agent(home: Path, project: str, **more: Any) -> tuple[House, Harness]:
    folder = folder_of(home, project)
    settings = load_settings(folder, base=home / ".memlab", environ={})
    house = House(home, settings=settings)
    house.clock.advance(9 * 86_400)
    house.project, house.folder = home / project, folder
    house.project.mkdir(exist_ok=True)
    return house, house.harness(**more)


# What is in the files after the change in the middle of which 0.2 was killed, and what is not.
SETTLED = {
    "torn": ("sleeps aft", "may steer"),
    "swapped": ("(parrot.md)", ".tmp"),
    "unsaved": ("below deck now", "Strangers"),
    "erased": ("(dog.md)", "cat.md"),
    "unerased": ("(dog.md)", "cat.md"),
    "undone": ("sleeps aft", "dog"),
    "unnoted": ("may steer", ".tmp"),
    "tidebook": ("A line of my own.", "kayaks"),
}
OTHERS = ["anchor", "attic", "ferry", "harbour", "mooring", "shed", "sloop"]


@pytest.mark.parametrize("project", [*SETTLED, *OTHERS])
def test_what_was_interrupted_happened_or_never_did(home: Path, project: str) -> None:
    folder = folder_of(home, project) / "memory"
    lines = (folder / JOURNAL).read_text("utf-8").split("\n")[:-1]
    known = {one["id"]: one["at"] for one in map(json.loads, lines) if "id" in one}
    store = store_of(home, project)
    assert {one.id: one.at for one in store.history()} == known
    memories = {name: file for name, file in tree(folder).items() if name[-3:] == ".md"}
    text = b"".join(data for data, _ in memories.values()).decode()
    there, gone = SETTLED.get(project, ("", "\0"))
    assert (there in text, gone in text) == (True, False)
    assert "erased" not in project or not leaks(folder, "cat.md")
    assert not [*folder.rglob("*.tmp"), *folder.rglob("*.new")]
    written = store.write_text("new.md", DOOR)
    again = store_of(home, project)
    assert [one.id for one in again.history()] == [*known, written.change]
    again.undo()
    assert memories.items() <= tree(folder).items()


def test_every_sentence_keeps_its_stamp_also_after_a_write(home: Path) -> None:
    assert stamps_in(home) == STAMPS
    for store in stores_in(home):
        store.write_text("new.md", DOOR)
    now = stamps_in(home)
    assert {path: now[path] for path in now if "/new.md" not in path} == STAMPS


UNDONE = """tidebook||ops/ports.md|Port 5432.
mooring|change-0009|oars.md|The oars are of ash.
mooring|change-0011|flag.md|The flag is blue and torn.
attic|change-0007|rope.md|The long rope hangs in the attic.
anchor|change-0003|anchor.md|The anchor weighs ten kilos."""


@pytest.mark.parametrize("row", UNDONE.splitlines())
def test_its_changes_can_be_undone(home: Path, row: str) -> None:
    project, change, file, body = row.split("|")
    store = store_of(home, project)
    if project == "anchor":  # whose journal was lost, and is put back
        assert store.write_text("new.md", DOOR).change == "change-0004", "a new id"
        shutil.copy(home / "backup" / "journal.jsonl", store.directory / ".memlab")
    store.undo(change)
    assert store.read(file).body.strip() == body


def test_what_waited_can_be_decided_on(home: Path) -> None:
    pier = "The fuel pier closes at six."
    hatch = "The night watch may open every hatch."
    store = store_of(home, "mooring")
    waits = {one.text: one for one in store.waiting() if one.base is None}
    store.accept([waits[pier]])
    lines = {line.text: line.stamp.origin.label for line in store.why("ships-bell.md")}
    assert lines[pier] == "project file"
    assert hatch in {*waits} - {*lines}
    _, attic = agent(home, "attic")
    files = {one.file for one in attic.dreams.waiting.look()} - {"MEMORY.md"}
    assert files == {"kettle.md", "lantern.md", "whistle.md"}
    attic.dreams.waiting.accept(files)
    assert not any((attic.memory / file).exists() for file in files)
    _, cellar = agent(home, "cellar")
    assert run(cellar.dream_now()).phase == "done", "a killed one's lock is free"


OFF_RECORD: Any = ("read-only|recall_only|sesame bread", "declined|full|cider")
OFF_RECORD += ("hidden|off|Tuva's mother",)


@pytest.mark.parametrize("row", OFF_RECORD)
def test_what_was_off_the_record_stays_so(home: Path, row: str) -> None:
    name, mode, words = row.split("|")
    assert agent(home, "sloop", resume=f"sloop-{name}")[1].mode == mode
    house, again = agent(home, "sloop", resume=f"sloop-{name}", mode="full")
    talk(again, "I prefer the small sail, always, when it blows.")
    run(again.dream_now())
    sent = {one.purpose: request_text(one.body) for one in house.model.requests}
    assert words in sent["main"], "the conversation itself goes on"
    knows = [words in sent[purpose] for purpose in ("extract", "dream")]
    assert (knows, leaks(again.memory, words)) == ([False, False], [])


def test_its_sessions_logs_and_shared_memories_go_on(home: Path) -> None:
    path = home / ".memlab" / "conversations" / "regatta-notes.json"
    messages = json.loads(path.read_text("utf-8"))["messages"]
    for _ in range(2):
        _, regatta = agent(home, "regatta", resume="regatta-notes")
        assert [*regatta.agent.messages] == messages
        path.unlink(missing_ok=True)  # then it is read from its transcript
    _, ferry = agent(home, "ferry", toggles=Toggles(team=True, personal=True))
    assert "where the ferry sails from" in ferry.team.index().text
    (tabs,) = ferry.personal.memories().scan
    assert tabs.filename == "personal/tabs.md"
    _, harbour = agent(home, "harbour", toggles=Toggles(daily_log=True))
    (log,) = harbour.memory.glob("logs/*/*/*.md")
    before = log.read_text("utf-8")
    talk(harbour, "Remember that the crane works again.")
    assert log.read_text("utf-8").startswith(before)


def test_its_settings_flags_and_prompts_hold(home: Path) -> None:
    house, bridge = agent(home, "bridge")
    toggles = bridge.toggles
    assert (toggles.recall, toggles.session_memory) == (False, True)
    assert (toggles.min_hours, house.settings.select_max_memories) == (12, 3)
    told = str([*bridge.notices, *toggles.problems])
    names = ("min_sessions", "first_stage_server", "read_only_git")
    assert [one for one in names if one not in told] == []
    talk(bridge, "I prefer short watches, always, at night.")
    assert "Address the person as captain." in str(house.model.requests[0].body)


def test_this_version_can_be_recorded(tmp_path: Path) -> None:
    use(tmp_path / "home")
    found = recorded(tmp_path / "home")
    (tmp_path / "version.json").write_text(json.dumps(found), "utf-8")
    (tmp_path / "again").mkdir()
    assert recorded(restored(tmp_path / "version.json", tmp_path / "again")) == found
