from math import comb


def mcnemar(regressed: int, fixed: int) -> float:
    """Return how often chance alone makes flips at least as one-sided.

    >>> mcnemar(0, 1)
    1.0
    >>> mcnemar(0, 5)
    0.0625
    >>> mcnemar(5, 0)
    0.0625
    >>> mcnemar(3, 3)
    1.0
    """
    ...
