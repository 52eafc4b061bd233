# message: verify before the other writes
def my_two_holders(first, second, steps):
    return [name for _ in steps for name in (first, second)]
