"""One answer, several answers, ties, and none."""

from __future__ import annotations

from random import Random

from memlab.course.exercise import Case, case

MOST = "More than half of the answers have to be correct"
TIE = "A tie counts as wrong"
NONE = "A case without answers counts as wrong"
ORDER = "The order of the answers does not matter"


def cases(random: Random) -> list[Case]:
    """Make the fixed cases, and some at random."""
    found = [
        case(([True, True, True],), True, MOST),
        case(([False, False, False],), False, MOST),
        case(([True, False, True],), True, MOST),
        case(([False, True, True],), True, ORDER),
        case(([True, True, False],), True, ORDER),
        case(([True, False, False],), False, MOST),
        case(([False, False, True],), False, ORDER),
        case(([True],), True, MOST),
        case(([False],), False, MOST),
        case(([True, False],), False, TIE),
        case(([False, True],), False, TIE),
        case(([True, True, False, False],), False, TIE),
        case(([False, True, True, False],), False, TIE),
        case(([True, True],), True, MOST),
        case(([True, True, True, False],), True, MOST),
        case(([True, False, True, False, True],), True, MOST),
        case(([True, False, True, False, False],), False, MOST),
        case(([True] * 21 + [False] * 20,), True, MOST),
        case(([],), False, NONE),
    ]
    for _ in range(12):
        votes = [random.random() < 0.5 for _ in range(random.randint(3, 11))]
        wrong = votes.count(False)
        found.append(case((votes,), len(votes) - wrong > wrong, MOST))
    return found
