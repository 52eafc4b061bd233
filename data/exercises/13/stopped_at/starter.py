def stopped_at(outcomes: list[tuple[bool, bool]], every: int) -> int:
    """Return after how many cases somebody who keeps looking stops.

    >>> stopped_at([(False, True)] * 40, 10)
    20
    >>> stopped_at([(True, True)] * 22 + [(True, False)] * 18, 5)
    30
    >>> stopped_at([(True, True)] * 40, 10)
    0
    """
    ...
