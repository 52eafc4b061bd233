def majority(votes: list[bool]) -> bool:
    """Tell whether most of the answers to a case are correct.

    >>> majority([True, False, True])
    True
    >>> majority([True, False])
    False
    """
    ...
