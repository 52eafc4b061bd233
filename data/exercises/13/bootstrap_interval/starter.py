def bootstrap_interval(
    differences: list[float], draws: list[list[int]]
) -> tuple[float, float]:
    """Return the bounds between which 95 % of the draws' means lie.

    >>> bootstrap_interval([0.0, 1.0, 0.5], [[2, 0, 2, 1]])
    (0.5, 0.5)
    >>> bootstrap_interval([0.0, 1.0], [[1, 1], [0, 0], [0, 1]])
    (0.0, 1.0)
    """
    ...
