def new_messages(messages: list, cursor: str | None) -> list:
    """Return the messages after the one whose uuid is the cursor.

    >>> new_messages([m1, m2, m3, m4], "m2")
    [m3, m4]
    >>> new_messages([m1, m2], None)
    [m1, m2]
    """
    ...
