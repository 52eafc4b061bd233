from __future__ import annotations

from random import Random

from memlab.course import Case, case, cut_index

LINES = "at most max_lines lines are kept, from the top"
BYTES = "bytes are counted in UTF-8: an ö takes two, and a dash takes three"
WHOLE = "the byte limit keeps whole lines, with their line ends"
UNCHANGED = "an index that fits both limits comes back unchanged"
FIRST = (
    "if the first line does not fit, as many of its characters as fit are kept"
)
BOTH = "the byte limit applies to what the line limit has left"
ENDS = "only a newline ends a line"

FIXED = (
    ("a\nb\nc\n", 2, 100, LINES),
    ("a\nb\nc", 2, 100, LINES),
    ("a\nb\nc", 3, 100, UNCHANGED),
    ("a\nb\nc\n", 3, 100, UNCHANGED),
    ("a\n\n\nb\n", 3, 100, LINES),
    ("", 5, 5, UNCHANGED),
    ("a\nb", 9, 9, UNCHANGED),
    ("a\nb\n", 2, 4, UNCHANGED),
    ("aaa\nbbb\n", 9, 7, WHOLE),
    ("aaa\nbbb\nccc\n", 10, 9, WHOLE),
    ("aaa\nbbb\nccc\n", 10, 8, WHOLE),
    ("aaa\nbbb\nccc", 10, 11, UNCHANGED),
    ("aaa\nbbb\nccc", 10, 10, WHOLE),
    ("a\nbbbbbbbbb\nc\n", 10, 5, WHOLE),
    ("aaaa\nbbbb\ncccc\n", 2, 9, f"{WHOLE}; {BOTH}"),
    ("öö\nöö\nöö\n", 10, 10, BYTES),
    ("öö\nöö\nöö\n", 10, 11, BYTES),
    ("a — b\na — b\n", 10, 12, BYTES),
    ("a — b\na — b\n", 10, 16, UNCHANGED),
    ("🛶🛶\n🛶🛶\n", 10, 12, BYTES),
    ("aaaaa\nb\n", 10, 3, FIRST),
    ("aaaaa\nb\n", 10, 5, FIRST),
    ("aaaaa\nb\n", 10, 6, WHOLE),
    ("ööö\n", 10, 3, FIRST),
    ("🛶🛶\n", 10, 7, FIRST),
    ("🛶\n", 10, 3, FIRST),
    ("aaaaa", 10, 3, FIRST),
    ("aöb\n", 9, 2, FIRST),
    ("🛶a\n", 9, 3, FIRST),
    ("ab cd\n", 9, 3, FIRST),
    ("\nabcdef\n", 9, 4, WHOLE),
    ("a\u2028b\nc\x0cd\ne\n", 2, 100, ENDS),
    ("a\rb\r\nc\n", 2, 100, ENDS),
    ("x" * 200 + "\n" + "y\n" * 5, 3, 203, BOTH),
)


def cases(random: Random) -> list[Case]:
    found = [
        case((text, lines, size), cut_index(text, lines, size), slip)
        for text, lines, size, slip in FIXED
    ]
    for _ in range(40):
        lines = [
            random.choice("aö—🛶") * random.randint(0, 12)
            for _ in range(random.randint(1, 12))
        ]
        text = "\n".join(lines) + random.choice(("\n", ""))
        limits = random.randint(1, 12), random.randint(1, 120)
        expected = cut_index(text, *limits)
        found.append(
            case((text, *limits), expected, f"{LINES}; {BYTES}; {WHOLE}")
        )
    return found
