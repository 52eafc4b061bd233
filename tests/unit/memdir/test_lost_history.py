"""A journal that was lost, cut or replaced must not cost the history, nor be made up."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memlab.errors import StoreError
from memlab.memdir.doctor import diagnose
from memlab.memdir.erase import erase
from memlab.memdir.store import MemoryStore
from tests.faults.disks import Disk, Stopped, in_memory, tree
from tests.faults.scenes import leaks, memory, open_store

SECRET = "tide7421"


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Give room in memory in place of pytest's own: no disk is needed here."""
    with tempfile.TemporaryDirectory(dir=in_memory(), prefix="memlab-tests-") as name:
        yield Path(name)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A memory with four changes: a memory, its second version, another one, an erased one."""
    directory = tmp_path / "memory"
    store = open_store(directory)
    store.write(memory("Tabs", "Four spaces wide, always."))
    store.write(memory("Tabs", "Eight spaces wide, always."))
    store.write(memory("Tides", "Look at the harbour board first."))
    store.write(memory("Boats", "The red boat leaks near the keel."))
    return directory


def journal_of(directory: Path) -> Path:
    return directory / ".memlab" / "journal.jsonl"


def images(directory: Path) -> set[str]:
    return {path.name for path in directory.glob(".memlab/*/*") if len(path.name) == 64}


def delete(journal: Path) -> None:
    journal.unlink()


def empty(journal: Path) -> None:
    journal.write_bytes(b"")


def cut_in_a_line(journal: Path) -> None:
    raw = journal.read_bytes()
    journal.write_bytes(raw[: raw.index(b'"what"', len(raw) // 2)])


def cut_between_lines(journal: Path) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:3]))


def cut_within_a_change(journal: Path) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:4]))


LOSSES = [delete, empty, cut_in_a_line, cut_between_lines, cut_within_a_change]


@pytest.mark.behaviour("A8")
@pytest.mark.parametrize("lose", LOSSES)
def test_a_lost_journal_costs_nothing_once_it_is_put_back(
    directory: Path, lose: Callable[[Path], None]
) -> None:
    journal = journal_of(directory)
    whole, kept, files = journal.read_bytes(), images(directory), tree(directory)
    lose(journal)
    open_store(directory)
    assert images(directory) == kept, "opening deletes nothing"
    assert tree(directory) == files, "nor does it change a memory"
    assert open_store(directory).journal.unexplained(), "what the doctor reports"
    new = open_store(directory).write(memory("Keys", "The spare key is with Anna."))
    assert new.change == "change-0005", "an old id does not get a second meaning"
    journal.write_bytes(whole)
    back = open_store(directory)
    back.undo("change-0002")
    assert back.read("tabs.md").body == "\nFour spaces wide, always.\n"
    before_the_loss = {sha for entry in back.history()[:4] for sha in entry.hashes}
    assert not before_the_loss & {*back.journal.unexplained()}
    assert kept <= images(directory)
    assert back.journal.unexplained(), "what was written meanwhile is still there"


def test_the_doctor_reports_a_lost_journal_and_changes_nothing(directory: Path) -> None:
    journal_of(directory).unlink()
    before = images(directory)
    found = [one for one in diagnose(directory).findings if one.rule == "lost-history"]
    assert len(found) == 1
    assert "stored versions" in found[0].message
    assert "backup" in found[0].suggestion
    assert images(directory) == before
    open_store(directory)
    assert [one.message for one in diagnose(directory).findings if one.rule == "lost-history"] == [
        found[0].message
    ]


def test_a_change_that_a_cut_journal_shows_as_unfinished_is_not_made_again(
    directory: Path,
) -> None:
    store: MemoryStore = open_store(directory)
    store.undo("change-0002")  # the file is now as it was before that change
    files = tree(directory)
    cut_within_a_change(journal_of(directory))
    assert journal_of(directory).read_bytes().count(b'"changes"') == 2
    open_store(directory)
    assert tree(directory) == files


def test_a_journal_that_is_lost_while_a_write_is_interrupted_is_reported(directory: Path) -> None:
    kept = images(directory)
    disk = Disk(directory)

    def stop(new: str) -> None:
        if new == "tabs.md":
            raise Stopped

    disk.before_rename = stop
    with pytest.raises(Stopped):
        open_store(directory, disk).write(memory("Tabs", "Two spaces wide, always."))
    journal_of(directory).unlink()
    assert kept <= {*open_store(directory).journal.unexplained()}


def test_a_write_in_progress_is_not_taken_for_a_lost_journal(directory: Path) -> None:
    reader = open_store(directory)
    seen = list[list[str]]()

    class Peeking(Disk):
        def _step(self, name: str, file: str) -> None:
            if name in ("rename", "append"):
                seen.append(reader.journal.unexplained())
            super()._step(name, file)

    open_store(directory, Peeking(directory)).write(memory("Keys", "Anna has the spare key."))
    assert len(seen) > 5
    assert not any(seen)


@pytest.fixture
def secretive(directory: Path) -> Path:
    """A secret in a memory whose journal was then lost, and that memory was written again."""
    store = open_store(directory)
    store.write(memory("Door", f"The boathouse opens with {SECRET}."))
    store.write(memory("Door", f"The boathouse and the shed open with {SECRET}."))
    journal_of(directory).unlink()
    return directory


def test_forgetting_for_good_searches_what_was_set_aside(secretive: Path) -> None:
    store = open_store(secretive)
    assert len(leaks(secretive, SECRET)) == 3
    lost = store.journal.unexplained()
    tides = {sha for sha in lost if b"harbour board" in store.content(sha)}
    erase(store, "door.md", places=tuple, by={})
    assert leaks(secretive, SECRET) == []
    assert leaks(secretive, "door.md") == []
    assert tides <= {*store.journal.unexplained()}, "versions of other memories stay"


def test_recovery_erases_exactly_what_the_line_lists(directory: Path) -> None:
    store = open_store(directory)
    store.write(memory("Door", f"The boathouse opens with {SECRET}."))
    stray = directory / ".memlab" / "images" / ("0" * 64)
    stray.write_bytes(b"of another journal")

    class Stopping(Disk):
        def remove(self, name: str) -> None:
            if name.startswith(".memlab/images/") and not name.endswith(".new"):
                raise Stopped
            super().remove(name)

    with pytest.raises(Stopped):
        erase(open_store(directory, Stopping(directory)), "door.md", places=tuple, by={})
    assert leaks(directory, SECRET), "the crash came before the erasing"
    store = open_store(directory)
    assert leaks(directory, SECRET) == []
    assert leaks(directory, "door.md") == []
    assert store.journal.unexplained() == ["0" * 64]
    assert store.content(store.history()[0].changes[0].after)


def test_where_nothing_may_be_written_a_lost_journal_is_reported_all_the_same(
    directory: Path,
) -> None:
    journal_of(directory).unlink()
    disk = Disk(directory)
    disk.fails, disk.lasting = 1, True
    store = open_store(directory, disk)
    assert {*store.journal.unexplained()} == images(directory)
    with pytest.raises(StoreError, match="Input/output error"):
        store.write(memory("Keys", "Anna has one."))
