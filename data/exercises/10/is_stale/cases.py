from itertools import product
from random import Random

from memlab.course.exercise import Case, case

SLIP = "done, dead, or held for the whole lease: each is enough"


def cases(random: Random) -> list[Case]:
    hours = [
        0.5,
        1.0,
        round(random.uniform(1.1, 9), 1),
        round(random.uniform(0, 0.9), 1),
    ]
    return [
        case((done, alive, held, 1), done or not alive or held >= 1, SLIP)
        for done, alive, held in product((False, True), (False, True), hours)
    ]
