def my_lost_pointer(index: str, file: str, max_lines: int) -> str:
    for number, line in enumerate(index.splitlines(), 1):
        if f"]({file})" in line:
            return "shown" if number <= max_lines else "cut"
    return "missing"
