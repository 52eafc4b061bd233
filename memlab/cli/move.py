"""Move the memory of a project whose folder was renamed or moved.

Its memories with their history, its sessions, its settings and its conversations are moved from the
old path to the new one. Run it after you have moved the folder. If it is interrupted, run it again.
Nothing is moved while a dream or another writer is at work, or if the new path already has
memories. Sessions that were begun there stay. Each move is recorded in moves.jsonl in memlab's
folder.

exit status: 0 if it was moved, 2 if it could not be

examples:
  python3 -m memlab move ~/old-name ~/new-name             the folder was renamed
  python3 -m memlab move ~/old-name ~/new-name --dry-run   show what would be moved
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from memlab.agent.transcript import FOLDER as OFF_RECORD
from memlab.clock import Clock, SystemClock
from memlab.dream.lock import ConsolidationLock
from memlab.errors import MemlabError
from memlab.memdir.folder import Folder
from memlab.memdir.former import left_behind
from memlab.memdir.journal import Journal
from memlab.memdir.places import (
    MemoryPaths,
    Project,
    forget_paths,
    memory_paths,
    slug_of,
)
from memlab.memdir.scan import find_memory_files, one_line

JOURNAL = "moves.jsonl"
NAMED = 3
MEMORY = "memory"


class MoveError(MemlabError):
    """A memory cannot be moved so; nothing was changed."""


@dataclass(frozen=True)
class Record:
    """A line of the journal of moves: ``begun`` before the first step, and
    ``done`` after the last.
    """

    at: str
    state: str
    old: str
    new: str


def main(argv: Sequence[str] | None = None) -> int:
    """Move one project's memory; gives the exit status."""
    args = _parser().parse_args(argv)
    try:
        move = Move(args.old, args.new)
        move.check()
        print(one_line(move.summary))
        if args.dry_run:
            print("Nothing was moved.")
            return 0
        move.run()
        print("Moved.")
    except (MemlabError, OSError) as error:
        print(f"memlab move: {one_line(str(error))}", file=sys.stderr)
        return 2
    return 0


