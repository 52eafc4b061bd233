def stale_lock(lines: list[str]) -> list[int]:
    """Return the process that left its lock behind, and how often it mattered.

    >>> stale_lock(["process_ended pid=41", "gate_shut gate=lock holder=41"])
    [41, 1]
    >>> stale_lock(["gate_shut gate=time hours_since=3.0"])
    []
    """
    ...
