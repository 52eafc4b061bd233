from random import Random

from memlab.course.exercise import Case, case

NONE = "None means that no dream is known, so the gate is open"
ZERO = "0 hours is a number: a dream has just ended"
LEAST = "The gate is open when exactly so many hours have passed"
COMPARE = "The gate is open when at least so many hours have passed"


def cases(random: Random) -> list[Case]:
    found = [
        case((23.9, 24), False, COMPARE),
        case((23.999, 24), False, COMPARE),
        case((24, 24), True, LEAST),
        case((24.0, 24), True, LEAST),
        case((24.5, 24), True, COMPARE),
        case((300, 24), True, COMPARE),
        case((13.0, 12), True, "The limit is not always 24 hours"),
        case((30, 48), False, "The limit is not always 24 hours"),
        case((None, 24), True, NONE),
        case((None, 0), True, NONE),
        case((None, 48), True, NONE),
        case((None, 0.5), True, NONE),
        case((0, 24), False, ZERO),
        case((0.0, 24), False, ZERO),
        case((0.0, 0), True, LEAST),
        case((0.5, 0.5), True, LEAST),
        case((0.4, 0.5), False, COMPARE),
    ]
    for _ in range(12):
        found.append(case((None, random.randint(0, 72)), True, NONE))
        hours = round(random.uniform(0, 48), 1)
        least = random.choice((0.5, 6, 12, 24, 36))
        found.append(case((hours, least), hours >= least, COMPARE))
    return found
