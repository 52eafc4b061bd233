def why_missing(log: list[dict], file: str) -> str:
    """Return what became of a file in the last recall entry of a log.

    An entry is a dict whose key event is "select", "recall" or something else.
    The result is one of these:

    - "no recall", if the log has no recall entry
    - "attached", if the file is one of the keys under attached
    - the reason, such as "surfaced", if left_out lists the file under it
    - "not chosen by " and the value of by, for any other file. left_out has
      only the number of these files, under the reason "not chosen".

    >>> why_missing([], "tabs.md")
    'no recall'
    """
    ...
