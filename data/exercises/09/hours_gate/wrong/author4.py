# message: you raised TypeError
def hours_gate(hours, least):
    return hours >= least
