# message: 1 day ago
from datetime import datetime


def age_note(written: datetime, now: datetime) -> str:
    days = (now - written).days
    if days < 1:
        return "today"
    unit = "day" if str(days).endswith("1") else "days"
    return f"{days} {unit} ago"
