"""The journal: a change happens completely or not at all, wherever it is stopped, and can be
undone.
"""

from __future__ import annotations

import errno
import itertools
import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from memlab.errors import StoreError
from memlab.memdir import folder as folder_module
from memlab.memdir.folder import PRIVATE_FILE, Folder
from memlab.memdir.journal import ERASED, JOURNAL, Entry, Journal, content_hash, undone
from tests.platforms import needs_fork

Contents = Mapping[str, bytes | None]
AT = "2026-03-30T09:00:00+00:00"
BASE: Contents = {"a.md": b"old a\n", "b.md": b"old b\n", "MEMORY.md": b"[A](a.md) [B](b.md)\n"}
WANTED: Contents = {
    "a.md": b"new a\n",
    "b.md": None,
    "sub/c.md": b"",
    "MEMORY.md": b"[A](a.md) [C](sub/c.md)\n",
}
PASSWORD = b"hunter2"


class Crash(BaseException):
    """The process is gone."""


class Disk(Folder):
    """A folder that is stopped before an operation, or has room for so many bytes."""

    left = 10**9
    torn = False
    room = 10**9
    forbidden = ""  # a file that may not be replaced, as on Windows
    before_rename: Callable[[str], None] | None = None

    def __init__(self, path: Path) -> None:
        super().__init__(path, durable=False)

    def _tick(self) -> None:
        self.left -= 1
        if self.left <= 0:
            raise Crash

    def _take(self, data: bytes) -> bytes:
        kept = data[: max(self.room, 0)]
        self.room -= len(data)
        return kept

    def create(self, name: str, data: bytes, mtime: int, mode: int = PRIVATE_FILE) -> None:
        stopped = self.left <= 1
        if stopped and self.torn:
            super().create(name, data[: len(data) // 2], mtime, mode)
        self._tick()
        part = self._take(data)
        super().create(name, part, mtime, mode)
        if len(part) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)

    def append(self, name: str, data: bytes) -> None:
        stopped = self.left <= 1
        if stopped and self.torn:
            super().append(name, data[: len(data) // 2])
        self._tick()
        if len(self._take(data)) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
        super().append(name, data)

    def rename(self, name: str, new: str) -> None:
        self._tick()
        if self.before_rename is not None:
            self.before_rename(new)
        if new == self.forbidden:
            raise PermissionError(errno.EACCES, "in use", new)
        super().rename(name, new)

    def remove(self, name: str) -> None:
        self._tick()
        super().remove(name)

    def sync(self, below: str = "") -> None:
        self._tick()
        super().sync(below)

    def make(self, below: str = "") -> None:
        self._tick()
        super().make(below)


def draft(what: str = "write", **more: Any) -> Entry:
    return Entry("", AT, "user", what, **more)


def commit(journal: Journal, wanted: Contents, entry: Entry | None = None) -> Entry:
    with journal.guard():
        files = {
            name: (content_hash(journal.folder.read(name).data), data)
            for name, data in wanted.items()
        }
        return journal.commit(entry or draft(), files)


def take_back(journal: Journal) -> Entry:
    with journal.guard():
        entry = journal.standing()
        files, times, changed = journal.undo(entry)
        assert not changed
        return journal.commit(draft("undo", undoes=entry.id), files, times)


def started(path: Path, base: Contents = BASE) -> Path:
    path.mkdir(parents=True)
    commit(Journal(Disk(path)), base)
    return path


def state(path: Path) -> dict[str, tuple[bytes, int, int]]:
    found = {}
    for one in path.rglob("*"):
        name = one.relative_to(path).as_posix()
        if one.is_file() and not name.startswith(".memlab/"):
            seen = one.stat()
            found[name] = one.read_bytes(), seen.st_mtime_ns, seen.st_mode & 0o777
    return found


def leftovers(path: Path) -> list[Path]:
    return [*path.rglob("*.new"), *path.rglob("*.tmp")]


def everything_undone(journal: Journal) -> None:
    while [
        one for one in journal.entries if not one.undoes and one.id not in undone(journal.entries)
    ]:
        take_back(journal)


@pytest.fixture(params=["descriptors", "paths"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Reach files in both ways that a Folder knows: from open folders, and by real paths."""
    if request.param == "paths":
        monkeypatch.setattr(folder_module, "BY_DESCRIPTOR", False)
    return str(request.param)


def crash_points(
    tmp_path: Path, torn: bool, change: Callable[[Journal], object]
) -> Iterator[tuple[int, Path]]:
    """Give a directory in which a change was stopped, for each operation."""
    for number in range(1, 1_000):
        path = started(tmp_path / f"{number}")
        disk = Disk(path)
        journal = Journal(disk)
        with journal.guard():  # what comes before the change itself does not count
            pass
        disk.left, disk.torn = number, torn
        try:
            change(journal)
        except Crash:
            yield number, path
        else:
            assert number > 20
            return
        shutil.rmtree(path)


@pytest.mark.parametrize("torn", [False, True])
def test_a_change_that_is_stopped_anywhere_happens_or_does_not(
    tmp_path: Path, torn: bool, way: str
) -> None:
    before = state(started(tmp_path / "before"))
    commit(Journal(Disk(started(tmp_path / "after"))), WANTED)
    after = state(tmp_path / "after")
    seen = set()
    for _, path in crash_points(tmp_path, torn, lambda journal: commit(journal, WANTED)):
        journal = Journal(Disk(path))
        journal.open()
        assert state(path) in (before, after)
        assert not leftovers(path)
        assert (state(path) == after) == (len(journal.entries) == 2)
        seen.add(len(journal.entries))
    assert seen == {1, 2}


@pytest.mark.slow
@pytest.mark.parametrize("torn", [False, True])
def test_a_recovery_that_is_stopped_anywhere_goes_on_later(tmp_path: Path, torn: bool) -> None:
    before = state(started(tmp_path / "before"))
    commit(Journal(Disk(started(tmp_path / "after"))), WANTED)
    after = state(tmp_path / "after")
    count = 0
    for _, path in crash_points(tmp_path / "first", torn, lambda j: commit(j, WANTED)):
        for again in range(1, 1_000):
            copy = tmp_path / "copy"
            shutil.copytree(path, copy)
            disk = Disk(copy)
            disk.left, disk.torn = again, torn
            stopped = False
            try:
                with Journal(disk).guard():
                    pass
            except Crash:
                stopped = True
            journal = Journal(Disk(copy))
            journal.open()
            assert state(copy) in (before, after)
            assert not leftovers(copy)
            everything_undone(journal)
            assert state(copy) == {}
            shutil.rmtree(copy)
            count += 1
            if not stopped:
                break
    print(f"{count} recoveries")
    assert count > 200


@pytest.mark.parametrize("step", [37, pytest.param(1, marks=pytest.mark.slow)])
def test_on_a_full_disk_a_change_happens_or_does_not(tmp_path: Path, step: int) -> None:
    before = state(started(tmp_path / "before"))
    commit(Journal(Disk(started(tmp_path / "after"))), WANTED)
    after = state(tmp_path / "after")
    for room in range(0, 5_000, step):
        path = started(tmp_path / "full")
        disk = Disk(path)
        journal = Journal(disk)
        journal.open()
        disk.room = room
        error = ""
        try:
            commit(journal, WANTED)
        except StoreError as caught:
            error = str(caught)
            assert state(path) == before
            assert not leftovers(path)
        fitted = disk.room >= 0
        disk.room = 10**9
        Journal(disk).open()
        assert state(path) == (before if error else after), room
        shutil.rmtree(path)
        if fitted:
            assert not error
            return
        assert not error or "Make room on the disk" in error
    pytest.fail("it never fitted")


def test_a_hand_edit_after_a_crash_is_kept_and_named(tmp_path: Path) -> None:
    for _, path in crash_points(tmp_path, False, lambda journal: commit(journal, WANTED)):
        (path / "a.md").write_bytes(b"by hand\n")
        journal = Journal(Disk(path))
        journal.open()
        assert (path / "a.md").read_bytes() == b"by hand\n"
        if len(journal.entries) == 2:
            with journal.guard():
                _, _, changed = journal.undo(journal.entries[-1])
            assert ["a.md"] in ([*journal.entries[-1].kept], changed)


def test_a_hand_edit_between_the_review_and_the_commit_is_kept(tmp_path: Path) -> None:
    path = started(tmp_path / "memory")
    journal = Journal(Disk(path))
    with journal.guard():
        reviewed = content_hash(b"old a\n")
        (path / "a.md").write_bytes(b"by hand\n")
        files = {"a.md": (reviewed, b"rewritten\n"), "b.md": (content_hash(b"old b\n"), b"b\n")}
        entry = journal.commit(draft(), files)
        assert [one.file for one in entry.changes] == ["b.md"]
        assert [*entry.kept] == ["a.md"]
        again = journal.commit(draft(), {"a.md": (reviewed, b"rewritten\n")})
        assert not again.id
    assert (path / "a.md").read_bytes() == b"by hand\n"
    assert len(journal.entries) == 2


def test_a_hand_edit_while_files_are_put_into_place_is_kept(tmp_path: Path) -> None:
    path = started(tmp_path / "memory")
    disk = Disk(path)

    def meddle(new: str) -> None:
        if new == "a.md":
            (path / "MEMORY.md").write_bytes(b"by hand\n")

    disk.before_rename = meddle
    entry = commit(Journal(disk), WANTED)
    assert [*entry.kept] == ["MEMORY.md"]
    assert (path / "MEMORY.md").read_bytes() == b"by hand\n"
    again = Journal(disk)
    again.open()
    assert again.entries[-1].kept == ("MEMORY.md",)


def test_names_are_on_the_disk_before_the_line_that_counts_on_them(tmp_path: Path) -> None:
    steps: list[str] = []

    class Listed(Disk):
        def append(self, name: str, data: bytes) -> None:
            steps.append("line")
            super().append(name, data)

        def sync(self, below: str = "") -> None:
            steps.append(below)
            super().sync(below)

    journal = Journal(Listed(started(tmp_path / "memory")))
    journal.open()
    steps.clear()
    commit(journal, WANTED)
    first = steps[: steps.index("line")]
    for folder in ("", "sub", ".memlab/images"):
        assert folder in first[-3:], "after everything in it was made"


def test_an_undo_brings_back_bytes_times_and_modes(tmp_path: Path) -> None:
    path = started(tmp_path / "memory")
    (path / "a.md").chmod(0o644)
    os.utime(path / "a.md", ns=(123_456_789, 123_456_789))
    before = state(path)["a.md"]
    journal = Journal(Disk(path))
    commit(journal, WANTED)
    assert state(path)["a.md"][2] == 0o644
    entry = take_back(journal)
    assert state(path)["a.md"] == before
    assert undone(journal.entries) == {"change-0002"}
    with pytest.raises(StoreError, match="no change to undo called change-0099"):
        journal.standing("change-0099")
    with journal.guard():
        files, times, _ = journal.undo(entry)
        journal.commit(draft("undo", undoes=entry.id), files, times)
    assert (path / "a.md").read_bytes() == b"new a\n"
    assert undone(journal.entries) == {entry.id}


def test_only_our_own_leftovers_are_removed(tmp_path: Path) -> None:
    path = started(tmp_path / "memory")
    (path / ".git").mkdir()
    mine = ["notes.md.new", "page.tmp", ".git/config.new", ".git/.memlab-1.tmp"]
    ours = [f".memlab/images/{'a' * 64}.new", "sub/.memlab-3.tmp"]
    (path / "sub").mkdir()
    for name in mine + ours:
        (path / name).write_bytes(b"x")
    Journal(Disk(path)).open()
    assert [name for name in mine + ours if (path / name).exists()] == mine


def test_reading_never_writes(tmp_path: Path) -> None:
    path = started(tmp_path / "memory")
    whole = (path / JOURNAL).read_bytes()
    with (path / JOURNAL).open("ab") as file:
        file.write(b'{"id": "chan')
    reader = Journal(Disk(path))
    assert reader.read()
    assert [one.id for one in reader.entries] == ["change-0001"]
    assert (path / JOURNAL).read_bytes() == whole + b'{"id": "chan'
    with reader.guard():
        assert (path / JOURNAL).read_bytes() == whole


def test_after_its_line_a_change_is_not_an_error(tmp_path: Path) -> None:
    path = started(tmp_path / "memory")
    disk = Disk(path)
    disk.forbidden = "a.md"
    journal = Journal(disk)
    entry = commit(journal, WANTED)
    assert entry.id in journal.unfinished
    assert (path / "a.md").read_bytes() == b"old a\n"
    commit(Journal(disk), {"z.md": b"another writer\n"})
    with pytest.raises(StoreError, match=r"an earlier change of a\.md"):
        commit(Journal(disk), {"a.md": b"newer a\n"})
    disk.forbidden = ""
    journal.open()
    assert not journal.unfinished
    assert (path / "a.md").read_bytes() == b"new a\n"
    assert (path / "z.md").exists()


@pytest.mark.parametrize("blocked", ["link", "folder", "lost image"])
def test_what_recovery_cannot_finish_is_kept_and_named(tmp_path: Path, blocked: str) -> None:
    path = started(tmp_path / "memory")
    disk = Disk(path)
    disk.forbidden = "a.md"
    commit(Journal(disk), WANTED)
    disk.forbidden = ""
    outside = tmp_path / "outside"
    outside.write_bytes(b"old a\n")
    if blocked == "lost image":
        (path / ".memlab" / "images" / content_hash(b"new a\n")).unlink()
        (path / ".memlab-0.tmp").unlink()
    else:
        (path / "a.md").unlink()
        if blocked == "link":
            (path / "a.md").symlink_to(outside)
        else:
            (path / "a.md").mkdir()
    journal = Journal(disk)
    journal.open()
    assert not journal.unfinished
    assert journal.entries[-1].kept == ("a.md",)
    assert outside.read_bytes() == b"old a\n"
    commit(journal, {"z.md": b"goes on\n"})


def test_a_damaged_image_is_written_again(tmp_path: Path) -> None:
    path = started(tmp_path / "memory")
    image = path / ".memlab" / "images" / content_hash(b"old a\n")
    image.write_bytes(b"half")
    journal = Journal(Disk(path))
    with pytest.raises(StoreError, match="missing or damaged"):
        journal.image(image.name)
    commit(journal, {"a.md": b"newer\n"})
    assert journal.image(image.name) == b"old a\n"
    take_back(journal)
    assert (path / "a.md").read_bytes() == b"old a\n"


def test_ids_do_not_repeat_after_an_older_journal_was_put_back(tmp_path: Path) -> None:
    path = started(tmp_path / "memory")
    older = (path / JOURNAL).read_bytes()
    journal = Journal(Disk(path))
    commit(journal, {"a.md": b"second\n"})
    (path / JOURNAL).write_bytes(older)
    assert commit(journal, {"a.md": b"third\n"}).id == "change-0003"
    assert journal.unexplained() == [], "what a hand has left is an image again"
    commit(journal, {"a.md": b"fourth\n"})
    (path / JOURNAL).write_bytes(older)
    Journal(Disk(path)).open()
    assert content_hash(b"third\n") in journal.unexplained(), "it is kept, and reported"


def test_unknown_fields_are_kept_and_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = started(tmp_path / "memory")
    file = path / JOURNAL
    text = file.read_text().replace('"mtime_before"', '"colour": "blue", "mtime_before"', 1)
    file.write_text(text.replace('"who"', '"mood": "good", "who"', 1))
    journal = Journal(Disk(path))
    commit(journal, {"s.md": PASSWORD})
    with journal.guard():
        files: dict[str, tuple[str, bytes | None]] = {"s.md": (content_hash(PASSWORD), None)}
        journal.erase(draft("forget"), "s.md", files, swaps={})
    assert '"colour": "blue"' in file.read_text()
    assert '"mood": "good"' in file.read_text()
    file.write_text('{"version": 99}\n')
    with pytest.raises(StoreError, match="a newer memlab"):
        journal.read()
    file.write_text('{"version": 3}\n{"id": 5}\n{"applied": "x"}\n')
    with pytest.raises(StoreError, match=r"journal\.jsonl:2.*damaged"):
        journal.read()


def test_nothing_to_do_leaves_no_line(tmp_path: Path) -> None:
    path = started(tmp_path / "memory")
    before = (path / JOURNAL).read_bytes()
    assert not commit(Journal(Disk(path)), {"a.md": b"old a\n", "never.md": None}).id
    assert (path / JOURNAL).read_bytes() == before


def test_an_entry_may_stamp_what_it_does_not_change(tmp_path: Path) -> None:
    path = started(tmp_path / "memory")
    before = state(path)
    journal = Journal(Disk(path))
    stamps = {"a.md": {"k": {"origin": "person"}}}
    confirmed = commit(journal, {"a.md": b"old a\n"}, draft("confirm", origins=stamps))
    logged = commit(journal, {}, draft("log", origins={"logs/x.md": {}}))
    assert confirmed.change_of("a.md")
    assert not logged.changes
    assert state(path) == before
    assert not journal.unfinished
    with pytest.raises(StoreError, match="no change to undo"):
        journal.standing(logged.id)


# ---- erasing ----

INDEX = b"- [S](s.md) the password is hunter2\n- [B](b.md)\n"
CLEAN = b"- [B](b.md)\n"


def with_password(path: Path) -> Journal:
    path.mkdir(parents=True)
    journal = Journal(Disk(path))
    stamps = {"s.md": {"1": {"origin": "person"}}, "b.md": {"2": {"origin": "person"}}}
    first = draft(origins=stamps, reason="he said hunter2")
    commit(journal, {"s.md": b"password hunter2\n", "b.md": b"b\n", "MEMORY.md": INDEX}, first)
    commit(journal, {"s.md": b"password hunter2, really\n"})
    commit(journal, {"b.md": b"b2\n"}, draft(reason="see s.md", origins={"b.md": {"3": {}}}))
    commit(journal, {"team/s.md": b"another\n"})
    return journal


def erase(journal: Journal) -> Entry:
    with journal.guard():
        files: dict[str, tuple[str, bytes | None]] = {
            "s.md": (content_hash(journal.folder.read("s.md").data), None),
            "MEMORY.md": (content_hash(journal.folder.read("MEMORY.md").data), CLEAN),
        }
        swaps = {content_hash(INDEX): CLEAN}
        return journal.erase(draft("forget"), "s.md", files, swaps=swaps)


def traces(path: Path) -> list[Path]:
    found = []
    for one in path.rglob("*"):
        data = one.read_bytes() if one.is_file() else b""
        if PASSWORD in data or b's.md"' in data.replace(b"team/s.md", b"").replace(b"(s.md)", b""):
            found.append(one)
    return found


def test_erasing_leaves_no_content_and_no_name(tmp_path: Path) -> None:
    journal = with_password(tmp_path / "memory")
    erase(journal)
    path = tmp_path / "memory"
    assert not traces(path)
    assert not (path / "s.md").exists()
    first, second, third, fourth, last = journal.entries
    assert (first.reason, third.reason) == ("erased for good", "erased for good")
    assert first.origins == {"b.md": {"2": {"origin": "person"}}}, "other files keep their stamps"
    assert second.changes[0].file == f"forgotten-{last.id}.md"
    assert second.changes[0].before == ERASED
    assert fourth.change_of("team/s.md"), "a name that only ends like it is another's"
    with journal.guard():
        files, _, _ = journal.undo(third)
        assert files["b.md"][1] == b"b\n", "what was not erased can be undone"
        files, _, _ = journal.undo(first)
        assert files["MEMORY.md"][1] is None
    assert journal.image(content_hash(CLEAN)) == CLEAN


@pytest.mark.parametrize("torn", [False, True])
def test_erasing_that_is_stopped_happens_or_does_not(tmp_path: Path, torn: bool) -> None:
    before = state(with_password(tmp_path / "before").folder.path)
    seen = set()
    for number in range(1, 1_000):
        path = tmp_path / f"{number}"
        with_password(path)
        disk = Disk(path)
        journal = Journal(disk)
        journal.open()
        disk.left, disk.torn = number, torn
        try:
            erase(journal)
        except Crash:
            again = Journal(Disk(path))
            again.open()
            happened = not (path / "s.md").exists()
            seen.add(happened)
            assert not leftovers(path)
            assert not again.unfinished
            assert not traces(path) if happened else state(path) == before
        else:
            assert seen == {False, True}
            return


def test_an_edit_while_it_is_erased_stops_that(tmp_path: Path) -> None:
    journal = with_password(tmp_path / "memory")
    with journal.guard():
        files: dict[str, tuple[str, bytes | None]] = {"s.md": (content_hash(b"seen"), None)}
        with pytest.raises(StoreError, match="changed just now"):
            journal.erase(draft("forget"), "s.md", files, swaps={})
    assert len(journal.entries) == 4


# ---- for real ----


@needs_fork
@pytest.mark.slow
def test_killed_two_hundred_times(tmp_path: Path) -> None:
    path = started(tmp_path / "memory")

    def work(chance: random.Random) -> None:
        journal = Journal(Folder(path))
        while True:
            text = f"{chance.random()} ".encode() * chance.randrange(1, 400)
            commit(journal, {"a.md": text, "b.md": text, "sub/c.md": text})

    for number in range(200):
        chance = random.Random(number)
        child = os.fork()
        if child == 0:
            try:
                work(chance)
            finally:
                os._exit(1)
        signal.sigtimedwait([signal.SIGCHLD], chance.random() * 0.1)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        journal = Journal(Disk(path))
        journal.open()
        assert not journal.unfinished
        assert not leftovers(path)
        newest = journal.entries[-1]
        assert newest.kept == ()
        for one in newest.changes:
            assert content_hash((path / one.file).read_bytes()) == one.after
        if len(journal.entries) > 1:
            assert (path / "a.md").read_bytes() == (path / "b.md").read_bytes()
    assert len(journal.entries) > 100
    for entry in journal.entries:
        for sha in entry.hashes:
            assert content_hash(journal.image(sha)) == sha


@needs_fork
@pytest.mark.slow
def test_a_folder_that_is_swapped_for_a_link_leads_nothing_outside(tmp_path: Path) -> None:
    path = started(tmp_path / "memory")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "c.md").write_bytes(b"outside\n")
    (path / "sub").mkdir()
    (tmp_path / "parked").mkdir()
    child = os.fork()
    if child == 0:
        for number in itertools.count():
            with suppress(OSError):
                os.rename(path / "sub", tmp_path / "parked" / f"{number}")
            with suppress(OSError):
                os.symlink(outside, path / "sub")
            time.sleep(0.002)
            with suppress(OSError):
                os.unlink(path / "sub")
            time.sleep(0.002)
    written = refused = kept = 0
    try:
        journal = Journal(Disk(path))
        for number in range(3_000):
            try:
                entry = commit(journal, {"sub/c.md": b"%d\n" % number})
                kept += bool(entry.kept)
                written += not entry.kept
            except StoreError:
                refused += 1
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    print(f"{written} written, {kept} kept, {refused} refused")
    assert {one.name: one.read_bytes() for one in outside.iterdir()} == {"c.md": b"outside\n"}
    assert written
    assert refused
