def my_truncate_index(text: str, max_lines: int, max_bytes: int) -> str:
    """Cut an index from its end: first to so many lines, then to so many bytes
    of UTF-8.

    The byte cap cuts at a line end. No line here is longer than max_bytes.

    >>> my_truncate_index("one\ntwo\nsix\n", 2, 100)
    'one\ntwo\n'
    >>> my_truncate_index("one\ntwo\nsix\n", 9, 10)
    'one\ntwo\n'
    """
    raise NotImplementedError
