"""Forgetting for good reaches every store, whatever happens meanwhile.

One word is put into every place where memlab keeps something. Afterwards every byte below the home
is searched, as it is and unpacked: the person is told of every file that still has the word.
"""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memlab.dream.stage import StagedMemory
from memlab.errors import StoreError
from memlab.evidence.pending import PendingChange
from memlab.harness import Harness
from memlab.memdir import telling
from memlab.memdir.erase import erase
from memlab.memdir.journal import content_hash
from memlab.memdir.places import PERSONAL, notes_file
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles
from memlab.models import OfflineModel
from memlab.models.connect import choose_model, make_runtime
from memlab.recall import sqlite
from memlab.recall.first_stage import FirstStage, open_first_stage
from memlab.runtime import Runtime
from memlab.settings import Settings
from memlab.text import request_text
from tests.model_server import ModelServer
from tests.platforms import needs_git
from tests.unit.modes.helpers import git, memory
from tests.unit.test_harness import House, house, system, talk

assert house  # the fixture

WORD = "quetzal47"
SENTENCE = f"I prefer {WORD} tea, always, in all my breaks."
OTHER = "The last ferry leaves at 17:10."
LOG = "logs/2026/03/2026-03-31.md"
FORGETFUL = Toggles(extraction=False)
ALL_ON = Toggles(session_memory=True, personal=True, team=True)
INDEXED = Settings(scan_max_files=10, first_stage_candidates=20, first_stage="sqlite")


def files_with(home: Path, word: str = WORD) -> set[str]:
    """Name the files below a folder that contain a word, be it packed."""
    return {
        path.relative_to(home).as_posix()
        for path in home.rglob("*")
        if path.is_file() and any(word.encode() in data.lower() for data in readings(path))
    }


def readings(path: Path) -> Iterator[bytes]:
    """Give the bytes of a file, and those that git has packed into it."""
    data = path.read_bytes()
    yield data
    with suppress(zlib.error):
        yield zlib.decompress(data)


def about(name: str, words: str = SENTENCE) -> str:
    """Write a memory whose header does not repeat its words, so that no index has them."""
    return f"---\nname: {name}\ndescription: about the {name}\ntype: user\n---\n\n{words}\n"


