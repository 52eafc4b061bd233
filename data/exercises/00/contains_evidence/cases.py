from __future__ import annotations

from random import Random

from memlab.course.exercise import Case, case
from memlab.text import words

_WORDS = words(
    "tide ebb slack kayak paddle ferry board boat slip buoy harbour island query row view index "
    "await schema münze café tab sql"
)
_LETTERS = "abcdefghijklmnoprstuvwxyz"
_INSIDE = (
    "a letter, digit or underscore touches it, so it is part of another word"
)
_MARK = (
    "a mark such as a full stop, a quotation mark or a hyphen may be directly"
    " before or after the evidence"
)
_ENDS = (
    r"the evidence may begin or end with a mark such as ( or +, and \b finds"
    " no boundary between a mark and a space"
)
_LATER = "a later match counts, even if an earlier one doesn't"
_CASE = "upper and lower case should not matter"
_SPACE = "a run of spaces, tabs and line endings should count as one space"


def cases(random: Random) -> list[Case]:
    return [
        case(
            ("Use tabs, not spaces", "tabs, not spaces"),
            True,
            "the evidence may be several words",
        ),
        case(("Robin types tabs.", "tabs"), True, _MARK),
        case(("Use tabs, not spaces.", "tabs, not spaces"), True, _MARK),
        case(("It stabs the dough.", "tabs"), False, _INSIDE),
        case(("Tabs, please.", "TABS"), True, _CASE),
        case(("tabs,\n   not\tspaces", "tabs, not spaces"), True, _SPACE),
        case(("It stabs, then tabs.", "tabs"), True, _LATER),
        case(("stabs, tabs, tabstop", "tabs"), True, _LATER),
        case(("port 54321", "5432"), False, _INSIDE),
        case(("the crème", "cr"), False, _INSIDE),
        case(("see c++ (old)", "(old)"), True, _ENDS),
        case(('He said "tabs".', "tabs"), True, _MARK),
        case(("a tabs-only file", "tabs"), True, _MARK),
        case(("tabs/spaces", "tabs"), True, _MARK),
        case(
            ("the hut at 17x10", "17.10"),
            False,
            "a dot is a dot, not any character",
        ),
        case(("", "tabs"), False, "an empty text contains nothing"),
        case(("tabs_width = 4", "tabs"), False, _INSIDE),
        case(("TABS,\tnot  Spaces", "Tabs, NOT\nspaces"), True, _SPACE),
        case(("a tide table", "tab"), False, _INSIDE),
        case(("a stab, tab, tab", "tab, tab"), True, _LATER),
        case(("tabs", "tabs"), True, "the evidence may be the whole text"),
        case(
            ("tabs,not spaces", "tabs, not spaces"),
            False,
            "a missing space is a difference",
        ),
        case(
            ("tabs. not spaces", "tabs, not spaces"),
            False,
            "punctuation counts",
        ),
        case(
            ("tabs not spaces", "tabs, not spaces"),
            False,
            "punctuation counts",
        ),
        case(
            ("not spaces, tabs", "tabs, not spaces"),
            False,
            "the order of the words counts",
        ),
        case(("see c++, it is old", "c++"), True, _ENDS),
        case(
            ("the old one", "(old)"),
            False,
            "marks such as ( are part of the evidence",
        ),
        case(("see x(old)", "(old)"), False, _INSIDE),
        *(_random_case(random) for _ in range(40)),
    ]


def _random_case(random: Random) -> Case:
    row = random.sample(_WORDS, 6)
    start = random.randrange(4)
    evidence = " ".join(row[start : start + random.randint(1, 2)])
    if random.random() < 0.5:
        joined = random.choice((" ", "  ", "\n", "\t")).join(row)
        text = random.choice(
            (joined, joined.upper(), joined + ".", f"({joined})")
        )
        return case((text, evidence), True, f"{_CASE}; {_SPACE}")
    grown = random.choice(
        (
            random.choice(_LETTERS) + evidence,
            evidence + random.choice("zxqj7_é"),
        )
    )
    others = [word for word in row if word not in evidence.split()]
    text = " ".join([*others[:2], grown, *others[2:]])
    return case((text, evidence), False, _INSIDE)
