# message: 0 hours is a number
def hours_gate(hours, least):
    return not hours or hours >= least
