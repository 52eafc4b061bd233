def roll_back(lock, token: str, before: tuple[str, int] | None) -> bool:
    r"""Put back the lock file from before our dream; False if it isn't ours.

    Here, our process 41 had taken the lock, and there was no file before:

    >>> lock.read()
    '41\ntoken 6f\nbefore none\n'
    >>> roll_back(lock, "a0", None)
    False
    >>> roll_back(lock, "6f", None)
    True
    >>> print(lock.read())
    None
    """
    ...
