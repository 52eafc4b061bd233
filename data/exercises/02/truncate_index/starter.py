def truncate_index(text: str, max_lines: int, max_bytes: int) -> str:
    r"""Return the beginning of an index that fits both limits.

    A line ends with "\n", which belongs to it and counts as a byte. Only the
    last line may lack it. No other character ends a line. Both limits are at
    least 1.

    >>> truncate_index("one\ntwo\nsix\n", 2, 100)
    'one\ntwo\n'
    >>> truncate_index("one\ntwo\nsix\n", 9, 10)
    'one\ntwo\n'
    >>> truncate_index("ööö\n", 9, 5)  # each ö takes two bytes
    'öö'
    """
    ...
