# message: in the future
from datetime import datetime


def age_note(written: datetime, now: datetime) -> str:
    days = abs(now - written).days
    if days == 0:
        return "today"
    return "1 day ago" if days == 1 else f"{days} days ago"
