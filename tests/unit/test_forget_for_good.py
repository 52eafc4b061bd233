"""Forgetting for good reaches every store, whatever happens meanwhile.

One word is put into every place where memlab keeps something. Afterwards every byte below the home
is searched, as it is and unpacked: the person is told of every file that still has the word.
"""

from __future__ import annotations

import os
import tempfile
import zlib
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
from memlab.memdir.places import notes_file
from memlab.memdir.toggles import Toggles
from memlab.models import OfflineModel
from memlab.models.connect import choose_model, make_runtime
from memlab.recall import sqlite
from memlab.recall.first_stage import open_first_stage
from memlab.settings import Settings
from memlab.text import request_text
from tests.house import House, git, note, talk
from tests.model_server import ModelServer
from tests.platforms import needs_git

WORD = "quetzal47"
SENTENCE = f"I prefer {WORD} tea, always, in all my breaks."
OTHER = "The last ferry leaves at 17:10."
LOG = "logs/2026/03/2026-03-31.md"
ALL_ON = Toggles(session_memory=True, personal=True, team=True)
INDEXED = Settings(scan_max_files=10, first_stage_candidates=20, first_stage="sqlite")


def about(name: str, words: str = SENTENCE) -> str:
    """Write a memory whose header does not repeat its words, so that no index has them."""
    return note(words, name, about=f"about the {name}")


def having(house: House) -> set[str]:
    """Name the files with the word, also packed: below the memory directory, the base or home."""
    found = set()
    for path in (one for one in house.home.rglob("*") if one.is_file()):
        data = path.read_bytes()
        with suppress(zlib.error):  # an object of git
            data += zlib.decompress(data)
        if WORD.encode() in data.lower():
            name = path.as_posix().replace(f"{house.memory.as_posix()}/", "")
            found.add(name.replace(house.home.as_posix(), "~"))
    return found


def put(path: Path, text: str = SENTENCE) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def indexed(house: House, **more: Any) -> Harness:
    """Save a memory that has the word, and give a session that has indexed it."""
    house.fill(tea=about(f"Tea {WORD}"))
    harness = house.harness("one", runtime=house.runtime(settings=INDEXED), **more)
    assert "tea.md" in in_the_index(house)
    return harness


def in_the_index(house: House) -> set[str]:
    """Name the files that the search index has, once it is up to date."""
    stage = open_first_stage(house.memory, INDEXED, print)
    assert stage
    stage.check()
    with sqlite.open_index(house.memory) as index:
        return {file for file, _ in index.newest()}


def waiting(house: House, file: str) -> None:
    """Let a dream wait that would change a memory."""
    before = (house.memory / file).read_bytes()
    text, at = f"{before.decode()}\nEvery day.\n", house.clock.now().isoformat()
    by = {"why": "much", "group": f"dream {at} because much", "session": "one", "at": at}
    change = PendingChange(file, text, base=content_hash(before), who="dream", **by)
    house.store.hold([change])


def everywhere(house: House) -> tuple[Harness, str]:
    """Put the word into every store; gives a session, and the memory that was made of it."""
    # a session on tape, whose extraction is off
    server = ModelServer(OfflineModel(clock=house.clock, latency={})).start()
    tape = house.home / "tapes" / "first.jsonl"
    choice = choose_model("record", base_url=server.url, tape=tape)
    runtime = make_runtime(choice, clock=house.clock)
    try:
        talk(house.harness("zero", runtime=runtime, toggles=Toggles(extraction=False)), SENTENCE)
    finally:
        server.stop()
    # one from which the memory and the notes are made
    settings = house.runtime(settings=INDEXED)
    talk(house.harness("one", runtime=settings, toggles=ALL_ON), SENTENCE, OTHER)
    (file,) = [name for name in house.files() if WORD in name]
    harness = house.harness("two", runtime=replace(settings, tape=runtime.tape), toggles=ALL_ON)
    # a history here, in personal memory, and one that no journal explains
    harness.promote(file)
    harness.demote(f"personal/{file}")
    edited = (house.memory / file).read_text() + f"\nAlso {WORD} honey.\n"
    put(house.memory / file, edited)
    harness.store.write_text(file, edited.replace("honey", "jam"), who="user")
    lost = f"{edited}\nIt was {WORD} once.\n"
    put(house.memory / ".memlab/images" / content_hash(lost.encode()), lost)
    # what waits for the person, and what killed processes leave
    said = f"Robin says: {SENTENCE}"
    harness.store.hold([PendingChange("new.md", said, why="unsupported", who="dream")])
    waiting(house, file)
    (house.home / "temporary").mkdir()
    StagedMemory(house.memory, clock=house.clock, room=house.home / "temporary")
    notes = notes_file(house.folder, "one")
    put(notes.with_name(f".{notes.name}.9.tmp"))
    # the same words where only the person may change something
    put(house.memory / LOG, f"- {OTHER}\n- {SENTENCE}\n")
    harness.store.write_text("guests.md", about("Guests"), who="user")
    put(house.project / "CLAUDE.md")
    put(house.memory / ".vault/copy.md")
    put(house.base / "chat_history")
    put(house.base / "projects/-home-robin-boats/three.jsonl")
    put(house.base / "personal/tea.md", about("Tea"))
    put(house.memory / "team/kitchen.md", about("Kitchen"))
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "kitchen"]):
        git(house.memory / "team", *command)
    assert harness.first_stage
    harness.first_stage.check()
    return harness, file


