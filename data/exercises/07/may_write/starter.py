def may_write(path: str, memory: str) -> bool:
    """Tell whether a fork may write to a path: a .md file below the memory
    directory, and no hidden file or folder.

    Both are absolute, without links and without "..".

    >>> may_write("/m/memory/tabs.md", "/m/memory")
    True
    >>> may_write("/m/memory/.journal/x.md", "/m/memory")
    False
    """
    ...
