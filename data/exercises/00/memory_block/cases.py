from random import Random

from memlab.course.exercise import Case, case

EMPTY = "a file without text gets no block"
ENDS = "white space at both ends of the text is left out"
INSIDE = "everything inside the text stays as it is"
MARKS = "a text that consists of marks only is not empty"
TAGS = "the tags and the sentence are those of the example"
WORDS = ("tabs", "kayak", "ferry", "noon", "SQL", "goats", "tide", "münze")


def cases(random: Random) -> list[Case]:
    found = [
        _case("note.md", "I like my code with tabs.\n", TAGS),
        case(("empty.md", ""), "", EMPTY),
        case(("blank.md", " \n\t\n"), "", EMPTY),
        _case("one.md", "No line end", TAGS),
        _case("gap.md", "\n\nFirst.\n\nSecond.\n\n\n", f"{ENDS}; {INSIDE}"),
        _case("indent.md", "Like this:\n\n    x = 1\n\ty = 2\n", INSIDE),
        _case("tags.md", "Use {braces} and %s, not <b>.\n", INSIDE),
        _case("box.md", "- [ ]\n", MARKS),
        _case("a.md", "Put the FILE and the TEXT here: file, text\n", INSIDE),
    ]
    for _ in range(8):
        lines = [
            " ".join(random.choices(WORDS, k=random.randint(1, 4)))
            for _ in range(random.randint(1, 4))
        ]
        text = random.choice(("\n", "\n\n")).join(lines)
        before = random.choice(("", "\n", "  \n"))
        after = random.choice(("", "\n", "\n\n", " \n"))
        file = f"{random.choice(WORDS)}-{random.randint(1, 99)}.md"
        found.append(_case(file, before + text + after, ENDS))
    return found


def _case(file: str, text: str, rule: str) -> Case:
    lines = (
        "<system-reminder>",
        "This is from your memory.",
        f'<memory file="{file}">',
        text.strip(),
        "</memory>",
        "</system-reminder>",
    )
    return case((file, text), "\n".join(lines), rule)
