from __future__ import annotations

from random import Random

from memlab.course import Case, case
from memlab.text import words

_WORDS = words(
    "tide ebb slack kayak paddle ferry board boat slip buoy harbour island query row view index "
    "await schema münze café"
)
_LETTERS = "abcdefghijklmnoprstuvwxyz"
_INSIDE = "letters, digits or accents go on before or after it, so it is part of another word"
_CASE = "upper and lower case should not matter"
_SPACE = "a line end, a tab or several blanks should count as one blank"


def cases(random: Random) -> list[Case]:
    return [
        case(
            ("Use tabs, not spaces.", "tabs, not spaces"),
            True,
            "the evidence is several words",
        ),
        case(("It stabs the dough.", "tabs"), False, _INSIDE),
        case(("Tabs, please.", "TABS"), True, _CASE),
        case(("tabs,\n   not\tspaces", "tabs, not spaces"), True, _SPACE),
        case(
            ("It stabs, then tabs.", "tabs"),
            True,
            "a later place counts after a false one",
        ),
        case(("port 54321", "5432"), False, _INSIDE),
        case(("the crème", "cr"), False, _INSIDE),
        case(
            ("see c++ (old)", "(old)"),
            True,
            "evidence may begin and end with any character",
        ),
        case(
            ("the hut at 17x10", "17.10"),
            False,
            "a dot is a dot, not any character",
        ),
        case(("", "tabs"), False, "an empty text holds nothing"),
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
        (random.choice(_LETTERS) + evidence, evidence + random.choice("zxqj7"))
    )
    others = [word for word in row if word not in evidence.split()]
    text = " ".join([*others[:2], grown, *others[2:]])
    return case((text, evidence), False, _INSIDE)
