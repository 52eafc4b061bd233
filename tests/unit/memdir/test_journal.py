"""The journal: a change happens completely or not at all, and can be undone; a journal that was
lost, cut or replaced costs nothing and makes nothing up.

A few points at which a change is stopped are tried here, and all of them in ``tests/faults``.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from memlab.errors import StoreError
from memlab.memdir.doctor import diagnose
from memlab.memdir.journal import JOURNAL, Entry, Journal, content_hash, undone
from tests.faults.disks import Disk, Stopped, leftovers, stopped, tree

Contents = Mapping[str, bytes | None]
BASE: Contents = {"a.md": b"old a\n", "b.md": b"old b\n", "MEMORY.md": b"[A](a.md) [B](b.md)\n"}
WANTED: Contents = {"a.md": b"new a\n", "b.md": None, "sub/c.md": b"", "MEMORY.md": b"[A](a.md)\n"}


def draft(what: str = "write", **more: Any) -> Entry:
    return Entry("", "2026-03-30T09:00:00+00:00", "user", what, **more)


def commit(journal: Journal, wanted: Contents, entry: Entry | None = None) -> Entry:
    with journal.guard():
        read = journal.folder.read
        files = {name: (content_hash(read(name).data), data) for name, data in wanted.items()}
        return journal.commit(entry or draft(), files)


def take_back(journal: Journal, change: str = "") -> Entry:
    with journal.guard():
        entry = journal.standing(change)
        files, times, changed = journal.undo(entry)
        assert not changed
        return journal.commit(draft("undo", undoes=entry.id), files, times)


def started(path: Path, base: Contents = BASE) -> Path:
    path.mkdir(parents=True)
    commit(Journal(Disk(path)), base)
    return path


def opened(path: Path, disk: Disk | None = None) -> Journal:
    journal = Journal(disk or Disk(path))
    journal.open()
    return journal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return started(tmp_path / "memory")


@pytest.mark.behaviour("A8")
@pytest.mark.parametrize("torn", [False, True])
def test_a_change_that_is_stopped_happens_or_does_not(tmp_path: Path, torn: bool) -> None:
    numbers, outcomes = itertools.count(), []
    before = tree(started(tmp_path / "before"))
    commit(opened(started(tmp_path / "after")), WANTED)
    after = tree(tmp_path / "after")
    for disk in stopped(
        lambda disk: commit(Journal(disk), WANTED),
        lambda: started(tmp_path / f"{next(numbers)}"),
        every=3,
        torn=torn,
    ):
        journal = opened(disk.path)
        outcomes.append(len(journal.entries) - 1)
        assert tree(disk.path) == (after if outcomes[-1] else before)
        assert not leftovers(disk.path)
        assert not journal.unfinished
    assert outcomes == sorted(outcomes)
    assert set(outcomes) == {0, 1}


def test_names_are_on_the_disk_before_the_line_that_counts_on_them(path: Path) -> None:
    disk = Disk(path)
    commit(opened(path, disk), WANTED)
    first = disk.steps[: disk.steps.index(("append", JOURNAL))]
    made = max(number for number, (name, _) in enumerate(first) if name == "create")
    assert {file for name, file in first[made:] if name == "sync"} >= {"", "sub", ".memlab/images"}


@pytest.mark.parametrize(
    "when", ["after the review", "while it is put into place", "after a crash"]
)
def test_an_edit_by_hand_is_kept_and_named(path: Path, when: str) -> None:
    disk = Disk(path)
    journal = opened(path, disk)

    def meddle(new: str) -> None:
        if new == "a.md":
            (path / "MEMORY.md").write_bytes(b"by hand\n")
            if when == "after a crash":
                raise Stopped

    if when == "after the review":
        with journal.guard():
            reviewed = content_hash(b"old a\n")
            (path / "a.md").write_bytes(b"by hand\n")
            files = {"a.md": (reviewed, b"new\n"), "b.md": (content_hash(b"old b\n"), b"b\n")}
            entry = journal.commit(draft(), files)
            assert not journal.commit(draft(), {"a.md": (reviewed, b"new\n")}).id
        assert ([one.file for one in entry.changes], [*entry.kept]) == (["b.md"], ["a.md"])
        assert (path / "a.md").read_bytes() == b"by hand\n"
        return
    disk.before_rename = meddle
    if when == "after a crash":
        with pytest.raises(Stopped):
            commit(journal, WANTED)
    else:
        assert [*commit(journal, WANTED).kept] == ["MEMORY.md"]
    journal = opened(path)
    assert journal.entries[-1].kept == ("MEMORY.md",)
    assert (path / "MEMORY.md").read_bytes() == b"by hand\n"
    assert take_back(journal)
    assert (path / "MEMORY.md").read_bytes() == b"by hand\n"
    assert (path / "b.md").read_bytes() == b"old b\n"


def test_an_undo_brings_back_bytes_times_and_modes_and_can_be_undone(path: Path) -> None:
    (path / "a.md").chmod(0o644)
    os.utime(path / "a.md", ns=(123_456_789,) * 2)
    before, journal = tree(path), opened(path)
    commit(journal, WANTED)
    entry = take_back(journal)
    assert tree(path) == before
    assert (path / "a.md").stat().st_mode & 0o777 == 0o644
    assert undone(journal.entries) == {"change-0002"}
    for change in ("change-0099", "change-0002x"):
        with pytest.raises(StoreError, match=f"no change to undo called {change}"):
            journal.standing(change)
    take_back(journal, entry.id)
    assert (path / "a.md").read_bytes() == b"new a\n"
    assert undone(journal.entries) == {entry.id}


def test_only_our_own_leftovers_are_removed(path: Path) -> None:
    mine = ["notes.md.new", "page.tmp", ".git/config.new", ".git/.memlab-1.tmp"]
    ours = [f".memlab/images/{'a' * 64}.new", "sub/.memlab-3.tmp"]
    for name in mine + ours:
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_bytes(b"x")
    opened(path)
    assert [name for name in mine + ours if (path / name).exists()] == mine


def test_half_a_line_is_ignored_and_removed_by_the_next_writer_only(path: Path) -> None:
    whole = (path / JOURNAL).read_bytes()
    (path / JOURNAL).write_bytes(whole + b'{"id": "chan')
    reader = Journal(Disk(path))
    assert reader.read()
    assert [one.id for one in reader.entries] == ["change-0001"]
    assert (path / JOURNAL).read_bytes() == whole + b'{"id": "chan', "reading never writes"
    with reader.guard():
        assert (path / JOURNAL).read_bytes() == whole


def test_after_its_line_a_change_is_not_an_error_and_is_finished_later(path: Path) -> None:
    disk = Disk(path)
    disk.locked = "a.md"
    journal = opened(path, disk)
    assert commit(journal, WANTED).id in journal.unfinished
    assert (path / "a.md").read_bytes() == b"old a\n"
    commit(Journal(disk), {"z.md": b"another writer\n"})
    with pytest.raises(StoreError, match=r"an earlier change of a\.md"):
        commit(Journal(disk), {"a.md": b"newer a\n"})
    disk.locked = ""
    assert not opened(path).unfinished
    assert (path / "a.md").read_bytes() == b"new a\n"


@pytest.mark.parametrize("blocked", ["link", "folder", "lost image"])
def test_what_recovery_cannot_finish_is_kept_and_named(path: Path, blocked: str) -> None:
    disk = Disk(path)
    disk.locked = "a.md"
    commit(Journal(disk), WANTED)
    outside = path.parent / "outside"
    outside.write_bytes(b"old a\n")
    if blocked == "lost image":
        (path / ".memlab" / "images" / content_hash(b"new a\n")).unlink()
        (path / ".memlab-0.tmp").unlink()
    else:
        (path / "a.md").unlink()
        (path / "a.md").symlink_to(outside) if blocked == "link" else (path / "a.md").mkdir()
    journal = opened(path)
    assert not journal.unfinished
    assert journal.entries[-1].kept == ("a.md",)
    assert outside.read_bytes() == b"old a\n"
    assert commit(journal, {"z.md": b"goes on\n"}).id == "change-0003"


def test_a_damaged_image_is_named_and_written_again(path: Path) -> None:
    image = path / ".memlab" / "images" / content_hash(b"old a\n")
    image.write_bytes(b"half")
    journal = opened(path)
    with pytest.raises(StoreError, match=f"{image.name}: an image is missing or damaged"):
        journal.image(image.name)
    commit(journal, {"a.md": b"newer\n"})
    take_back(journal)
    assert (path / "a.md").read_bytes() == b"old a\n"


LOSSES: dict[str, Callable[[bytes], bytes | None]] = {
    "deleted": lambda whole: None,
    "emptied": lambda whole: b"",
    "cut in a line": lambda whole: whole[: whole.index(b'"what"', len(whole) // 2)],
    "cut between changes": lambda whole: b"".join(whole.splitlines(keepends=True)[:3]),
    "cut within a change": lambda whole: b"".join(whole.splitlines(keepends=True)[:4]),
}


@pytest.mark.behaviour("A8")
@pytest.mark.parametrize("lose", LOSSES)
def test_a_lost_journal_costs_nothing_once_it_is_put_back(path: Path, lose: str) -> None:
    commit(opened(path), {"a.md": b"second\n"})
    take_back(opened(path))  # so that a.md is as it was before change 2
    commit(opened(path), {"b.md": b"third\n"})
    whole, files = (path / JOURNAL).read_bytes(), tree(path)
    images = {one.name for one in (path / ".memlab" / "images").iterdir()}
    (path / JOURNAL).unlink()
    if (left := LOSSES[lose](whole)) is not None:
        (path / JOURNAL).write_bytes(left)
    journal = opened(path)
    assert tree(path) == files, "nothing is made up: a change that was finished is not made again"
    assert journal.unexplained()
    (finding,) = (one for one in diagnose(path).findings if one.rule == "lost-history")
    assert "backup" in finding.suggestion
    assert commit(journal, {"k.md": b"new\n"}).id == "change-0005", "no id has two meanings"
    assert images <= {one.name for one in (path / ".memlab" / "images").iterdir()}
    (path / JOURNAL).write_bytes(whole)
    back = opened(path)
    take_back(back, "change-0003")
    assert (path / "a.md").read_bytes() == b"second\n"
    assert back.unexplained() == [content_hash(b"new\n")], "what was written meanwhile"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"version": 99}\n', "a newer memlab"),
        (
            '{"version": 3}\n{"id": 5}\n{"applied": "x"}\n',
            r"journal\.jsonl:2: the journal is damaged",
        ),
        ("{broken\n", r"journal\.jsonl:1: the journal is damaged"),
        ("[]\n", r"journal\.jsonl:1: the journal is damaged"),
    ],
)
def test_a_journal_that_cannot_be_read_stops_writing(path: Path, text: str, said: str) -> None:
    before = tree(path)
    (path / JOURNAL).write_text(text)
    for use in (opened, lambda path: commit(Journal(Disk(path)), WANTED)):
        with pytest.raises(StoreError, match=said):
            use(path)
    assert (tree(path), (path / JOURNAL).read_text()) == (before, text)


@pytest.mark.parametrize("file", ["tides.md", "../evil.md", ".memlab/evil.md", "evil.txt"])
def test_a_journal_from_elsewhere_is_followed_to_memories_only(path: Path, file: str) -> None:
    change = f'{{"file": "{file}", "before": "", "after": "{content_hash(BASE["a.md"])}"}}'
    long = f"change-{'9' * 5000}"
    for id, changes in (("c2", change), (long, "")):
        line = f'{{"id": "{id}", "at": "", "who": "", "what": "write", "changes": [{changes}]}}\n'
        with (path / JOURNAL).open("a") as journal:
            journal.write(line)
    before = tree(path.parent)
    opened(path)
    made = {name for name in tree(path.parent) if name not in before}
    assert made == ({"memory/tides.md"} if file == "tides.md" else set())
    assert commit(opened(path), {"z.md": b"z"}).id == "change-0002", "9999… is no number"
