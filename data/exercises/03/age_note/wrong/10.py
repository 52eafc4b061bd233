# message: in the future
from datetime import datetime, timedelta


def age_note(written: datetime, now: datetime) -> str:
    age = now - written
    if abs(age) < timedelta(days=1):
        return "today"
    if age < timedelta(0):
        return f"in {-age // timedelta(days=1)} days"
    return "1 day ago" if age.days == 1 else f"{age.days} days ago"
