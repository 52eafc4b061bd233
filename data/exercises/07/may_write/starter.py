def may_write(path: str, memory: str) -> bool:
    """Tell whether a fork may write to a path: a .md file below the memory
    directory, and nothing else.

    Both are absolute, without links and without "..".

    >>> may_write("/m/memory/tabs.md", "/m/memory")
    True
    >>> may_write("/m/memory-old/tabs.md", "/m/memory")
    False
    """
    ...
