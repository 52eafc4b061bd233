def operations_for(fact: str, neighbours: list[tuple[int, str]]) -> list[str]:
    nearest: dict[str, int] = {}
    for number, judgement in neighbours:
        nearest.setdefault(judgement, number)

    if "same" in nearest:
        return ["NOOP"]
    if "corrects" in nearest:
        return [f"DELETE {nearest['corrects']}", "ADD"]
    if "near" in nearest:
        return [f"UPDATE {nearest['near']}: {fact}"]
    return ["ADD"]


def fuse(rankings: list[list[int]]) -> list[int]:
    scores: dict[int, float] = {}
    for ranking in rankings:
        for place, number in enumerate(ranking, start=1):
            scores[number] = scores.get(number, 0) + 1 / (60 + place)
    return sorted(scores, key=lambda number: (-scores[number], number))


def walk(links: list[tuple[str, str]], start: list[str], steps: int) -> list[str]:
    frontier = set(start)
    reached = sorted(frontier)
    for _ in range(steps):
        arrived = set()
        for one, other in links:
            if one in frontier:
                arrived.add(other)
            if other in frontier:
                arrived.add(one)
        frontier = arrived.difference(reached)
        reached += sorted(frontier)
    return reached
