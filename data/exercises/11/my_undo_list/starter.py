def my_undo_list(journal: list[dict]) -> list[str]:
    """List the changes to undo, newest first: dreams that removed a file
    without a reason.

    A line of the journal, oldest first, has id, who, removed (file -> reason,
    "" for none) and undoes (the id of a change that it took back, or ""). What
    was taken back already needs no second undo.

    >>> my_undo_list([{"id": "c1", "who": "dream", "removed": {"a.md": ""}, "undoes": ""}])
    ['c1']
    """
    raise NotImplementedError
