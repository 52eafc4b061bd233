# message: The limit is not always 24 hours
from datetime import timedelta


def hours_gate(hours, least):
    if hours is None:
        return True
    return timedelta(hours=hours).days >= least / 24
