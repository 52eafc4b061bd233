def why_unseen(files: list, path: str, limit: int) -> str:
    """Say whether a file is in the manifest, or else why it is not.

    Each item of files is a tuple (path, time, readable); the time is a
    number. No path occurs twice. As in a scan, the newest `limit` memories
    take the places, even if they can't be read. Return the first of these
    answers that is true:

    'no such file'   none of the files has this path
    'not a memory'   my.is_memory_file(path) is False
    'too old'        it is not among the newest `limit` memories (of two with
                     the same time, the path that comes first in the alphabet
                     counts as newer)
    'not readable'   it is one of them, but it can't be read
    'listed'         it is in the manifest

    >>> why_unseen([("a.md", 2, True), ("b.md", 1, True)], "b.md", 1)
    'too old'
    >>> why_unseen([("a.md", 2, False), ("b.md", 1, True)], "b.md", 1)
    'too old'
    """
    ...
