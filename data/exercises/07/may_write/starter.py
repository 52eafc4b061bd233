def may_write(path: str, memory: str) -> bool:
    """Tell whether a fork may write this file.

    >>> memory = "/home/robin/.memlab/memory"
    >>> may_write("/home/robin/.memlab/memory/ferry.md", memory)
    True
    >>> may_write("/home/robin/.memlab/memory/run.sh", memory)
    False
    >>> may_write("/home/robin/.memlab/memory/.memlab/journal.md", memory)
    False
    """
    ...
