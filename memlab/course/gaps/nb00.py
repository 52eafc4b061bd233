"""The gaps of notebook 00: a block for a memory, and the evidence in a text."""

from __future__ import annotations

import re

from memlab.course.gap import Case, Gap


def memory_block(file: str, text: str) -> str:
    """Return the block for a memory file: tags around the file's text."""
    body = text.strip()
    if not body:
        return ""
    start = "<system-reminder>\nThis is from your memory."
    memory = f'<memory file="{file}">\n{body}\n</memory>'
    return f"{start}\n{memory}\n</system-reminder>"


BLOCKS = {
    "the tags and the sentence are those of the example": ["Tabs.", "No end"],
    "a file without text gets no block": ["", "\n", " ", " \n\t\n", "\r\n"],
    "white space at both ends is left out": ["Tabs.\n", "\nTabs.", " Tabs.\t"],
    "a text that consists of marks only is not empty": ["- [ ]\n", "?", "0\n"],
    "everything inside the text stays as it is": [
        "Like this:\n\n    x = 1\n\ty = 2",
        "Two  spaces. \r\nlines\u2028and others\x0chere",
        "Use {braces} and %s, not <b> & \\n.",
        "Put the FILE and the TEXT here: file, text",
    ],
}


def blocks(rng):
    for rule, texts in BLOCKS.items():
        for text in texts:
            yield Case((f"{rng.randint(1, 99)}.md", text), rule)
    for _ in range(10):
        words = rng.choices(("tabs", "a  b", "münze", " ", "\n", "\n\n"), k=6)
        yield Case((f"{rng.randint(1, 99)}.md", "".join(words)))


memory_block_gap = Gap(
    name="memory_block",
    place="memlab.course.session.memory_block",
    answer=memory_block,
    cases=blocks,
    hints=(
        "`text.strip()` returns the text without white space at both ends. Call it first, and"
        " then look at what is left.",
        "Each tag is on its own line: put a `\\n` between two lines, but none after the last tag."
        " Use single quotes around an f-string that contains double quotes.",
    ),
    why="The text is stripped before it is tested, so a file that contains only empty lines"
    " counts as empty.",
    wrong=(
        ('file="{file}"', 'file="note.md"', "those of the example"),
        ("text.strip()", 'text.strip("\\n")', "gets no block"),
        ("text.strip()", "text.rstrip()", "at both ends"),
        ("not body", 'not re.search(r"\\w", text)', "marks only is not empty"),
        ("text.strip()", 'text.strip().replace("<", "&lt;")', "stays as it"),
        ("text.strip()", '" ".join(text.split())', "stays as it is"),
    ),
)


def contains_evidence(text: str, evidence: str) -> bool:
    """Tell whether a text contains the evidence as whole words."""
    searched = " ".join(text.lower().split())
    wanted = re.escape(" ".join(evidence.lower().split()))
    return re.search(rf"(?<!\w){wanted}(?!\w)", searched) is not None


MARK = "any mark may be directly before or after the evidence"
TOUCHES = "a match doesn't count if a letter, a digit or an underscore touches the evidence"
LATER = "a later match counts, even if an earlier one does not"
EVERY = "every mark and space in the evidence counts"
FOUND_IN = (
    ("the evidence may be several words", "not tabs", "Spaces, not tabs"),
    (
        MARK,
        "tabs",
        "Use tabs.",
        '"tabs"',
        "a tabs-rule",
        "old-tabs'",
        "a/tabs",
    ),
    (TOUCHES, "tabs", "It stabs.", "4tabs", "tabs4", "tabs_on", "old_tabs"),
    (TOUCHES, "cr", "the crème"),
    ("case is ignored", "üBER", "Über", "über", "ÜBER."),
    ("a run of white space is one space", "a  B\nc", "a\n   b\tc", "a b\r\nc"),
    (LATER, "tabs", "It stabs, then tabs.", "stabs, tabs, tabstop"),
    (LATER, "tab-tab", "tab-tabs-tab-tab", "a stab-tab-tab"),
    ("the evidence may begin with a mark", "(old)", "c++ (old)", "(old) one"),
    ("the evidence may end with a mark", "c++", "see c++, it is old"),
    (EVERY, "a, not b", "a. not b", "a not b", "a,not b", "not b, a", ""),
    (EVERY, "17.10", "the hut at 17x10"),
    (EVERY, "(old)", "the old one"),
    (EVERY, "c+", "ccc is old"),
    (TOUCHES, "(old)", "see x(old)", "see (old)x"),
)


def evidence(rng):
    for rule, wanted, *texts in FOUND_IN:
        for text in texts:
            yield Case((text, wanted), rule)
    for _ in range(20):
        row = rng.sample(("tide", "ebb", "hut", "kayak", "café", "42"), 5)
        wanted = " ".join(row[1 : rng.randint(2, 3)])
        row[1] = rng.choice(("", "", "x", "7_")) + row[1]
        text = rng.choice((" ", "  ", "\n", "\t")).join(row)
        yield Case((rng.choice((text, text.upper(), f"({text}).")), wanted))


contains_evidence_gap = Gap(
    name="contains_evidence",
    place="memlab.course.story.contains_evidence",
    answer=contains_evidence,
    cases=evidence,
    hints=(
        'First convert both to the same form: `" ".join(text.lower().split())` is in lower case,'
        " with one space between words. Keep it as one string: if you search a list of words, the"
        ' last word of "Robin types tabs." is `tabs.`, with the full stop.',
        "`in` only tells you that there is a match. If the character before it or after it is a"
        " letter, a digit or an underscore, look for the next match.",
        '`re.search(r"(?<!\\w)" + re.escape(evidence) + r"(?!\\w)", text)` does it all: none of'
        " these characters may be directly before or after the match. Don't use `\\b`: it finds no"
        " boundary between a space and `(`.",
    ),
    why="Once the text and the evidence have the same form, only the characters on either side"
    " of a match matter, and a regular expression tries every match in the text.",
    wrong=(
        (r"(?!\w)", "(?![a-z])", "touches the evidence"),
        (r"(?!\w)", "(?=$|[ ).,;:!?])", "any mark may be"),
        ("re.escape", "", "every mark and space"),
        (r"(?<!\w){wanted}(?!\w)", r"\b{wanted}\b", "may begin with a mark"),
        (r"(?<!\w)", r"^((?!{wanted}).)*(?<!\w)", "a later match counts"),
        ('" ".join(text.lower().split())', "text.lower()", "is one space"),
    ),
)
