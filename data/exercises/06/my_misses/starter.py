def my_misses(calls: list[dict]) -> list[str]:
    """Name the calls that should have read more, oldest first: "3 expired", "5
    changed".

    A call has minute, read and created. It should read what the call before it
    had read and created together. Where it reads less, more than 5 minutes
    since the call before mean "expired", and otherwise the prefix has
    "changed". Numbers count from 1.

    >>> my_misses([{"minute": 0, "read": 0, "created": 2000}])
    []
    """
    raise NotImplementedError
