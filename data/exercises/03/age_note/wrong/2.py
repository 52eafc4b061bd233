# message: in the future
def age_note(written, now):
    days = (now - written).days
    if days == 0:
        return "today"
    return "1 day ago" if days == 1 else f"{days} days ago"
