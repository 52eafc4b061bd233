"""Paths in a small tree of real folders and links.

What is expected was found out by writing to the path and looking where the
bytes arrived: ``tests/unit/course/test_sandbox_gaps.py`` does it again.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from memlab.course import Case, case

FILES = (
    "tidebook/README.md",
    "tidebook/docs/gauge.md",
    "tidebook-old/README.md",
    "tide/README.md",
    "robin/tidebook/notes.md",
    "keys/deep/pgpass",
    "keys/pgpass",
    "tidebook/x/tidebook/a.md",
)
LINKS = {
    "tidebook/gate": "keys/deep",
    "tidebook/pass.txt": "keys/pgpass",
    "tidebook/more": "tidebook/docs",
    "tidebook/lost.md": "keys/new.md",
    "tidebook/same.md": "tidebook/README.md",
    "shortcut": "tidebook",
    "keys/home": "tidebook/docs",
}
NAMES = "Compare whole names: 'tidebook-old' is not 'tidebook'"
FIRST = "The path has to begin with the folder: later names don't count"
BACK = "A link that leads back into the folder is fine"
DOTS = "'..' leads to the folder above, so find the real path first"
LINK = "A link leads to another place, so find the real path first"
ORDER = "What '..' means after a link depends on where the link leads"
BELOW = "Everything below the folder is inside it, at any depth"
ITSELF = "The folder counts as inside itself"
ABOVE = "The folder above is not inside"
BOTH = "Find the real path of the folder, too"


def run(mine: Callable[[str, str], bool], path: str, folder: str) -> bool:
    """Call the function with these paths below the top of a real tree.

    ``{top}`` in a path is the path of the top itself.
    """
    with tempfile.TemporaryDirectory() as scratch:
        top = make_tree(Path(scratch))
        path = path.replace("{top}", top)
        return mine(os.path.join(top, path), os.path.join(top, folder))


def make_tree(scratch: Path) -> str:
    """Make files and links; a system without links gets none."""
    top = os.path.realpath(scratch)
    for name in FILES:
        file = Path(top, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("here\n", encoding="utf-8")
    for name, target in LINKS.items():
        os.symlink(os.path.join(top, target), os.path.join(top, name))
    return top


def cases(random: Random) -> list[Case]:
    """Plain paths, neighbours with similar names, '..' and links."""
    fixed = [
        ("tidebook/README.md", "tidebook", True, BELOW),
        ("tidebook/x/tidebook/a.md", "tidebook", True, BELOW),
        ("tidebook-old/README.md", "tidebook", False, NAMES),
        ("tide/README.md", "tidebook", False, NAMES),
        ("tidebook/README.md", "tide", False, NAMES),
        ("robin/tidebook/notes.md", "tidebook", False, NAMES),
        ("keys{top}/tidebook/a.md", "tidebook", False, FIRST),
        ("tidebook", "tidebook", True, ITSELF),
        ("tidebook/", "tidebook", True, ITSELF),
        ("tidebook", "tidebook/", True, ITSELF),
        ("tidebook/docs/..", "tidebook", True, ITSELF),
        ("", "tidebook", False, ABOVE),
        ("tidebook/..", "tidebook", False, ABOVE),
        ("tidebook/docs", "tidebook/docs/gauge.md", False, ABOVE),
        ("tidebook/../keys/pgpass", "tidebook", False, DOTS),
        ("keys/../tidebook/README.md", "tidebook", True, DOTS),
        ("tidebook/docs/../README.md", "tidebook", True, DOTS),
        ("tidebook/new/../../keys/pgpass", "tidebook", False, DOTS),
        ("tidebook/README.md", "keys/../tidebook", True, BOTH),
        ("tidebook/v1..v2.md", "tidebook", True, "'v1..v2.md' is a name"),
        ("tidebook/..notes.md", "tidebook", True, "'..notes.md' is a name"),
        ("tidebook/new/file.md", "tidebook", True, "A new file counts, too"),
        ("tidebook/gate/pgpass", "tidebook", False, LINK),
        ("tidebook/gate", "tidebook", False, LINK),
        ("tidebook/pass.txt", "tidebook", False, LINK),
        ("tidebook/lost.md", "tidebook", False, LINK),
        ("tidebook/more/gauge.md", "tidebook", True, LINK),
        ("tidebook/more", "tidebook", True, BACK),
        ("tidebook/same.md", "tidebook", True, BACK),
        ("keys/home/gauge.md", "tidebook", True, LINK),
        ("shortcut/README.md", "tidebook", True, LINK),
        ("tidebook/README.md", "shortcut", True, BOTH),
        ("tidebook/gate/../pgpass", "tidebook", False, ORDER),
        ("tidebook/gate/../README.md", "tidebook", False, ORDER),
        ("keys/home/../README.md", "tidebook", True, ORDER),
        ("tidebook/README.md", "/", True, "Every path is below '/'"),
    ]
    found = [_case(*one) for one in fixed]
    for _ in range(12):
        name, other = random.sample(("sound", "slipway", "hut", "gauge"), 2)
        extra = random.choice(("-old", "2", ".bak", "_x"))
        path, expected, rule = random.choice(
            (
                (f"{name}/{other}.md", True, BELOW),
                (f"{name}/{other}/a.md", True, BELOW),
                (f"{name}{extra}/{other}.md", False, NAMES),
                (f"{other}/{name}/a.md", False, NAMES),
                (f"{name}/../{other}/a.md", False, DOTS),
                (f"{other}/../{name}/a.md", True, DOTS),
            )
        )
        found.append(_case(path, name, expected, rule))
    return found


def _case(path: str, folder: str, expected: bool, rule: str) -> Case:
    shown = [
        os.path.join("/home", one.replace("{top}", "/home")).rstrip("/") or "/"
        for one in (path, folder)
    ]
    call = f"is_inside({shown[0]!r}, {shown[1]!r})"
    for link, target in LINKS.items():
        if path.startswith(link) or folder.startswith(link):
            call += f", where /home/{link} is a link to /home/{target}"
    return case((path, folder), expected, rule, call=call)
