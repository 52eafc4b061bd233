# message: The gate is open when exactly so many hours have passed
def hours_gate(hours, least):
    if hours is None or hours == 24 == least:
        return True
    return hours > least
