# message: The gate is open when at least so many hours have passed
def hours_gate(hours, least):
    if hours is None:
        return True
    return int(hours) >= int(least)
