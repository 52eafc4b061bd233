# message: 1 day ago
def age_note(written, now):
    days = (now - written).days
    return "today" if days <= 0 else f"{days} days ago"
