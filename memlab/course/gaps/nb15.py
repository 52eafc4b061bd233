"""The gaps of notebook 15: conflicts, and personal memory."""

from __future__ import annotations

from memlab.course.gap import Case, Gap

LEFT, MIDDLE, RIGHT = "<<<<<<< HEAD\n", "=======\n", ">>>>>>> origin/main\n"
BODY = f"{LEFT}4 April\n{MIDDLE}3 April\n{RIGHT}"
MEMORY = "---\nname: Season opening\ntype: project\n---\n\n"
LINES = (
    LEFT,
    MIDDLE,
    MIDDLE,
    RIGHT,
    "4 April\n",
    "\n",
    " <<<<<<< HEAD\n",
    "========\n",
    "see >>>>>>> main\n",
)


def texts(rng):
    rule = "it is a conflict if all three are there, in this order"
    for text in (
        BODY,
        f"{MEMORY}{BODY}\nMore text.\n",
        f"{LEFT}{MIDDLE}{RIGHT}",
        BODY.rstrip("\n"),
        BODY.replace(MIDDLE, f"||||||| base\nMarch\n{MIDDLE}"),
        BODY.replace("HEAD", "Updated upstream"),
        BODY.replace("origin/main", "3f2a91c Opening"),
    ):
        yield Case((text,), rule)
    rule = "all three markers are needed"
    for text in (
        "",
        f"{MEMORY}The season opens on 2026-04-04.\n",
        f"Opening\n{MIDDLE}4 April\n",
        f"{LEFT}4 April\n",
        f"{LEFT}4 April\n{MIDDLE}3 April\n",
        f"{LEFT}4 April\n{RIGHT}",
        f"{MIDDLE}3 April\n{RIGHT}",
    ):
        yield Case((text,), rule)
    rule = "the markers have to come in this order"
    for text in (
        f"{RIGHT}4 April\n{MIDDLE}3 April\n{LEFT}",
        f"{MIDDLE}{LEFT}4 April\n{RIGHT}",
        f"{LEFT}4 April\n{RIGHT}{MIDDLE}",
        f"{RIGHT}{LEFT}4 April\n{MIDDLE}3 April\n",
    ):
        yield Case((text,), rule)
    rule = "any lines may come before and between, also more of these markers"
    for text in (
        f"Opening\n{MIDDLE}\n{BODY}",
        f"{RIGHT}{BODY}",
        f"{LEFT}{MIDDLE}{LEFT}3 April\n{RIGHT}",
        f"{LEFT}{LEFT}{MIDDLE}{MIDDLE}{RIGHT}",
        f"{LEFT}{RIGHT}{MIDDLE}{RIGHT}",
    ):
        yield Case((text,), rule)
    rule = "the second marker consists of seven = and nothing else"
    for other in ("========", "======", "======= 3 April", "=======  "):
        yield Case((BODY.replace("=======", other),), rule)
    rule = "a marker in the middle of a line, or indented, is none"
    for text in (
        "    " + BODY.replace("\n", "\n    "),
        f"Git writes {LEFT}{MIDDLE}{RIGHT}",
        f"{LEFT}{MIDDLE}and {RIGHT}",
        f" {LEFT}{MIDDLE}{RIGHT}",
        f"{LEFT}{MIDDLE} {RIGHT}",
        f"{LEFT} {MIDDLE}{RIGHT}",
        "Look for `<<<<<<< `, `=======` and `>>>>>>> ` in the file.",
        "> " + BODY.replace("\n", "\n> "),
    ):
        yield Case((text,), rule)
    rule = "a space follows the seven < and the seven >"
    for marker, other in (("<" * 7, "<" * 9), (">" * 7, ">" * 8)):
        yield Case((BODY.replace(marker, other),), rule)
        yield Case((BODY.replace(f"{marker} ", marker),), rule)
    rule = "lines may end with \\r\\n"
    yield Case((BODY.replace("\n", "\r\n"),), rule)
    yield Case((f"{MEMORY}{BODY}".replace("\n", "\r\n"),), rule)
    for _ in range(20):
        yield Case(("".join(rng.choices(LINES, k=rng.randint(3, 9))),))


