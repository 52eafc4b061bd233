def wrong_place(text: str, line: int) -> str:
    r"""Return a part of the line that naive_edit would replace further up.

    >>> wrong_place("hours = 4\nwinter_hours = 4", 2)
    'hours = 4'
    >>> wrong_place("hours = 4\nmargin = 45", 2)
    ''
    """
    ...
