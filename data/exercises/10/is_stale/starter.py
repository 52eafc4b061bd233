def is_stale(text: str, hours: float, alive) -> bool:
    r"""Return True if the lock may be taken over.

    >>> def alive(pid):
    ...     return pid == 41
    >>> is_stale("41\n", 0.5, alive)
    False
    >>> is_stale("42\n", 0.5, alive)
    True
    >>> is_stale("41\ntoken 6f\nbefore none\ndone\n", 0.5, alive)
    True
    """
    ...
