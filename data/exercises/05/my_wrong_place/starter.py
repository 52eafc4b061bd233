def my_wrong_place(text: str, line: int) -> str:
    """Give an old_string out of a line (counted from 1) that a naive edit
    finds earlier.

    The naive edit is text.replace(old, new, 1). At least 8 characters.

    >>> my_wrong_place("hours = 4\\nwinter_hours = 4", 2)
    'hours = 4'
    """
    raise NotImplementedError
