def age_note(days: int) -> str:
    """Say how long ago something was written.

    >>> age_note(0), age_note(1), age_note(47)
    ('today', '1 day ago', '47 days ago')
    """
    ...
