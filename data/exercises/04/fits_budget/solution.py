def fits_budget(sizes: list[tuple[str, int]], left: int) -> list[str]:
    fitting = []
    for name, size in sizes:
        if size <= left:
            fitting.append(name)
            left -= size
    return fitting
