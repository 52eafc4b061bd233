# message: 1 day ago
from datetime import datetime


def age_note(written: datetime, now: datetime) -> str:
    days = (now - written).days
    if days < 1:
        return "today"
    return f"{days} days ago"