class Everywhere:
    """A house in which the word is in every store."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.tape = house.home / "tapes" / "first.jsonl"
        self.staged = house.home / "temporary"
        self.team = house.memory / "team"
        runtime = self._recorded()
        self.file = self._remembered()
        self.harness = house.harness("two", runtime=runtime, toggles=ALL_ON)
        self._versions()
        self._copies()
        self._by_hand()
        self._shared()
        assert self.harness.first_stage is not None
        self.harness.first_stage.check()

    def _recorded(self) -> Runtime:
        """Say it while the answers are recorded, and give what a session works with whose tape
        that is.
        """
        # two threads can't wait on one course clock
        model = OfflineModel(clock=self.house.clock, latency={})
        server = ModelServer(model).start()
        choice = choose_model("record", base_url=server.url, tape=self.tape)
        runtime = make_runtime(choice, clock=self.house.clock)
        try:
            talk(self.house.harness("zero", runtime=runtime, toggles=FORGETFUL), SENTENCE)
        finally:
            server.stop()
        return replace(self.house.runtime(settings=INDEXED), tape=runtime.tape)

    def _remembered(self) -> str:
        """Say it in another session, from which a memory and the notes are made; give the file."""
        one = self.house.harness("one", settings=INDEXED, toggles=ALL_ON)
        talk(one, SENTENCE, OTHER)
        (file,) = [name for name in self.house.names() if WORD in name]
        return file

    def _versions(self) -> None:
        """Give the memory a history here, in personal memory, and one that no journal explains."""
        self.harness.promote(self.file)
        self.harness.demote(f"{PERSONAL}/{self.file}")
        edited = (self.house.memory / self.file).read_text() + f"\nAlso {WORD} honey.\n"
        (self.house.memory / self.file).write_text(edited)
        self.harness.store.write_text(self.file, edited.replace("honey", "jam"), who="user")
        lost = f"{edited}\nIt was {WORD} once.\n".encode()
        (self.house.memory / ".memlab" / "images" / content_hash(lost)).write_bytes(lost)

    def _copies(self) -> None:
        """Leave what waits for the person, and what killed processes leave."""
        store = self.harness.store
        said = f"Robin says: {SENTENCE}"
        store.hold([PendingChange("new.md", said, why="unsupported", who="dream")])
        waiting(self.house, self.file)
        self.staged.mkdir()
        StagedMemory(self.house.memory, clock=self.house.clock, room=self.staged)
        notes = notes_file(self.house.folder, "one")
        notes.with_name(f".{notes.name}.9.tmp").write_text(SENTENCE)

    def _by_hand(self) -> None:
        """Repeat the words where only the person may change something."""
        log = self.house.memory / LOG
        log.parent.mkdir(parents=True)
        log.write_text(f"- {OTHER}\n- {SENTENCE}\n")
        self.harness.store.write_text("guests.md", about("Guests"), who="user")
        (self.house.project / "CLAUDE.md").write_text(f"{SENTENCE}\n")
        (self.house.base / "chat_history").write_text(f"{SENTENCE}\n")
        (self.house.base / PERSONAL / "tea.md").write_text(about("Tea"))

    def _shared(self) -> None:
        self.team.mkdir()
        (self.team / "kitchen.md").write_text(about("Kitchen"))
        git(self.team, "init", "-q")
        git(self.team, "add", ".")
        git(self.team, "commit", "-q", "-m", "kitchen")

    def having(self) -> set[str]:
        """Name where the word is: below the memory directory, the base or the home."""
        short = ((f"{self.house.memory}/", ""), (f"{self.house.base}/", "~/.memlab/"))
        found = set()
        for name in files_with(self.house.home):
            path = f"{self.house.home}/{name}"
            for whole, shown in short:
                if path.startswith(whole):
                    path = f"{shown}{path.removeprefix(whole)}"
            found.add(path.replace(f"{self.house.home}/", "~/"))
        return found


@pytest.fixture
def everywhere(house: House, monkeypatch: pytest.MonkeyPatch) -> Everywhere:
    monkeypatch.setattr(tempfile, "tempdir", str(house.home / "temporary"))
    return Everywhere(house)


HAND_MADE = {"guests.md", LOG, "team/kitchen.md", "~/.memlab/personal/tea.md"}
CONVERSATIONS = {
    "~/.memlab/chat_history",
    "~/.memlab/conversations/one.json",
    "~/.memlab/conversations/zero.json",
    "~/.memlab/off-the-record/-home-robin-tidebook/one.words.jsonl",
    "~/.memlab/projects/-home-robin-tidebook/one.jsonl",
    "~/.memlab/projects/-home-robin-tidebook/zero.jsonl",
    "~/tapes/first.jsonl",
    "~/tidebook/CLAUDE.md",
}
"""What a person has to edit by hand: it is no memory, so memlab only names it."""


@needs_git
@pytest.mark.behaviour("A8")
def test_no_byte_is_left_in_any_store_but_where_the_person_is_told(everywhere: Everywhere) -> None:
    file, harness = everywhere.file, everywhere.harness
    # the control: each store has the word
    before = everywhere.having()
    for store in (
        file,
        "MEMORY.md",
        ".memlab/journal.jsonl",
        ".memlab/images/",
        ".memlab/first-stage-2.sqlite",
        ".memlab/pending/changes.json",
        "guests.md",
        LOG,
        "team/kitchen.md",
        "team/.git/objects/",
        "~/.memlab/personal/tea.md",
        "~/.memlab/personal/.memlab/journal.jsonl",
        "~/.memlab/personal/.memlab/images/",
        "~/.memlab/chat_history",
        "~/.memlab/conversations/one.json",
        "~/.memlab/conversations/zero.json",
        "~/.memlab/projects/-home-robin-tidebook/one.jsonl",
        "~/.memlab/projects/-home-robin-tidebook/zero.jsonl",
        "~/.memlab/projects/-home-robin-tidebook/session-memory/one/memory.md",
        "~/.memlab/projects/-home-robin-tidebook/session-memory/one/.memory.md.9.tmp",
        "~/tapes/first.jsonl",
        "~/temporary/memlab-dream-",
        "~/tidebook/CLAUDE.md",
    ):
        assert any(name.startswith(store) for name in before), store
    assert WORD in harness.agent.system

    said = harness.forget(file, for_good=True)

    history = {name for name in everywhere.having() if name.startswith(".memlab/images/")}
    assert len(history) == 1
    packed = {name for name in everywhere.having() if name.startswith("team/.git/")}
    left = everywhere.having() - packed
    assert left - history == HAND_MADE | CONVERSATIONS
    assert [name for name in left if name not in said] == []

    # what is a memory or a log can be erased the same way
    for name in (LOG, "guests.md", "personal/tea.md", "team/kitchen.md"):
        said += harness.forget(name, for_good=True)
    assert everywhere.having() == CONVERSATIONS | packed
    assert [name for name in CONVERSATIONS if name not in said] == []
    assert "the team's repository and every clone of it still contain it" in said


@pytest.mark.behaviour("A8")
def test_the_session_that_erases_no_longer_sends_the_pointer(house: House) -> None:
    harness = indexed(house, "tea.md")
    talk(harness, OTHER)
    assert WORD in system(house.sent()[-1])
    harness.forget("tea.md", for_good=True)
    talk(harness, OTHER)
    assert WORD not in request_text(house.sent()[-1])


class Killed(BaseException):
    """What a test raises where a process is killed; nothing catches it."""


@pytest.mark.behaviour("A8")
@pytest.mark.parametrize("stage", ["sqlite", "off"])
@pytest.mark.parametrize("done", [False, True])
def test_a_process_that_is_killed_around_the_stores_erasure_leaves_nothing_that_no_one_erases(
    house: House, monkeypatch: pytest.MonkeyPatch, done: bool, stage: str
) -> None:
    indexed(house, "tea.md")
    waiting(house, "tea.md")
    erase = telling.erase

    def killed(*args: Any, **more: Any) -> str:
        if done:
            more.pop("places")
            erase(*args, **more)
        raise Killed

    settings = INDEXED.with_changes(first_stage=stage)
    harness = house.harness("two", settings=settings)
    monkeypatch.setattr(telling, "erase", killed)
    with pytest.raises(Killed):
        harness.forget("tea.md", for_good=True)
    monkeypatch.undo()

    after = house.harness("three", settings=settings)
    if not done:
        assert house.names() == ["tea.md"]
        after.forget("tea.md", for_good=True)
    assert files_with(house.home) == set()


@pytest.mark.behaviour("A8")
def test_a_file_that_vanished_leaves_no_term_in_the_index(house: House) -> None:
    indexed(house, "tea.md")
    (house.memory / "tea.md").unlink()
    stage_of(house).check()
    assert WORD.encode() not in index_bytes(house)


@pytest.mark.behaviour("A8")
def test_a_session_that_has_just_read_a_memory_does_not_put_it_back_into_the_index(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other session erases it between the reading and the writing."""
    other = indexed(house, "tea.md")
    stage = stage_of(house)
    stage.check()
    os.utime(house.memory / "tea.md", (1, 1))
    update = sqlite.SqliteIndex.update

    def late(index: sqlite.SqliteIndex, changed: Any) -> None:
        monkeypatch.undo()
        other.forget("tea.md", for_good=True)
        update(index, changed)

    monkeypatch.setattr(sqlite.SqliteIndex, "update", late)
    stage.check()
    assert not (house.memory / "tea.md").exists()
    assert files_with(house.home) == set()


