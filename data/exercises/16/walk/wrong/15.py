# message: the order is that of sorted
def walk(
    links: list[tuple[str, str]], start: list[str], steps: int
) -> list[str]:
    reached = list(dict.fromkeys(start))
    frontier = reached
    for _ in range(steps):
        arrived = set()
        for left, right in links:
            for here, there in ((left, right), (right, left)):
                if here in frontier and there not in reached:
                    arrived.add(there)
        frontier = sorted(arrived)
        reached = reached + frontier
    return reached
