"""Forgetting for good: nothing of a memory is left anywhere, and all of the others."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from memlab.errors import StoreError
from memlab.evidence.pending import PendingChange
from memlab.memdir.erase import erase
from memlab.memdir.journal import JOURNAL
from memlab.memdir.store import MemoryStore
from tests.faults.disks import Disk, Stopped, tree
from tests.faults.scenes import FreeStore, leaks, memory, open_store
from tests.house import note

SECRET = "hunter2"
DOOR = "door.md"


def forget(store: MemoryStore, file: str = DOOR, places: tuple[Path, ...] = ()) -> list[str]:
    return erase(store, file, places=lambda: places, by={})


@pytest.fixture
def store(tmp_path: Path) -> MemoryStore:
    """A secret in a memory, its hook, an edit by hand, the history, a reason, and what waits."""
    store = FreeStore(tmp_path / "memory", durable=False)
    store.write(memory("Tabs", "four"))
    store.write(memory("Door", f"It opens with {SECRET}.", f"the code is {SECRET}"))
    store.write(memory("Tides", "noon"))
    store.write(memory("Door", "changed", "the code"))
    (store.directory / DOOR).write_bytes((store.directory / DOOR).read_bytes() + SECRET.encode())
    store.remove(DOOR, reason=f"{SECRET} was changed")
    store.undo()
    store.hold([PendingChange(DOOR, f"Only {SECRET} opens it."), PendingChange("tabs.md", "Wide.")])
    return store


@pytest.mark.behaviour("A8")
@pytest.mark.parametrize("removed", [False, True])
def test_what_is_forgotten_for_good_is_nowhere(store: MemoryStore, removed: bool) -> None:
    journal = store.directory / JOURNAL
    text = journal.read_text().replace('"mtime_before"', '"colour": "blue", "mtime_before"', 1)
    journal.write_text(text.replace('"who"', '"mood": "good", "who"', 1))
    if removed:
        store.remove(DOOR)
    assert len(leaks(store.directory, SECRET)) > 3, "the search can find it"
    assert forget(store) == []
    assert leaks(store.directory, SECRET) == leaks(store.directory, DOOR) == []
    assert [*tree(store.directory)] == ["MEMORY.md", "tabs.md", "tides.md"]
    assert "door" not in (store.directory / "MEMORY.md").read_text()
    assert store.history(DOOR) == []
    assert [one.file for one in store.waiting()] == ["tabs.md"]
    assert [one.reason for one in store.history() if one.reason] == ["erased for good"]
    for unknown in ('"colour": "blue"', '"mood": "good"'):
        assert unknown in journal.read_text(), "fields of another version stay"
    before = tree(store.directory)
    for change, said in (
        ("", "forgotten for good"),
        (store.history()[-1].id, "forgotten for good"),
        ("change-0004", "change-0004 changed a memory that was forgotten"),
    ):
        with pytest.raises(StoreError, match=said):
            store.undo(change)
        assert tree(store.directory) == before


def test_the_others_keep_their_past_and_the_name_can_be_used_again(store: MemoryStore) -> None:
    same = store.write(memory("Copy", "twice")).path.read_bytes()
    store.write_text("team/door.md", note("Another.", "Door"))
    store.write_text("twin.md", same)
    twin = store.write(replace(store.read("twin.md"), body="\nnewer\n")).change
    both = store.commit("replace", {"copy.md": None, "tides.md": None}, reason="see copy.md").change
    forget(store, "copy.md")
    forget(store)
    store.undo(twin)
    assert (store.directory / "twin.md").read_bytes() == same, "its own history holds that too"
    assert store.read("team/door.md").name == "Door"
    store.undo(both)
    assert store.read("tides.md").body == "\nnoon\n", "the rest of a change can be undone"
    assert "copy.md" not in (store.directory / "MEMORY.md").read_text()
    store.undo(store.write(memory("Door", SECRET)).change)
    assert not (store.directory / DOOR).exists()


def test_words_in_other_places_are_named_or_erased(store: MemoryStore, tmp_path: Path) -> None:
    words = "The boathouse opens with tide7421, says Anna."
    store.write(memory("Boathouse", words))
    store.write(memory("Anna", "> the BOATHOUSE opens with\n> tide7421 -- says anna"))
    store.write(memory("Harbour", "The boathouse opens at nine."))
    store.remove("harbour.md", reason=f"Robin said: {words}")
    said = {"type": "user", "message": {"content": f"1\t{words}"}}
    for name, line in (("one", said), ("two", {"message": "nothing of that"})):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
    lines = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    *history, anna, session = forget(store, "boathouse.md", lines)
    assert (anna, session) == ("anna.md", str(lines[0]))
    assert all("anna" in (store.directory / one).read_text("utf-8") for one in history)
    assert store.history()[-2].reason == "erased for good"


def test_what_was_set_aside_when_a_journal_was_lost_is_searched(store: MemoryStore) -> None:
    store.write(memory("Door", f"It opens with {SECRET}."))
    (store.directory / JOURNAL).unlink()
    store = open_store(store.directory)
    tides = {one for one in store.journal.unexplained() if b"noon" in store.content(one)}
    forget(store)
    assert leaks(store.directory, SECRET) == leaks(store.directory, DOOR) == []
    assert tides <= {*store.journal.unexplained()}, "versions of other memories stay"


def test_a_crash_while_it_is_erased_is_made_up_for_and_erases_no_more(store: MemoryStore) -> None:
    stray = store.directory / ".memlab" / "images" / ("0" * 64)
    stray.write_bytes(b"of another journal")

    class Stopping(Disk):
        def remove(self, name: str) -> None:
            if name.startswith(".memlab/images/") and not name.endswith(".new"):
                raise Stopped
            super().remove(name)

    with pytest.raises(Stopped):
        forget(open_store(store.directory, Stopping(store.directory)))
    assert leaks(store.directory, SECRET), "the crash came before the erasing"
    store = open_store(store.directory)
    assert leaks(store.directory, SECRET) == leaks(store.directory, DOOR) == []
    assert store.journal.unexplained() == [stray.name]
    assert store.content(store.history()[0].changes[0].after)
