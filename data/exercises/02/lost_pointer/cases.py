from __future__ import annotations

from random import Random

from memlab.course import Case, case, cut_index

CUT_LINES = "a pointer below the line limit is cut off"
CUT_BYTES = "a pointer after the byte limit is cut off"
SHOWN = "a pointer that both limits leave is shown"
MISSING = "a file that no pointer leads to is missing"
HOOK = "a file name in a hook or in a title is no pointer"
SAME = "aa.md is another file than a.md"
ENDS = "only a newline ends a line"
SAME_FILE = "the file is the text between the first '](' and the next ')'"
OWN = "a line that does not begin with '- [' is no pointer"

A, B = "- [A](a.md) — x\n", "- [B](b.md) — y\n"
FIXED = (
    (A, "a.md", 2, 100, "shown", SHOWN),
    (A, "b.md", 2, 100, "missing", MISSING),
    ("", "b.md", 2, 100, "missing", MISSING),
    (A + B, "b.md", 1, 100, "cut", CUT_LINES),
    (A + B, "b.md", 2, 100, "shown", SHOWN),
    (A + B, "b.md", 2, 36, "shown", SHOWN),
    (A + B, "b.md", 2, 35, "cut", CUT_BYTES),
    (A + B, "b.md", 5, 20, "cut", CUT_BYTES),
    ("- [Ö](ö.md) — ööööö\n" + B, "b.md", 5, 42, "cut", CUT_BYTES),
    ("# Notes\n\n" + A, "a.md", 2, 100, "cut", CUT_LINES),
    ("- [A](a.md) — see b.md\n" + B, "b.md", 1, 100, "cut", HOOK),
    ("- [A](a.md) — see [B](b.md)\n" + B, "b.md", 1, 100, "cut", HOOK),
    ("- [A](a.md) — see [B](b.md)\n", "b.md", 1, 100, "missing", HOOK),
    ("- [b.md](a.md)\n", "b.md", 1, 100, "missing", HOOK),
    ("- [A](aa.md)\n", "a.md", 3, 100, "missing", SAME),
    ("- [A](aa.md)\n" + A, "a.md", 1, 100, "cut", SAME),
    ("- [A](a.md.md)\n", "a.md", 3, 100, "missing", SAME),
    ("see [B](b.md)\n" + A, "b.md", 3, 100, "missing", OWN),
    ("see [B](b.md)\n" + B, "b.md", 1, 100, "cut", OWN),
    ("- [ ] read b.md\n" + B, "b.md", 1, 100, "cut", HOOK),
    ("  - [A](a.md) — x\n" + A, "a.md", 1, 100, "cut", OWN),
    ("note\u2028- [A](a.md)\n", "a.md", 9, 100, "missing", ENDS),
    ("- [A (old)](a.md)\n", "a.md", 9, 100, "shown", SAME_FILE),
    ("- [A](a.md) — x (old)\n", "a.md", 9, 100, "shown", SAME_FILE),
)


def cases(random: Random) -> list[Case]:
    found = [
        case((index, file, lines, size), expected, slip)
        for index, file, lines, size, expected, slip in FIXED
    ]
    for _ in range(30):
        numbers = random.sample(range(100), random.randint(2, 8))
        files = [f"note-{number}.md" for number in numbers]
        lines = [
            f"- [Note]({file}) — like {random.choice(files)}\n"
            for file in files
        ]
        index = "".join(lines)
        wanted = random.choice([*files, "other.md"])
        limits = random.randint(1, 8), random.randint(60, 400)
        kept = cut_index(index, *limits).count("\n")
        expected = "missing"
        if wanted in files:
            expected = "shown" if files.index(wanted) < kept else "cut"
        slip = f"{CUT_LINES}; {CUT_BYTES}"
        found.append(case((index, wanted, *limits), expected, slip))
    return found
