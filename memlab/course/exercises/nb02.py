"""The exercises of notebook 02: cut an index, waste its bytes, find a pointer that fell off.

Left out: the warning. What is missing is said in the package; here only the cut counts.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial

from memlab.course.exercise import Case, Exercise, Wrong, case
from memlab.memdir.index import truncate_index
from memlab.settings import Settings

_LINES = "first at most max_lines lines are kept, from the top"
_BYTES = "bytes are counted in UTF-8: one ö takes two"
_END = "the byte cap cuts at the last line end that fits, never within a line"
_NOTHING = "a text within both caps comes back unchanged"


def cut_index(text: str, max_lines: int, max_bytes: int) -> str:
    """Cut an index as memlab does: lines first, then bytes at a line end."""
    caps = Settings().with_changes(index_max_lines=max_lines, index_max_bytes=max_bytes)
    return truncate_index(text, caps).text


def _cut_cases(chance: random.Random) -> Sequence[Case]:
    fixed = [
        ("a\nb\nc\n", 2, 100, _LINES),
        ("aaa\nbbb\nccc\n", 10, 9, _END),
        ("öö\nöö\nöö\n", 10, 10, _BYTES),
        ("a\nb\n", 2, 4, _NOTHING),
        ("", 5, 5, _NOTHING),
        ("a\nb", 9, 9, _NOTHING),
        ("aaaa\nbbbb\ncccc\n", 2, 9, f"{_LINES}; {_END}"),
    ]
    cases = [case((t, n, m), cut_index(t, n, m), slip) for t, n, m, slip in fixed]
    for _ in range(30):
        lines = [chance.choice("aöx") * chance.randint(1, 30) for _ in range(chance.randint(1, 12))]
        text = "\n".join(lines) + chance.choice(("\n", ""))
        caps = chance.randint(1, 12), chance.randint(62, 260)
        cases.append(case((text, *caps), cut_index(text, *caps), f"{_LINES}; {_BYTES}; {_END}"))
    return cases


def _unfair_cases(chance: random.Random) -> Sequence[Case]:
    return [
        Case(
            (count,),
            f"{count} pointer lines of which the byte cap shows fewer than 200, and fewer than all",
            partial(_unfair, count),
            "the lines have to be longer than 125 bytes on average, and there must be enough",
        )
        for count in (150, 200, chance.randint(210, 400))
    ]


def _unfair(count: int, text: str) -> bool:
    shown = truncate_index(text)
    lines = text.splitlines()
    pointers = len(lines) == count and all(line.startswith("- [") for line in lines)
    return pointers and shown.fired in ("bytes", "both") and len(shown.text.splitlines()) < 200


def _lost_cases(chance: random.Random) -> Sequence[Case]:
    cases = [
        case(("- [A](a.md) — x\n", "a.md", 2), "shown", "a pointer above the cap is shown"),
        case(("- [A](a.md) — x\n", "b.md", 2), "missing", "a file no line points to has none"),
        case(("- [A](a.md)\n- [B](b.md)\n", "b.md", 1), "cut", "a line below the cap is cut off"),
        case(
            ("- [A](a.md) — see b.md\n- [B](b.md)\n", "b.md", 1),
            "cut",
            "a file named in another line's hook is not a pointer to it",
        ),
        case(("- [A](aa.md)\n", "a.md", 3), "missing", "aa.md is another file than a.md"),
    ]
    for _ in range(20):
        files = [f"note-{n}.md" for n in chance.sample(range(100), chance.randint(2, 8))]
        text = "".join(f"- [Note](%s) — like {chance.choice(files)}\n" % file for file in files)
        wanted, cap = chance.choice([*files, "other.md"]), chance.randint(1, 8)
        place = files.index(wanted) if wanted in files else -1
        told = "missing" if place < 0 else "shown" if place < cap else "cut"
        cases.append(
            case((text, wanted, cap), told, "find the line first, then compare with the cap")
        )
    return cases


_TRUNCATE = Exercise(
    name="my_truncate_index",
    notebook=2,
    kind="build",
    returns=str,
    part="truncate_index",
    default=cut_index,
    starter='''\
def my_truncate_index(text: str, max_lines: int, max_bytes: int) -> str:
    """Cut an index from its end: first to so many lines, then to so many bytes of UTF-8.

    The byte cap cuts at a line end. No line here is longer than max_bytes.

    >>> my_truncate_index("one\\ntwo\\nsix\\n", 2, 100)
    'one\\ntwo\\n'
    >>> my_truncate_index("one\\ntwo\\nsix\\n", 9, 10)
    'one\\ntwo\\n'
    """
    raise NotImplementedError
''',
    solution="""\
