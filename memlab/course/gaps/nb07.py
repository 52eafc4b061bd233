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
FOLDERS = ("tidebook/docs", "keys/deep", f"{MEMORY}/.memlab", f"{MEMORY}/team")
LINKS = {
    "tidebook/gate": "keys/deep",
    "tidebook/lost.md": "keys/new.md",
    "tidebook/remembered": MEMORY,
    "shortcut": "tidebook",
    "keys/home": "tidebook/docs",
    f"{MEMORY}/project": "tidebook",
    f"{MEMORY}/log": f"{MEMORY}/.memlab",
    f"{MEMORY}/inside": f"{MEMORY}/team",
    f"{MEMORY}/plain.md": f"{MEMORY}/run.sh",
    f"{MEMORY}/plain.txt": f"{MEMORY}/team/plain.md",
}


@functools.cache
def tree():
    """Make folders and links that stay as long as Python runs, so that a learner
    can make the call of a case by hand.
    """
    top = os.path.realpath(tempfile.mkdtemp(prefix="memlab-"))
    atexit.register(shutil.rmtree, top, ignore_errors=True)
    for name in FOLDERS:
        os.makedirs(f"{top}/{name}")
    for name, target in LINKS.items():
        with suppress(OSError):  # a system without links
            os.symlink(f"{top}/{target}", f"{top}/{name}")
    return top


def full(path, folder):
    return [
        os.path.join(tree(), one.replace("{top}", tree()))
        for one in (path, folder)
    ]


def watch_path(mine, path, folder):
    return mine(*full(path, folder))


def path_call(name, path, folder):
    shown = f"{name}({', '.join(map(repr, full(path, folder)))})"
    for link, target in LINKS.items():
        if f"{path}/".startswith(f"{link}/") or f"{folder}/".startswith(
            f"{link}/"
        ):
            shown += f"\nwhere {tree()}/{link} is a link to {tree()}/{target}"
    return shown


def listed(cases, prefix, usual):
    """Read ``path`` or ``path=folder``, several in a line."""
    for rule, some in cases.items():
        for one in some.split(" "):
            path, equals, folder = one.partition("=")
            yield Case(
                (path, folder) if equals else (prefix + path, usual), rule
            )


INSIDE = {
    "whatever is below the folder is inside it": "tidebook/README.md tidebook/docs/a.md"
    " tidebook/new/deep/a.md tidebook/README.md=/ tidebook/..notes.md",
    "the folder itself is inside, too": "tidebook tidebook/ tidebook/docs/..",
    "what is above or beside is not inside": "=tidebook tidebook/docs=tidebook/x",
    "whole names are compared, from the beginning of the path": "tidebook-old/a.md tide/a.md"
    " tidebook/a.md=tide Tidebook/a.md robin/tidebook/a.md keys{top}/tidebook/a.md",
    "'..' leads to the folder above": "tidebook/../keys/a tidebook/new/../../keys/a tidebook/.."
    " keys/../tidebook/a.md tidebook/a.md=keys/../tidebook",
    "a link leads somewhere else: follow it": "tidebook/gate/a tidebook/gate keys/home/a.md"
    " tidebook/lost.md shortcut shortcut/a.md tidebook/a.md=shortcut",
    "'..' after a link is the folder above where the link leads": "tidebook/gate/../a"
    " keys/home/../a.md",
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
        "`os.path.realpath(path)` and `os.path.realpath(folder)` are two strings. Why isn't"
        " `startswith` enough to compare them?",
        "`PurePath` from `pathlib` compares paths name by name. Look at its method"
        " `is_relative_to`.",
    ),
    why="After `realpath`, neither path contains a link or a `..`. `is_relative_to` compares name"
    " by name, and `tidebook-old` is a different name from `tidebook`.",
    wrong=(
        (
            "place.is_relative_to(",
            "str(place).startswith(",
            "whole names are compared",
        ),
        (
            "return place",
            "return os.path.exists(path) and place",
            "below the folder",
        ),
        (
            "return place",
            "return path != folder and place",
            "the folder itself is inside",
        ),
        ("os.path.realpath(path)", "os.path.abspath(path)", "a link leads"),
        (
            "realpath(path)",
            "realpath(os.path.normpath(path))",
            "'..' after a link",
        ),
        (
            "os.path.realpath(folder)",
            "os.path.abspath(folder)",
            "a link leads",
        ),
    ),
)

WRITES = {
    "Markdown below the memory directory, at any depth": "ferry.md MEMORY.md x.md new/deep/a.md"
    " v1..v2.md f\u00e4hre(1).md a.md/b.md",
    "what comes before the memory directory doesn't matter": "tidebook/docs/a.md=tidebook"
    " .memlab/other/a.md=.memlab/other",
    "the place is below the memory directory": "../a.md ../../tidebook/a.md ../memory.md"
    f" ../memory-evil/a.md tidebook/a.md={MEMORY}",
    "the directory itself doesn't count": f". team/.. {MEMORY}/a.md={MEMORY}/a.md",
    "no folder below the memory directory is called .memlab": ".memlab/a.md .memlab/new/a.md"
    " team/.memlab/a.md a/b/.memlab/c/d.md .memlab-notes/a.md memlab/a.md x.memlab/a.md"
    " tidebook/.memlab/a.md=tidebook",
    "the name ends with .md, in lower case": "run.sh ferry ferrymd ferry.MD ferry.Md ferry.md~"
    " ferry.md.sh ferry.md\n a.md/run.sh .memlab",
    "at least one character of any kind comes before .md": ".md team/.md ..md .hidden.md"
    " .memlab.md",
    "every rule is about the place where the path really leads": "team/../a.md log/a.md"
    " inside/a.md plain.md plain.txt project/a.md project/../a.md .memlab/../a.md"
    f" tidebook/remembered/a.md={MEMORY} {MEMORY}/a.md=tidebook/remembered",
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
        "Find the real path of the file and of the memory directory first. All three rules are"
        " about these two.",
        "`PurePath(real_path).relative_to(real_memory).parts` is a tuple of the names below the"
        " memory directory, and the last one is the file's. If it is empty, the path is the"
        " directory itself.",
    ),
    why="It names what may be written and refuses everything else. Only the names below the memory"
    " directory are compared with `.memlab`, because Robin's is itself in a folder of that name.",
    wrong=(
        ("os.path.realpath(path)", "os.path.normpath(path)", "really leads"),
        ("not names or ", "", "the directory itself"),
        ("in names", "in place.parts", "at any depth"),
        ("in names", "in names[:1]", "no folder below"),
        ('.endswith(".md")', '.lower().endswith(".md")', "in lower case"),
        (' and names[-1] != ".md"', "", "at least one character"),
    ),
)
