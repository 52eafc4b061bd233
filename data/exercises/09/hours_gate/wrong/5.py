# message: The gate is open when at least so many hours have passed
import math


def hours_gate(hours, least):
    return (
        hours is None
        or hours > least
        or math.isclose(hours, least, abs_tol=0.05)
    )
