def my_why_unseen(files: list, name: str, limit: int) -> str:
    """Say why a file is in no manifest: files are (name, time, readable).

    One of "no such file", "never a memory", "too old", "not readable", or
    "seen" if it is there.

    >>> my_why_unseen([("a.md", 2, True), ("b.md", 1, True)], "b.md", 1)
    'too old'
    >>> my_why_unseen([("a.md", 2, False)], "a.md", 1)
    'not readable'
    """
    raise NotImplementedError
