# message: below the cap
def my_lost_pointer(index, file, max_lines):
    return "shown" if file in index else "missing"
