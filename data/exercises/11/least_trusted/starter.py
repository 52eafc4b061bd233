def least_trusted(origins: list[str]) -> str:
    """Return the origin of a sentence that was made from others.

    >>> least_trusted(["person", "outside", "assistant"])
    'outside'
    >>> least_trusted([])
    'unknown'
    """
    ...
