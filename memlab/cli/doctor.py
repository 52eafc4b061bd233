"""Show what is wrong with a memory directory. Nothing is written.

Without DIR it looks at the memory of the project in this folder, with its team
memories and daily logs, and at the personal memories, if there are any.

exit status: 0 nothing worse than a note, 1 an error or a warning, 2 it cannot
be examined

examples:
  python3 -m memlab doctor                               the memory of the project in this folder
  python3 -m memlab doctor ~/.claude/projects/X/memory   a memory that Claude Code keeps
  python3 -m memlab doctor DIR --instructions CLAUDE.md  also find what CLAUDE.md already says
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from memlab.errors import MemlabError
from memlab.memdir.doctor import Diagnosis, diagnose, render
from memlab.memdir.former import moved_notice
from memlab.memdir.instructions import CLAUDE_MD_BYTES, read_prompt_file
from memlab.memdir.places import memory_paths, personal_folder
from memlab.memdir.scan import one_line
from memlab.memdir.toggles import load_settings


def main(argv: Sequence[str] | None = None) -> int:
    """Examine one directory, or those of a project, and print what was found;
    gives the exit status.
    """
    parser = argparse.ArgumentParser(
        prog="python3 -m memlab doctor",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "directory",
        nargs="?",
        type=Path,
        metavar="DIR",
        help="the memory directory (default: that of this project)",
    )
    parser.add_argument(
        "--instructions",
        type=Path,
        metavar="FILE",
        help="the project's CLAUDE.md (default: that of this project)",
    )
    args = parser.parse_args(argv)
    moved, named = "", args.instructions
    try:
        if named:  # wherever it leads, the person has named it
            named = named.resolve(strict=True)
        if args.directory:
            text = _text(named) if named else ""
            found = [diagnose(args.directory, project_instructions=text)]
        else:
            moved = moved_notice(memory_paths(Path.cwd()))
            found = _of_this_project(named, bool(moved))
    except (MemlabError, OSError) as error:
        print(f"memlab doctor: {one_line(str(error))}", file=sys.stderr)
        return 2
    shown = [one_line(moved)] if moved else []
    print("\n\n".join([*shown, *map(render, found)]))
    return 1 if moved or not all(one.is_clean for one in found) else 0


def _of_this_project(
    instructions: Path | None, is_moved: bool
) -> list[Diagnosis]:
    paths = memory_paths(Path.cwd())
    base = paths.conversations_dir.parent
    personal = personal_folder(base)
    settings = load_settings(paths.project_dir, base=base)
    text = _text(instructions or paths.project.top / "CLAUDE.md")
    found = []
    if paths.memory_dir.is_dir() or not (is_moved or personal.is_dir()):
        found.append(
            diagnose(
                paths.memory_dir, project_instructions=text, settings=settings
            )
        )
    if personal.is_dir():
        found.append(diagnose(personal))
    return found


def _text(instructions: Path) -> str:
    """Read CLAUDE.md; a link that leads out of its folder is not followed."""
    inside = instructions.parent
    file = read_prompt_file(instructions, inside=inside, most=CLAUDE_MD_BYTES)
    if file.notice:
        print(f"memlab doctor: {one_line(file.notice)}", file=sys.stderr)
    return file.text


if __name__ == "__main__":
    sys.exit(main())
