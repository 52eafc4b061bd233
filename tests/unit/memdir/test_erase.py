"""Forgetting for good: nothing of a memory is left anywhere, and all of the others."""

from __future__ import annotations

import json
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


def forget(store: MemoryStore, file: str = DOOR, *places: Path) -> list[str]:
    return erase(store, file, places=lambda: places, by={})


def left(store: MemoryStore) -> list[Path]:
    return leaks(store.directory, SECRET) + leaks(store.directory, DOOR)


@pytest.fixture
def store(tmp_path: Path) -> MemoryStore:
    """A secret in a memory, its hook, an edit by hand, the history, a reason, and what waits."""
    store = FreeStore(tmp_path / "memory", durable=False)
    store.write(memory("Tabs", "four"))
    store.write(memory("Door", f"It opens with {SECRET}.", f"the code is {SECRET}"))
    store.write(memory("Tides", "noon"))
    store.write(memory("Door", "changed", "the code"))
    with (store.directory / DOOR).open("a") as file:
        file.write(SECRET)
    store.remove(DOOR, reason=f"{SECRET} was changed")
    store.undo()
    waits = PendingChange(DOOR, f"Only {SECRET} opens it.")
    store.hold([waits, PendingChange("tabs.md", "Wide.")])
    return store


@pytest.mark.behaviour("A8")
@pytest.mark.parametrize("removed", [False, True])
def test_what_is_forgotten_is_nowhere(store: MemoryStore, removed: bool) -> None:
    journal = store.directory / JOURNAL
    text = journal.read_text().replace('"who"', '"mood": "good", "who"', 1)
    journal.write_text(text)
    if removed:
        store.remove(DOOR)
    assert len(leaks(store.directory, SECRET)) > 3, "the search can find it"
    assert forget(store) == left(store) == store.history(DOOR) == []
    assert [*tree(store.directory)] == ["MEMORY.md", "tabs.md", "tides.md"]
    assert "door" not in (store.directory / "MEMORY.md").read_text()
    assert [one.file for one in store.waiting()] == ["tabs.md"]
    assert '"mood": "good"' in journal.read_text(), "fields of another version stay"
    before = tree(store.directory)
    for change in ("", store.history()[-1].id, "change-0004"):
        with pytest.raises(StoreError, match="forgotten"):
            store.undo(change)
        assert tree(store.directory) == before


def test_the_others_keep_their_past(store: MemoryStore) -> None:
    same = store.write(memory("Copy", "twice")).path.read_bytes()
    store.write_text("team/door.md", note("Another.", "Door"))
    store.write_text("twin.md", same)
    twin = store.write_text("twin.md", same.replace(b"twice", b"newer")).change
    both = store.commit("replace", {"copy.md": None, "tides.md": None}).change
    forget(store, "copy.md")
    forget(store)
    store.undo(twin)
    assert (store.directory / "twin.md").read_bytes() == same, "its own history has it"
    assert store.read("team/door.md").name == "Door"
    store.undo(both)
    assert store.read("tides.md").body == "\nnoon\n", "the rest of that change"
    assert "copy.md" not in (store.directory / "MEMORY.md").read_text()


def test_words_in_other_places_are_named_or_erased(store: MemoryStore) -> None:
    words = "The boathouse opens with tide7421, says Anna."
    store.write(memory("Boathouse", words))
    store.write(memory("Anna", "> the BOATHOUSE opens with\n> tide7421 -- says anna"))
    store.write(memory("Harbour", "The boathouse opens at nine."))
    store.remove("harbour.md", reason=f"Robin said: {words}")
    one, two = (store.directory.with_name(f"{name}.jsonl") for name in ("one", "two"))
    said = {"type": "user", "message": {"content": f"1\t{words}"}}
    one.write_text(json.dumps(said) + "\n", "utf-8")
    two.write_text('{"message": "nothing of that"}\n', "utf-8")
    *_, anna, session = forget(store, "boathouse.md", one, two)
    assert (anna, session) == ("anna.md", str(one))
    assert store.history()[-2].reason == "erased for good"


def test_a_crash_while_it_is_erased_is_made_up_for(store: MemoryStore) -> None:
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
    assert left(store) == []
    assert store.journal.unexplained() == [stray.name]
    assert store.content(store.history()[0].changes[0].after), "and no more is erased"
