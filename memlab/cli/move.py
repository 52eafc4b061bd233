"""Move the memory of a project whose folder was renamed or moved.

Its memories with their history, its sessions and its settings are moved from the old path to the
new one. Run it after you have moved the folder. If it is interrupted, run it again. Nothing is
moved while a dream is at work, or if the new path already has memories. Sessions that were begun
there stay.

example:
  python3 -m memlab move ~/old-name ~/new-name   the folder was renamed
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memlab.agent.transcript import FOLDER as OFF_RECORD
from memlab.cli.commands import command_parser
from memlab.dream.lock import ConsolidationLock
from memlab.errors import MemlabError
from memlab.memdir.places import forget_paths, memory_paths, slug_of
from memlab.memdir.scan import find_memory_files, one_line

# Where the rest goes of what sessions at the new path have left.
ASIDE = "from-the-new-path"


def main(argv: Sequence[str]) -> int:
    """Move one project's memory; returns the exit status."""
    parser = command_parser("move", __doc__)
    parser.add_argument(
        "old", metavar="OLD", type=Path, help="its former path"
    )
    parser.add_argument("new", metavar="NEW", type=Path, help="its path now")
    args = parser.parse_args(argv)
    source, target = folders(args.old, args.new)
    memories, _ = find_memory_files(str(source / "memory"))
    print(f"memories: {len(memories)}")
    move(source, target)
    print(one_line(f"moved from {source} to {target}"))
    return 0


def folders(old: Path, new: Path) -> tuple[Path, Path]:
    """Find where memlab keeps what belongs to the old path, and where it
    belongs now; raises MemlabError if it cannot be moved there.
    """
    forget_paths()
    target = memory_paths(new).project_dir
    source = target.parent / slug_of(old.resolve())
    if not new.is_dir():
        raise MemlabError("the second path is no folder", where=new)
    if not source.is_dir() or source == target:
        raise MemlabError(
            "memlab knows no other project with this path", where=old
        )
    # a part of a repository that was made above it has no memory of its own
    if old.is_dir() and memory_paths(old).project_dir == source:
        raise MemlabError("this folder still exists. Move it first", where=old)
    memories, _ = find_memory_files(str(target / "memory"))
    if memories:
        names = ", ".join(name for _, name in memories[:3])
        do = "Move them away first, or delete them"
        raise MemlabError(
            f"there are memories already: {names}", where=target, do=do
        )
    refused = ConsolidationLock(source / "memory").peek()
    if refused is not None:
        raise MemlabError(refused.message, where=source)
    return source, target


def move(source: Path, target: Path) -> None:
    """Move everything. The last step gives the folder its new name, so if it is
    interrupted before, the same command moves the rest.
    """
    hidden = target.parents[1] / OFF_RECORD
    for file in hidden.glob(f"{source.name}/*"):
        (hidden / target.name).mkdir(mode=0o700, exist_ok=True)
        file.rename(hidden / target.name / file.name)
    for session in target.glob("*.jsonl"):
        if not (source / session.name).exists():
            session.rename(source / session.name)
    if target.exists():
        target.rename(source / ASIDE)
    source.rename(target)
    forget_paths()
