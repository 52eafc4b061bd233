# message: whatever their size
def fits_budget(sizes: list[tuple[str, int]], left: int) -> list[str]:
    used = 0
    names = set()
    for name, size in sizes:
        if used + size <= left:
            names.add(name)
            used += size
    return sorted(names)
