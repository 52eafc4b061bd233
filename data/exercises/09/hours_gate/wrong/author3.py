# message: None means that no dream is known, so the gate is open
def hours_gate(hours, least):
    return hours is not None and hours >= least
