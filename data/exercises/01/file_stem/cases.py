from __future__ import annotations

from random import Random

from memlab.course.exercise import Case, case

_WORDS = "letters and digits in lower case, with one hyphen between words"
_ENDS = "there is no hyphen at the beginning or at the end"
_LETTERS = "the letters of every language count"
_EMPTY = "a name without letters and digits gives note"
_RESERVED = "a reserved stem gets a number"
_WHOLE = "only a whole stem is reserved"
_LENGTH = "a stem may be long"
_TAKEN = "a taken stem gets the next number that is free"
_CASE = "taken stems are compared without case"


def cases(random: Random) -> list[Case]:
    """Give names with their stems."""
    found = [
        case((name, set(taken)), stem, slip)
        for name, taken, stem, slip in (
            ("Tabs & single quotes!", "", "tabs-single-quotes", _WORDS),
            ("../../etc/passwd", "", "etc-passwd", _ENDS),
            ("17:10 ferry", "", "17-10-ferry", _WORDS),
            ("tabs.md", "", "tabs-md", _WORDS),
            ("snake_case_name", "", "snake-case-name", _WORDS),
            ("a  --  b", "", "a-b", _WORDS),
            (" Übung, später ", "", "übung-später", _LETTERS),
            ("Recipe ½", "", "recipe-½", _LETTERS),
            ("Straße", "", "straße", _LETTERS),
            ("Con artists", "", "con-artists", _WHOLE),
            ("Memory of Robin", "", "memory-of-robin", _WHOLE),
            ("Memory!", "", "memory-2", _RESERVED),
            ("Robin's desk", "", "robin-s-desk", _WORDS),
            ("tide " * 30, "", "-".join(["tide"] * 30), _LENGTH),
            ("潮の時刻", "", "潮の時刻", _LETTERS),
            ("???", "", "note", _EMPTY),
            ("", "", "note", _EMPTY),
            ("CON", "", "con-2", _RESERVED),
            ("lpt1", "", "lpt1-2", _RESERVED),
            ("Console", "", "console", _RESERVED),
            ("MEMORY", "", "memory-2", _RESERVED),
        )
    ]
    found += [
        case((name, taken), stem, slip)
        for name, taken, stem, slip in (
            ("Tabs", {"tabs"}, "tabs-2", _TAKEN),
            ("Tabs", {"tabs", "tabs-2"}, "tabs-3", _TAKEN),
            ("Tabs", {"tabs-2"}, "tabs", _TAKEN),
            ("Tabs", {"tabs", "tabs-3"}, "tabs-2", _TAKEN),
            ("Tabs 2", {"tabs", "tabs-2"}, "tabs-2-2", _TAKEN),
            ("Tabs", {"TABS", "Tabs-2"}, "tabs-3", _CASE),
            ("Memory", {"memory-2"}, "memory-3", _TAKEN),
            ("Nul", {"aux"}, "nul-2", _RESERVED),
            ("!!!", {"note"}, "note-2", _TAKEN),
            ("Tab", {"tabs"}, "tab", _TAKEN),
        )
    ]
    words = ("tide", "ferry", "board", "42", "kayak")
    for _ in range(12):
        chosen = random.choices(words, k=3)
        name = random.choice((" ", ", ", " / ", "--", "_")).join(chosen)
        name = random.choice(("", "«")) + name + random.choice(("", "?", "…"))
        stem = "-".join(chosen)
        count = random.randint(0, 4)
        taken = {f"{stem}-{number}" for number in range(2, count + 1)}
        wanted = stem
        if count:
            taken.add(stem)
            wanted = f"{stem}-{max(2, count + 1)}"
        found.append(
            case((name.title(), taken), wanted, f"{_WORDS}; {_TAKEN}")
        )
    return found
