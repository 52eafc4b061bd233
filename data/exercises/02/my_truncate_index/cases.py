from __future__ import annotations

from random import Random

from memlab.course import Case, case, cut_index

_LINES = "first at most max_lines lines are kept, from the top"
_BYTES = "bytes are counted in UTF-8: one ö takes two"
_END = "the byte cap cuts at the last line end that fits, never within a line"
_NOTHING = "a text within both caps comes back unchanged"


def cases(random: Random) -> list[Case]:
    fixed = [
        ("a\nb\nc\n", 2, 100, _LINES),
        ("aaa\nbbb\nccc\n", 10, 9, _END),
        ("öö\nöö\nöö\n", 10, 10, _BYTES),
        ("a\nb\n", 2, 4, _NOTHING),
        ("", 5, 5, _NOTHING),
        ("a\nb", 9, 9, _NOTHING),
        ("aaaa\nbbbb\ncccc\n", 2, 9, f"{_LINES}; {_END}"),
    ]
    found = [
        case((t, n, m), cut_index(t, n, m), slip) for t, n, m, slip in fixed
    ]
    for _ in range(30):
        lines = [
            random.choice("aöx") * random.randint(1, 30)
            for _ in range(random.randint(1, 12))
        ]
        text = "\n".join(lines) + random.choice(("\n", ""))
        caps = random.randint(1, 12), random.randint(62, 260)
        found.append(
            case(
                (text, *caps),
                cut_index(text, *caps),
                f"{_LINES}; {_BYTES}; {_END}",
            )
        )
    return found
