"""Show what is wrong with a memory directory. Nothing is written.

Without DIR it looks at the memory of the project in this folder, with its team
memories and daily logs.

exit status: 0 nothing worse than a note, 1 an error or a warning, 2 it cannot
be examined

examples:
  python3 -m memlab doctor                               the memory of the project in this folder
  python3 -m memlab doctor ~/.claude/projects/X/memory   a memory that Claude Code keeps
  python3 -m memlab doctor DIR --instructions CLAUDE.md  also find what CLAUDE.md already says
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
    add = parser.add_argument
    add(
        "directory",
        nargs="?",
        type=Path,
        metavar="DIR",
        help="a memory directory",
    )
    add(
        "--instructions",
        type=Path,
        metavar="FILE",
        help="the project's CLAUDE.md",
    )
    args = parser.parse_args(argv)
    memory, text, settings = args.directory, "", Settings()
    if memory is None:
        paths = memory_paths(Path.cwd())
        if moved := moved_notice(paths):
            print(one_line(moved))
            return 1
        memory = paths.memory_dir
        settings = load_settings(
            paths.project_dir, base=paths.conversations_dir.parent
        )
        text = _text(paths.project.top / "CLAUDE.md")
    if args.instructions:  # wherever it leads, the person has named it
        text = _text(args.instructions.resolve(strict=True))
    found = diagnose(memory, project_instructions=text, settings=settings)
    print(render(found))
    return int(not found.is_clean)


def _text(instructions: Path) -> str:
    """Read CLAUDE.md; a link that leads out of its folder is not followed."""
    inside = instructions.parent
    file = read_prompt_file(instructions, inside=inside, most=CLAUDE_MD_BYTES)
    if file.notice:
        say(one_line(file.notice))
    return file.text