class Move:
    """One project's move from its former path to its path now.

    Every step can be repeated, and the journal says whether a move was begun,
    so a move that was killed is finished by the same command.
    """

    def __init__(
        self, old: Path, new: Path, *, clock: Clock | None = None
    ) -> None:
        forget_paths()
        if not new.is_dir():
            raise MoveError(
                "this is not a folder",
                where=new,
                do="Give the folder that the project is in now",
            )
        self.new: MemoryPaths = memory_paths(new)
        # the folder as a project of its own
        root = old.resolve()
        folder = self.new.project_dir.parent / slug_of(root)
        self.old = replace(
            self.new,
            project=Project(root, root),
            project_dir=folder,
            memory_dir=folder / MEMORY,
        )
        self._still_there = False
        # a name that differs only in case may be the same folder
        if old.is_dir() and not old.samefile(new):
            today = memory_paths(old)
            # a repository may have been made in a folder above
            joined = today.project_dir != self.old.project_dir
            if not joined or not self.old.project_dir.is_dir():
                self.old, self._still_there = today, True
        self.paths = str(self.old.project.top), str(self.new.project.top)
        self.base = self.new.conversations_dir.parent
        self._clock = clock or SystemClock()

    def check(self) -> None:
        """Raise MoveError if this cannot be moved now; writes nothing."""
        old, new = self.old, self.new
        if self._may_be_repeated():
            return
        if old.project_dir == new.project_dir:
            raise MoveError(
                "both paths belong to the same project",
                where=self.paths[1],
                do="Give the path that the project had before",
            )
        if self._still_there:
            raise MoveError(
                "this folder still exists, so its memory stays with it",
                where=self.paths[0],
                do="Move or rename the folder first",
            )
        if not old.project_dir.is_dir():
            gone = [str(found.root) for found in left_behind(self.base)]
            known = ", ".join(gone) or "none"
            raise MoveError(
                "memlab has no project with this path",
                where=self.paths[0],
                do=f"Projects with memories whose folder is gone: {known}",
            )
        there = self._in_the_way()
        if there:
            more = f" and {len(there) - NAMED} more" * (len(there) > NAMED)
            raise MoveError(
                f"there are files here already: {', '.join(there[:NAMED])}{more}",
                where=new.project_dir,
                do="Move it away, or delete it if you do not need it",
            )
        refused = ConsolidationLock(old.memory_dir, clock=self._clock).peek()
        if refused is not None:
            raise MoveError(refused.message, where=old.memory_dir)

    @property
    def summary(self) -> str:
        """Say what is moved from where to where."""
        folder = self.old.project_dir
        if not folder.exists():  # a move that was killed
            folder = self.new.project_dir
        memories, _ = find_memory_files(str(folder / "memory"))
        counts = {
            "memories": len(memories),
            "sessions": len(self._sessions()),
            "conversations": len(self._conversations()),
        }
        what = ", ".join(f"{name}: {count}" for name, count in counts.items())
        return (
            f"{' -> '.join(self.paths)} ({what}, from {self.old.project_dir}"
            f" to {self.new.project_dir})"
        )

    def run(self) -> None:
        """Move everything; ``check`` comes first. Raises StoreError, with
        nothing moved, while another process is writing.
        """
        self._settle()
        self._record("begun")
        old, new = self.old.project_dir, self.new.project_dir
        if old.exists():
            self._take_place(old, new)
        off_record = self.base / OFF_RECORD
        if (off_record / old.name).exists():
            self._merge(off_record / old.name, off_record / new.name)
        for conversation in self._conversations():
            self._rewrite(conversation, ["working_dir"], *self.paths)
        folders = str(old), str(new)
        settings = ["auto_memory_directory", "prompts"]
        self._rewrite(new / "settings.json", settings, *folders)
        self._record("done")
        forget_paths()

    def _settle(self) -> None:
        """Finish what a crash has left in the memory; raises StoreError while
        another process is writing.
        """
        memory = self.old.memory_dir
        if memory.is_dir():
            journal = Journal(Folder(memory), wait=0)
            journal.open()
            with journal.guard():
                pass

    def _in_the_way(self) -> list[str]:
        """Name the memories at the new path, and the files there whose names
        are taken.
        """
        old, new = self.old.project_dir, self.new.project_dir
        memories, _ = find_memory_files(str(new / MEMORY))
        others = [
            file
            for file in _files_below(new)
            if Path(file).parts[0] != MEMORY and os.path.lexists(old / file)
        ]
        return sorted([*(f"{MEMORY}/{name}" for _, name in memories), *others])

    def _take_place(self, old: Path, new: Path) -> None:
        """Give a folder its new name, after what is there has been taken in:
        sessions, and what a session has made of a memory without memories.
        """
        if _files_below(new / MEMORY):
            aside = old / f"{MEMORY}-at-the-new-path"
            number = 2
            while os.path.lexists(aside):
                aside = old / f"{MEMORY}-at-the-new-path-{number}"
                number += 1
            _rename(new / MEMORY, aside)
        for file in _files_below(new):
            (old / file).parent.mkdir(parents=True, exist_ok=True)
            _rename(new / file, old / file)
        for folder in sorted(new.rglob("*"), reverse=True):
            folder.rmdir()
        if new.exists():
            new.rmdir()
        _rename(old, new)

    def _merge(self, old: Path, new: Path) -> None:
        """Move the files of a folder one by one, since the other may be there
        already; names of sessions are not used twice.
        """
        Folder(new).make()
        for file in sorted(old.iterdir()):
            _rename(file, new / file.name)
        with suppress(OSError):
            old.rmdir()

    def _rewrite(
        self, document: Path, keys: Sequence[str], old: str, new: str
    ) -> None:
        """Write the new path for the old one under some keys of a JSON file,
        which keeps its time.

        A file that has none of them, or cannot be read, is left alone.
        """
        values, mtime = self._values(document)
        moved = {
            key: _with_path(value, old, new) if key in keys else value
            for key, value in values.items()
        }
        if moved == values:
            return
        indent = 2 if document.name == "settings.json" else None
        text = json.dumps(moved, ensure_ascii=False, indent=indent) + "\n"
        data = text.encode("utf-8", "replace")
        Folder(document.parent).write(document.name, data, mtime)

    def _values(self, document: Path) -> tuple[dict[str, Any], int]:
        """Read a JSON object and its file's time; empty for all else."""
        with suppress(OSError, ValueError, RecursionError):
            found = Folder(document.parent).read(document.name)
            values = json.loads(found.data or b"null")
            if isinstance(values, dict):
                return values, found.mtime
        return {}, 0

    def _conversations(self) -> list[Path]:
        """List the documents of conversations in the old folder."""
        found = []
        for document in sorted((self.base / "conversations").glob("*.json")):
            folder = self._values(document)[0].get("working_dir")
            if _with_path(folder, *self.paths) != folder:
                found.append(document)
        return found

    def _sessions(self) -> list[Path]:
        folders = (
            self.old.project_dir,
            self.base / OFF_RECORD / self.old.project_dir.name,
        )
        names = {
            path.name: path
            for folder in folders
            for path in folder.glob("*.jsonl")
            if not path.name.endswith(".words.jsonl")
        }
        return list(names.values())

    def _record(self, state: str) -> None:
        record = Record(self._clock.now().isoformat(), state, *self.paths)
        line = json.dumps(asdict(record), ensure_ascii=False) + "\n"
        base = Folder(self.base)
        data = line.encode("utf-8", "replace")
        # a line that a crash has cut off ends here
        if (base.read(JOURNAL).data or b"\n")[-1:] != b"\n":
            data = b"\n" + data
        base.append(JOURNAL, data)

    def _may_be_repeated(self) -> bool:
        """Say whether the folder has been moved to the new path already.

        What is left to do then can be done at any time, and doing it twice
        changes nothing. Raises MoveError if it is on its way to another path.
        """
        last = self._last_move()
        if last is None or self.old.project_dir.exists():
            return False
        if last.new == self.paths[1]:
            return True
        if last.state == "begun":
            raise MoveError(
                f"a move to {last.new} was begun and not finished",
                where=self.paths[0],
                do="Finish that move first, with the same command",
            )
        return False

    def _last_move(self) -> Record | None:
        """Find the newest move from the old path."""
        last = None
        data = Folder(self.base).read(JOURNAL).data or b""
        for line in data.splitlines():
            with suppress(ValueError, TypeError):  # a line that was cut off
                record = Record(**json.loads(line))
                if record.old == self.paths[0]:
                    last = record
        return last


def _rename(path: Path, new: Path) -> None:
    """Give a file or folder another name; links above both are followed."""
    old, goal = (
        Path(os.path.realpath(one.parent)) / one.name for one in (path, new)
    )
    top = Folder(old.anchor)
    names = (one.relative_to(one.anchor).as_posix() for one in (old, goal))
    top.rename(*names)


def _with_path(value: Any, old: str, new: str) -> Any:
    """Write ``new`` for ``old`` in a path, or in each path of a list."""
    if isinstance(value, list):
        return [_with_path(part, old, new) for part in value]
    if isinstance(value, str):
        rest = value.removeprefix(old)
        if rest != value and rest[:1] in ("", "/", "\\"):
            return new + rest
    return value


def _files_below(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_symlink() or not path.is_dir()
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python3 -m memlab move",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "old",
        metavar="OLD",
        type=_absolute,
        help="the former path of the project's folder",
    )
    parser.add_argument(
        "new",
        metavar="NEW",
        type=_absolute,
        help="the present path of the project's folder",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="show what would be moved, but move nothing",
    )
    return parser


def _absolute(typed: str) -> Path:
    return Path(os.path.abspath(typed))


if __name__ == "__main__":
    sys.exit(main())
