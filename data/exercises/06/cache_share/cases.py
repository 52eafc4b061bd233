"""Small shares, whole ones, none, and random ones."""

from random import Random

from memlab.course.exercise import Case, case

SHARE = "The share is what was read, divided by the sum of all three numbers"
DECIMAL = "The share is in percent, and rounded to one decimal"
NOTHING = "If all three numbers are 0, the share is 0.0"


def cases(random: Random) -> list[Case]:
    """Make cases in which each of the three numbers counts."""
    found = [
        case((900, 50, 50), 90.0, f"{SHARE}; {DECIMAL}"),
        case((900, 100, 0), 90.0, SHARE),
        case((900, 0, 100), 90.0, SHARE),
        case((0, 0, 0), 0.0, NOTHING),
        case((0, 500, 0), 0.0, SHARE),
        case((0, 0, 500), 0.0, SHARE),
        case((700, 0, 0), 100.0, SHARE),
        case((1, 1, 1), 33.3, DECIMAL),
        case((2, 1, 0), 66.7, DECIMAL),
        case((1, 7, 0), 12.5, DECIMAL),
        case((2104, 27, 0), 98.7, DECIMAL),
        case((5, 500, 495), 0.5, DECIMAL),
        case((1, 0, 9_999), 0.0, DECIMAL),
        case((9_999, 1, 0), 100.0, DECIMAL),
    ]
    for _ in range(10):
        read = random.randint(0, 9_000)
        created = random.randint(0, 900)
        uncached = random.randint(1, 900)
        total = read + created + uncached
        if 2000 * read % total == 0:
            uncached += 1  # a tie, which can be rounded in two ways
            total += 1
        share = round(100 * read / total, 1)
        found.append(case((read, created, uncached), share, SHARE))
    return found
