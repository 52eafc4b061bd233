"""A journal that was lost, cut or replaced must not cost the history, nor be made up."""

from __future__ import annotations

import errno
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from memlab.memdir.lint import diagnose

from memlab.clock import CourseClock
from memlab.errors import StoreError
from memlab.memdir.memory import Memory, MemoryType
from memlab.memdir.store import MemoryStore, set_aside_notice
from tests.faults.disks import Failing, Stopped, Stopping, Watched, in_memory, tree
from tests.faults.scenes import leaks, no_checks

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
    store = opened(directory)
    store.write(memory("Tabs", "Four spaces wide, always."))
    store.write(memory("Tabs", "Eight spaces wide, always."))
    store.write(memory("Tides", "Look at the harbour board first."))
    store.write(memory("Boats", "The red boat leaks near the keel."))
    return directory


def opened(directory: Path, **more: Any) -> MemoryStore:
    return MemoryStore(directory, clock=CourseClock(), checks=no_checks, **more)


def memory(name: str, text: str) -> Memory:
    return Memory(name, f"about {name}", MemoryType.user, f"\n{text}\n")


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
    store = opened(directory)
    assert images(directory) == kept, "opening deletes nothing"
    assert tree(directory) == files, "nor does it change a memory"
    assert store.set_aside
    for _ in range(2):  # it is said at every start until the journal is back
        assert "put journal.jsonl back" in set_aside_notice(opened(directory)).lower()
    new = opened(directory).write(memory("Keys", "The spare key is with Anna."))
    assert new.change == "change-0005", "an old id does not get a second meaning"
    journal.write_bytes(whole)
    back = opened(directory)
    back.undo("change-0002")
    assert back.read("tabs.md").body == "\nFour spaces wide, always.\n"
    before_the_loss = {sha for entry in back.history()[:4] for _, sha in entry.hashes()}
    assert not before_the_loss & set(back.set_aside)
    assert kept <= images(directory), "and what was written meanwhile is still set aside"


def test_the_doctor_reports_a_lost_journal_and_changes_nothing(directory: Path) -> None:
    journal_of(directory).unlink()
    before = images(directory)
    found = [one for one in diagnose(directory).findings if one.rule == "lost-history"]
    assert len(found) == 1
    assert "stored versions" in found[0].message
    assert "backup" in found[0].suggestion
    assert images(directory) == before
    assert not (directory / ".memlab" / "set-aside").exists()
    opened(directory)
    assert [one.message for one in diagnose(directory).findings if one.rule == "lost-history"] == [
        found[0].message
    ]


def test_a_change_that_a_cut_journal_shows_as_unfinished_is_not_made_again(
    directory: Path,
) -> None:
    store = opened(directory)
    store.undo("change-0002")  # the file is now as it was before that change
    files = tree(directory)
    cut_within_a_change(journal_of(directory))
    assert journal_of(directory).read_bytes().count(b'"changes"') == 2
    opened(directory)
    assert tree(directory) == files


def test_a_journal_that_is_lost_while_a_write_is_interrupted_is_reported(directory: Path) -> None:
    kept = images(directory)
    files = Stopping(10_000)
    store = opened(directory, files=files.files)
    files.number = len(files.trace) + steps_until_the_rename(directory)
    with pytest.raises(Stopped):
        store.write(memory("Tabs", "Two spaces wide, always."))
    assert (directory / ".memlab" / "preparing.json").exists()
    journal_of(directory).unlink()
    store = opened(directory)
    assert kept <= set(store.set_aside)


def steps_until_the_rename(directory: Path) -> int:
    """Count the calls of a write up to the rename of the memory, on a store that is not kept."""
    copy = directory.with_name("copy")
    shutil.copytree(directory, copy)
    files = Watched()
    store = opened(copy, files=files.files)
    files.trace.clear()
    store.write(memory("Tabs", "Two spaces wide, always."))
    names = [(name, path.parent) for name, path in files.trace]
    return names.index(("replace", copy)) + 1


def test_a_write_in_progress_is_not_taken_for_a_lost_journal(directory: Path) -> None:
    reader = opened(directory)
    seen = list[tuple[str, ...]]()

    class Peeking(Watched):
        def step(self, name: str, method: Callable[..., Any], path: Path, *rest: Any) -> Any:
            if name in ("replace", "append"):
                seen.append(reader.set_aside)
            return method(path, *rest)

    opened(directory, files=Peeking().files).write(memory("Keys", "Anna has the spare key."))
    assert len(seen) > 5
    assert set(seen) == {()}


