from collections import defaultdict
from fractions import Fraction


def operations_for(fact: str, neighbours: list[tuple[int, str]]) -> list[str]:
    nearest = {}
    for number, judgement in neighbours:
        nearest.setdefault(judgement, number)
    if "same" in nearest:
        return ["NOOP"]
    if "corrects" in nearest:
        return ["DELETE {}".format(nearest["corrects"]), "ADD"]
    if "near" in nearest:
        return ["UPDATE {}: {}".format(nearest["near"], fact)]
    return ["ADD"]


def fuse(rankings: list[list[int]]) -> list[int]:
    sums = defaultdict(Fraction)
    for ranking in rankings:
        for place, number in enumerate(ranking, start=61):
            sums[number] += Fraction(1, place)
    return [number for _, number in sorted((-total, n) for n, total in sums.items())]


def walk(links: list[tuple[str, str]], start: list[str], steps: int) -> list[str]:
    seen = []
    ring = set(start)
    while True:
        seen.extend(sorted(ring))
        if steps == 0:
            return seen
        steps -= 1
        beyond = set()
        for one, two in links:
            if one in ring:
                beyond.add(two)
            if two in ring:
                beyond.add(one)
        ring = beyond.difference(seen)
        if not ring:
            return seen
