def is_tombstone(header: dict, body: str) -> bool:
    """Tell whether a memory is a tombstone: it has superseded_by or dropped,
    and an empty body.

    A key that is missing and a key with an empty value are the same.

    >>> is_tombstone({"name": "x", "superseded_by": "tabs.md"}, "\n")
    True
    >>> is_tombstone({"name": "x", "superseded_by": "tabs.md"}, "Use tabs.")
    False
    """
    ...
