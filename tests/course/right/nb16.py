"""Right answers to the gaps of notebook 16, written from its text alone."""

from collections import defaultdict
from fractions import Fraction


def operations_for(fact: str, neighbours: list[tuple[int, str]]) -> list[str]:
    judgements = [judgement for _, judgement in neighbours]
    for wanted in ("same", "corrects", "near"):
        if wanted in judgements:
            number = neighbours[judgements.index(wanted)][0]
            break
    else:
        return ["ADD"]
    return {
        "same": ["NOOP"],
        "corrects": [f"DELETE {number}", "ADD"],
        "near": [f"UPDATE {number}: {fact}"],
    }[wanted]


def fuse(rankings: list[list[int]]) -> list[int]:
    sums = defaultdict(Fraction)
    for ranking in rankings:
        for place, number in enumerate(ranking, start=61):
            sums[number] += Fraction(1, place)
    return [number for _, number in sorted((-total, n) for n, total in sums.items())]


def walk(links: list[tuple[str, str]], start: list[str], steps: int) -> list[str]:
    distance = dict.fromkeys(start, 0)
    for step in range(1, steps + 1):
        edge = [name for name, far in distance.items() if far == step - 1]
        for one, other in [*links, *((b, a) for a, b in links)]:
            if one in edge:
                distance.setdefault(other, step)
    return sorted(distance, key=lambda name: (distance[name], name))
