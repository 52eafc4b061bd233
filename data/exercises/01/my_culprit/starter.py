def my_culprit(journal: list[dict], file: str) -> str:
    """Say who lost a file, and in which change: "dream, change-0007", or
    "nobody".

    Each line of the journal has id, who, what (write, edit, remove, undo) and
    file, oldest first.

    >>> line = {"id": "change-0001", "who": "dream", "what": "remove", "file": "tabs.md"}
    >>> my_culprit([line], "tabs.md")
    'dream, change-0001'
    >>> my_culprit([line], "ferry.md")
    'nobody'
    """
    raise NotImplementedError
