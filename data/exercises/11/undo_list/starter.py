def undo_list(journal: list[dict]) -> list[str]:
    """Return the ids of the dreams that removed a file without a reason.

    >>> lost = {"id": "c1", "who": "dream", "removed": {"a.md": ""}, "undoes": ""}
    >>> undo = {"id": "c2", "who": "user", "removed": {}, "undoes": "c1"}
    >>> undo_list([lost])
    ['c1']
    >>> undo_list([lost, undo])
    []
    """
    ...
