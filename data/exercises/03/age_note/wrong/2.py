# message: a day is 24 hours
from datetime import datetime


def age_note(written: datetime, now: datetime) -> str:
    days = (now.date() - written.date()).days
    if days < 1:
        return "today"
    return "1 day ago" if days == 1 else f"{days} days ago"
