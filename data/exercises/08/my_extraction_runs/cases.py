from __future__ import annotations

from random import Random

from memlab.course import Case, case, extraction_runs

Turn = tuple[int, int]
_CURSOR = "a run covers what comes after the last message covered, up to its turn's last"
_NEWEST = "of the turns that end during a run only the newest waits, and one run follows for it"
_EMPTY = "a turn that brings no new message starts no run"


def cases(random: Random) -> list[Case]:
    """Give turns that end before, during and after runs."""
    fixed: list[tuple[list[Turn], int, str]] = [
        ([], 10, _EMPTY),
        ([(0, 2)], 10, _CURSOR),
        ([(0, 2), (30, 4)], 10, _CURSOR),
        ([(0, 2), (30, 2), (60, 4)], 10, _EMPTY),
        ([(0, 2), (4, 4)], 10, _NEWEST),
        ([(0, 2), (1, 4), (2, 6)], 10, _NEWEST),
        (
            [(0, 2), (10, 4)],
            10,
            "a turn that ends as a run does no longer has to wait",
        ),
        (
            [(0, 2), (1, 4), (12, 6), (60, 8)],
            10,
            "the run that follows can be overtaken too",
        ),
    ]
    for _ in range(14):
        end, messages, turns = 0, 0, []
        for _ in range(random.randint(3, 8)):
            end += random.choice((1, 2, 3, 5, 9, 20))
            messages += random.choice((0, 2, 2, 4))
            turns.append((end, messages))
        fixed.append((turns, random.randint(4, 12), f"{_CURSOR}; {_NEWEST}"))
    return [
        case((turns, seconds), extraction_runs(turns, seconds), slip)
        for turns, seconds, slip in fixed
    ]