def test_a_torn_marker_is_cleaned_up(directory: Path) -> None:
    (directory / ".memlab" / "preparing.json").write_bytes(b'{"id": "change-00')
    assert opened(directory).set_aside == ()
    assert not (directory / ".memlab" / "preparing.json").exists()


@pytest.mark.parametrize("name", ["../../evil", "../journal.jsonl", "x" * 64])
def test_a_marker_from_elsewhere_removes_nothing_but_images(directory: Path, name: str) -> None:
    (directory.parent / "evil").write_text("mine")
    size = journal_of(directory).stat().st_size
    marker = {"id": "change-0099", "size": size, "images": [name]}
    (directory / ".memlab" / "preparing.json").write_text(json.dumps(marker))
    kept = images(directory)
    store = opened(directory)
    assert images(directory) == kept
    assert len(store.history()) == 4
    assert (directory.parent / "evil").exists()


@pytest.fixture
def secretive(directory: Path) -> Path:
    """A secret in a memory whose journal was then lost, and that memory was written again."""
    store = opened(directory)
    store.write(memory("Door", f"The boathouse opens with {SECRET}."))
    store.write(memory("Door", f"The boathouse and the shed open with {SECRET}."))
    journal_of(directory).unlink()
    return directory


def test_forgetting_for_good_searches_what_was_set_aside(secretive: Path) -> None:
    store = opened(secretive)
    assert len(leaks(secretive, SECRET)) == 3
    tides = {sha for sha in store.set_aside if b"harbour board" in store.content(sha)}
    store.forget_for_good("door.md", confirmed=True)
    assert leaks(secretive, SECRET) == []
    assert leaks(secretive, "door.md") == []
    assert tides <= set(store.set_aside), "versions of other memories stay"


def test_recovery_erases_exactly_what_the_line_lists(directory: Path) -> None:
    store = opened(directory)
    store.write(memory("Door", f"The boathouse opens with {SECRET}."))
    stray = directory / ".memlab" / "images" / ("0" * 64)
    stray.write_bytes(b"of another journal")

    class Stop(Stopping):
        def step(self, name: str, method: Callable[..., Any], path: Path, *rest: Any) -> Any:
            if name == "remove" and path.parent.name == "images" and len(path.name) == 64:
                raise Stopped
            return method(path, *rest)

    doomed = opened(directory, files=Stop(10_000).files)
    with pytest.raises(Stopped):
        doomed.forget_for_good("door.md", confirmed=True)
    assert leaks(directory, SECRET), "the crash came before the erasing"
    store = opened(directory)
    assert leaks(directory, SECRET) == []
    assert leaks(directory, "door.md") == []
    assert store.set_aside == ("0" * 64,)
    assert store.content(store.history()[0].changes[0].after)


@pytest.mark.parametrize("applied", [False, True])
def test_what_version_1_had_begun_to_forget_for_good_is_erased_and_not_set_aside(
    directory: Path, applied: bool
) -> None:
    """Version 1 lists nothing to erase; it was killed before, or after, it said it was done."""
    store = opened(directory)
    store.write(memory("Door", f"The boathouse opens with {SECRET}."))
    entry = store.history()[-1]
    change, index = (asdict(one) for one in entry.changes)
    forget = {
        "id": "change-0006",
        "at": entry.at,
        "who": "user",
        "what": "forget",
        "changes": [
            {**change, "before": change["after"], "after": ""},
            {**index, "before": index["after"], "after": index["before"]},
        ],
        "forgets": "door.md",
        "swaps": {index["after"]: index["before"]},
    }
    lines = journal_of(directory).read_text("utf-8").splitlines()[1:]  # without the version
    lines.append(json.dumps(forget))
    if applied:
        lines.append('{"applied": "change-0006"}')
        (directory / "door.md").unlink()
        (directory / "MEMORY.md").write_bytes(store.content(index["before"]))
    journal_of(directory).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    assert leaks(directory, SECRET)
    assert opened(directory).set_aside == ()
    assert leaks(directory, SECRET) == []
    assert leaks(directory, "(door.md)") == []


def test_where_nothing_may_be_written_a_lost_journal_is_reported_all_the_same(
    directory: Path,
) -> None:
    journal_of(directory).unlink()
    store = opened(directory, files=Failing(1, errno.EACCES).files)
    assert set(store.set_aside) == images(directory)
    with pytest.raises(StoreError, match="Permission denied"):
        store.write(memory("Keys", "Anna has one."))
