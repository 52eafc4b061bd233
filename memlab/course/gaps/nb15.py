"""The gaps of notebook 15: conflicts, and personal memory."""

from __future__ import annotations

from memlab.course.gap import Case, Gap

LINES = {
    "a": "4 April",
    "<": "<<<<<<< HEAD",
    "=": "=======",
    ">": ">>>>>>> origin/main",
    # other words, a base
    "u": "<<<<<<< Updated upstream",
    "b": "||||||| base",
    "c": ">>>>>>> 3f2a91c Opening",
    # another number of signs, or something else after them
    "8": "========",
    "d": "======= 3 April",
    "w": "=======  ",
    "L": "<<<<<<<<< HEAD",
    "l": "<<<<<<<HEAD",
    "R": ">>>>>>>> main",
    "r": ">>>>>>>main",
    # not at the start of the line
    "1": " <<<<<<< HEAD",
    "2": " =======",
    "3": " >>>>>>> main",
}
CONFLICTS = {
    "it is a conflict if all three are there, in this order": "<a=a> a<a=a>a <=> uab=ac",
    "all three markers are needed": "a a=a <a <a=a <a> =a>",
    "the markers have to come in this order": ">a=a< =<a> <a>= ><a=a",
    "any lines may come before and between, also more of these markers": (
        "a=a<a=a> ><a=a> <=<a> <<==> <>=>"
    ),
    "the second marker consists of seven = and nothing else": "<8> <d> <w>",
    "a marker in the middle of a line, or indented, is none": "123 1=> <2> <=3",
    "a space follows the seven < and the seven >": "l=> L=> <=r <=R",
}


def conflicts(rng):
    for rule, codes in CONFLICTS.items():
        for code in codes.split():
            yield Case(("".join(LINES[one] + "\n" for one in code),), rule)
    yield Case(("",), "all three markers are needed")
    for text in (
        "Look for `<<<<<<< `, `=======` and `>>>>>>> `.",
        "<<<<<<< =======\n>>>>>>> ",
    ):
        yield Case((text,), "each marker is at the start of a line of its own")
    for line_end in ("\r\n", "\n"):
        text = line_end.join(("<<<<<<< HEAD", "=======", ">>>>>>> main"))
        yield Case(
            (text,),
            "lines may end with \\r\\n, and the last line with nothing",
        )
    for _ in range(20):
        lines = rng.choices([*LINES.values()][:4], k=6) + rng.choices(
            [*LINES.values()], k=2
        )
        yield Case(("\n".join(rng.sample(lines, 8)),))


has_conflict = Gap(
    name="has_conflict",
    place="memlab.memdir.scan.has_conflict",
    cases=conflicts,
    hints=(
        "Go through the lines one by one, and remember which of the three markers you are waiting"
        " for.",
        "`text.splitlines()` takes away `\\n` and `\\r\\n` alike. A line of seven `=` counts only"
        " if you are waiting for it: above the first marker, it is the underline of a heading.",
    ),
    why="The variable `expected` goes from one marker to the next, and never back. So a marker that"
    " comes too early changes nothing.",
    wrong=(
        ('line.rstrip("\\r\\n") ==', "line.strip() ==", "nothing else"),
        ('line.rstrip("\\r\\n") ==', 'line.rstrip("\\n") ==', "with \\r\\n"),
        (
            "OURS and line.startswith(OURS)",
            "OURS and OURS in line",
            "in the middle",
        ),
        (
            "line.startswith(END)",
            'line.startswith(">>>>>>>")',
            "a space follows",
        ),
        ("expected == END and ", "", "all three markers"),
        ("expected == OURS and ", "", "more of these markers"),
    ),
)

TABS, SEA = ("tabs.md", "Tabs"), ("ferry.md", "Last ferry")
THREE = [TABS, SEA, ("sky.md", "Sky")]
MEMORIES = {
    "the pairs that are left stay in their order, as they were": [
        (THREE, []),
        (THREE, [SEA]),
        ([("Tea.md", "Green Tea"), TABS, TABS], [("other.md", "Other")]),
    ],
    "the same file is enough": [
        (THREE, [("x.md", "Sea"), ("tabs.md", "Spaces")])
    ],
    "the same name is enough": [
        (THREE, [("style.md", "Tabs"), ("style.md", "Y")])
    ],
    "capitals don't count": [
        (THREE, [("TABS.md", "Spaces"), ("x.md", "LAST FERRY")]),
        ([("Tabs.md", "T")], [("tabs.md", "U")]),
        ([("t.md", "TABS")], [("u.md", "Tabs")]),
    ],
    "two memories without a name do not have the same name": [
        ([("a.md", ""), TABS], [("b.md", ""), ("A.md", "")]),
        ([("a.md", "")], [("b.md", "")]),
    ],
    "a file is compared with files, and a name with names": [
        ([("a.md", "b.md")], [("b.md", "a.md")]),
        ([("tabs.md", "T")], [("x.md", "tabs.md")]),
        ([("a.md", "x.md")], [("x.md", "y")]),
    ],
    "only whole files and whole names are compared": [
        ([("my-tabs.md", "T"), ("old/tabs.md", "U")], [TABS]),
        (
            [("a.md", "C++"), ("b.md", "Tab"), ("c.md", "Tabs and more")],
            [TABS],
        ),
        ([("a.md", " Tabs"), ("b.md", "C++")], [TABS, ("c.md", "C#")]),
    ],
    "Straße and STRASSE are the same, too": [
        ([("a.md", "Straße")], [("b.md", "STRASSE")]),
        ([("STRASSE.md", "A")], [("straße.md", "B")]),
        ([("a.md", "STRASSE")], [("b.md", "Straße")]),
    ],
}


def memories(rng):
    for rule, inputs in MEMORIES.items():
        for given in inputs:
            yield Case(given, rule)
    files = "tabs.md", "Tabs.md", "ferry.md", "FERRY.md"
    for _ in range(25):
        pairs = [
            (rng.choice(files), rng.choice(("Tabs", "TABS", "")))
            for _ in range(5)
        ]
        yield Case((pairs[:3], pairs[3:]))


project_wins = Gap(
    name="project_wins",
    place="memlab.memdir.personal.project_wins",
    cases=memories,
    hints=(
        "Collect the project's files in one set and its names in another, both with `casefold()`.",
        "If you leave empty names out of the set, a personal memory without a name is never found"
        " in it.",
    ),
    why="A file is compared with files only, and a name with names only. `casefold` is `lower` for"
    " all languages: it also makes *ß* and *SS* equal.",
    wrong=(
        ("project if name", "project", "without a name"),
        ("not in files and", "not in files or", "the same file"),
        ("if file.casefold() not", "if file not", "capitals don't count"),
        ("{name.casefold() for", "{name.lower() for", "Straße and STRASSE"),
        ("names = {", "names = files | {", "compared with files"),
        (
            "append((file, name))",
            "append((file.lower(), name))",
            "as they were",
        ),
    ),
)
