def misses(calls: list[dict]) -> list[str]:
    """Return the calls that should have read more, and why they didn't.

    >>> misses([{"minute": 0, "read": 0, "created": 2000},
    ...         {"minute": 1, "read": 2000, "created": 90},
    ...         {"minute": 2, "read": 0, "created": 2200}])
    ['3 changed']
    """
    ...
