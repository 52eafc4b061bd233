# message: in the future
from datetime import datetime


def age_note(written: datetime, now: datetime) -> str:
    days = now.day - written.day
    if now.time() < written.time():
        days -= 1
    if days <= 0:
        return "today"
    if days == 1:
        return "1 day ago"
    return f"{days} days ago"
