# message: The limit is not always 24 hours
def hours_gate(hours, least=24):
    return hours is None or hours >= 24
