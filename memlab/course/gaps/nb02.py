"""The gaps of notebook 02: a line of the index, and the cut."""

from __future__ import annotations

from memlab.course.gap import Case, Gap
from memlab.course.gaps.nb01 import rows

POINTERS = (
    "the title comes before the file; without a hook, the line ends there | tabs.md; Tabs; ",
    "an em dash with a space on each side separates link and hook | tabs.md; Tabs; in code",
    "without a hook, the line ends with the link | last-ferry-home.md; Last ferry home; ",
    "the hook is written as it is | a.md; A; `python -m pytest -q`, {file}, HOOK, %s | a.md; A; 0",
    "the hook is written as it is | a.md; A; 50 % (or more) — see the board | a.md; A;  a ramp — ",
    "the whole hook is kept | a; A; nothing big; Robin leaves for the last ferry, so end at 16:30",
    "the title is written as it is | a.md; FILE and TITLE; b | a.md; Sets like {file}; for a HOOK",
    "the title is written as it is | a.md; 100 %s; b | a.md; Über, — 42; b | a.md;  a (b) c ; b",
    "the file is written as it is | team/A-b.md; A; b | Tabs_and Spaces.md; A; b | TITLE.md; A; b",
)


def pointers(rng):
    for rule, each in rows(POINTERS):
        yield Case(tuple(each.split("; ", 2)), rule)
    for _ in range(8):
        title, hook = rng.sample(("Tide", "a (b) %s", "— {}", " - 1. ", ""), 2)
        yield Case((f"note-{rng.randint(1, 99)}.md", title, hook))


pointer_line = Gap(
    name="pointer_line",
    place="memlab.memdir.index.pointer_line",
    cases=pointers,
    hints=(
        "A link in Markdown is written `[title](file)`. An f-string can put both values into it.",
        "Build the line up to the closing parenthesis first. Then add the dash and the hook, but"
        " only if there is a hook.",
    ),
    why="The dash is added together with the hook, so a line without a hook has no dash.",
    wrong=(
        ("[{title}]({file})", "[{file}]({title})", "title comes before"),
        (" — {hook}", " - {hook}", "an em dash"),
        ("if hook:", "if True:", "without a hook"),
        ('f" — {hook}"', 'f" — {hook[:60]}"', "whole hook is kept"),
        ("{title}", "{title.capitalize()}", "title is written as it is"),
        ("({file})", "({file.lower()})", "file is written as it is"),
    ),
)


INDEXES = (
    "at most max_lines lines are kept | a\nb\nc\n, 2, 9 | a\nb\nc, 2, 9 | a\n\n\nb\n, 3, 9",
    "at most max_lines lines are kept | a\nb\n, 1, 2 | \n\n\n, 2, 9",
    "what fits stays unchanged | a\nb\nc, 3, 9 | a\nb\nc\n, 3, 9 | , 5, 5 | , 1, 1 | aaaaa, 1, 5",
    "what fits stays unchanged | a\nb, 9, 9 | a\nb\n, 2, 4 | aaa\nbbb, 9, 7 | ö — 🛶\n, 1, 12",
    "only whole lines fit | aaa\nbbb\n, 9, 7 | aaa\nbbb\nccc\n, 9, 9 | aaa\nbbb\nccc\n, 9, 8",
    "only whole lines fit | aaa\nbbb\nccc, 9, 10 | a\nbbbbbbbbb\nc\n, 9, 5 | \nabcdef\n, 9, 4",
    "only whole lines fit | a\nb\n, 9, 3 | aaaaa\nb\n, 9, 6 | aaa\nbbb\n, 9, 4 | a\n\n\n\n, 9, 3",
    "lines are cut first | aa\nbb\ncc, 2, 5 | aaaa\nbbbb\ncccc\n, 2, 9 | aa\nbb\ncccccc\n, 2, 6",
    "UTF-8 bytes are counted | öö\nöö\nöö\n, 9, 10 | öö\nöö\n, 9, 9 | a — b\na — b\n, 9, 12",
    "as much of the first line as fits | aaaaa\nb\n, 9, 3 | aaaaa\nb\n, 9, 5 | aaaaa, 9, 3",
    "as much of the first line as fits | aaa\nbbb, 1, 2 | ab cd\n, 9, 3",
    "only whole characters stay | ööö\n, 9, 3 | 🛶🛶\n, 9, 7 | 🛶\n, 9, 3 | aöb\n, 9, 2",
    "only \\n ends a line | a\u2028b\nc\x0cd\ne\n, 2, 99 | a\rb\r\nc\n, 2, 9 | aa\u2028bb\n, 9, 6",
    "only \\n ends a line | aa\rbb\ncc\n, 9, 4",
)


def indexes(rng):
    for rule, each in rows(INDEXES):
        text, lines, size = each.rsplit(", ", 2)
        yield Case((text, int(lines), int(size)), rule)
    for _ in range(25):
        count = rng.randint(1, 12)
        text = [
            rng.choice("aö—🛶\n") * rng.randint(0, 12) for _ in range(count)
        ]
        given = "\n".join(text) + rng.choice(("\n", ""))
        yield Case((given, rng.randint(1, 12), rng.randint(1, 120)))


truncate_index = Gap(
    name="truncate_index",
    place="memlab.memdir.index.truncate_index",
    cases=indexes,
    hints=(
        "Cut the lines first, without looking at bytes. Don't use `splitlines`, which also splits"
        ' at rare characters other than `"\\n"`.',
        'Then cut `data = text.encode()`. `data.decode(errors="ignore")` drops a character that was'
        ' cut in half, and `kept.rindex("\\n")` is the position of the last line ending that fits.',
    ),
    why="What follows the last line ending that fits is an incomplete line. If no line ending"
    ' fits, the first line is too long, and its beginning is kept. `"surrogatepass"` is for files'
    " that aren't quite valid UTF-8.",
    wrong=(
        ("[:max_lines]", "[:max_lines - 1]", "lines are kept"),
        ('.split("\\n")', ".splitlines()", "only \\n"),
        ("len(lines) > max_lines", "len(lines) >= max_lines", "unchanged"),
        ('rindex("\\n") + 1', 'rindex("\\n")', "only whole lines"),
        ('text.encode("utf-8", "surrogatepass")', "text", "raised"),
        ('"ignore"', '"replace"', "whole characters"),
    ),
)
