"""Forgetting for good reaches every store, whatever happens meanwhile.

One word is put into every place where memlab keeps something. Afterwards every byte below the home
is searched, as it is and unpacked: the person is told of every file that still has the word.
"""

from __future__ import annotations

import os
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from memlab.dream.stage import StagedMemory
from memlab.errors import StoreError
from memlab.evidence.pending import PendingChange
from memlab.harness import Harness
from memlab.memdir import telling
from memlab.memdir.journal import content_hash
from memlab.memdir.places import notes_file
from memlab.memdir.toggles import Toggles
from memlab.recall import sqlite
from memlab.recall.first_stage import open_first_stage
from memlab.settings import Settings
from memlab.text import request_text
from tests.house import House, git, note, talk
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
    """Name the files with the word, also packed: below the memory directory, or home."""
    found = set()
    for path in (one for one in house.home.rglob("*") if one.is_file()):
        data = path.read_bytes()
        with suppress(zlib.error):  # an object of git
            data += zlib.decompress(data)
        if WORD.encode() in data.lower():
            name = path.as_posix().replace(f"{house.memory.as_posix()}/", "")
            found.add(name.replace(house.home.as_posix(), "~"))
    return found


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
    by: Any = {"why": "much", "group": f"dream {at}", "session": "one", "at": at}
    held = PendingChange(file, text, base=content_hash(before), who="dream", **by)
    house.store.hold([held])


HERE = "~/.memlab/projects/-home-robin-tidebook/"
HAND_MADE = {"guests.md", LOG, "team/kitchen.md", "~/.memlab/personal/tea.md"}
# what a person has to edit by hand, so memlab only names it
NO_MEMORY = {f"{HERE}one.jsonl", "~/.memlab/projects/-home-robin-boats/three.jsonl"}
NO_MEMORY |= {"~/.memlab/chat_history", "~/.memlab/conversations/one.json"}
NO_MEMORY |= {"~/tapes/first.jsonl", "~/tidebook/CLAUDE.md", ".vault/copy.md"}
WORDS = "~/.memlab/off-the-record/-home-robin-tidebook/one.words.jsonl"  # from then on
GOES = {f"{HERE}session-memory/one/{one}memory.md" for one in ("", ".memlab-")}
GOES |= {"~/.memlab/conversations/.memlab-zero.json.tmp"}
GOES |= {".memlab/journal.jsonl", ".memlab/images/", ".memlab/pending/changes.json"}
GOES |= {f"~/.memlab/personal/.memlab/{one}" for one in ("journal.jsonl", "images/")}
GOES |= {"MEMORY.md", "first-stage-2.sqlite", "team/.git/objects/", "/memlab-dream-"}


def everywhere(house: House) -> tuple[Harness, str]:
    """Put the word into every store; gives a session, and the memory that was made of it."""
    settings, texts = house.runtime(settings=INDEXED), dict[Path, str]()
    talk(house.harness("one", runtime=settings, toggles=ALL_ON), SENTENCE, OTHER)
    (file,) = [name for name in house.files() if WORD in name]
    settings = settings.with_changes(tape=house.home / "tapes/first.jsonl")
    harness = house.harness("two", runtime=settings, toggles=ALL_ON)
    # a history here, in personal memory, and one that no journal explains
    harness.promote(file)
    harness.demote(f"personal/{file}")
    edited = (house.memory / file).read_text() + f"\nAlso {WORD} honey.\n"
    (house.memory / file).write_text(edited)
    harness.store.write_text(file, edited.replace("honey", "jam"), who="user")
    lost = f"{edited}\nIt was {WORD} once.\n"
    texts[house.memory / ".memlab/images" / content_hash(lost.encode())] = lost
    # what waits for the person, and what killed processes leave
    new = PendingChange("new.md", f"Robin says: {SENTENCE}", why="x", who="dream")
    harness.store.hold([new])
    harness.store.write_text("guests.md", about("Guests"), who="user")
    waiting(house, file)
    StagedMemory(house.memory, clock=house.clock, room=house.home / "temporary")
    texts[notes_file(house.folder, "one").with_name(".memlab-memory.md.tmp")] = SENTENCE
    texts[house.base / "conversations/.memlab-zero.json.tmp"] = SENTENCE
    # the same words where only the person may change something
    for name in {*HAND_MADE, *NO_MEMORY}:
        path = house.memory / name.replace("~", house.home.as_posix())
        if not path.exists():
            texts[path] = about("Other") if name in HAND_MADE - {LOG} else SENTENCE
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for command in ("init -q", "add .", "commit -q -m kitchen"):
        git(house.memory / "team", *command.split())
    assert harness.first_stage
    harness.first_stage.check()
    return harness, file


