# message: once for each of its steps
def my_two_holders(first, second, steps):
    return [first, second, first, first, second, second]
