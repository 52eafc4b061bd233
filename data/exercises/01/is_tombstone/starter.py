def is_tombstone(header: dict[str, str], body: str) -> bool:
    r"""Tell whether a memory is a tombstone.

    >>> is_tombstone({"name": "Tabs", "dropped": "out of date"}, "\n")
    True
    >>> is_tombstone({"name": "Tabs", "dropped": "out of date"}, "Use tabs.\n")
    False
    """
    ...
