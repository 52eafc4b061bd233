# message: a day is 24 hours
from datetime import datetime, timedelta


def age_note(written: datetime, now: datetime) -> str:
    age = now - written
    day = timedelta(days=1)
    if age < day:
        return "today"
    if age <= 2 * day:
        return "1 day ago"
    return f"{age // day} days ago"
