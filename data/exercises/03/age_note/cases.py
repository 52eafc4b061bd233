from datetime import UTC, datetime, timedelta
from random import Random

from memlab.course.exercise import Case, case
from memlab.memdir import age_in_words

NOW = datetime(2026, 3, 30, 9, 0, tzinfo=UTC)
WHOLE = "A day is 24 hours, and days that are not over do not count"
FUTURE = "A time in the future counts as 'today'"
SINGULAR = "One day is '1 day ago'"

FIXED = (
    (timedelta(hours=20, minutes=27), WHOLE),
    (timedelta(hours=23, minutes=59, seconds=59), WHOLE),
    (timedelta(hours=24), SINGULAR),
    (timedelta(hours=24, minutes=45), SINGULAR),
    (timedelta(hours=47, minutes=59), WHOLE),
    (timedelta(hours=48), WHOLE),
    (timedelta(days=2, hours=23, minutes=40), WHOLE),
    (timedelta(0), WHOLE),
    (timedelta(seconds=-1), FUTURE),
    (timedelta(minutes=-90), FUTURE),
    (timedelta(hours=-5), FUTURE),
    (timedelta(days=-40), FUTURE),
    (timedelta(days=21), WHOLE),
    (timedelta(days=47, hours=3), WHOLE),
    (timedelta(days=400), WHOLE),
)


def cases(random: Random) -> list[Case]:
    ages = [*FIXED]
    for _ in range(15):
        minutes = random.randint(-3_000, 9_000)
        rule = FUTURE if minutes < 0 else WHOLE
        ages.append((timedelta(minutes=minutes), rule))
    return [
        case((NOW - age, NOW), age_in_words(NOW - age, NOW), rule)
        for age, rule in ages
    ]