has_conflict = Gap(
    name="has_conflict",
    place="memlab.memdir.conflict.has_conflict",
    cases=texts,
    hints=(
        "Go through the lines one by one, and remember which of the three"
        " markers you are waiting for.",
        "`text.splitlines()` takes away `\\n` and `\\r\\n` alike. A line of"
        " seven `=` counts only if you are waiting for it: above the first"
        " marker, it is the underline of a heading.",
    ),
    why="The variable `expected` goes from one marker to the next, and never"
    " back. So a line of seven `=` before the first marker changes nothing,"
    " and neither does a `>>>>>>> ` that comes too early.",
    wrong=(
        ('line.rstrip("\\r\\n") ==', "line.strip() ==", "nothing else"),
        ('line.rstrip("\\r\\n") == THEIRS', "line[:7] == THEIRS", "nothing"),
        ('line.rstrip("\\r\\n") ==', 'line.rstrip("\\n") ==', "with \\r\\n"),
        (
            "expected == OURS and line.startswith(OURS)",
            "expected == OURS and OURS in line",
            "in the middle of a line",
        ),
        (
            "expected == OURS and line.startswith(OURS)",
            "expected == OURS and line.lstrip().startswith(OURS)",
            "indented",
        ),
        (
            "expected == OURS and line.startswith(OURS)",
            'expected == OURS and line.startswith("<<<<<<<")',
            "a space follows",
        ),
        (
            "expected == END and line.startswith(END)",
            'expected == END and line.startswith(">>>>>>>")',
            "a space follows",
        ),
        (
            "expected == END and line.startswith(END)",
            "line.startswith(END)",
            "all three markers",
        ),
        ("expected = END\n", "return True\n", "all three markers"),
        ("expected == THEIRS and", "expected and", "all three markers"),
        (
            "if expected == OURS and line",
            "if line",
            "more of these markers",
        ),
        (
            "def has_conflict(text):\n"
            "    a, b, c = '<<<<<<< ', '=======', '>>>>>>> '\n"
            "    lines = text.splitlines()\n"
            "    found = [[n for n, line in enumerate(lines) if test(line)]\n"
            "        for test in (lambda line: line.startswith(a),\n"
            "            lambda line: line == b,\n"
            "            lambda line: line.startswith(c))]\n"
            "    if not all(found):\n"
            "        return False\n"
            "    return found[0][0] < found[1][0] < found[2][0]\n",
            "may come before",
        ),
    ),
)


TABS = ("tabs.md", "Tabs and single quotes")
FERRY = ("ferry.md", "Last ferry")
COLOURS = ("colours.md", "Words, not colours")
FILES = ("tabs.md", "Tabs.md", "ferry.md", "FERRY.md", "short.md")
NAMES = ("Tabs", "tabs", "Last ferry", "LAST FERRY", "", "Short")


