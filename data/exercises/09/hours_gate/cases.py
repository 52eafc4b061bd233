from random import Random

from memlab.course.exercise import Case, case

NONE = "None means that no dream is known, and 0.0 that one has just ended"
LEAST = "the gate opens at the limit"


def cases(random: Random) -> list[Case]:
    found = [
        case((23.9, 24), False, LEAST),
        case((24, 24), True, LEAST),
        case((None, 24), True, NONE),
        case((0.0, 24), False, NONE),
        case((0.0, 0), True, LEAST),
    ]
    for _ in range(5):
        hours, least = (
            round(random.uniform(0, 48), 1),
            random.choice((6, 12, 24)),
        )
        found.append(case((hours, least), hours >= least, LEAST))
    return found
