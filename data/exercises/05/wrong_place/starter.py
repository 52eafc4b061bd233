def wrong_place(text: str, line: int) -> str:
    r"""Return a piece of the line that naive_edit would replace further up.

    >>> wrong_place("time = 4\nlow_time = 4", 2)
    'time = 4'
    >>> wrong_place("time = 4\nmargin = 45", 2)
    ''
    """
    ...
