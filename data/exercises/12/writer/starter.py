def writer(journal: list[dict], file: str) -> str:
    """Return who wrote the current text of a file, or "" if there is no such file.

    >>> first = {"id": "c1", "who": "extractor",
    ...          "wrote": ["tides.md"], "removed": [], "undoes": ""}
    >>> night = {"id": "c2", "who": "dream",
    ...          "wrote": ["tides.md"], "removed": ["feed.md"], "undoes": ""}
    >>> undo = {"id": "c3", "who": "user",
    ...          "wrote": ["tides.md", "feed.md"], "removed": [], "undoes": "c2"}
    >>> writer([first, night], "tides.md")
    'dream'
    >>> writer([first, night, undo], "tides.md")
    'extractor'
    >>> writer([first, night], "feed.md")
    ''
    """
    ...
