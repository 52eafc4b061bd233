def my_newest_memories(entries: list, limit: int) -> list:
    """Choose the newest memory files from (name, time) pairs: their names,
    newest first.

    Not counted: MEMORY.md at any level, dot-files, logs/ and whatever is no
    .md file. Equal times are ordered by name.

    >>> my_newest_memories([("old.md", 1), ("MEMORY.md", 9), ("new.md", 5)], 10)
    ['new.md', 'old.md']
    >>> my_newest_memories([("b.md", 3), ("team/a.md", 3), ("logs/x.md", 9)], 1)
    ['b.md']
    """
    raise NotImplementedError