def my_truncate_index(text: str, max_lines: int, max_bytes: int) -> str:
    kept, size = [], 0
    for line in text.splitlines(keepends=True)[:max_lines]:
        size += len(line.encode())
        if size > max_bytes:
            break
        kept.append(line)
    return "".join(kept)
""",
    why=(
        "Whole lines are added while they fit, so the cut can only fall between two of them, and "
        "bytes are counted line by line as they will be sent."
    ),
    hints=(
        "`text.splitlines(keepends=True)[:max_lines]` does the first half.",
        "Add up `len(line.encode())`, not `len(line)`.",
        "Stop before the line that would go over.",
    ),
    wrong=(
        Wrong(
            "def my_truncate_index(text, max_lines, max_bytes):\n"
            "    lines = text.splitlines(keepends=True)[:max_lines]\n"
            "    return ''.join(lines)[:max_bytes]\n",
            "line end",
        ),
        Wrong(
            "def my_truncate_index(text, max_lines, max_bytes):\n"
            "    lines = text.splitlines(keepends=True)[-max_lines:]\n"
            "    return ''.join(lines)\n",
            "from the top",
        ),
        Wrong(
            "def my_truncate_index(text, max_lines, max_bytes):\n"
            "    kept = ''\n"
            "    for line in text.splitlines(keepends=True)[:max_lines]:\n"
            "        if len(kept) + len(line) > max_bytes:\n            break\n"
            "        kept += line\n"
            "    return kept\n",
            "two",
        ),
    ),
    cases=_cut_cases,
)

_UNFAIR = Exercise(
    name="my_unfair_index",
    notebook=2,
    kind="break",
    returns=str,
    starter='''\
def my_unfair_index(count: int) -> str:
    """Write an index of so many pointers, of which the byte cap leaves fewer than 200 lines.

    >>> my_unfair_index(150).startswith("- [")
    True
    >>> len(my_unfair_index(150).splitlines())
    150
    """
    raise NotImplementedError
''',
    solution="""\
def my_unfair_index(count: int) -> str:
    hook = "a hook that tells the whole story " * 6
    return "".join(f"- [Note {n}](note-{n}.md) — {hook}\\n" for n in range(count))
""",
    why="Long hooks use up the bytes, so each of them costs another memory its place.",
    hints=(
        "25,000 bytes over 150 lines are 166 bytes a line.",
        "Repeat some words in each hook until the line is long enough.",
    ),
    wrong=(
        Wrong(
            "def my_unfair_index(count):\n"
            "    return ''.join(f'- [N{n}](n{n}.md) — x\\n' for n in range(count))\n",
            "longer than 125",
        ),
        Wrong("def my_unfair_index(count):\n    return 'x' * 30_000\n", "pointer lines"),
    ),
    cases=_unfair_cases,
)

_LOST = Exercise(
    name="my_lost_pointer",
    notebook=2,
    kind="diagnose",
    returns=str,
    starter='''\
def my_lost_pointer(index: str, file: str, max_lines: int) -> str:
    """Say of a file's pointer whether it is "shown", "cut" off by the line cap, or "missing".

    >>> my_lost_pointer("- [A](a.md) — x\\n- [B](b.md) — y\\n", "b.md", 1)
    'cut'
    >>> my_lost_pointer("- [A](a.md) — x\\n", "c.md", 1)
    'missing'
    """
    raise NotImplementedError
''',
    solution="""\
def my_lost_pointer(index: str, file: str, max_lines: int) -> str:
    for number, line in enumerate(index.splitlines(), 1):
        if f"]({file})" in line:
            return "shown" if number <= max_lines else "cut"
    return "missing"
""",
    why=(
        "A pointer that was written and cut looks to its owner just like one that was never "
        "written, and only the place of its line tells them apart."
    ),
    hints=(
        "A pointer to a file reads `](file.md)`: the name in a hook is not one.",
        "Count lines from 1 and compare with the cap.",
    ),
    wrong=(
        Wrong(
            "def my_lost_pointer(index, file, max_lines):\n"
            "    return 'shown' if file in index else 'missing'\n",
            "below the cap",
        ),
        Wrong(
            "def my_lost_pointer(index, file, max_lines):\n"
            "    for n, line in enumerate(index.splitlines()):\n"
            "        if file in line:\n"
            "            return 'shown' if n < max_lines else 'cut'\n"
            "    return 'missing'\n",
            "not a pointer",
        ),
    ),
    cases=_lost_cases,
)

EXERCISES: tuple[Exercise, ...] = (_TRUNCATE, _UNFAIR, _LOST)
