def new_messages(messages: list, cursor: str | None) -> list:
    """Return the messages after the one whose uuid is the cursor, oldest
    first.

    If no message has that uuid, all messages are new.

    >>> new_messages([m1, m2, m3, m4], "m2")
    [m3, m4]
    >>> new_messages([m1, m2], None)
    [m1, m2]
    """
    ...
