"""The gaps of notebook 02: a line of the index, and the cut."""

from __future__ import annotations

from memlab.course.gap import Case, Gap


def pointers(rng):
    rule = "the line starts with '- [', and the title comes before the file"
    yield Case(("tabs.md", "Tabs", ""), rule)
    rule = "an em dash with a space on each side is between link and hook"
    yield Case(("tabs.md", "Tabs", "before writing code"), rule)
    rule = "without a hook, the line ends with the link"
    yield Case(("last-ferry-home.md", "Last ferry home", ""), rule)
    titles = ("The FILE and the TITLE", "Sets like {file}", "100 %s", "{}")
    titles += ("Über die Fähre", "to-do — later", "42", "a (b) c", " x ")
    hooks = (
        "Robin leaves for the 17:10 ferry; don't start anything big after 16:30",
        "the command is `python -m pytest -q`, {file}, HOOK and %s",
        "50 % (or more) — see the board",
        "- starts with a dash",
        "0",
        "what Tuva said about the ramp —",
        "Ends with a full stop.",
        " a space at each end ",
    )
    for hook in hooks:
        yield Case(("tabs.md", "Tabs", hook), "the hook is written as it is")
    for title in titles:
        rule = "the title is written as it is"
        yield Case(("sets.md", title, "for a hook"), rule)
    for file in ("team/review-order.md", "Tabs_and Spaces.md", "TITLE.md"):
        yield Case((file, "Tabs", "in code"), "the file is written as it is")
    for _ in range(8):
        file = f"note-{rng.randint(1, 99)}.md"
        yield Case((file, rng.choice(titles), rng.choice(("", *hooks))))


pointer_line = Gap(
    name="pointer_line",
    place="memlab.memdir.index.pointer_line",
    cases=pointers,
    hints=(
        "A link in Markdown is written `[title](file)`. An f-string can put"
        " both values into it.",
        "Build the line up to the closing parenthesis first. Then add the dash"
        " and the hook, but only if there is a hook.",
    ),
    why="Every line has a link. The dash is added together with the hook, so a"
    " line without a hook has no dash at its end.",
    wrong=(
        ("[{title}]({file})", "[{file}]({title})", "title comes before"),
        ('"- [', '"* [', "starts with"),
        (" — {hook}", " - {hook}", "an em dash"),
        ("if hook:", "if True:", "the title comes before"),
        ('f" — {hook}"', 'f" — {hook[:60]}"', "hook is written as it is"),
        ("if hook:", "if hook and hook != '0':", "hook is written as it is"),
        ('f" — {hook}"', 'f" — {hook.strip()}"', "hook is written as it is"),
        ("{title}", "{title.capitalize()}", "title is written as it is"),
        ("({file})", "({file.lower()})", "file is written as it is"),
        (
            "def pointer_line(file, title, hook):\n"
            "    line = '- [TITLE](FILE)' + (' — HOOK' if hook else '')\n"
            "    line = line.replace('TITLE', title).replace('FILE', file)\n"
            "    return line.replace('HOOK', hook)\n",
            "title is written as it is",
        ),
    ),
)


