from random import Random

from memlab.course.exercise import Case, case

SLIP = "what was read, of all three together"


def cases(random: Random) -> list[Case]:
    found = [
        case((900, 50, 50), 90.0, SLIP),
        case((0, 0, 0), 0.0, "a call without input has the share 0.0"),
        case((1, 1, 1), 33.3, "rounded to one decimal"),
    ]
    for _ in range(6):
        read, created, uncached = (random.randint(1, 9_000) for _ in range(3))
        share = round(100 * read / (read + created + uncached), 1)
        found.append(case((read, created, uncached), share, SLIP))
    return found
