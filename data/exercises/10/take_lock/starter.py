def take_lock(lock, pid: int, token: str) -> bool:
    r"""Take the lock if it is free; return True if it is now ours.

    Here, there is no lock file at first:

    >>> take_lock(lock, 41, "6f")
    True
    >>> lock.read()
    '41\ntoken 6f\nbefore none\n'
    >>> take_lock(lock, 42, "a0")
    False
    """
    ...
