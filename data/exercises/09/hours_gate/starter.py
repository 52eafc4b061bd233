def hours_gate(hours: float | None, least: float) -> bool:
    """Tell whether the gate is open: at least so many hours have passed.

    None means that no last dream is known; then the gate is open.

    >>> hours_gate(23.9, 24), hours_gate(24, 24), hours_gate(None, 24)
    (False, True, True)
    """
    ...
