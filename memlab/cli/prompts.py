"""``python3 -m memlab prompts``: the prompts that memlab sends, and how yours
differ from them.

Your own prompts are a folder that contains only the files you changed. Name it
by MEMLAB_PROMPTS, or by "prompts" in settings.json in ~/.memlab.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from difflib import unified_diff

from memlab.cli.installed import project_parser
from memlab.errors import MemlabError
from memlab.memdir.places import memory_paths
from memlab.memdir.toggles import prompts_folder
from memlab.prompts import FOLDER, PURPOSES, Prompts


def main(argv: Sequence[str] | None = None) -> int:
    """List the prompts or show what differs; gives the exit status, 1 if one
    of the person's prompts cannot be used.
    """
    parser = project_parser("prompts", __doc__)
    about = "list the files, or show what you changed in them"
    parser.add_argument("action", choices=("list", "diff"), help=about)
    about = "one prompt only"
    parser.add_argument("name", nargs="?", choices=PURPOSES, help=about)
    args = parser.parse_args(argv)
    try:
        paths = memory_paths(args.project)
        base = paths.conversations_dir.parent
        prompts = Prompts(
            prompts_folder(paths.project_dir, base=base, environ=os.environ)
        )
        show = listed if args.action == "list" else difference
        names = [args.name] if args.name else PURPOSES
        lines = [show(prompts, name) for name in names]
        print("\n".join(filter(None, lines)) or "Your prompts are memlab's.")
        prompts.check()
    except (MemlabError, OSError, UnicodeDecodeError) as error:
        print(f"memlab prompts: {error}", file=sys.stderr)
        return 1
    return 0


def listed(prompts: Prompts, name: str) -> str:
    """Say what a prompt is for, and which file it is."""
    whose = "yours" if prompts.own(name) else "memlab's"
    return f"{name}.md ({whose}): {PURPOSES[name]}\n    {prompts.path(name)}"


def difference(prompts: Prompts, name: str) -> str:
    """Give the difference between memlab's prompt and the person's."""
    files = FOLDER / f"{name}.md", prompts.path(name)
    texts = [file.read_text("utf-8").splitlines() for file in files]
    return "\n".join(unified_diff(*texts, *map(str, files), lineterm=""))
