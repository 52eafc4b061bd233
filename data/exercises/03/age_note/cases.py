from random import Random

from memlab.course.exercise import Case, case

SLIP = "today, 1 day ago, 2 days ago"


def cases(random: Random) -> list[Case]:
    fixed = [
        (0, "today"),
        (1, "1 day ago"),
        (2, "2 days ago"),
        (47, "47 days ago"),
    ]
    more = [
        (days, f"{days} days ago") for days in random.sample(range(3, 900), 5)
    ]
    return [case((days,), expected, SLIP) for days, expected in fixed + more]
