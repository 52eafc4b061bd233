"""The gaps of notebook 16: one idea each of three memory systems."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from memlab.course.gap import Case, Gap

FACT = "The deposit is 35 crowns."


def decide(fact: str, neighbours: list[tuple[int, str]]) -> list[str]:
    """Return the operations with which a fact changes the list."""
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


DECISIONS = {
    "without a neighbour that matters, the fact is added": (
        [],
        [(9, "other")],
    ),
    "a fact that corrects a memory is added as well": ([(4, "corrects")],),
    "0 is a number of a memory, too": ([(0, "corrects")], [(0, "near")]),
    "of several neighbours, the nearest counts: the first": (
        [(2, "near"), (7, "near")],
        [(7, "near"), (2, "near")],
    ),
    "only one memory is deleted, the nearest that the fact corrects": (
        [(6, "corrects"), (4, "corrects")],
        [(4, "corrects"), (6, "corrects")],
    ),
    "a correction counts even if another neighbour is nearer": (
        [(9, "other"), (4, "corrects")],
        [(2, "near"), (4, "corrects")],
        [(4, "corrects"), (2, "near")],
    ),
    "an update names the memory and has the words of the fact": (
        [(8, "other"), (7, "near")],
    ),
    "if the fact is the same as any neighbour, nothing changes": (
        [(4, "corrects"), (6, "same")],
        [(2, "near"), (6, "same")],
    ),
}


def decisions(rng: Random) -> Iterator[Case]:
    for rule, inputs in DECISIONS.items():
        for neighbours in inputs:
            yield Case((FACT, neighbours), rule)
    kinds = ("corrects", "near", "other", "same")
    for _ in range(20):
        numbers = rng.sample(range(60), rng.randint(1, 6))
        judged = [(each, rng.choice(kinds[:3])) for each in numbers]
        judged[-1] = (judged[-1][0], rng.choice(kinds))
        yield Case((FACT, judged))


decide_gap = Gap(
    name="decide",
    answer=decide,
    cases=decisions,
    hints=(
        "The order of the four rules is more important than the order of the neighbours: first"
        " look for *same* among all of them, then for *corrects*, then for *near*.",
        "Collect the nearest neighbour of each judgement in a dictionary."
        " `nearest.setdefault(judgement, number)` keeps the first number that it gets.",
    ),
    why="The loop goes from the nearest neighbour to the farthest, and"
    "`setdefault` ignores everything after the first one, so `nearest` has one number for each"
    " judgement. The four `if`s are in the order of the rules, and a neighbour that is *other*"
    " never has an effect.",
    wrong=(
        (
            "nearest.setdefault(judgement, number)",
            "nearest[judgement] = number",
            "the nearest counts",
        ),
        (
            "in neighbours:",
            "in neighbours[:1]:",
            "another neighbour is nearer",
        ),
        (
            'if "corrects" in nearest:',
            'if nearest.get("corrects"):',
            "0 is a number",
        ),
        (
            'if "same" in nearest:',
            'if neighbours and neighbours[0][1] == "same":',
            "the same as any neighbour",
        ),
        (
            """nearest['corrects']}", "ADD"]""",
            """nearest['corrects']}"]""",
            "is added as well",
        ),
        (
            'if "near" in nearest:',
            'if "near" in nearest and "other" not in nearest:',
            "names the memory",
        ),
    ),
)


