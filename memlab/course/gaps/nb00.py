"""The gaps of notebook 00: a block for a memory, and the evidence in a text."""

from __future__ import annotations

import re

from memlab.course.gap import Case, Gap


def memory_block(file: str, text: str) -> str:
    """Return the block for a memory file: tags around the file's text."""
    body = text.strip()
    if not body:
        return ""
    return (
        "<system-reminder>\n"
        "This is from your memory.\n"
        f'<memory file="{file}">\n'
        f"{body}\n"
        "</memory>\n"
        "</system-reminder>"
    )


def blocks(rng):
    rule = "the tags and the sentence are those of the example"
    yield Case(("note.md", "I like my code with tabs."), rule)
    yield Case(("one.md", "No line end"), rule)
    for text in ("", "\n", " ", " \n\t\n", "\r\n"):
        yield Case(("blank.md", text), "a file without text gets no block")
    for text in ("Tabs.\n", "\nTabs.", "  Tabs. \t", "\n\n\tTabs.\n \n\n"):
        rule = "white space at both ends of the text is left out"
        yield Case(("ends.md", text), rule)
    for text in ("- [ ]\n", "---\n", "?", "0\n"):
        rule = "a text that consists of marks only is not empty"
        yield Case(("box.md", text), rule)
    for text in (
        "First.\n\nSecond.",
        "Like this:\n\n    x = 1\n\ty = 2",
        "Two  spaces. \nOne line",
        "Windows\r\nlines\u2028and others\x0chere",
        "Use {braces} and %s, not <b> & \\n.",
        "Put the FILE and the TEXT here: file, text",
    ):
        rule = "everything inside the text stays as it is"
        yield Case(("inside.md", text), rule)
    words = ("tabs", "kayak", "ferry", "noon", "SQL", "goats", "münze")
    for _ in range(10):
        lines = [" ".join(rng.choices(words, k=3)) for _ in range(3)]
        text = rng.choice(("", "\n", "  \n")) + "\n".join(lines)
        file = f"{rng.choice(words)}-{rng.randint(1, 99)}.md"
        yield Case((file, text + rng.choice(("", "\n", "\n\n", " \n"))))


memory_block_gap = Gap(
    name="memory_block",
    place="memlab.course.bare_sessions.memory_block",
    answer=memory_block,
    cases=blocks,
    hints=(
        "`text.strip()` returns the text without white space at both ends."
        " Call it first, and then look at what is left.",
        "Each tag is on its own line. There is a `\\n` between two lines, and"
        " none after the last tag.",
        "In an f-string that contains double quotes, use single quotes on the"
        " outside: `f'<memory file=\"{file}\">'`.",
    ),
    why="The text is stripped before it is tested, so a file that contains"
    " only empty lines counts as empty.",
    wrong=(
        ('f\'<memory file="{file}">', '\'<memory file="note.md">', "example"),
        ('</system-reminder>"', '</system-reminder>\\n"', "of the example"),
        ("text.strip()", 'text.strip("\\n")', "gets no block"),
        ("text.strip()", "text.rstrip()", "at both ends"),
        ("if not body:", "if not text:", "gets no block"),
        (
            "if not body:",
            'if not re.search(r"\\w", text):',
            "marks only is not empty",
        ),
        (
            "text.strip()",
            '"\\n".join(map(str.strip, text.strip().splitlines()))',
            "stays as it is",
        ),
        (
            "text.strip()",
            'text.strip().replace("<", "&lt;")',
            "stays as it is",
        ),
        ("text.strip()", '" ".join(text.split())', "stays as it is"),
    ),
)


def contains_evidence(text: str, evidence: str) -> bool:
    """Tell whether a text contains the evidence as whole words."""
    searched = " ".join(text.lower().split())
    wanted = " ".join(evidence.lower().split())
    pattern = r"(?<!\w)" + re.escape(wanted) + r"(?!\w)"
    return re.search(pattern, searched) is not None


