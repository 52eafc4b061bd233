# message: may use all the bytes
def fits_budget(sizes: list[tuple[str, int]], left: int) -> list[str]:
    names = []
    for name, size in sizes:
        if size < left:
            names.append(name)
            left -= size
    return names
