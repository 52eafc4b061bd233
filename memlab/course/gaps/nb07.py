"""The gaps of notebook 07: two guards of paths."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
from contextlib import suppress

from memlab.course.gap import Case, Gap

MEMORY = ".memlab/memory"
FILES = (
    "tidebook/README.md",
    "tidebook/docs/gauge.md",
    "tidebook/x/tidebook/a.md",
    "tidebook-old/README.md",
    "tide/README.md",
    "robin/tidebook/notes.md",
    "keys/deep/pgpass",
    "keys/pgpass",
    f"{MEMORY}/.memlab/journal.md",
    f"{MEMORY}/team/ferry.md",
    ".memlab/memory-evil/a.md",
)
LINKS = {
    "tidebook/gate": "keys/deep",
    "tidebook/pass.txt": "keys/pgpass",
    "tidebook/lost.md": "keys/new.md",
    "tidebook/same.md": "tidebook/README.md",
    "tidebook/remembered": MEMORY,
    "shortcut": "tidebook",
    "keys/home": "tidebook/docs",
    f"{MEMORY}/project": "tidebook",
    f"{MEMORY}/log": f"{MEMORY}/.memlab",
    f"{MEMORY}/inside": f"{MEMORY}/team",
    f"{MEMORY}/plain.md": f"{MEMORY}/run.sh",
    f"{MEMORY}/plain.txt": f"{MEMORY}/team/plain.md",
    f"{MEMORY}/readme.md": "tidebook/README.md",
}


@functools.cache
def tree():
    """Make files and links that stay as long as Python runs, so that a learner
    can make the call of a case by hand.
    """
    top = os.path.realpath(tempfile.mkdtemp(prefix="memlab-"))
    atexit.register(shutil.rmtree, top, ignore_errors=True)
    for name in FILES:
        os.makedirs(os.path.dirname(f"{top}/{name}"), exist_ok=True)
        with open(f"{top}/{name}", "w", encoding="utf-8") as file:
            file.write("here\n")
    for name, target in LINKS.items():
        with suppress(OSError):  # a system without links
            os.symlink(f"{top}/{target}", f"{top}/{name}")
    return top


def full(path, folder):
    paths = path.replace("{top}", tree()), folder
    return [os.path.join(tree(), one) for one in paths]


def watch_path(mine, path, folder):
    return mine(*full(path, folder))


def path_call(name, path, folder):
    links = [
        f"\nwhere {tree()}/{link} is a link to {tree()}/{target}"
        for link, target in LINKS.items()
        if f"{path}/".startswith(f"{link}/")
        or f"{folder}/".startswith(f"{link}/")
    ]
    shown = ", ".join(map(repr, full(path, folder)))
    return f"{name}({shown})" + "".join(links)


def listed(cases, prefix, usual):
    """Read ``path`` or ``path=folder``, several in a line."""
    for rule, some in cases.items():
        for one in some.split(" "):
            path, equals, folder = one.partition("=")
            if equals:
                yield Case((path, folder), rule)
            else:
                yield Case((prefix + path, usual), rule)


INSIDE = {
    "whatever is below the folder is inside it": (
        "tidebook/README.md tidebook/docs/gauge.md tidebook/new/deep/a.md"
        " tidebook/README.md=/ tidebook/..notes.md"
    ),
    "the folder itself is inside, too": "tidebook tidebook/ tidebook/docs/..",
    "what is above or beside is not inside": (
        "=tidebook tidebook/docs=tidebook/docs/gauge.md"
        " tidebook/docs=tidebook/x"
    ),
    "whole names are compared, from the beginning of the path": (
        "tidebook-old/README.md tide/README.md tidebook/README.md=tide"
        " Tidebook/README.md robin/tidebook/notes.md keys{top}/tidebook/a.md"
    ),
    "'..' leads to the folder above": (
        "tidebook/../keys/pgpass tidebook/new/../../keys/pgpass tidebook/.."
        " keys/../tidebook/README.md tidebook/docs/../README.md"
        " tidebook/README.md=keys/../tidebook"
    ),
    "a link leads somewhere else: follow it": (
        "tidebook/gate/pgpass tidebook/gate tidebook/pass.txt keys/home/a.md"
        " tidebook/lost.md tidebook/same.md shortcut/README.md"
        " tidebook/README.md=shortcut"
    ),
    "'..' after a link is the folder above where the link leads": (
        "tidebook/gate/../pgpass tidebook/gate/../README.md"
        " keys/home/../README.md"
    ),
}


def insides(rng):
    yield from listed(INSIDE, "", "tidebook")
    parts = ("tidebook", "tidebook-old", "docs", "..", "gate", "a.md")
    for _ in range(12):
        path = "/".join(["tidebook", *rng.choices(parts, k=rng.randint(1, 4))])
        yield Case((path, rng.choice(("tidebook", "tidebook/docs"))))


is_inside = Gap(
    name="is_inside",
    place="memlab.agent.permissions.is_inside",
    guard=True,
    cases=insides,
    watch=watch_path,
    call=functools.partial(path_call, "is_inside"),
    hints=(
        "`os.path.realpath(path)` and `os.path.realpath(folder)` are two"
        " strings. Why isn't `startswith` enough to compare them?",
        "`PurePath` from `pathlib` compares paths name by name. Look at its"
        " method `is_relative_to`.",
    ),
    why="After `realpath`, neither path contains a link or a `..`, so the"
    " names in the path are the real folders. `is_relative_to` compares them"
    " one by one. `tidebook-old` is a different name from `tidebook`, however"
    " it begins.",
    wrong=(
        (
            "place.is_relative_to(os.path.realpath(folder))",
            "str(place).startswith(os.path.realpath(folder))",
            "whole names are compared",
        ),
        (
            "place.is_relative_to(os.path.realpath(folder))",
            "os.path.basename(folder) in place.parts",
            "below the folder",
        ),
        (
            "place.is_relative_to(os.path.realpath(folder))",
            "Path(os.path.realpath(folder)) in place.parents",
            "the folder itself is inside",
        ),
        (
            "os.path.realpath(path)",
            "os.path.abspath(path)",
            "a link leads somewhere else",
        ),
        (
            "os.path.realpath(path)",
            "os.path.realpath(os.path.normpath(path))",
            "'..' after a link",
        ),
        ("os.path.realpath(folder)", "folder", "'..' leads"),
        (
            "os.path.realpath(folder)",
            "os.path.abspath(folder)",
            "a link leads somewhere else",
        ),
        (
            "    return place",
            "    if not os.path.exists(path):\n"
            "        return False\n"
            "    return place",
            "below the folder",
        ),
    ),
)


WRITES = {
    "Markdown below the memory directory, at any depth": (
        "ferry.md MEMORY.md x.md team/ferry.md new/deep/a.md v1..v2.md"
        " f\u00e4hre(1).md a.md/b.md"
    ),
    "what comes before the memory directory doesn't matter": (
        "tidebook/docs/a.md=tidebook .memlab/other/a.md=.memlab/other"
    ),
    "the place is below the memory directory": (
        "../a.md ../../tidebook/a.md ../memory.md ../memory-evil/a.md"
        f" tidebook/README.md={MEMORY}"
    ),
    "the directory itself doesn't count": (
        f". team/.. {MEMORY}={MEMORY} {MEMORY}/a.md={MEMORY}/a.md"
    ),
    "no folder below the memory directory is called .memlab": (
        ".memlab/journal.md .memlab/new/a.md team/.memlab/a.md"
        " a/b/.memlab/c/d.md team/../.memlab/a.md .memlab-notes/a.md"
        " memlab/a.md x.memlab/a.md tidebook/.memlab/a.md=tidebook"
    ),
    "the name ends with .md, in lower case": (
        "run.sh ferry ferrymd ferry.MD ferry.Md ferry.md~ ferry.md.sh"
        " ferry.md\n a.md/run.sh .consolidate-lock .memlab"
    ),
    "at least one character of any kind comes before .md": (
        ".md team/.md ..md .hidden.md .memlab.md"
    ),
    "every rule is about the place where the path really leads": (
        "team/../a.md log/a.md readme.md inside/a.md plain.md plain.txt"
        " project/a.md project/../a.md .memlab/../a.md"
        f" tidebook/remembered/a.md={MEMORY} {MEMORY}/a.md=tidebook/remembered"
        f" tidebook/remembered/run.sh={MEMORY} shortcut/a.md=shortcut"
    ),
}


def writes(rng):
    yield from listed(WRITES, f"{MEMORY}/", MEMORY)
    parts = ("team", "..", ".memlab", "inside", "a.md", "log", "run.sh", "new")
    for _ in range(12):
        name = "/".join(rng.choices(parts, k=rng.randint(1, 3)))
        yield Case((f"{MEMORY}/{name}", MEMORY))


may_write = Gap(
    name="may_write",
    place="memlab.agent.permissions.may_write",
    guard=True,
    cases=writes,
    watch=watch_path,
    call=functools.partial(path_call, "may_write"),
    hints=(
        "Find the real path of the file and of the memory directory first."
        " All three rules are about these two.",
        "For rule 2, you need only the names below the memory directory."
        " `PurePath(real_path).relative_to(real_memory).parts` is a tuple of"
        " them.",
        "If that tuple is empty, the path is the memory directory itself. The"
        " last name in it is the name of the file.",
    ),
    why="It names what may be written and refuses everything else, so nobody"
    " has to think of every file that could do harm. Only the names below the"
    " memory directory are compared with `.memlab`: Robin's memory directory"
    " is itself in a folder of that name.",
    wrong=(
        (
            "not is_inside(path, memory)",
            "not path.startswith(memory)",
            "below the memory directory",
        ),
        ("os.path.realpath(path)", "os.path.normpath(path)", "really leads"),
        ("not names or ", "", "the directory itself"),
        ("in names", "in place.parts", "at any depth"),
        ("in names", "in names[:1]", "no folder below"),
        ("in names", 'in "/".join(names)', "no folder below"),
        ('.endswith(".md")', '.lower().endswith(".md")', "in lower case"),
        ('.endswith(".md")', '.strip().endswith(".md")', "in lower case"),
        (' and names[-1] != ".md"', "", "at least one character"),
        (
            'names[-1] != ".md"',
            'not names[-1].startswith(".")',
            "at least one character",
        ),
    ),
)