@needs_git
@pytest.mark.behaviour("A8", "L3")
def test_it_is_in_no_store_but_where_the_person_is_told(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    (house.home / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(house.home / "temporary"))
    harness, file = everywhere(house)
    before = having(house)
    stores = {file, *HAND_MADE, *NO_MEMORY, *GOES}
    assert [one for one in stores if one not in str(before)] == [], "the control"
    said = harness.forget(file, for_good=True)
    packed = {name for name in having(house) if name.startswith("team/.git/")}
    left = having(house) - packed
    (history,) = left - HAND_MADE - NO_MEMORY - {WORDS}
    assert history.startswith(".memlab/images/"), "of the memory made by hand"
    assert [name for name in left if name not in said] == []
    # what is a memory or a log can be erased the same way
    for name in (LOG, "guests.md", "personal/tea.md", "team/kitchen.md"):
        said += harness.forget(name, for_good=True)
    assert having(house) == NO_MEMORY | packed | {WORDS}
    assert "the team's repository and every clone of it still contain it" in said


@pytest.mark.behaviour("A8")
@pytest.mark.parametrize("stage", ["sqlite", "off"])
@pytest.mark.parametrize("done", [False, True])
def test_killed_then(house: House, monkeypatch: Any, done: bool, stage: str) -> None:
    def killed(*args: Any, places: object, **more: Any) -> str:
        if done:
            original(*args, **more)
        raise KeyboardInterrupt

    indexed(house)
    waiting(house, "tea.md")
    runtime = house.runtime(settings=INDEXED.with_changes(first_stage=stage))
    harness, original = house.harness("two", runtime=runtime), telling.erase
    monkeypatch.setattr(telling, "erase", killed)
    with pytest.raises(KeyboardInterrupt):
        harness.forget("tea.md", for_good=True)
    monkeypatch.undo()
    after = house.harness("three", runtime=runtime)
    if not done:
        after.forget("tea.md", for_good=True)
    assert (having(house), house.files()) == (set(), {})


@pytest.mark.behaviour("A8")
@pytest.mark.parametrize("indexing", [True, False])
def test_what_another_session_does_brings_nothing_back(
    house: House, monkeypatch: pytest.MonkeyPatch, indexing: bool
) -> None:
    harness = indexed(house)
    where: Any = (sqlite.SqliteIndex, "update") if indexing else (telling, "erase")
    original = getattr(*where)

    def late(*args: Any, **more: Any) -> Any:
        monkeypatch.undo()
        if indexing:  # between reading the memory and writing its terms
            harness.forget("tea.md", for_good=True)
        else:
            assert "tea.md" in in_the_index(house)
            waiting(house, "tea.md")
        return original(*args, **more)

    monkeypatch.setattr(where[0], where[1], late)
    if indexing:
        os.utime(house.memory / "tea.md", (1, 1))
        assert "tea.md" not in in_the_index(house)
    else:
        harness.forget("tea.md", for_good=True)
    assert having(house) == set()


@pytest.mark.behaviour("A8")
def test_a_typing_error_costs_nothing_and_the_pointer_goes(house: House) -> None:
    harness = indexed(house)
    waiting(house, "tea.md")
    talk(harness, OTHER)
    assert WORD in str(house.sent()[-1]["system"])
    with pytest.raises(StoreError, match="no such memory"):
        harness.forget("teas.md", for_good=True)
    assert (harness.dreams.waiting.there, in_the_index(house)) == (True, {"tea.md"})
    harness.forget("tea.md", for_good=True)
    talk(harness, OTHER)
    assert WORD not in request_text(house.sent()[-1])


def test_a_file_that_vanished_leaves_no_term_in_the_index(house: House) -> None:
    indexed(house)
    (house.memory / "tea.md").unlink()
    assert in_the_index(house) == set()
    assert WORD.encode() not in (house.memory / ".memlab" / sqlite.FILE).read_bytes()


@pytest.mark.behaviour("A8", "L2")
@pytest.mark.parametrize("other", ["i-prefer-quetzal47-tea.md", "team/tea.md"])
def test_the_removal_of_another_can_be_undone(house: House, other: str) -> None:
    store, text = house.store, note(OTHER, "Ferry", "reference")
    for file, written in ((other, text), ("tea.md", about("Tea"))):
        store.write_text(file, written, who="user")
    index = (house.memory / other).with_name("MEMORY.md")
    before = index.read_text().splitlines()
    gone = store.remove(other, reason=SENTENCE, who="user")
    house.harness().forget("tea.md", for_good=True)
    store.undo(gone.change, who="user")
    assert house.files() == {other: text}
    assert {*index.read_text().splitlines()} == {
        one for one in before if "(tea" not in one or "team" in other
    }


def test_what_could_not_be_taken_off_the_disk_is_tried_again(house: House) -> None:
    harness = house.harness("one")
    house.answers("main", "Yes.")
    talk(harness, "Remember that I love sesame bread.")
    full = OSError(28, "No space left on device")
    with mock.patch("memlab.agent.transcript.drop_notes", side_effect=full):
        harness.forget(*house.files())
    path = house.folder / "one.jsonl"
    assert "sesame" in path.read_text()
    talk(harness, "Hello.")
    assert "sesame" not in path.read_text()
