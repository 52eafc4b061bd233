def verdict(regressed: int, fixed: int, cases: int) -> str:
    """Say in words what a comparison shows.

    >>> verdict(10, 20, 150)
    'no difference shown'
    >>> verdict(9, 21, 150)
    'better'
    >>> verdict(6, 0, 20)
    'worse'
    >>> verdict(6, 0, 19)
    ''
    """
    ...
