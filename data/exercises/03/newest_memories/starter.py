def newest_memories(files, limit: int) -> list:
    """Open the newest files; return name and head of each, newest first.

    files.mtime(name) is a float: seconds since 1970. Ask for the times of
    all files, and open only the newest `limit` files. If two files have the
    same time, the one whose name comes first in the alphabet counts as newer.

    files.head(name) is a string, or it raises OSError or UnicodeDecodeError.
    Leave out a file that can't be read, and don't open another in its place.

    In this example, b.md is the newest file, and a.md the oldest:

    >>> newest_memories(files, 2)
    [('b.md', 'The first lines of b'), ('c.md', 'The first lines of c')]
    """
    ...
