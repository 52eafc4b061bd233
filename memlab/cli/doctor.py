"""Show what is wrong with a memory directory. Nothing is written.

Without DIR it looks at the memory of the project in this folder, with its team
memories and daily logs.

exit status: 0 nothing worse than a note, 1 an error or a warning, 2 it cannot
be examined

examples:
  python3 -m memlab doctor                               the memory of the project in this folder
  python3 -m memlab doctor ~/.claude/projects/X/memory   a memory that Claude Code keeps
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memlab.cli.bootstrap import say
from memlab.cli.commands import command_parser
from memlab.memdir.doctor import diagnose, render
from memlab.memdir.former import moved_notice
from memlab.memdir.instructions import CLAUDE_MD_BYTES, read_prompt_file
from memlab.memdir.places import memory_paths
from memlab.memdir.scan import one_line
from memlab.memdir.toggles import load_settings
from memlab.settings import Settings


def main(argv: Sequence[str]) -> int:
    """Examine a memory directory; returns the exit status."""
    parser = command_parser("doctor", __doc__)
    text = "a memory directory"
    parser.add_argument(
        "directory", nargs="?", type=Path, metavar="DIR", help=text
    )
    memory, text, settings = parser.parse_args(argv).directory, "", Settings()
    if memory is None:
        paths = memory_paths(Path.cwd())
        if moved := moved_notice(paths):
            print(one_line(moved))
            return 1
        memory, base = paths.memory_dir, paths.conversations_dir.parent
        settings = load_settings(paths.project_dir, base=base)
        top = paths.project.top
        file = read_prompt_file(
            top / "CLAUDE.md", inside=top, most=CLAUDE_MD_BYTES
        )
        text = file.text
        if file.notice:
            say(one_line(file.notice))
    found = diagnose(memory, project_instructions=text, settings=settings)
    print(render(found))
    return int(not found.is_clean)
