# message: both have to look before one writes
def my_two_holders(first, second, steps):
    return [first] * len(steps) + [second] * len(steps)
