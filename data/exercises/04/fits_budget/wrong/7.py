# message: is not expected
def fits_budget(sizes: list[tuple[str, int]], left: int) -> list[str]:
    rest = list(sizes)
    for item in rest:
        if item[1] > left:
            rest.remove(item)
        else:
            left -= item[1]
    return [name for name, _ in rest]
