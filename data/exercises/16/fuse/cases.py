"""Few lists, many lists, and sums that are equal."""

from collections import defaultdict
from fractions import Fraction
from random import Random

from memlab.course.exercise import Case, case

SUM = "What a memory gets in all lists is added up"
FIRST = "Places begin at 1"
TIE = "If two sums are equal, the smaller number comes first"
ALL = "Everything that was found is in the result"
ONCE = "Each memory is in the result once"
BEST = "The highest sum comes first"
EMPTY = "A search may have found nothing"
SIXTY = "A place gets 1 / (60 + place)"
SAME = "A list counts even if another search returned the same"

LONG = list(range(100, 140))

# two places that are far behind are worth less than one first place
LATE = [[1, *range(100, 170), 2], [*range(200, 270), 2]]

# 1 in places 1 and 37 beats 2 in places 12 and 18 only if places begin at 0
CLOSE = [
    [1, *range(100, 110), 2],
    [*range(200, 217), 2, *range(300, 318), 1],
]


def cases(random: Random) -> list[Case]:
    """Make the fixed cases, and some at random."""
    found = [
        case(([],), [], EMPTY),
        case(([[], []],), [], EMPTY),
        case(([[4, 9, 2]],), [4, 9, 2], BEST),
        case(([[9, 4, 2]],), [9, 4, 2], BEST),
        case(([[9, 4], []],), [9, 4], EMPTY),
        case(([[7, 3], [5, 3]],), [3, 5, 7], f"{SUM}; {TIE}"),
        case(([[5, 3], [7, 3]],), [3, 5, 7], TIE),
        case(([[7, 3, 5], [], [5, 7]],), [7, 5, 3], SUM),
        case(([[2], [1]],), [1, 2], TIE),
        case(([[10], [9]],), [9, 10], TIE),
        case(([[1, 2], [2, 1]],), [1, 2], TIE),
        case(([[2, 1], [1, 2]],), [1, 2], TIE),
        case(([[3, 1], [1, 3], [4]],), [1, 3, 4], f"{ALL}; {TIE}"),
        case(([[1, 2, 3], [4, 2, 5], [6, 2, 7]],), [2, 1, 4, 6, 3, 5, 7], SUM),
        case(([[1], [2, 3], [4, 3]],), [3, 1, 2, 4], f"{SUM}; {SIXTY}"),
        case(([[8, *LONG], [*LONG, 9]],), [*LONG, 8, 9], f"{SUM}; {ALL}"),
        case(
            ([[1, *LONG[:20], 2], [3, *LONG[20:], 2]],),
            [2, 1, 3, *_zipped(LONG)],
            f"{SUM}; {SIXTY}",
        ),
        case(([[1, 2], [1, 2], [1, 2]],), [1, 2], ONCE),
        case(([[2, 1], [2, 1], [1, 3, 2]],), [2, 1, 3], f"{SUM}; {SAME}"),
        case(([[0, 3], [3, 4]],), [3, 0, 4], f"{ALL}; {TIE}"),
        case((CLOSE,), _fused(CLOSE), f"{FIRST}; {SIXTY}"),
        case((LATE,), _fused(LATE), f"{BEST}; {SIXTY}; {FIRST}"),
        case(
            ([[3, 1, 2], [4, 2, 1], [5]],),
            _fused([[3, 1, 2], [4, 2, 1], [5]]),
            SIXTY,
        ),
    ]
    while len(found) < 34:
        rankings = [
            random.sample(range(1, 20), random.randint(0, 7))
            for _ in range(random.randint(2, 4))
        ]
        if _clear(rankings):
            found.append(case((rankings,), _fused(rankings)))
    return found


def _zipped(numbers: list[int]) -> list[int]:
    half = len(numbers) // 2
    pairs = zip(numbers[:half], numbers[half:], strict=True)
    return [number for pair in pairs for number in pair]


def _fused(rankings: list[list[int]]) -> list[int]:
    sums = _sums(rankings)
    return sorted(sums, key=lambda number: (-sums[number], number))


def _sums(rankings: list[list[int]]) -> dict[int, Fraction]:
    sums: dict[int, Fraction] = defaultdict(Fraction)
    for ranking in rankings:
        for place, number in enumerate(ranking, start=1):
            sums[number] += Fraction(1, 60 + place)
    return sums


def _clear(rankings: list[list[int]]) -> bool:
    """Tell whether equal sums are of one list each or of the same two: with
    more, the order of adding would decide how they are rounded.
    """
    sums = _sums(rankings)
    times: dict[int, int] = defaultdict(int)
    for ranking in rankings:
        for number in ranking:
            times[number] += 1
    values = [sums[number] for number in sums if times[number] > 2]
    return not any(list(sums.values()).count(value) > 1 for value in values)
