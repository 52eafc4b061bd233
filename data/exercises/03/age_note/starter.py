from datetime import datetime


def age_note(written: datetime, now: datetime) -> str:
    """Say how many whole days ago a memory was written.

    Less than 24 hours, and any time in the future, is 'today'.

    >>> age_note(datetime(2026, 3, 29, 12, 33), datetime(2026, 3, 30, 9, 0))
    'today'
    >>> age_note(datetime(2026, 3, 29, 8, 15), datetime(2026, 3, 30, 9, 0))
    '1 day ago'
    >>> age_note(datetime(2026, 3, 27, 9, 20), datetime(2026, 3, 30, 9, 0))
    '2 days ago'
    """
    ...
