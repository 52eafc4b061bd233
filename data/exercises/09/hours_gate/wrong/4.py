# message: None means that no dream is known, so the gate is open
def hours_gate(hours, least):
    if hours is None:
        hours = 24
    return hours >= least
