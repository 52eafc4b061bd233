"""The journal: a change happens completely or not at all, and can be undone; a journal that was
lost, cut or replaced costs nothing and makes nothing up.

A few points at which a change is stopped are tried here, and all of them in ``tests/faults``.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memlab.errors import StoreError
from memlab.memdir.doctor import diagnose
from memlab.memdir.journal import JOURNAL, Entry, Journal, content_hash, undone
from tests.faults.disks import Disk, Stopped, leftovers, stopped, tree

Contents = Mapping[str, bytes | None]
BASE: Contents = {"a.md": b"old a\n", "b.md": b"old b\n", "MEMORY.md": b"[A](a.md)\n"}
WANTED: Contents = {"a.md": b"new a\n", "b.md": None, "c/c.md": b"", "MEMORY.md": b""}


def draft(what: str = "write", **more: Any) -> Entry:
    return Entry("", "2026-03-30T09:00:00+00:00", "user", what, **more)


def commit(journal: Journal, wanted: Contents, **was: bytes) -> Entry:
    """Change files; ``a=`` is what somebody saw in a.md before."""
    with journal.guard():
        seen = {name: journal.folder.read(name).data for name in wanted}
        seen |= {f"{name}.md": data for name, data in was.items()}
        hashes = {name: content_hash(data) for name, data in seen.items()}
        files = {name: (hashes[name], data) for name, data in wanted.items()}
        return journal.commit(draft(), files)


def take_back(journal: Journal, change: str = "") -> Entry:
    with journal.guard():
        entry = journal.standing(change)
        files, times, _ = journal.undo(entry)
        return journal.commit(draft("undo", undoes=entry.id), files, times)


def started(path: Path) -> Path:
    path.mkdir(parents=True)
    commit(Journal(Disk(path)), BASE)
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
def test_a_stopped_change_happens_or_does_not(tmp_path: Path, torn: bool) -> None:
    fresh = (started(tmp_path / f"{number}") for number in itertools.count())
    before, path = tree(next(fresh)), next(fresh)
    commit(opened(path), WANTED)
    after, outcomes = tree(path), []
    for disk in stopped(
        lambda disk: commit(Journal(disk), WANTED), fresh.__next__, every=4, torn=torn
    ):
        journal = opened(disk.path)
        outcomes.append(len(journal.entries) - 1)
        assert tree(disk.path) == (after if outcomes[-1] else before)
        assert not leftovers(disk.path)
    assert (outcomes, {*outcomes}) == (sorted(outcomes), {0, 1})


@pytest.mark.parametrize("crash", [False, True])
def test_an_edit_while_a_change_is_made_is_kept(path: Path, crash: bool) -> None:
    disk = Disk(path)

    def meddle(new: str) -> None:
        if new == "a.md":
            (path / "MEMORY.md").write_bytes(b"by hand\n")
            if crash:
                raise Stopped

    disk.before_rename = meddle
    try:
        assert [*commit(opened(path, disk), WANTED).kept] == ["MEMORY.md"]
    except Stopped:
        assert crash
    journal = opened(path)
    assert journal.entries[-1].kept == ("MEMORY.md",)
    take_back(journal)
    assert (path / "MEMORY.md").read_bytes() == b"by hand\n"
    assert (path / "b.md").read_bytes() == b"old b\n"


def test_an_undo_brings_back_bytes_times_and_modes(path: Path) -> None:
    (path / "a.md").chmod(0o644)
    os.utime(path / "a.md", ns=(123_456_789,) * 2)
    before, journal = tree(path), opened(path)
    commit(journal, WANTED)
    entry = take_back(journal)
    assert tree(path) == before
    assert (path / "a.md").stat().st_mode & 0o777 == 0o644
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


def test_half_a_line_is_ignored_and_removed_by_the_next_writer(path: Path) -> None:
    whole = (path / JOURNAL).read_bytes()
    (path / JOURNAL).write_bytes(whole + b'{"id": "chan')
    reader = Journal(Disk(path))
    assert (reader.read(), len(reader.entries)) == (True, 1)
    assert (path / JOURNAL).read_bytes() != whole, "reading never writes"
    with reader.guard():
        assert (path / JOURNAL).read_bytes() == whole


@pytest.mark.parametrize("then", ["nothing", "link", "lost image"])
def test_after_its_line_a_change_is_finished_or_named(path: Path, then: str) -> None:
    disk = Disk(path)
    disk.locked = "a.md"
    assert commit(Journal(disk), WANTED).id in opened(path, disk).unfinished
    commit(Journal(disk), {"z.md": b"another writer\n"})
    with pytest.raises(StoreError, match=r"an earlier change of a\.md"):
        commit(Journal(disk), {"a.md": b"newer a\n"})
    outside = path.with_name("outside")
    outside.write_bytes(b"old a\n")
    if then == "lost image":
        (path / ".memlab" / "images" / content_hash(b"new a\n")).unlink()
        (path / ".memlab-a.md.tmp").unlink()
    elif then != "nothing":
        (path / "a.md").unlink()
        (path / "a.md").symlink_to(outside)
    journal = opened(path)
    assert not journal.unfinished
    if then == "nothing":
        assert (path / "a.md").read_bytes() == b"new a\n"
    else:
        assert journal.entries[1].kept == ("a.md",)
    assert outside.read_bytes() == b"old a\n"


@pytest.mark.behaviour("A8")
@pytest.mark.parametrize("left", [-1, 0, 2, 3, 4])
def test_a_lost_journal_costs_nothing_once_it_is_back(path: Path, left: int) -> None:
    commit(opened(path), {"a.md": b"second\n"})
    take_back(opened(path))  # so that a.md is as it was before change 2
    commit(opened(path), {"b.md": b"third\n"})
    whole, files = (path / JOURNAL).read_bytes(), tree(path)
    images = {one.name for one in (path / ".memlab" / "images").iterdir()}
    (path / JOURNAL).write_bytes(b"".join(whole.splitlines(keepends=True)[:left]))
    if left == 2:
        (path / JOURNAL).write_bytes(whole[: whole.rindex(b'"what"')])
    elif left == -1:
        (path / JOURNAL).unlink()
    journal = opened(path)
    assert tree(path) == files, "a change that was finished is not made again"
    assert journal.unexplained()
    assert "lost-history" in [one.rule for one in diagnose(path).findings]
    assert commit(journal, {"k.md": b"new\n"}).id == "change-0005", "no id twice"
    assert images <= {one.name for one in (path / ".memlab" / "images").iterdir()}
    (path / JOURNAL).write_bytes(whole)
    back = opened(path)
    take_back(back, "change-0003")
    assert (path / "a.md").read_bytes() == b"second\n"
    assert back.unexplained() == [content_hash(b"new\n")], "what was written meanwhile"


def test_a_journal_that_cannot_be_read_stops_writing(path: Path) -> None:
    before = tree(path)
    for text, said in {
        '{"version": 99}\n': "a newer memlab",
        '{"version": 3}\n{"id": 5}\n{"applied": "x"}\n': r"journal\.jsonl:2: .* damaged",
        "{broken\n": r"journal\.jsonl:1: the journal is damaged",
    }.items():
        (path / JOURNAL).write_text(text)
        for use in (opened, lambda path: commit(Journal(Disk(path)), WANTED)):
            with pytest.raises(StoreError, match=said):
                use(path)
        assert (tree(path), (path / JOURNAL).read_text()) == (before, text)


@pytest.mark.parametrize("file", ["tides.md", "../evil.md", ".memlab/x.md", "x.txt"])
def test_a_journal_from_elsewhere_leads_to_memories_only(path: Path, file: str) -> None:
    change = {"file": file, "before": "", "after": content_hash(BASE["a.md"])}
    for id, changes in {"c2": [change], f"change-{'9' * 5000}": []}.items():
        line = {"id": id, "at": "", "who": "", "what": "write", "changes": changes}
        with (path / JOURNAL).open("a") as journal:
            journal.write(json.dumps(line) + "\n")
    before = tree(path.parent)
    opened(path)
    made = {name for name in tree(path.parent) if name not in before}
    assert made == ({"memory/tides.md"} if file == "tides.md" else set())
    assert commit(opened(path), {"z.md": b"z"}).id == "change-0002"
