# message: pointer lines
def my_unfair_index(count):
    return "x" * 30_000
