# message: The limit is not always 24 hours
def hours_gate(hours, least):
    return hours is None or hours >= 24