def evidence(rng):
    for given, rule in (
        (("Use tabs, not spaces", "tabs, not spaces"), "several words"),
        (("tabs", "tabs"), "the whole text"),
    ):
        yield Case(given, f"the evidence may be {rule}")
    for text in (
        "Robin types tabs.",
        'He said "tabs".',
        "a tabs-only file",
        "tabs/spaces",
        "the old-tabs' rule",
        "*tabs*",
    ):
        rule = "any mark may be directly before or after the evidence"
        yield Case((text, "tabs"), rule)
    for given in (
        ("It stabs the dough.", "tabs"),
        ("a tide table", "tab"),
        ("port 54321", "5432"),
        ("port 65432", "5432"),
        ("the crème", "cr"),
        ("tabs_width = 4", "tabs"),
        ("old_tabs", "tabs"),
    ):
        rule = "a letter, a digit or an underscore touches the evidence"
        yield Case(given, rule)
    for text, wanted in (
        ("Tabs, please.", "TABS"),
        ("TABS", "tabs"),
        ("Über", "über"),
    ):
        yield Case((text, wanted), "upper and lower case are the same")
    for given in (
        ("tabs,\n   not\tspaces", "tabs, not spaces"),
        ("tabs, not spaces", "Tabs,  NOT\nspaces"),
        ("tabs,\r\nnot spaces", "tabs, not spaces"),
    ):
        rule = "spaces, tabs and line endings in a row count as one space"
        yield Case(given, rule)
    for text, wanted in (
        ("It stabs, then tabs.", "tabs"),
        ("stabs, tabs, tabstop", "tabs"),
        ("a stab, tab, tab", "tab, tab"),
        ("tab-tabs-tab-tab", "tab-tab"),
    ):
        rule = "a later match counts, even if an earlier one does not"
        yield Case((text, wanted), rule)
    for text, wanted in (
        ("see c++ (old)", "(old)"),
        ("see c++, it is old", "c++"),
        ("the (old) one", "(old)"),
    ):
        rule = "the evidence may begin or end with a mark such as ( or +"
        yield Case((text, wanted), rule)
    for text, wanted in (
        ("the hut at 17x10", "17.10"),
        ("tabs. not spaces", "tabs, not spaces"),
        ("tabs not spaces", "tabs, not spaces"),
        ("tabs,not spaces", "tabs, not spaces"),
        ("the old one", "(old)"),
        ("ccc is old", "c+"),
    ):
        yield Case(
            (text, wanted), "every mark and space of the evidence counts"
        )
    for text in ("see x(old)", "see (old)x"):
        rule = "a letter touches the evidence"
        yield Case((text, "(old)"), rule)
    rule = "the order of the words counts"
    yield Case(("not spaces, tabs", "tabs, not spaces"), rule)
    yield Case(("", "tabs"), "an empty text contains nothing")
    words = ("tide", "ebb", "slack", "kayak", "ferry", "hut", "café", "42")
    for _ in range(20):
        row = rng.sample(words, 6)
        start = rng.randrange(4)
        wanted = " ".join(row[start : start + rng.randint(1, 2)])
        row[start] = rng.choice(("", "", "x", "7_")) + row[start]
        text = rng.choice((" ", "  ", "\n", "\t")).join(row)
        yield Case((rng.choice((text, text.upper(), f"({text}).")), wanted))


contains_evidence_gap = Gap(
    name="contains_evidence",
    place="memlab.course.measuring.contains_evidence",
    answer=contains_evidence,
    cases=evidence,
    hints=(
        "Bring the text and the evidence into one form before you compare"
        ' them: `" ".join(text.lower().split())` is in lower case, and has one'
        " space between words. Keep it as one string. A list of words is hard"
        ' to search, because in "Robin types tabs." the last word is `tabs.`,'
        " with the full stop.",
        "`in` only tells you that there is a match. You also need the"
        " character before it and the character after it. If one of them is a"
        " letter, a digit or an underscore, look for the next match.",
        '`re.search(r"(?<!\\w)" + re.escape(evidence) + r"(?!\\w)", text)`'
        " looks for all of this at once. `\\w` is a letter, a digit or an"
        ' underscore, `(?<!\\w)` means "none of these before", and `(?!\\w)`'
        ' means "none of these after". `re.escape` lets you search for'
        " characters such as `(` and `+`. Don't use `\\b`: it finds no"
        " boundary between a space and `(`, so `\\b\\(old` never matches"
        ' " (old".',
    ),
    why="Once the text and the evidence have the same form, only the two"
    " characters around a match decide, and a regular expression tries every"
    " match in the text.",
    wrong=(
        ('r"(?<!\\w)" + re.escape(wanted)', "re.escape(wanted)", "touches"),
        ('r"(?!\\w)"', 'r"(?![a-z])"', "touches the evidence"),
        ('r"(?!\\w)"', 'r"(?![^\\W_])"', "touches the evidence"),
        ('r"(?!\\w)"', 'r"(?![\\w\'-])"', "any mark may be"),
        ('r"(?!\\w)"', 'r"(?=$|[ ).,;:!?])"', "any mark may be"),
        ("re.escape(wanted)", "wanted", "every mark and space"),
        ("text.lower()", "text", "upper and lower case"),
        ('" ".join(text.lower().split())', "text.lower()", "as one space"),
        (
            'pattern = r"(?<!\\w)" + re.escape(wanted) + r"(?!\\w)"',
            'pattern = r"\\b" + re.escape(wanted) + r"\\b"',
            "mark such as (",
        ),
        (
            "return re.search(pattern, searched) is not None",
            "at = searched.find(wanted)\n"
            "    return re.compile(pattern).match(searched, at) is not None"
            " if at >= 0 else False",
            "a later match counts",
        ),
        (
            "def contains_evidence(text, evidence):\n"
            "    plain = re.compile(r'\\W+')\n"
            "    wanted = plain.sub(' ', evidence.lower()).strip()\n"
            "    return f' {wanted} ' in plain.sub(' ', f' {text.lower()} ')",
            "every mark and space",
        ),
    ),
)
