"""The write-ahead log: a change of several files reaches the disk completely
or not at all.

``.memlab/`` in the memory directory holds ``images/``, each content a file had
before or after a change, named by its hash, and the journal. A change brings
these to the disk, in this order:

1. a marker, ``preparing.json``: the id of the change, the size of the journal,
the new images; 2. the images, and the new files under temporary names next to
the old ones; 3. its line in the journal, which is the commit point; 4. the
renames, and a line that says they are done; 5. the marker becomes
``last.json``, which keeps the number of the newest change. The list of the
sentences that wait for a person is replaced along with the files: its new
version is staged in step 2 and gets its name in step 4.

Whoever opens the directory after a crash finishes a change that has its line.
If a change has none, the marker says what was prepared for it, and exactly
that is removed. An image that neither a marker nor the journal explains means
that the journal was lost or replaced by an older copy. Such an image is never
deleted: it is moved to ``set-aside/`` and reported, and it comes back when the
journal does. Only forgetting for good erases images: its line lists their
hashes.

What a change should be, and whether it is allowed, is decided in ``store``.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from memlab.bridge import RealFiles, memory_file
from memlab.errors import StoreError
from memlab.memdir.erasure import Traces
from memlab.memdir.folder import PRIVATE_DIRECTORY
from memlab.memdir.journal import ERASED, Change, Entry, Journal, redact
from memlab.memdir.places import STORE_FOLDER, TEAM

TEMPORARY = ".memlab-{}.tmp"
_IS_TEMPORARY = re.compile(r"(^|/)\.memlab-\w+\.tmp$")
_IS_IMAGE = re.compile(r"[0-9a-f]{64}")
_ROOM = "Make room on the disk, then try again"
_RIGHTS = (
    "It can be read, not changed: give yourself the right to write, then try"
    " again"
)
_CLOSED = (
    "It cannot be read: give yourself the right to read and write it, then try"
    " again"
)
_READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}
_ADVICE = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EACCES: _RIGHTS,
    errno.EROFS: _RIGHTS,
}


@dataclass(frozen=True)
class _Marker:
    """What is being prepared: for which change, after how much of the journal,
    which images.
    """

    id: str
    size: int
    images: tuple[str, ...]


class WriteAheadLog:
    """All changes of one memory directory; writers wait at most ``wait``
    seconds for each other.
    """

    def __init__(
        self, directory: Path, files: RealFiles, *, wait: float
    ) -> None:
        self.directory = directory
        self._home = directory / STORE_FOLDER
        self._images = self._home / "images"
        self._aside = self._home / "set-aside"
        self._marker = self._home / "preparing.json"
        self._last = self._home / "last.json"
        # the list of the sentences that wait for a person
        self.held = self._home / "pending" / "sentences.json"
        self._next_held = self.held.with_name(TEMPORARY.format("held"))
        self.journal = Journal(self._home / "journal.jsonl", files)
        self._files, self._wait = files, wait
        # those checked since this writer has had the guard
        self._paths: dict[str, Path] = {}

    def open(self) -> Journal:
        """Settle what a crash left, and set aside the images that nothing
        explains.

        Where there is no journal yet, none is made. In a directory that may
        only be read, images are left where they are.
        """
        with store_errors(self.directory):
            torn = self.journal.read()
            marked = self._files.read(self._marker).data is not None
            if (
                torn
                or marked
                or self.journal.pending
                or any(self._temporaries())
            ):
                with self.guard("opening"):
                    self._sweep()
            elif any(self._unexplained()) or any(self._explained_again()):
                try:
                    with self._guard("opening"):
                        self._sweep()
                except OSError as error:
                    if error.errno not in _READ_ONLY:
                        raise
        return self.journal

    @contextmanager
    def guard(self, who: str) -> Iterator[None]:
        """Keep other writers out, and settle what a crash left; raise OSErrors
        as StoreErrors.
        """
        with store_errors(self.directory), self._guard(who):
            yield

    def next_id(self) -> str:
        """Name the next change; an id that a lost journal has used is not used
        again.
        """
        last = self._read_marker(self._last)
        ids = [entry.id for entry in self.journal.entries] + (
            [last.id] if last else []
        )
        found = (re.fullmatch(r"change-(\d{1,18})", one) for one in ids)
        numbers = [int(one[1]) for one in found if one]
        return f"change-{max(numbers, default=0) + 1:04d}"

    def commit(
        self,
        entry: Entry,
        contents: Iterable[bytes],
        held: bytes | None = None,
    ) -> Mapping[str, str]:
        """Apply a change under the guard, and give the files kept as someone
        else left them.

        ``contents`` are what the entry's hashes name. ``held`` is the new list
        of the sentences that wait for a person, None if it stays. After an
        error everything is as it was, with one exception: when copies of a
        forgotten file cannot be erased, the file itself is gone, and the next
        opening erases them.
        """
        size = self.journal.size
        try:
            self._prepare(entry, list(contents), held)
            self.journal.append(asdict(entry))
            kept = self._swap(entry)
        except (OSError, StoreError):
            self._take_back(entry, size)
            raise
        if entry.forgets:
            self._replace_held()
            self._finish(entry, kept)
        else:
            # the change stands; the next writer sees that and notes it
            with suppress(OSError):
                self._replace_held()
                self._finish(entry, kept)
        return kept

    def save_held(self, held: bytes) -> None:
        """Replace the list of the sentences that wait for a person, under the
        guard, where no file changes.
        """
        temporary = self.held.with_name(TEMPORARY.format("list"))
        self._stage_held(temporary, held)
        self._files.replace(temporary, self.held)
        self._files.sync_directory(self.held.parent)

    def image(self, sha: str) -> bytes:
        """Give a content by its hash; raises StoreError when it is erased,
        missing or damaged.
        """
        if sha == ERASED:
            raise StoreError(
                "this content was erased for good", where=self.directory
            )
        for folder in (self._images, self._aside):
            data = self._files.read(folder / sha).data
            if data is not None and content_hash(data) == sha:
                return data
        do = (
            "Put it back from a backup: without it this state cannot be"
            " restored"
        )
        raise StoreError(
            "an image is missing or damaged", where=self._images / sha, do=do
        )

    def images(self) -> list[str]:
        """Name all images, those that were set aside included."""
        names = {
            *self._files.walk(self._images),
            *self._files.walk(self._aside),
        }
        return sorted(name for name in names if _IS_IMAGE.fullmatch(name))

    def unexplained(self) -> list[str]:
        """Name the images that neither the journal nor another writer's marker
        explains.
        """
        # first, so that a change that ends meanwhile is in the journal
        names = self.images()
        marker = self._read_marker(self._marker)
        self.journal.read()
        explained = {
            *self.journal.needed(),
            *(marker.images if marker else ()),
        }
        return [name for name in names if name not in explained]

    def traces(self, file: str, more: Iterable[bytes] = ()) -> Traces:
        """Collect the words of a memory, from the file as it is, from every
        copy of it, and from ``more``.
        """
        hashes = set[str]()
        for record in self.journal.records():
            own = [
                one for one in record.get("changes", ()) if one["file"] == file
            ]
            hashes.update(
                sha for one in own for sha in (one["before"], one["after"])
            )
            hashes.update(
                sha
                for name, sha in record.get("kept", {}).items()
                if name == file
            )
        versions = [*more]
        if (live := self._files.read(self.directory / file).data) is not None:
            versions.append(live)
        for sha in sorted(hashes - {"", ERASED}):
            with suppress(StoreError):  # a missing copy has no words
                versions.append(self.image(sha))
        return Traces.of(file, versions)

    @contextmanager
    def _guard(self, who: str) -> Iterator[None]:
        from filelock import FileLock, Timeout

        path = self._home / "guard.lock"
        for directory in (self._home, self._images):
            self._make(directory)
        lock = FileLock(
            path, mode=0o600, preserve_lock_file=True, fallback_to_soft=False
        )
        try:
            lock.acquire(timeout=self._wait, poll_interval=0.005)
        except Timeout:
            holder = "another process"
            with suppress(OSError):
                holder = path.read_text()
            do = "Try again when it has finished"
            raise StoreError(
                f"{holder} is writing", where=self.directory, do=do
            ) from None
        try:
            # Windows lets nobody write to a locked file
            with suppress(OSError):
                path.write_text(f"process {os.getpid()} ({who})")
            self._paths.clear()
            self._settle()
            yield
        finally:
            lock.release()

    def _settle(self) -> None:
        """Finish, or clean up after, the change that a crash interrupted."""
        if self.journal.read():
            self.journal.cut(self.journal.size)
        marker = self._read_marker(self._marker)
        if entry := self.journal.pending:
            interrupted = self.journal.version == 1 or (
                marker and marker.id == entry.id
            )
            if interrupted:
                self._stage(entry)
                kept = self._swap(entry)
                self._replace_held()
                self._finish(entry, kept)
            # a crash leaves its marker, so the journal was cut here: the files
            # are right
            else:
                self._finish(entry, self._found_otherwise(entry))
            self.journal.read()
        self._settle_marker()

    def _settle_marker(self) -> None:
        data = self._files.read(self._marker).data
        if data is None:
            return
        marker = self._read_marker(self._marker)
        if marker is None:  # torn, so nothing had been prepared yet
            self._files.remove(self._marker)
        elif marker.size == self.journal.size and not self._is_journalled(
            marker.id
        ):
            needed = self.journal.needed()
            for name in marker.images:
                if name not in needed:
                    self._files.remove(self._images / name)
            for path in list(self._temporaries()):
                self._files.remove(path)
            self._files.sync_directory(self._images)
            self._files.remove(self._marker)
        else:
            self._files.replace(self._marker, self._last)

    def _is_journalled(self, change: str) -> bool:
        return any(entry.id == change for entry in self.journal.entries)

    def _prepare(
        self, entry: Entry, contents: list[bytes], held: bytes | None
    ) -> None:
        new = [data for data in contents if not self._is_kept(data)]
        marker = _Marker(
            entry.id, self.journal.size, tuple(sorted(map(content_hash, new)))
        )
        self._write(self._marker, json.dumps(asdict(marker)).encode())
        self._files.sync_directory(self._home)
        for data in new:
            self._keep(data)
        if held is not None:
            self._stage_held(self._next_held, held)
        self._stage(entry)

    def _stage_held(self, temporary: Path, held: bytes) -> None:
        self._make(temporary.parent)
        self._write(temporary, held)
        self._files.sync_directory(temporary.parent)

    def _replace_held(self) -> None:
        if self._files.read(self._next_held).data is not None:
            self._files.replace(self._next_held, self.held)
            self._files.sync_directory(self.held.parent)

    def _finish(self, entry: Entry, kept: Mapping[str, str]) -> None:
        if entry.forgets:
            kept = {
                file: sha
                for file, sha in kept.items()
                if file != entry.forgets
            }
            self._erase(entry)
        self.journal.append({"applied": entry.id, "kept": kept})
        if self._files.read(self._marker).data is not None:
            self._files.replace(self._marker, self._last)

    def _erase(self, entry: Entry) -> None:
        """Rewrite the journal without the forgotten file, then erase exactly
        the listed images.
        """
        self.journal.read()
        if entry.forgets != entry.alias:
            words = self.traces(entry.forgets)
            unlisted = self._forgotten_without_a_list()
            records = self.journal.records()
            self.journal.rewrite(
                [redact(record, entry, words.are_in) for record in records]
            )
            self._remove_images(unlisted)
        self._remove_images(entry.erases)

    def _remove_images(self, names: Iterable[str]) -> None:
        for sha in filter(_IS_IMAGE.fullmatch, names):
            for folder in (self._images, self._aside):
                self._files.remove(folder / sha)
        for folder in (self._images, self._aside):
            if folder.is_dir():
                self._files.sync_directory(folder)

    def _sweep(self) -> None:
        """Remove temporary files, and sort the images into explained and set
        aside.
        """
        self.journal.read()
        for path in list(self._temporaries()):
            self._files.remove(path)
        if any(self._unexplained()):
            self._remove_images(self._forgotten_without_a_list())
        aside, back = list(self._unexplained()), list(self._explained_again())
        if aside:
            self._make(self._aside)
        for name in aside:
            self._files.replace(self._images / name, self._aside / name)
        for name in back:
            self._files.replace(self._aside / name, self._images / name)
        if aside or back:
            self._files.sync_directory(self._aside)
        self._files.sync_directory(self._images)

    def _forgotten_without_a_list(self) -> list[str]:
        """Name what memlab 0.1 forgot for good: its lines do not list the
        images to erase.
        """
        contents, forgotten = dict[str, set[str]](), set[str]()
        for record in self.journal.records():
            for change in record.get("changes", ()):
                of_file = contents.setdefault(change["file"], set())
                of_file.update((change["before"], change["after"]))
            if record.get("forgets") and not record.get("erases"):
                forgotten.update(
                    contents.pop(record["forgets"], ()),
                    record.get("swaps", ()),
                )
        return sorted(forgotten - self.journal.needed())

    def _unexplained(self) -> Iterator[str]:
        needed = self.journal.needed()
        for name in self._files.walk(self._images):
            if _IS_IMAGE.fullmatch(name) and name not in needed:
                yield name

    def _explained_again(self) -> Iterator[str]:
        needed = self.journal.needed()
        for name in self._files.walk(self._aside):
            if name in needed:
                yield name

    def _temporaries(self) -> Iterator[Path]:
        for folder in (self._home, self.directory):
            for name in self._files.walk(folder):
                if _IS_TEMPORARY.search(name):
                    yield folder / name

    def _stage(self, entry: Entry) -> None:
        for change, path, temporary in self._steps(entry):
            found = self._files.read(path)
            if change.after and content_hash(found.data) == change.before:
                self._make(path.parent)
                mode = (
                    found.mode
                    if found.mode is not None
                    else self._team_mode(path)
                )
                self._write(
                    temporary,
                    self.image(change.after),
                    change.mtime_after,
                    mode,
                )

    def _swap(self, entry: Entry) -> Mapping[str, str]:
        kept = {}
        for change, path, temporary in self._steps(entry):
            data = self._files.read(path).data
            if content_hash(data) != change.before:
                self._files.remove(temporary)
                if content_hash(data) != change.after:
                    kept[change.file] = (
                        "" if data is None else self._keep(data)
                    )
            elif change.after:
                self._files.replace(temporary, path)
            else:
                self._files.remove(path)
        for directory in sorted(
            {path.parent for _, path, _ in self._steps(entry)}
        ):
            if directory.is_dir():
                self._files.sync_directory(directory)
        return kept

    def _found_otherwise(self, entry: Entry) -> Mapping[str, str]:
        kept = {}
        for change, path, _ in self._steps(entry):
            data = self._files.read(path).data
            if content_hash(data) != change.after:
                kept[change.file] = "" if data is None else self._keep(data)
        return kept

    def _take_back(self, entry: Entry, size: int) -> None:
        back = [
            Change(
                one.file,
                one.after,
                one.before,
                one.mtime_after,
                one.mtime_before,
            )
            for one in entry.changes
        ]
        try:
            self._stage(replace(entry, changes=tuple(back)))
            self._swap(replace(entry, changes=tuple(back)))
            self.journal.cut(size)
            self._settle_marker()
        except (OSError, StoreError) as error:
            do = "Open the directory again: that finishes it or takes it back"
            what = f"a change stopped half way ({error})"
            raise StoreError(what, where=self.directory, do=do) from error

    def _steps(self, entry: Entry) -> Iterator[tuple[Change, Path, Path]]:
        for number, change in enumerate(entry.changes):
            path = self._paths.get(change.file)
            if path is None:
                path = self.directory / memory_file(
                    self.directory, change.file, or_index=True
                )
                self._paths[change.file] = path
            yield change, path, path.with_name(TEMPORARY.format(number))

    def _make(self, path: Path) -> None:
        """Make a missing directory and those above it: private, except below
        the team's.
        """
        if path == self.directory and path.is_dir():
            return
        if not path.parent.is_dir():
            self._make(path.parent)
        mode = self._team_mode(path, of_directory=True)
        if self._files.make_directory(
            path, PRIVATE_DIRECTORY if mode is None else mode
        ):
            self._files.sync_directory(path.parent)

    def _team_mode(
        self, path: Path, *, of_directory: bool = False
    ) -> int | None:
        """Give the mode of what is new below the team's directory: that of the
        directory itself.
        """
        team = self.directory / TEAM
        if team not in path.parents or not team.exists():
            return None
        mode = os.lstat(team).st_mode
        return mode & 0o777 if of_directory else mode & 0o666

    def _write(
        self,
        path: Path,
        data: bytes,
        mtime: int | None = None,
        mode: int | None = None,
    ) -> None:
        self._files.write(path, data, mode)
        if mtime is not None:
            self._files.set_mtime(path, mtime)
        self._files.sync(path)

    def _is_kept(self, data: bytes) -> bool:
        return self._files.read(self._images / content_hash(data)).data == data

    def _keep(self, data: bytes) -> str:
        path = self._images / content_hash(data)
        if not self._is_kept(data):
            temporary = self._images / TEMPORARY.format("image")
            self._write(temporary, data)
            self._files.replace(temporary, path)
            self._files.sync_directory(self._images)
        return path.name

    def _read_marker(self, path: Path) -> _Marker | None:
        """Read a marker; None where there is none, or half of one."""
        with suppress(ValueError, TypeError, LookupError):
            record = json.loads(self._files.read(path).data or b"")
            images = tuple(
                name for name in record["images"] if _IS_IMAGE.fullmatch(name)
            )
            return _Marker(str(record["id"]), int(record["size"]), images)
        return None


def is_image(name: str) -> bool:
    """Tell by its path in the memory directory whether a file is an image, set
    aside or not.
    """
    folder, _, base = name.rpartition("/")
    return folder in (
        f"{STORE_FOLDER}/images",
        f"{STORE_FOLDER}/set-aside",
    ) and bool(_IS_IMAGE.fullmatch(base))


def content_hash(data: bytes | None) -> str:
    """Name a content by its SHA-256; no content, of a file that is not there,
    is "".
    """
    return "" if data is None else hashlib.sha256(data).hexdigest()


@contextmanager
def store_errors(where: Path) -> Iterator[None]:
    """Turn any OSError into a StoreError that says what to do."""
    try:
        yield
    except OSError as error:
        what = error.strerror or str(error)
        raise StoreError(
            what, where=error.filename or where, do=_advice(error)
        ) from error


def _advice(error: OSError) -> str:
    path = error.filename
    if (
        error.errno == errno.EACCES
        and isinstance(path, str)
        and os.path.isabs(path)
        and not os.access(path, os.R_OK)
    ):
        return _CLOSED
    return _ADVICE.get(error.errno or 0, "Fix this, then try again")
