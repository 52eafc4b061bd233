def my_writer(journal: list[dict], file: str) -> str:
    """Name who wrote what a file holds now; "" if there is no such file.

    An entry has what ("write", "remove" or "undo"), file and who; oldest
    first. An undo takes back the newest change of its file that still counts,
    whoever asked for it.

    >>> my_writer([{"what": "write", "file": "a.md", "who": "extractor"}], "a.md")
    'extractor'
    """
    raise NotImplementedError
