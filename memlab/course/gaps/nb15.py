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
    "t": "Look for `<<<<<<< `, `=======` and `>>>>>>> `.",
    "m": "<<<<<<< =======",
}
CONFLICTS = {
    "it is a conflict if all three are there, in this order": "<a=a> a<a=a>a <=> uab=ac",
    "all three markers are needed": "a a=a <a <a=a <a> =a> ",
    "the markers have to come in this order": ">a=a< =<a> <a>= ><a=a",
    "any lines may come between, or more of these markers": "a=a<a=a> ><a=a> <=<a> <<==> <>=>",
    "the second marker consists of seven = and nothing else": "<8> <d> <w>",
    "a marker in the middle of a line, or indented, doesn't count": "t 123 m> 1=> <2> <=3",
    "a space follows the seven < and the seven >": "l=> L=> <=r <=R",
}


def conflicts(rng):
    for rule, codes in CONFLICTS.items():
        for code in codes.split(" "):
            yield Case(("".join(LINES[one] + "\n" for one in code),), rule)
    for line_end in ("\r\n", "\n"):
        text = line_end.join(("<<<<<<< HEAD", "=======", ">>>>>>> main"))
        yield Case(
            (text,), "lines may end with \\r\\n, and the last with nothing"
        )
    for _ in range(20):
        codes = rng.choices("a<=>", k=6) + rng.choices(list(LINES), k=2)
        lines = [LINES[one] for one in rng.sample(codes, 8)]
        yield Case(("\n".join(lines),))


has_conflict = Gap(
    name="has_conflict",
    place="memlab.memdir.scan.has_conflict",
    cases=conflicts,
    hints=(
        "Go through the lines, and remember which of the three markers you are waiting for.",
        "A line of seven `=` above the first marker is the underline of a heading.",
    ),
    why="`expected` never goes back, so a marker that comes too early changes nothing.",
    wrong=(
        ('line.rstrip("\\r\\n") ==', "line.strip() ==", "nothing else"),
        ('line.rstrip("\\r\\n") ==', 'line.rstrip("\\n") ==', "with \\r\\n"),
        ("line.startswith(OURS)", "OURS in line", "in the middle"),
        (
            "line.startswith(END)",
            'line.startswith(">>>>>>>")',
            "a space follows",
        ),
        ("expected == END and ", "", "all three markers"),
        ("expected == OURS and ", "", "more of these markers"),
    ),
)


def pairs(text):
    return [tuple(pair.split(":")) for pair in text.split(";") if pair]


# by rule: files and names of personal memories / those of the project
MEMORIES = {
    "the pairs that are left stay in their order, as they were": "t.md:T;S.md:Sea;t.md:T / ,"
    " t.md:T;S.md:Sea;a.md:A / S.md:Sea",
    "the same file is enough": "t.md:T;a.md:A;s.md:S / x.md:Sea;a.md:Y",
    "the same name is enough": "t.md:T;a.md:A;s.md:S / x.md:A;x.md:Y",
    "capitals don't count": "T.md:T / t.md:U, t.md:TABS / u.md:Tabs, t.md:T / T.md:U,"
    " t.md:Tabs / u.md:TABS",
    "two memories without a name do not have the same name": "a.md:;t.md:T / b.md:;A.md:,"
    " a.md: / b.md:",
    "a file is compared with files, and a name with names": "a.md:b.md / b.md:a.md,"
    " t.md:T / x.md:t.md, a.md:x.md / x.md:y",
    "only whole files and whole names are compared": "my-t.md:U;old/t.md:V / t.md:Tabs,"
    " a.md:C++;b.md:Tab;c.md:Tabs and more / t.md:Tabs, a.md: Tabs;b.md:C++ / t.md:Tabs;c.md:C#",
    "Straße and STRASSE are the same, too": "a.md:Straße / b.md:STRASSE,"
    " STRASSE.md:A / straße.md:B, a.md:STRASSE / b.md:Straße",
}


def memories(rng):
    for rule, inputs in MEMORIES.items():
        for one in inputs.split(", "):
            personal, project = one.split(" / ")
            yield Case((pairs(personal), pairs(project)), rule)
    files, names = ("t.md", "T.md", "f.md", "F.md"), ("Tabs", "TABS", "")
    for _ in range(25):
        some = [(rng.choice(files), rng.choice(names)) for _ in range(5)]
        yield Case((some[:3], some[3:]))


project_wins = Gap(
    name="project_wins",
    place="memlab.memdir.personal.project_wins",
    cases=memories,
    hints=(
        "Collect the project's files in one set and its names in another, both with `casefold()`.",
        "If the second set contains no empty name, a memory without a name is never found in it.",
    ),
    why="`casefold` does more than `lower`: it also makes *ß* and *SS* equal.",
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
