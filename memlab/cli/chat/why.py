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

import sys
from collections.abc import Sequence

from memlab.cli.commands import project_parser
from memlab.errors import MemlabError
from memlab.memdir.personal import PREFIX, personal_store
from memlab.memdir.places import MemoryPaths, memory_paths, personal_folder
from memlab.memdir.scan import one_line
from memlab.memdir.store import MemoryStore
from memlab.memdir.telling import confirm, why


def main(argv: Sequence[str] | None = None) -> int:
    """Print where a memory came from, or confirm it; gives the exit status."""
    parser = project_parser("why", __doc__)
    parser.add_argument("file", metavar="FILE", help="the memory's file name")
    parser.add_argument(
        "--confirm",
        action="store_true",
        help="confirm that the text of unknown origin is yours",
    )
    args = parser.parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    try:
        store, file = _store(memory_paths(args.project), args.file)
        print((confirm if args.confirm else why)(store, file))
    except (MemlabError, OSError) as error:
        print(f"memlab why: {one_line(str(error))}", file=sys.stderr)
        return 2
    return 0


def _store(paths: MemoryPaths, file: str) -> tuple[MemoryStore, str]:
    """Open the memory that a file is in; ``personal/FILE`` is a personal one,
    unless the project has a file of that path.
    """
    if file.startswith(PREFIX) and not (paths.memory_dir / file).is_file():
        base = paths.conversations_dir.parent
        return personal_store(personal_folder(base)), file[len(PREFIX) :]
    return MemoryStore(paths.memory_dir), file
