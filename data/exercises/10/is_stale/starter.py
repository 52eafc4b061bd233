def is_stale(done: bool, alive: bool, hours: float, lease: float) -> bool:
    """Tell whether a lock may be taken over.

    done: its dream has ended. alive: its process still runs. hours: how long
    it has been held. After lease hours it may be taken from a process that
    still runs.

    >>> is_stale(False, True, 0.5, 1), is_stale(False, False, 0.5, 1)
    (False, True)
    """
    ...
