from random import Random

from memlab.course.exercise import Case, case

REPLACE = "a file that has a pointer keeps its place, and gets no second line"
TOP = "a new pointer goes above the first pointer"
END = "if there is no pointer, the new line goes to the end"
OTHERS = "all other lines stay exactly as they are"
SAME = "the file is the text between '](' and ')', and all of it counts"
FIRST_LINK = "the first link of a line says which file it points to"
POINTER = "a pointer begins with '- [' and contains ']('"
ENDS = "only a newline ends a line"
NEWLINE = "the new line ends with a newline, like all others"

NAMES = ("ferry", "tabs", "tide", "board", "kayak", "radio", "hut", "keys")
OWN_LINES = (
    "",
    "# Notes",
    "  indented words",
    "- [ ] ask Tuva about the ramp",
    "- a list item of Robin's",
    "see [the board](board.md) for details",
    "ends with spaces  ",
    "\tbegins with a tab",
    "half a line\u2028and its other half",
)
NEW = "- [B](b.md) — new"

FIXED = (
    ("", "b.md", f"{NEW}\n", f"{END}; {NEWLINE}"),
    ("# Notes\n", "b.md", f"# Notes\n{NEW}\n", f"{END}; {NEWLINE}"),
    ("# Notes\n\n", "b.md", f"# Notes\n\n{NEW}\n", END),
    ("- [A](a.md) — x\n", "b.md", f"{NEW}\n- [A](a.md) — x\n", TOP),
    (
        "# Notes\n\n- [A](a.md)\n- [C](c.md)\n",
        "b.md",
        f"# Notes\n\n{NEW}\n- [A](a.md)\n- [C](c.md)\n",
        TOP,
    ),
    (
        "- [A](a.md)\n- [Old](b.md) — old\n- [C](c.md)\n",
        "b.md",
        f"- [A](a.md)\n{NEW}\n- [C](c.md)\n",
        REPLACE,
    ),
    ("- [Old](b.md)\n", "b.md", f"{NEW}\n", REPLACE),
    (
        "- [A](a.md)\n\nmy own words\n\n- [Old](b.md)\n",
        "b.md",
        f"- [A](a.md)\n\nmy own words\n\n{NEW}\n",
        f"{REPLACE}; {OTHERS}",
    ),
    ("- [A](bb.md) — x\n", "b.md", f"{NEW}\n- [A](bb.md) — x\n", SAME),
    ("- [A](b.md.md)\n", "b.md", f"{NEW}\n- [A](b.md.md)\n", SAME),
    ("- [A](team/b.md)\n", "b.md", f"{NEW}\n- [A](team/b.md)\n", SAME),
    ("- [A](bxmd) — x\n", "b.md", f"{NEW}\n- [A](bxmd) — x\n", SAME),
    (
        "- [A](a.md) — see b.md\n",
        "b.md",
        f"{NEW}\n- [A](a.md) — see b.md\n",
        FIRST_LINK,
    ),
    (
        "- [A](a.md) — see [B](b.md)\n",
        "b.md",
        f"{NEW}\n- [A](a.md) — see [B](b.md)\n",
        FIRST_LINK,
    ),
    (
        "- [b.md](a.md) — x\n",
        "b.md",
        f"{NEW}\n- [b.md](a.md) — x\n",
        FIRST_LINK,
    ),
    (
        "see [B](b.md)\n- [A](a.md)\n",
        "b.md",
        f"see [B](b.md)\n{NEW}\n- [A](a.md)\n",
        POINTER,
    ),
    (
        "- [ ] ask Tuva\n- [A](a.md)\n",
        "b.md",
        f"- [ ] ask Tuva\n{NEW}\n- [A](a.md)\n",
        POINTER,
    ),
    (
        "- plain item\n- [A](a.md)\n",
        "b.md",
        f"- plain item\n{NEW}\n- [A](a.md)\n",
        POINTER,
    ),
    (
        "words\u2028- [B](b.md)\n- [A](a.md)\n",
        "b.md",
        f"words\u2028- [B](b.md)\n{NEW}\n- [A](a.md)\n",
        ENDS,
    ),
    (
        "- [A](a.md)  \n\n\nwords\u2028more words\n",
        "b.md",
        f"{NEW}\n- [A](a.md)  \n\n\nwords\u2028more words\n",
        ENDS,
    ),
    (
        "- [Old](b.md) — old\n- [A](a.md) — the old pointer was - [Old](b.md)\n",
        "b.md",
        f"{NEW}\n- [A](a.md) — the old pointer was - [Old](b.md)\n",
        OTHERS,
    ),
    (
        "- [A (old)](b.md) — x\n",
        "b.md",
        f"{NEW}\n",
        SAME,
    ),
    (
        "- [Old](b.md)\nRobin wrote: - [Old](b.md)\n",
        "b.md",
        f"{NEW}\nRobin wrote: - [Old](b.md)\n",
        OTHERS,
    ),
    (
        "- see [B](b.md)\n- [A](a.md)\n",
        "b.md",
        f"- see [B](b.md)\n{NEW}\n- [A](a.md)\n",
        POINTER,
    ),
)


BACKSLASH = r"- [B](b.md) — for \d+ and \1"
BRACKETS = "- [A [first]](a.md) — x\n"


def cases(random: Random) -> list[Case]:
    found = [
        case((index, file, NEW), expected, slip)
        for index, file, expected, slip in FIXED
    ]
    found += [
        case(
            ("- [Old](b.md)\n", "b.md", BACKSLASH), f"{BACKSLASH}\n", REPLACE
        ),
        case((BRACKETS, "a.md", "- [A](a.md)"), "- [A](a.md)\n", SAME),
        case((BRACKETS, "b.md", NEW), f"{NEW}\n{BRACKETS}", TOP),
    ]
    for _ in range(20):
        found.append(_random_case(random))
    return found


def _random_case(random: Random) -> Case:
    names = random.sample(NAMES, random.randint(1, 6))
    lines = [f"- [{name.title()}]({name}.md) — {name}" for name in names]
    for own in random.sample(OWN_LINES, random.randint(0, 4)):
        lines.insert(random.randint(0, len(lines)), own)
    name = random.choice(NAMES)
    new = f"- [{name.title()}]({name}.md) — {random.choice(NAMES)}"
    pointers = [
        number
        for number, line in enumerate(lines)
        if line.startswith("- [") and "](" in line
    ]
    wanted = list(lines)
    if name in names:
        for number in pointers:
            if lines[number].startswith(f"- [{name.title()}]({name}.md)"):
                wanted[number] = new
        slip = f"{REPLACE}; {OTHERS}"
    else:
        wanted.insert(pointers[0], new)
        slip = f"{TOP}; {OTHERS}"
    index = "".join(f"{line}\n" for line in lines)
    expected = "".join(f"{line}\n" for line in wanted)
    return case((index, f"{name}.md", new), expected, slip)
