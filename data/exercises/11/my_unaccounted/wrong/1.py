# message: is a loss only if one of its lines stands nowhere
def my_unaccounted(before, after, reasons):
    return sorted(f for f in before if f not in after and not reasons.get(f))
