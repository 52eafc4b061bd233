# message: expected
def hours_gate(hours, least):
    return hours >= least
