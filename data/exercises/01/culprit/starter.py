def culprit(journal: list[dict[str, str]], file: str) -> str:
    """Say who removed a file, and in which change.

    >>> saved = {"id": "change-0001", "who": "main agent"}
    >>> saved |= {"file": "tabs.md", "before": "", "after": "9f2c"}
    >>> lost = {"id": "change-0002", "who": "dream"}
    >>> lost |= {"file": "tabs.md", "before": "9f2c", "after": ""}
    >>> culprit([saved, lost], "tabs.md")
    'dream, change-0002'
    >>> culprit([saved], "tabs.md")
    'nobody'
    """
    ...
