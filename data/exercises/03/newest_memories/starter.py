def newest_memories(files, limit: int) -> list:
    """Open the newest files; return name and head of each, newest first.

    Ask for the times of all files, and open only the newest `limit` files.
    If two files have the same time, the one whose name comes first in the
    alphabet counts as the newer one.

    files.head(name) may raise OSError or UnicodeDecodeError. Leave such a
    file out, and don't open another one in its place.

    In this example, b.md is the newest file, and a.md the oldest:

    >>> newest_memories(files, 2)
    [('b.md', 'The first lines of b'), ('c.md', 'The first lines of c')]
    """
    ...
