def is_memory_file(name: str) -> bool:
    """Tell by a file's name, without its folder, whether it is a memory.

    A memory ends in .md. The index MEMORY.md, in capitals or not, and hidden
    files, which begin with a dot, are no memories.

    >>> is_memory_file("tabs.md")
    True
    >>> is_memory_file("MEMORY.md")
    False
    """
    ...
