"""Show where each sentence of a memory came from: who wrote it, when, in which
session, from which message, and with which origin. Merges and dreams are traced
back to what they were made from.

exit status: 0 if it was shown or confirmed, 2 if it could not be

examples:
  python3 -m memlab why tabs.md              where each sentence of tabs.md came from
  python3 -m memlab why personal/tabs.md     the same for a personal memory
  python3 -m memlab why tabs.md --confirm    confirm that its text of unknown origin is yours
"""

from __future__ import annotations

from collections.abc import Sequence

from memlab.cli.commands import project_parser
from memlab.memdir.personal import PREFIX, personal_store
from memlab.memdir.places import memory_paths, personal_folder
from memlab.memdir.store import MemoryStore
from memlab.memdir.telling import confirm, why


def main(argv: Sequence[str] | None = None) -> int:
    """Print where a memory came from, or confirm it; returns the exit status.

    Raises MemlabError, and OSError.
    """
    parser = project_parser("why", __doc__)
    parser.add_argument("file", metavar="FILE", help="the memory's file name")
    parser.add_argument(
        "--confirm", action="store_true", help="its text is yours"
    )
    args = parser.parse_args(argv)
    file, paths = args.file, memory_paths(args.project)
    store = MemoryStore(paths.memory_dir)
    # the project may have a file of such a path, too
    if file.startswith(PREFIX) and not (paths.memory_dir / file).is_file():
        file = file.removeprefix(PREFIX)
        base = paths.conversations_dir.parent
        store = personal_store(personal_folder(base))
    print((confirm if args.confirm else why)(store, file))
    return 0