@pytest.mark.behaviour("A8")
def test_what_another_session_indexes_and_proposes_meanwhile_is_erased_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = indexed(house, "tea.md")
    erase = telling.erase

    def late(*args: Any, **more: Any) -> str:
        stage_of(house).check()
        waiting(house, "tea.md")
        return erase(*args, **more)

    monkeypatch.setattr(telling, "erase", late)
    said = harness.forget("tea.md", for_good=True)
    assert "No other memory and no transcript contains its words." in said
    assert files_with(house.home) == set()


@pytest.mark.behaviour("A8", "L2b")
@pytest.mark.parametrize("erased", ["tea.md", "personal/tea.md"])
def test_a_memory_of_the_same_name_in_the_other_place_keeps_its_pointers(
    house: House, erased: str
) -> None:
    harness = indexed(house, "tea.md", toggles=ALL_ON)
    harness.personal.store.write_text("tea.md", about("Green", OTHER), who="user")
    kept = house.memory if erased.startswith(PERSONAL) else harness.personal.folder
    before = (kept / "MEMORY.md").read_text()
    assert "(tea.md)" in before
    harness.forget(erased, for_good=True)
    assert (kept / "MEMORY.md").read_text() == before
    rows = in_the_index(house)
    assert ("tea.md" in rows) == erased.startswith(PERSONAL)


