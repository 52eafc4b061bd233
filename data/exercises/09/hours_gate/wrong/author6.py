# message: The gate is open when at least so many hours have passed
def hours_gate(hours, least):
    return hours is None or round(hours) >= least
