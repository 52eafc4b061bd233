# message: 1 day ago
from datetime import datetime, timedelta


def age_note(written: datetime, now: datetime) -> str:
    age = now - written
    if age <= timedelta(hours=24):
        return "today"
    if age.days == 1:
        return "1 day ago"
    return f"{age.days} days ago"