def memories(rng):
    three = [TABS, FERRY, COLOURS]
    rule = "the pairs that are left stay in their order, as they were"
    for project in ([], [("other.md", "Other")], [TABS], [COLOURS], [FERRY]):
        yield Case((three, project), rule)
    yield Case(([("Tea.md", "Green Tea"), TABS, TABS], []), rule)
    rule = "the same file is enough"
    yield Case((three, [("tabs.md", "Spaces")]), rule)
    yield Case((three, [("x.md", "Sea"), ("colours.md", "Sky")]), rule)
    rule = "the same name is enough"
    yield Case((three, [("style.md", TABS[1])]), rule)
    yield Case(([FERRY], [("a.md", FERRY[1]), ("a.md", "Y")]), rule)
    rule = "capitals don't count"
    for project in (("TABS.md", "Spaces"), ("x.md", "LAST FERRY")):
        yield Case((three, [project]), rule)
    yield Case(([("Tabs.md", "T")], [("tabs.md", "U")]), rule)
    yield Case(([("t.md", "TABS")], [("u.md", "Tabs")]), rule)
    rule = "two memories without a name do not have the same name"
    yield Case(([("a.md", "")], [("b.md", "")]), rule)
    yield Case(([("a.md", ""), TABS], [("b.md", ""), ("A.md", "")]), rule)
    rule = "a file is compared with files, and a name with names"
    for one, other in (
        (("a.md", "b.md"), ("b.md", "a.md")),
        (("tabs.md", "T"), ("x.md", "tabs.md")),
        (("a.md", "x.md"), ("x.md", "y")),
    ):
        yield Case(([one], [other]), rule)
    rule = "only whole files and whole names are compared"
    for one, other in (
        (("my-tabs.md", "T"), ("tabs.md", "U")),
        (("old/tabs.md", "T"), ("tabs.md", "U")),
        (("a.md", "C++"), ("b.md", "C#")),
        (("a.md", "Tabs"), ("b.md", "Tabs and more")),
        (("a.md", "Tabs and more"), ("b.md", "Tabs")),
        (("a.md", " Tabs"), ("b.md", "Tabs")),
    ):
        yield Case(([one], [other]), rule)
    rule = "Straße and STRASSE are the same, too"
    yield Case(([("a.md", "Straße")], [("b.md", "STRASSE")]), rule)
    yield Case(([("a.md", "STRASSE")], [("b.md", "Straße")]), rule)
    yield Case(([("STRASSE.md", "A")], [("straße.md", "B")]), rule)
    for _ in range(25):
        sides = []
        for _ in range(2):
            files = rng.sample(FILES, rng.randint(0, 3))
            sides.append([(file, rng.choice(NAMES)) for file in files])
        yield Case(tuple(sides))


project_wins = Gap(
    name="project_wins",
    place="memlab.memdir.personal.project_wins",
    cases=memories,
    hints=(
        "Collect the project's files in one set and its names in another, both"
        " with `casefold()`.",
        "If you leave empty names out of the set, a personal memory without a"
        " name is never found in it.",
    ),
    why="A file is compared with files only, and a name with names only."
    " `casefold` is `lower` for all languages: it also makes *ß* and *SS*"
    " equal. The new list is filled in the order of `personal`, which stays as"
    " it is.",
    wrong=(
        ("project if name", "project", "without a name"),
        ("not in files and", "not in files or", "the same file"),
        ("file.casefold() not in files and ", "", "the same file"),
        (" and name.casefold() not in names", "", "the same name is enough"),
        ("{name.casefold() for", "{name for", "the same name is enough"),
        ("if file.casefold() not", "if file not", "capitals don't count"),
        (
            "{name.casefold() for _, name in project if name}",
            "{name.lower() for _, name in project if name}",
            "Straße and STRASSE",
        ),
        (
            "    kept = []\n",
            "    kept = []\n    files = names = files | names\n",
            "a file is compared with files",
        ),
        (
            "name.casefold() not in names",
            "not any(one in name.casefold() for one in names)",
            "only whole files",
        ),
        (
            "append((file, name))",
            "append((file.lower(), name))",
            "as they were",
        ),
        (
            "def project_wins(personal, project):\n"
            "    return sorted(set(personal) - set(project))\n",
            "in their order",
        ),
        (
            "def project_wins(personal, project):\n"
            "    for one in list(personal):\n"
            "        for other in project:\n"
            "            if one in personal and any(\n"
            "                a and a.casefold() == b.casefold()\n"
            "                for a, b in zip(one, other)\n"
            "            ):\n"
            "                personal.remove(one)\n"
            "    return personal\n",
            "changed its argument",
        ),
    ),
)
