"""Differences at once, late, between two looks, and never."""

from __future__ import annotations

from itertools import groupby
from math import comb
from random import Random

from memlab.course.exercise import Case, case

FIRST = "They look after 20 cases for the first time"
EVERY = "They look again each time that so many more cases were answered"
SEEN = "Only the cases that have been answered by then count"
EITHER = "They stop at worse as well as at better"
NEVER = "If they never stop, the result is 0"
END = "They do not look at the end, unless it is one of their moments"
WHOLE = "A look after the last case counts, if it is one of their moments"

SAME = (True, True)
FIXED = (False, True)
LOST = (True, False)
BOTH_WRONG = (False, False)


def cases(random: Random) -> list[Case]:
    """Make the fixed cases, and some at random."""
    early = [FIXED] * 5 + [SAME] * 15 + [FIXED] * 5 + [SAME] * 5
    found = [
        _case([FIXED] * 40, 10, FIRST),
        _case([LOST] * 40, 10, EITHER),
        _case([FIXED] * 20, 10, WHOLE),
        _case([FIXED] * 19, 10, NEVER),
        _case([], 10, NEVER),
        _case([SAME] * 40, 10, NEVER),
        _case([BOTH_WRONG] * 40, 10, NEVER),
        _case([SAME] * 22 + [LOST] * 18, 5, EVERY),
        _case([SAME] * 22 + [FIXED] * 18, 10, EVERY),
        _case([SAME] * 22 + [FIXED] * 18, 1, EVERY),
        _case([FIXED] * 6 + [SAME] * 34, 10, FIRST),
        _case(early, 10, SEEN),
        _case([FIXED] + [SAME] * 39, 10, NEVER),
        _case([SAME] * 34 + [FIXED] * 6, 10, WHOLE),
        _case([SAME] * 34 + [FIXED] * 6 + [SAME] * 5, 10, WHOLE),
        _case([SAME] * 29 + [FIXED] * 6, 10, END),
        _case([SAME] * 20 + [FIXED] * 6 + [LOST] * 6 + [SAME] * 8, 12, SEEN),
        _case([SAME] * 20 + [FIXED] * 6 + [LOST] * 6 + [SAME] * 8, 6, SEEN),
        _case([LOST] * 5 + [FIXED] * 5 + [SAME] * 30, 10, NEVER),
        _case([BOTH_WRONG] * 30 + [LOST] * 12, 7, EVERY),
    ]
    kinds = (SAME, SAME, BOTH_WRONG, FIXED, LOST)
    for _ in range(12):
        leaning = random.choice((FIXED, LOST, SAME))
        outcomes = random.choices((*kinds, leaning), k=random.randint(20, 90))
        found.append(_case(outcomes, random.choice((1, 3, 5, 10)), SEEN))
    return found


def _case(outcomes: list[tuple[bool, bool]], every: int, slip: str) -> Case:
    return case(
        (outcomes, every),
        _stopped(outcomes, every),
        slip,
        call=_in_words(outcomes, every),
    )


def _in_words(outcomes: list[tuple[bool, bool]], every: int) -> str:
    """Write equal outcomes that follow each other as one line."""
    lines = [f"stopped_at(outcomes, {every}) with these outcomes:"]
    runs = [(kind, len([*group])) for kind, group in groupby(outcomes)]
    lines += [f"  {count} × {kind}" for kind, count in runs[:6]]
    if not runs:
        lines.append("  none")
    if len(runs) > 6:
        left = sum(count for _, count in runs[6:])
        lines.append(f"  and {left} more, {len(outcomes)} in all")
    return "\n".join(lines)


def _stopped(outcomes: list[tuple[bool, bool]], every: int) -> int:
    fixed = 0
    lost = 0
    for count, outcome in enumerate(outcomes, 1):
        fixed += outcome == FIXED
        lost += outcome == LOST
        flips = fixed + lost
        ways = sum(comb(flips, k) for k in range(min(fixed, lost) + 1))
        looks = count >= 20 and (count - 20) % every == 0
        if looks and 40 * ways <= 2**flips:
            return count
    return 0
