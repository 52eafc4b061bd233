def my_unfair_index(count: int) -> str:
    """Write an index of so many pointers, of which the byte cap leaves fewer
    than 200 lines.

    >>> my_unfair_index(150).startswith("- [")
    True
    >>> len(my_unfair_index(150).splitlines())
    150
    """
    raise NotImplementedError
