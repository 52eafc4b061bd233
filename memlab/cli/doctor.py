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
from memlab.memdir.former import left_behind, memory_of
from memlab.memdir.instructions import CLAUDE_MD_BYTES, read_prompt_file
from memlab.memdir.places import memory_paths, personal_folder
from memlab.memdir.scan import one_line
from memlab.memdir.toggles import load_settings


def main(argv: Sequence[str] | None = None) -> int:
    """Examine one directory, or those of a project, and print what was found;
    gives the exit status.
    """
    args = _parser().parse_args(argv)
    try:
        if args.directory is None:
            found = _of_this_project(args.instructions)
        else:
            base = memory_paths(Path.cwd()).conversations_dir.parent
            text = _text(args.instructions, None)
            folder = args.directory.absolute().parent
            left = [one for one in left_behind(base) if one.folder == folder]
            found = [
                diagnose(
                    args.directory,
                    project_instructions=text,
                    left=left[0] if left else None,
                )
            ]
    except (MemlabError, OSError) as error:
        _complain(str(error))
        return 2
    print("\n\n".join(map(render, found)))
    return 0 if all(one.is_clean for one in found) else 1


def _of_this_project(instructions: Path | None) -> list[Diagnosis]:
    paths = memory_paths(Path.cwd())
    project, base = paths.project.top, paths.conversations_dir.parent
    left, personal = memory_of(paths), personal_folder(base)
    settings = load_settings(paths.project_dir, base=base)
    text = _text(instructions, project)
    found = []
    if paths.memory_dir.is_dir() or left or not personal.is_dir():
        found.append(
            diagnose(
                paths.memory_dir,
                project_instructions=text,
                project=project,
                settings=settings,
                left=left,
            )
        )
    if personal.is_dir():
        found.append(diagnose(personal))
    return found


def _text(named: Path | None, project: Path | None) -> str:
    """Read the instructions that the person named, or else the project's own."""
    if named is not None:
        path, inside = named, Path(named.resolve(strict=True).anchor)
    elif project is not None:
        path, inside = project / "CLAUDE.md", project
    else:
        return ""
    file = read_prompt_file(path, inside=inside, most=CLAUDE_MD_BYTES)
    if file.notice:
        _complain(file.notice)
    return file.text


def _complain(text: str) -> None:
    print(f"memlab doctor: {one_line(text)}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
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
    return parser


if __name__ == "__main__":
    sys.exit(main())
