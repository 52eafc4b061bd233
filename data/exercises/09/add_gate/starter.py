from memlab.dream.gates import Gate


def add_gate(gates: list, ask) -> list:
    """Return the gates with the row "messages" in its place.

    >>> rows = add_gate(list(GATES), enough_messages)
    >>> [row.name for row in rows]
    ['toggles', 'time', 'throttle', 'sessions', 'messages', 'lock']
    """
    ...
