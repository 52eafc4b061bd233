"""Paths that a fork might write to, in a small tree of real files and links.

``tests/unit/course/test_sandbox_gaps.py`` writes to each of them and looks
where the bytes arrive.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from memlab.course import Case, case

HOME = "/home/robin/"
MEMORY = ".memlab/memory"
FOLDERS = (
    f"{MEMORY}/.memlab/images",
    f"{MEMORY}/team/.memlab",
    f"{MEMORY}/old.md/drafts",
    f"{MEMORY}/.memlab-notes",
    ".memlab/memory-evil",
    ".memlab/other",
    "tidebook/memory",
)
LINKS = {
    f"{MEMORY}/project": "tidebook",
    f"{MEMORY}/inside": f"{MEMORY}/team",
    f"{MEMORY}/log": f"{MEMORY}/.memlab",
    f"{MEMORY}/plain.md": f"{MEMORY}/run.sh",
    f"{MEMORY}/plain.txt": f"{MEMORY}/team/plain.md",
    f"{MEMORY}/readme.md": "tidebook/README.md",
    "tidebook/remembered": MEMORY,
    "shortcut": MEMORY,
}
BELOW = "The file has to be below the memory directory"
DEEP = "A memory may be in a folder below the memory directory"
ITSELF = "The memory directory itself doesn't count"
REAL = "Every rule is about the place where the path really leads"
OWN = "No name below the memory directory may be '.memlab'"
BEFORE = "A folder '.memlab' above the memory directory is no problem"
ENDING = "The name of the file has to end with '.md', in lower case"
NEWLINE = "The name ends with a line ending here, not with '.md'"
NAME = "There has to be a character before '.md'"
ANY = "The name before '.md' may contain any characters"


def run(mine: Callable[[str, str], bool], path: str, memory: str) -> bool:
    """Call the function with these paths below the top of a real tree."""
    with tempfile.TemporaryDirectory() as scratch:
        top = make_tree(Path(scratch))
        return mine(os.path.join(top, path), os.path.join(top, memory))


def make_tree(scratch: Path) -> str:
    """Make folders and links, and return where they are."""
    top = os.path.realpath(scratch)
    for name in FOLDERS:
        os.makedirs(os.path.join(top, name))
    for name, target in LINKS.items():
        os.symlink(os.path.join(top, target), os.path.join(top, name))
    return top


def cases(random: Random) -> list[Case]:
    """Every rule with paths that keep it and break it, with '..' and links."""
    plain = {
        f"{MEMORY}/ferry.md": (True, BEFORE),
        f"{MEMORY}/MEMORY.md": (True, BEFORE),
        f"{MEMORY}/team/ferry.md": (True, DEEP),
        f"{MEMORY}/team/new/ferry.md": (True, DEEP),
        f"{MEMORY}/old.md/drafts/ferry.md": (True, DEEP),
        f"{MEMORY}/v1..v2.md": (True, ENDING),
        f"{MEMORY}/..hidden.md": (True, NAME),
        f"{MEMORY}/x.md": (True, NAME),
        f"{MEMORY}/..md": (
            True,
            "In '..md', the character before '.md' is a dot",
        ),
        f"{MEMORY}/tide table (new).md": (True, ANY),
        f"{MEMORY}/fähre.md": (True, ANY),
        f"{MEMORY}/.md": (False, NAME),
        f"{MEMORY}/team/.md": (False, NAME),
        f"{MEMORY}/ferry.MD": (False, ENDING),
        f"{MEMORY}/ferry.Md": (False, ENDING),
        f"{MEMORY}/run.sh": (False, ENDING),
        f"{MEMORY}/ferry": (False, ENDING),
        f"{MEMORY}/ferry.md\n": (False, NEWLINE),
        f"{MEMORY}/ferry.md.bak": (False, ENDING),
        f"{MEMORY}/ferrymd": (False, ENDING),
        f"{MEMORY}/ferry.md.sh": (False, ENDING),
        f"{MEMORY}/ferry.md~": (False, ENDING),
        f"{MEMORY}/old.md/drafts/run.sh": (False, ENDING),
        f"{MEMORY}/.consolidate-lock": (False, ENDING),
        MEMORY: (False, ITSELF),
        f"{MEMORY}/": (False, ITSELF),
        f"{MEMORY}/.memlab/journal.md": (False, OWN),
        f"{MEMORY}/.memlab/images/a.md": (False, OWN),
        f"{MEMORY}/team/.memlab/a.md": (False, OWN),
        f"{MEMORY}/new/.memlab": (False, f"{OWN}; {ENDING}"),
        f"{MEMORY}/.memlab-notes/a.md": (
            True,
            "'.memlab-notes' is another name",
        ),
        f"{MEMORY}/.memlab.md": (True, "'.memlab.md' is another name"),
        f"{MEMORY}/memlab/a.md": (True, "'memlab' is another name"),
        ".memlab/memory-evil/a.md": (False, BELOW),
        ".memlab/memory.md": (False, BELOW),
        ".memlab/a.md": (False, BELOW),
        "tidebook/CLAUDE.md": (False, BELOW),
        "tidebook/memory/a.md": (False, BELOW),
        f"{MEMORY}/../a.md": (False, BELOW),
        f"{MEMORY}/../../tidebook/CLAUDE.md": (False, BELOW),
        f"{MEMORY}/team/../a.md": (True, REAL),
        f"{MEMORY}/.memlab/../a.md": (True, REAL),
        f"{MEMORY}/team/../.memlab/a.md": (False, REAL),
        f"tidebook/../{MEMORY}/a.md": (True, REAL),
        f"{MEMORY}/project/a.md": (False, REAL),
        f"{MEMORY}/readme.md": (False, REAL),
        f"{MEMORY}/inside/a.md": (True, REAL),
        f"{MEMORY}/log/a.md": (False, REAL),
        f"{MEMORY}/plain.md": (False, REAL),
        f"{MEMORY}/plain.txt": (True, REAL),
        f"{MEMORY}/project/../a.md": (False, REAL),
        "tidebook/remembered/a.md": (True, REAL),
        "tidebook/remembered/run.sh": (False, ENDING),
    }
    found = [_case(path, MEMORY, *rest) for path, rest in plain.items()]
    found += [
        _case("shortcut/a.md", "shortcut", True, REAL),
        _case(f"{MEMORY}/a.md", "shortcut", True, REAL),
        _case("shortcut/.memlab/a.md", MEMORY, False, OWN),
        _case(".memlab/other/a.md", ".memlab/other", True, BEFORE),
        _case("tidebook/memory/a.md", "tidebook/memory", True, DEEP),
        _case("tidebook/memory/.memlab/a.md", "tidebook/memory", False, OWN),
        _case(f"{MEMORY}/old.md", f"{MEMORY}/old.md", False, ITSELF),
    ]
    for _ in range(12):
        folder = random.choice(("", "team/", "new/", "team/../", "new/deep/"))
        name = random.choice(("tide", "gauge", "hut")) + str(
            random.randint(1, 99)
        )
        ending, rule = random.choice(
            ((".md", DEEP), (".py", ENDING), (".txt", ENDING), ("-md", ENDING))
        )
        path = f"{MEMORY}/{folder}{name}{ending}"
        found.append(_case(path, MEMORY, ending == ".md", rule))
    return found


def _case(path: str, memory: str, expected: bool, rule: str) -> Case:
    call = f"may_write({HOME + path!r}, {HOME + memory!r})"
    for link, target in LINKS.items():
        if path.startswith(link) or memory.startswith(link):
            call += f", where {HOME}{link} is a link to {HOME}{target}"
    return case((path, memory), expected, rule, call=call)
