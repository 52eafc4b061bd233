"""Files with two lines that have something in common, at any place of the line."""

from __future__ import annotations

from random import Random

from memlab.course import Case

WORDS = ("return ", "margin", "_hours", "board", "(now)", " = 45", "late")
SOME = "The line does have a piece of 8 characters that is further up"
SHORT = "The piece has to have at least 8 characters"
MEANT = "The piece has to be in the line that should change"
FIRST = "The piece has to occur further up, exactly as it is in the line"
NONE = "If no piece of 8 characters is further up, return an empty string"


def naive_edit(text: str, old: str, new: str) -> str:
    """Edit as a tool without a rule does: the first place is the place."""
    return text.replace(old, new, 1)


def cases(random: Random) -> list[Case]:
    """Put what two lines share at the beginning, in the middle and at the end."""
    shared = "tide_of(day)"
    fixed = [
        ("hours = 4\nwinter_hours = 4", 2),
        (f"{shared} + 1\n{shared} - 1", 2),
        (f"x = {shared}\nlate = {shared}", 2),
        (f"if {shared}:\n    pass\nwhile not {shared}: wait()", 3),
        (f"{shared}\n{shared}", 2),
        (f"a {shared}\nb\nlast = [{shared}]\n{shared}", 3),
        ("now_time = 1\nlate = now_time", 2),
        ("now_time = 1\nnow_time", 2),
        ("hours = 4\nmargin = 45", 2),
        ("margin = 45\nhours = 4", 1),
        ("now = 1\n    now = 1", 2),
        ("abcdefgh\nabcdefg\nhabcdefg", 3),
        ("margin\nmargin = 45\nmargin = 45", 2),
        ("    pass\n    passed", 2),
        ("töööö\nsöööö", 2),
        ("HOURS = 4\nhours = 4", 2),
        ("x = 1\nx = 1", 2),
        ("winter = 4\n" * 40 + "last_winter = 4", 41),
    ]
    for _ in range(14):
        common = "".join(random.choices(WORDS, k=random.randint(1, 3)))
        left = "".join(random.choices(WORDS, k=random.randint(0, 2)))
        right = "".join(random.choices(WORDS, k=random.randint(0, 2)))
        first = f"{random.choice('abc')} {common} {random.choice('xyz')}"
        meant = f"{left}-{common}-{right}"
        filler = [f"# {random.randint(1, 9)}"] * random.randint(0, 2)
        lines = [first, *filler, meant, random.choice(WORDS)]
        fixed.append(("\n".join(lines), len(filler) + 2))
    return [_case(text, line) for text, line in fixed]


def _case(text: str, number: int) -> Case:
    lines = text.split("\n")
    meant = lines[number - 1]
    before = "\n".join(lines[: number - 1])
    pieces = [meant[at : at + 8] for at in range(len(meant) - 7)]
    possible = any(piece in before for piece in pieces)

    def fits(old: str) -> bool:
        if not possible:
            return old == ""
        if len(old) < 8 or old not in meant:
            return False
        changed = naive_edit(text, old, "?").split("\n")
        return (
            changed[number - 1 :] == lines[number - 1 :] and changed != lines
        )

    expected = "an empty string"
    if possible:
        expected = f"a piece of {meant!r} that is also further up"

    def slip(old: object) -> str:
        if not possible:
            return NONE
        if not old:
            return SOME
        if len(str(old)) < 8:
            return SHORT
        return FIRST if str(old) in meant else MEANT

    return Case((text, number), expected, fits, slip)
