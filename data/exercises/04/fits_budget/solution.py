def fits_budget(sizes: list[tuple[str, int]], left: int) -> list[str]:
    taken = []
    for name, size in sizes:
        if size <= left:
            taken.append(name)
            left -= size
    return taken
