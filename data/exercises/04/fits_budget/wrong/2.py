# message: leaves less room
def fits_budget(sizes: list[tuple[str, int]], left: int) -> list[str]:
    return [name for name, size in sizes if size <= left]
