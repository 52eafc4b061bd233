def hours_gate(hours: float | None, least: float) -> bool:
    if hours is None:
        return True
    return hours >= least
