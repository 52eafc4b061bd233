# message: expected
def hours_gate(hours, least):
    return hours is None or round(hours) >= least