SESSIONS = "~/.memlab/projects/-home-robin-tidebook"
HAND_MADE = {"guests.md", LOG, "team/kitchen.md", "~/.memlab/personal/tea.md"}
# what a person has to edit by hand, so memlab only names it
NO_MEMORY = {
    *f"{SESSIONS}/one.jsonl {SESSIONS}/zero.jsonl ~/.memlab/conversations/one.json".split(),
    *["~/.memlab/conversations/zero.json", "~/.memlab/chat_history", "~/tapes/first.jsonl"],
    *["~/.memlab/projects/-home-robin-boats/three.jsonl", "~/tidebook/CLAUDE.md"],
    ".vault/copy.md",
}
WORDS = "~/.memlab/off-the-record/-home-robin-tidebook/one.words.jsonl"  # from then on
GOES = {
    *["MEMORY.md", ".memlab/journal.jsonl", ".memlab/images/", ".memlab/first-stage-2.sqlite"],
    *[".memlab/pending/changes.json", "team/.git/objects/", "~/temporary/memlab-dream-"],
    *(f"~/.memlab/personal/.memlab/{name}" for name in ("journal.jsonl", "images/")),
    *(f"{SESSIONS}/session-memory/one/{name}" for name in ("memory.md", ".memory.md.9.tmp")),
}


@needs_git
@pytest.mark.behaviour("A8")
def test_no_byte_is_left_in_any_store_but_where_the_person_is_told(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(house.home / "temporary"))
    harness, file = everywhere(house)
    before = having(house)
    for store in {file, *HAND_MADE, *NO_MEMORY, *GOES}:  # the control
        assert any(name.startswith(store) for name in before), store
    said = harness.forget(file, for_good=True)
    packed = {name for name in having(house) if name.startswith("team/.git/")}
    left = having(house) - packed
    (history,) = left - HAND_MADE - NO_MEMORY - {WORDS}
    assert history.startswith(".memlab/images/")
    assert [name for name in left if name not in said] == []
    # what is a memory or a log can be erased the same way
    for name in (LOG, "guests.md", "personal/tea.md", "team/kitchen.md"):
        said += harness.forget(name, for_good=True)
    assert having(house) == NO_MEMORY | packed | {WORDS}
    assert "the team's repository and every clone of it still contain it" in said


@pytest.mark.behaviour("A8")
def test_the_session_that_erases_no_longer_sends_the_pointer(house: House) -> None:
    harness = indexed(house)
    talk(harness, OTHER)
    assert WORD in str(house.sent()[-1]["system"])
    harness.forget("tea.md", for_good=True)
    talk(harness, OTHER)
    assert WORD not in request_text(house.sent()[-1])


@pytest.mark.behaviour("A8")
@pytest.mark.parametrize("stage", ["sqlite", "off"])
@pytest.mark.parametrize("done", [False, True])
def test_a_process_killed_around_the_stores_erasure_leaves_nothing_that_no_one_erases(
    house: House, monkeypatch: pytest.MonkeyPatch, done: bool, stage: str
) -> None:
    class Killed(BaseException):
        pass

    def killed(*args: Any, places: object, **more: Any) -> str:
        if done:
            original(*args, **more)
        raise Killed

    indexed(house)
    waiting(house, "tea.md")
    runtime = house.runtime(settings=INDEXED.with_changes(first_stage=stage))
    harness, original = house.harness("two", runtime=runtime), telling.erase
    monkeypatch.setattr(telling, "erase", killed)
    with pytest.raises(Killed):
        harness.forget("tea.md", for_good=True)
    monkeypatch.undo()
    after = house.harness("three", runtime=runtime)
    if not done:
        assert [*house.files()] == ["tea.md"]
        after.forget("tea.md", for_good=True)
    assert having(house) == set()


