# message: 24 hours
def age_note(written, now):
    days = (now.date() - written.date()).days
    if days < 1:
        return "today"
    return "1 day ago" if days == 1 else f"{days} days ago"