def indexes(rng):
    for rule, *every in (
        (
            "at most max_lines lines are kept, from the top",
            *(
                ("a\nb\nc\n", 2, 100),
                ("a\nb\nc", 2, 100),
                ("a\n\n\nb\n", 3, 99),
            ),
            *(("a\nb\n", 1, 2), ("\n\n\n", 2, 100)),
        ),
        (
            "an index that fits both limits comes back unchanged",
            *(
                ("a\nb\nc", 3, 100),
                ("a\nb\nc\n", 3, 100),
                ("", 5, 5),
                ("", 1, 1),
            ),
            *(("a\nb", 9, 9), ("a\nb\n", 2, 4), ("aaa\nbbb", 10, 7)),
            *(("ö — 🛶\n", 1, 12), ("aaaaa", 1, 5)),
        ),
        (
            "the byte limit keeps whole lines, with their line ends",
            *(("aaa\nbbb\n", 9, 7), ("aaa\nbbb\nccc\n", 10, 9)),
            *(("aaa\nbbb\nccc\n", 10, 8), ("aaa\nbbb\nccc", 10, 10)),
            *(
                ("a\nbbbbbbbbb\nc\n", 10, 5),
                ("\nabcdef\n", 9, 4),
                ("a\nb\n", 9, 3),
            ),
            *(
                ("aaaaa\nb\n", 10, 6),
                ("aaa\nbbb\n", 9, 4),
                ("a\n\n\n\n", 9, 3),
            ),
        ),
        (
            "the byte limit applies to what the line limit has left",
            *(
                ("aaaa\nbbbb\ncccc\n", 2, 9),
                ("x" * 200 + "\n" + "y\n" * 5, 3, 203),
            ),
            *(("aa\nbb\ncccccc\n", 2, 6), ("aa\nbb\ncc", 2, 5)),
        ),
        (
            "bytes are counted in UTF-8: an ö takes two, and a dash takes three",
            *(("öö\nöö\nöö\n", 10, 10), ("öö\nöö\nöö\n", 10, 11)),
            *(("a — b\na — b\n", 10, 12), ("🛶🛶\n🛶🛶\n", 10, 12)),
        ),
        (
            "of a first line that does not fit, as many characters as fit stay",
            *(("aaaaa\nb\n", 10, 3), ("aaaaa\nb\n", 10, 5), ("aaaaa", 10, 3)),
            *(("ab cd\n", 9, 3), ("aaa\nbbb", 1, 2)),
        ),
        (
            "only whole characters are kept",
            *(
                ("ööö\n", 10, 3),
                ("🛶🛶\n", 10, 7),
                ("🛶\n", 10, 3),
                ("aöb\n", 9, 2),
            ),
            *(("aö\n", 9, 3), ("—\n", 9, 1)),
        ),
        (
            "only a newline ends a line",
            *(("a\u2028b\nc\x0cd\ne\n", 2, 100), ("a\rb\r\nc\n", 2, 100)),
            *(("aa\u2028bb\n", 9, 6), ("aa\rbb\ncc\n", 9, 4)),
        ),
    ):
        for given in every:
            yield Case(given, rule)
    for _ in range(25):
        lines = [
            rng.choice("aö—🛶") * rng.randint(0, 12)
            for _ in range(rng.randint(1, 12))
        ]
        text = "\n".join(lines) + rng.choice(("\n", ""))
        yield Case((text, rng.randint(1, 12), rng.randint(1, 120)))


truncate_index = Gap(
    name="truncate_index",
    place="memlab.memdir.index.truncate_index",
    cases=indexes,
    hints=(
        "Do it in two steps. The first step cuts the lines and doesn't look at"
        " bytes at all. Don't use `splitlines`, which also splits at rare"
        ' characters other than `"\\n"`.',
        "`text.encode()` gives the bytes of a string, and a slice of them is"
        ' easy to measure. `data.decode(errors="ignore")` turns bytes back into'
        " a string and leaves out a character that was cut in half.",
        '`kept.rindex("\\n")` is the position of the last line ending in what'
        " fits.",
    ),
    why="The byte limit applies to what is left after the line limit."
    " Everything after the last line ending that fits is a line that doesn't"
    " fit, so it goes. If there is no line ending at all, the first line alone"
    ' is too long, and the part of it that fits is kept. `"ignore"` drops the'
    ' bytes of a character whose other bytes were cut off (and `"surrogatepass"`'
    " is for files that are not quite UTF-8).",
    wrong=(
        ("[:max_lines]", "[-max_lines - 1:-1]", "from the top"),
        ("[:max_lines]", "[:max_lines - 1]", "from the top"),
        ("> max_lines", "> max_lines + 1", "max_lines lines are kept"),
        (
            '.join(lines[:max_lines]) + "\\n"',
            ".join(lines[:max_lines])",
            "kept",
        ),
        ('.split("\\n")', ".splitlines()", "only a newline"),
        (
            "if len(lines) > max_lines:",
            "if len(lines) >= max_lines:",
            "unchanged",
        ),
        ("<= max_bytes", "< max_bytes", "unchanged"),
        (
            'kept.rindex("\\n") + 1',
            'kept.rindex("\\n")',
            "with their line ends",
        ),
        ('if "\\n" in kept:', "if False:", "keeps whole lines"),
        ('text.encode("utf-8", "surrogatepass")', "text", "raised"),
        ('"ignore"', '"replace"', "whole characters"),
    ),
)
