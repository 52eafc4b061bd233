# message: whatever their size
from itertools import combinations


def fits_budget(sizes: list[tuple[str, int]], left: int) -> list[str]:
    best = ()
    for count in range(1, len(sizes) + 1):
        for choice in combinations(sizes, count):
            used = sum(size for _, size in choice)
            if used <= left and used > sum(size for _, size in best):
                best = choice
    return [name for name, _ in best]
