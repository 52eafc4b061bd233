# message: 0 bytes always fits
def fits_budget(sizes: list[tuple[str, int]], left: int) -> list[str]:
    names = []
    for name, size in sizes:
        if size and size <= left:
            names.append(name)
            left -= size
    return names
