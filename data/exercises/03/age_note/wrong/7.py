# message: a day is 24 hours
from datetime import datetime


def age_note(written: datetime, now: datetime) -> str:
    days = max((now - written).days, 0)
    if days == 0:
        return "today"
    if days >= 7:
        weeks = days // 7
        return f"{weeks} week{'s' if weeks > 1 else ''} ago"
    return f"{days} day{'s' if days > 1 else ''} ago"
