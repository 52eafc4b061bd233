# message: passed over
def fits_budget(sizes: list[tuple[str, int]], left: int) -> list[str]:
    names = []
    misses = 0
    for name, size in sizes:
        if size > left:
            misses += 1
            if misses > 1:
                return names
            continue
        names.append(name)
        left -= size
    return names
