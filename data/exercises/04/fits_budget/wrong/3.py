# message: whatever their size
def fits_budget(sizes: list[tuple[str, int]], left: int) -> list[str]:
    taken = set()
    for name, size in sorted(sizes, key=lambda pair: pair[1]):
        if size <= left:
            taken.add(name)
            left -= size
    return [name for name, _ in sizes if name in taken]
