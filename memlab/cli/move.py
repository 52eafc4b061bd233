"""Move the memory of a project whose folder was renamed or moved.

Its memories with their history, its sessions and its settings are moved from the old path to the
new one. Run it after you have moved the folder and left every chat of the project. If it is
interrupted, run it again. Nothing is moved while a chat is open or a dream is at work, or if the
new path already has memories. Sessions that were begun there stay. What the project already had at
the old path, such as settings, wins; what was made at the new path is set aside, and memlab says
where.

example:
  python3 -m memlab move ~/old-name ~/new-name   the folder was renamed
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from os.path import lexists
from pathlib import Path

from filelock import FileLock, Timeout

from memlab.agent.transcript import FOLDER as OFF_RECORD
from memlab.cli.commands import command_parser
from memlab.cli.reset import set_aside
from memlab.dream.lock import ConsolidationLock
from memlab.errors import MemlabError
from memlab.memdir.places import memory_paths, slug_of
from memlab.memdir.scan import find_memory_files, one_line


def main(argv: Sequence[str]) -> int:
    """Move one project's memory; returns the exit status."""
    parser = command_parser("move", __doc__)
    parser.add_argument(
        "old", metavar="OLD", type=Path, help="its former path"
    )
    parser.add_argument("new", metavar="NEW", type=Path, help="its path now")
    args = parser.parse_args(argv)
    source, target = folders(args.old, args.new)
    hidden = target.parents[1] / OFF_RECORD
    move(hidden / source.name, hidden / target.name)
    move(source, target)
    memories, _ = find_memory_files(str(target / "memory"))
    print(f"memories: {len(memories)}")
    print(one_line(f"moved from {source} to {target}"))
    return 0


def folders(old: Path, new: Path) -> tuple[Path, Path]:
    """Find where memlab keeps what belongs to the old path, and where it
    belongs now; raises MemlabError if it cannot be moved there.
    """
    if not new.is_dir():
        raise MemlabError("the second path is not a folder", where=new)
    target = memory_paths(new).project_dir
    source = target.parent / slug_of(old.resolve())
    if not source.is_dir() or source == target:
        raise MemlabError(
            "memlab knows no other project with this path", where=old
        )
    # a part of a repository that was made above it has no memory of its own
    if old.is_dir() and memory_paths(old).project_dir == source:
        raise MemlabError("this folder still exists. Move it first", where=old)
    memories, _ = find_memory_files(str(target / "memory"))
    if memories:
        what = f"there are memories already: {len(memories)}"
        do = "Put them somewhere else, run this again, and put them back"
        raise MemlabError(what, where=target / "memory", do=do)
    for folder in (source, target):
        for lock in folder.glob("*.lock"):
            with suppress(Timeout), FileLock(lock, timeout=0):
                continue  # its chat has ended
            what = f"session {lock.stem} is open in a chat"
            do = "Leave every chat of this project first, then run this again"
            raise MemlabError(what, do=do)
        refused = ConsolidationLock(folder / "memory").peek()
        if refused is not None:
            raise MemlabError(refused.message, where=folder)
    return source, target


def move(source: Path, target: Path) -> None:
    """Give a folder its new name, and keep what is at the new place.

    That is the last step. If this is interrupted before, the same call moves
    the rest.
    """
    if source.exists():
        merge(target, source)
        source.rename(target)


def merge(new: Path, old: Path) -> None:
    """Empty the new folder into the old one. What has a namesake there is set
    aside, and the person is told where.
    """
    for path in [*new.glob("*")]:
        place = old / path.name
        # the lock of a chat that has ended means nothing
        if not lexists(place) or path.suffix == ".lock":
            path.replace(place)
        elif path.name == "session-memory":  # one folder per session
            merge(path, place)
        else:
            kept = set_aside(path, old / "from-the-new-path")
            print(one_line(f"set aside: {new / kept.relative_to(old)}"))
    with suppress(FileNotFoundError):
        new.rmdir()
