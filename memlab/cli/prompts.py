"""``python3 -m memlab prompts``: the prompts that memlab sends, and how yours
differ from them: ``list`` (the default) names the files, ``diff`` shows what
you changed.

Your own prompts are a folder that contains only the files you changed. Name it
by MEMLAB_PROMPTS, or by "prompts" in settings.json in ~/.memlab.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from difflib import unified_diff

from memlab.cli.commands import project_parser
from memlab.memdir.places import memory_paths
from memlab.memdir.toggles import prompts_folder
from memlab.prompts import FOLDER, PURPOSES, Prompts


def main(argv: Sequence[str] | None = None) -> int:
    """List the prompts or show what differs; returns the exit status.

    Raises MemlabError if one of the person's prompts cannot be used.
    """
    parser = project_parser("prompts", __doc__)
    parser.add_argument("action", nargs="?", choices=("list", "diff"))
    args = parser.parse_args(argv)
    paths = memory_paths(args.project)
    base = paths.conversations_dir.parent
    own = prompts_folder(paths.project_dir, base=base, environ=os.environ)
    prompts = Prompts(own)
    show = difference if args.action == "diff" else listed
    found = "\n".join(filter(None, (show(prompts, one) for one in PURPOSES)))
    print(found or "No prompt of yours differs from memlab's.")
    prompts.check()
    return 0


def listed(prompts: Prompts, name: str) -> str:
    """Say what a prompt is for, and which file it is."""
    whose = "yours" if prompts.own(name) else "memlab's"
    return f"{name}.md ({whose}): {PURPOSES[name]}\n    {prompts.path(name)}"


def difference(prompts: Prompts, name: str) -> str:
    """Give the difference between memlab's prompt and the person's."""
    ours, yours = FOLDER / f"{name}.md", prompts.path(name)
    before = ours.read_text("utf-8").splitlines()
    after = yours.read_text("utf-8", "replace").splitlines()
    lines = unified_diff(before, after, str(ours), str(yours), lineterm="")
    return "\n".join(lines)
