# message: 0 hours is a number: a dream has just ended
def hours_gate(hours, least):
    return not hours or hours >= least
