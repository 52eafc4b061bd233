def unseen(log: list[dict]) -> list[int]:
    """Return the numbers of the messages that no run has processed.

    >>> failed = {"name": "extract_failed", "first": 1, "last": 2, "reason": ""}
    >>> unseen([failed])
    [1, 2]
    >>> later = {"name": "extracted", "first": 1, "last": 4, "reason": ""}
    >>> unseen([failed, later])
    []
    """
    ...