@pytest.mark.behaviour("A8")
@pytest.mark.parametrize("moment", ["indexing", "erasing"])
def test_what_another_session_does_meanwhile_brings_nothing_back(
    house: House, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    harness = indexed(house)
    owner, name = (sqlite.SqliteIndex, "update") if moment == "indexing" else (telling, "erase")
    original = getattr(owner, name)

    def late(*args: Any, **more: Any) -> Any:
        monkeypatch.undo()
        if moment == "indexing":  # between reading the memory and writing its terms
            harness.forget("tea.md", for_good=True)
        else:
            assert "tea.md" in in_the_index(house)
            waiting(house, "tea.md")
        return original(*args, **more)

    monkeypatch.setattr(owner, name, late)
    if moment == "indexing":
        os.utime(house.memory / "tea.md", (1, 1))
        assert "tea.md" not in in_the_index(house)
    else:
        assert "No other memory" in harness.forget("tea.md", for_good=True)
    assert having(house) == set()


@pytest.mark.behaviour("A8")
def test_a_file_that_vanished_leaves_no_term_in_the_index(house: House) -> None:
    indexed(house)
    (house.memory / "tea.md").unlink()
    assert in_the_index(house) == set()
    assert WORD.encode() not in (house.memory / ".memlab" / sqlite.FILE).read_bytes()


@pytest.mark.behaviour("A8", "L2b")
@pytest.mark.parametrize("erased", ["tea.md", "personal/tea.md"])
def test_a_memory_of_the_same_name_in_the_other_place_keeps_its_pointers(
    house: House, erased: str
) -> None:
    harness = indexed(house, toggles=ALL_ON)
    harness.personal.store.write_text("tea.md", about("Green", OTHER), who="user")
    here = erased.startswith("personal")
    index = (house.memory if here else harness.personal.folder) / "MEMORY.md"
    before = index.read_text()
    harness.forget(erased, for_good=True)
    assert "(tea.md)" in index.read_text() == before
    assert ("tea.md" in in_the_index(house)) == here


@pytest.mark.behaviour("A8", "L2")
def test_undo_brings_back_the_teams_pointer_after_a_private_memory_of_the_name_was_erased(
    house: House,
) -> None:
    store = house.store
    why = "\n\n**Why:** It does.\n\n**How to apply:** Look at the clock."
    store.write_text("team/tea.md", note(OTHER + why, "Ferry", "project"), who="user")
    store.write_text("tea.md", about("Tea"), who="user")
    index = house.memory / "team" / "MEMORY.md"
    before = index.read_text()
    gone = store.remove("team/tea.md", reason="nobody drinks it", who="user")
    erase(store, "tea.md", places=tuple, by={"who": "user"})
    store.undo(gone.change, who="user")
    assert "(tea.md)" in index.read_text() == before


@pytest.mark.behaviour("A8")
def test_the_history_of_another_memory_whose_name_has_the_words_stays_whole(house: House) -> None:
    harness, other = house.harness("one"), "i-prefer-tea-in-all-my-breaks.md"
    said = "I prefer tea in all my breaks."
    harness.store.write_text(other, about("Breaks", OTHER), who="user")
    harness.store.write_text("tea.md", about("Tea", said), who="user")
    gone = harness.store.remove(other, reason=said, who="user")
    assert ".memlab/images/" in harness.forget("tea.md", for_good=True)
    harness.undo(gone.change)
    assert [*house.files()] == [other]


@pytest.mark.behaviour("A8", "L3")
def test_a_log_can_be_erased_while_personal_memory_is_on(house: House) -> None:
    harness = house.harness("one", toggles=ALL_ON)
    harness.personal.store.write_text("green.md", about("Green", OTHER), who="user")
    put(house.memory / LOG, f"- {OTHER}\n- {SENTENCE}\n")
    assert harness.forget(LOG, for_good=True).startswith(f"Erased {LOG}")
    assert not (house.memory / LOG).exists()
    assert having(house) == set()


@pytest.mark.behaviour("A8")
def test_a_typing_error_costs_nothing(house: House) -> None:
    harness = indexed(house)
    waiting(house, "tea.md")
    with pytest.raises(StoreError, match="no such memory"):
        harness.forget("teas.md", for_good=True)
    assert harness.dreams.waiting.there
    assert "tea.md" in in_the_index(house)
