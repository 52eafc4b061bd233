def hours_gate(hours: float | None, least: float) -> bool:
    """Tell whether the gate is open.

    >>> hours_gate(23.9, 24)
    False
    >>> hours_gate(24, 24)
    True
    >>> hours_gate(None, 24)
    True
    """
    ...