def fuse(rankings: list[list[int]]) -> list[int]:
    """Return what several searches found, as one list, best first."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for place, number in enumerate(ranking, start=1):
            scores[number] = scores.get(number, 0) + 1 / (60 + place)
    return sorted(scores, key=lambda number: (-scores[number], number))


_FIRST, _SECOND, _THIRD = range(100, 110), range(200, 217), range(300, 318)
SEARCHES = {
    "the best one comes first": ([[4, 9, 2]],),
    "a search may have found nothing": ([], [[], [9, 4]]),
    "if two sums are equal, the smaller number comes first": (
        [[10], [9]],
        [[2, 1], [1, 2]],
    ),
    "what only one search found is in the result, too": ([[3], [1], [4]],),
    "what a memory gets in all lists is added up": (
        [[7, 3], [5, 3]],
        [[1, 2, 3], [4, 2, 5], [6, 2, 7]],
    ),
    "a place gets 1 / (60 + place)": ([[1], [2, 3], [4, 3]],),
    "a list counts even if another search returned the same": (
        [[2, 1], [2, 1], [1, 3, 2]],
    ),
    # 1 is in places 1 and 37, 2 in 12 and 18: 1 is ahead if places begin at 0
    "places begin at 1": ([[1, *_FIRST, 2], [*_SECOND, 2, *_THIRD, 1]],),
    # two places that are far behind are worth less than one first place
    "a place near the top is worth little more": (
        [[1, *range(100, 170), 2], [*range(200, 270), 2]],
    ),
}


def searches(rng: Random) -> Iterator[Case]:
    for rule, inputs in SEARCHES.items():
        for rankings in inputs:
            yield Case((rankings,), rule)
    for _ in range(15):  # two lists: equal sums are rounded equally
        found = [rng.sample(range(20), rng.randint(0, 7)) for _ in range(2)]
        yield Case((found,))


fuse_gap = Gap(
    name="fuse",
    answer=fuse,
    cases=searches,
    hints=(
        "A dictionary can keep the sum of each memory. `enumerate(ranking, start=1)` gives you"
        " places that begin at 1.",
        "Sort with a key of two parts. In `(-score, number)`, the minus sign puts the highest"
        " score first, and the number decides between equal scores.",
    ),
    why="A memory gets something for each list that it is in, and nothing for"
    "the others. The second part of the key is only looked at if the first parts are equal."
    " `sorted(scores, …, reverse=True)` would turn the second part around as well.",
    wrong=(
        ("enumerate(ranking, start=1)", "enumerate(ranking)", "begin at 1"),
        (
            "key=lambda number: (-scores[number], number)",
            "key=lambda number: -scores[number]",
            "the smaller number comes first",
        ),
        ("scores.get(number, 0) + 1", "1", "is added up"),
        ("1 / (60 + place)", "1 / place", "1 / (60 + place)"),
        ("-scores[number], number", "scores[number], number", "best one"),
        ("in rankings:", "in rankings[:2]:", "only one search found"),
    ),
)


def walk(
    links: list[tuple[str, str]], start: list[str], steps: int
) -> list[str]:
    """Return the entities within so many steps, nearest first."""
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


CHAIN = [("Maren", "hut"), ("hut", "Tuva"), ("Tuva", "radio")]
RING = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]
TWO_WAYS = [("a", "b"), ("b", "c"), ("c", "z"), ("a", "z"), ("z", "y")]
GRAPHS = {
    "what is in start belongs to the result": (
        (CHAIN, ["Iggy"], 3),
        ([], [], 3),
    ),
    "each entity occurs once": (([("a", "a"), ("a", "b")], ["a"], 2),),
    "what is more than `steps` away is left out": (
        (CHAIN, ["Maren"], 0),
        (RING[:3], ["a"], 2),
        ([("c", "d"), ("a", "b"), ("b", "c")], ["a"], 1),
    ),
    "a link leads in both directions": (([("b", "a"), ("c", "b")], ["a"], 2),),
    "each entity occurs once, however often it is named": (
        (CHAIN, ["Maren", "Maren"], 1),
    ),
    "the nearest come first": (([("m", "z"), ("z", "b")], ["m"], 2),),
    "each entity occurs once, also in a circle": ((RING, ["a"], 9),),
    "the shortest way to an entity counts": ((TWO_WAYS, ["a"], 2),),
    "at the same distance, the order is that of `sorted`": (
        ([("m", "z"), ("m", "B"), ("m", "a")], ["m"], 1),
        (CHAIN, ["radio", "Maren"], 1),
    ),
}


def graphs(rng: Random) -> Iterator[Case]:
    for rule, inputs in GRAPHS.items():
        for given in inputs:
            yield Case(given, rule)
    names = ("Maren", "Tuva", "Iggy", "hut", "radio", "boat", "ærø")
    for _ in range(15):
        many = range(rng.randint(3, 9))
        links = [(rng.choice(names), rng.choice(names)) for _ in many]
        start = rng.sample(names, rng.randint(1, 2))
        yield Case((links, start, rng.randint(0, 4)))


walk_gap = Gap(
    name="walk",
    answer=walk,
    cases=graphs,
    hints=(
        "Walk in rounds. Everything that you reach for the first time in round 1 is one step"
        " away, everything that you reach for the first time in round 2 is two steps away, and"
        " so on.",
        "Keep two things: `reached`, the list that you will return, and `frontier`, the set of"
        " entities that were new in the last round. In each round, look for links that have an"
        " entity of the frontier on one side.",
        "The new frontier is what you arrived at, without everything that is in `reached`."
        " `arrived.difference(reached)` gives you that set.",
    ),
    why="Only the entities of the frontier pass the walk on, so after round"
    "*n* the frontier contains exactly what is *n* steps away. What was reached before is"
    " removed, so it keeps its shortest distance, and links that form a circle cannot make the"
    " walk endless.",
    wrong=(
        (
            "            if other in frontier:\n"
            "                arrived.add(one)\n",
            "",
            "in both directions",
        ),
        (
            "arrived.difference(reached)",
            "arrived",
            "occurs once",
        ),
        ("range(steps)", "range(steps + 1)", "more than `steps` away"),
        ("reached = sorted(frontier)", "reached = start", "changed its"),
        ("    return reached", "    return sorted(reached)", "nearest come"),
        (
            "reached += sorted(frontier)",
            "reached += sorted(frontier, key=str.lower)",
            "that of `sorted`",
        ),
    ),
)
