# message: leaves less room
def fits_budget(sizes: list[tuple[str, int]], left: int) -> list[str]:
    by_size = {}
    for name, size in sizes:
        by_size.setdefault(size, []).append(name)
    names = []
    for size, group in by_size.items():
        if size <= left:
            names.extend(group)
            left -= size
    return names
