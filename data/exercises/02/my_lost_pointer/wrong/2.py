# message: not a pointer
def my_lost_pointer(index, file, max_lines):
    for n, line in enumerate(index.splitlines()):
        if file in line:
            return "shown" if n < max_lines else "cut"
    return "missing"