@pytest.mark.behaviour("A8", "L2")
def test_undo_brings_back_the_teams_pointer_after_a_private_memory_of_the_name_was_erased(
    house: House,
) -> None:
    store = house.harness("one").store
    store.write_text("team/tea.md", memory("Ferry", OTHER), who="user")
    store.write_text("tea.md", about("Tea"), who="user")
    index = house.memory / "team" / "MEMORY.md"
    before = index.read_text()
    gone = store.remove("team/tea.md", reason="nobody drinks it", who="user")
    erase(store, "tea.md", places=tuple, by={"who": "user"})
    store.undo(gone.change, who="user")
    assert index.read_text() == before


@pytest.mark.behaviour("A8")
def test_the_history_of_another_memory_whose_name_has_the_words_stays_whole(house: House) -> None:
    harness = house.harness("one")
    other = "i-prefer-tea-in-all-my-breaks.md"
    harness.store.write_text(other, memory("Breaks", OTHER), who="user")
    harness.store.write_text("tea.md", about("Tea", "I prefer tea in all my breaks."), who="user")
    gone = harness.store.remove(other, reason="I prefer tea in all my breaks.", who="user")
    said = harness.forget("tea.md", for_good=True)
    assert ".memlab/images/" in said
    harness.undo(gone.change)
    assert house.names() == [other]


@pytest.mark.behaviour("A8", "L3")
def test_a_log_can_be_erased_while_personal_memory_is_on(house: House) -> None:
    harness = house.harness("one", toggles=ALL_ON)
    harness.personal.store.write_text("green.md", about("Green", OTHER), who="user")
    log = house.memory / LOG
    log.parent.mkdir(parents=True)
    log.write_text(f"- {OTHER}\n- {SENTENCE}\n")
    assert harness.forget(LOG, for_good=True).startswith(f"Erased {LOG}")
    assert not log.exists()
    assert files_with(house.home) == set()


@pytest.mark.behaviour("A8")
def test_a_name_that_is_not_there_costs_nothing(house: House) -> None:
    """A typing error must not drop the dream that waits, nor a row of the index."""
    harness = indexed(house, "tea.md")
    waiting(house, "tea.md")
    with pytest.raises(StoreError, match="no such memory"):
        harness.forget("teas.md", for_good=True)
    assert harness.dreams.waiting.there
    assert "tea.md" in in_the_index(house)


def in_the_index(house: House) -> set[str]:
    """Name the files that the search index has."""
    stage_of(house).check()
    with sqlite.open_index(house.memory) as index:
        return {file for file, _ in index.newest()}


def stage_of(house: House) -> FirstStage:
    stage = open_first_stage(house.memory, INDEXED, print)
    assert stage is not None
    return stage


def index_bytes(house: House) -> bytes:
    return (house.memory / ".memlab" / sqlite.FILE).read_bytes()


def indexed(house: House, file: str, **more: Any) -> Harness:
    """Save a memory that has the word, and give a session that has indexed it."""
    house.harness("zero").store.write_text(file, about(f"Tea {WORD}"), who="user")
    harness = house.harness("one", settings=INDEXED, **more)
    assert WORD.encode() in index_bytes(house)
    return harness


def waiting(house: House, file: str) -> None:
    """Let a dream wait that would change a memory."""
    before = (house.memory / file).read_bytes()
    at = house.clock.now().isoformat()
    change = PendingChange(
        file,
        f"{before.decode()}\nEvery day.\n",
        base=content_hash(before),
        why="much",
        group=f"dream {at} because much",
        who="dream",
        session="one",
        at=at,
    )
    MemoryStore(house.memory, clock=house.clock).hold([change])
