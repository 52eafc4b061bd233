"""``python3 -m memlab prompts``: the prompts that memlab sends, and how yours
differ from them.

Your own prompts are a folder that contains only the files you changed. Name it
by MEMLAB_PROMPTS, or by "prompts" in settings.json in ~/.memlab.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from difflib import unified_diff

from memlab.chat.views import columns
from memlab.cli.commands import project_parser
from memlab.errors import MemlabError
from memlab.memdir.places import memory_paths
from memlab.memdir.toggles import prompts_folder
from memlab.prompts import FOLDER, PURPOSES, Prompts


def main(argv: Sequence[str] | None = None) -> int:
    """List the prompts or show what differs; gives the exit status.

    It is 1 if one of the person's prompts cannot be used.
    """
    parser = project_parser("prompts", __doc__)
    parser.add_argument(
        "action",
        choices=("list", "diff"),
        help="list the files, or show what you changed in them",
    )
    parser.add_argument(
        "name", nargs="?", choices=PURPOSES, help="one prompt only"
    )
    args = parser.parse_args(argv)
    try:
        paths = memory_paths(args.project)
        folder = prompts_folder(
            paths.project_dir,
            base=paths.conversations_dir.parent,
            environ=os.environ,
        )
        prompts = Prompts(folder)
        names = [args.name] if args.name else list(PURPOSES)
        if args.action == "list":
            print("\n".join(_listed(prompts, names)))
        else:
            print("\n".join(_differences(prompts, names)))
        prompts.check()
    except (MemlabError, OSError, UnicodeDecodeError) as error:
        print(f"memlab prompts: {error}", file=sys.stderr)
        return 1
    return 0


def _listed(prompts: Prompts, names: Sequence[str]) -> list[str]:
    return columns(
        (
            f"{name}.md",
            "yours" if prompts.own(name) else "memlab's",
            PURPOSES[name],
            str(prompts.path(name)),
        )
        for name in names
    )


def _differences(prompts: Prompts, names: Sequence[str]) -> list[str]:
    found = [line for name in names for line in _difference(prompts, name)]
    if found:
        return found
    if prompts.folder is None:
        return ["You have no prompts of your own; memlab's are used."]
    return [f"No prompt in {prompts.folder} differs from memlab's."]


def _difference(prompts: Prompts, name: str) -> Iterator[str]:
    theirs = prompts.path(name)
    return unified_diff(
        (FOLDER / f"{name}.md").read_text("utf-8").splitlines(),
        theirs.read_text("utf-8").splitlines(),
        f"memlab's {name}.md",
        str(theirs),
        lineterm="",
    )
