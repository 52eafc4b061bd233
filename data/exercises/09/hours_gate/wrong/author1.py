# message: The gate is open when exactly so many hours have passed
def hours_gate(hours, least):
    return hours is None or hours > least
