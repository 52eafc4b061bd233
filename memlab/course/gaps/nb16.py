"""The gaps of notebook 16: one idea each of three memory systems."""

from __future__ import annotations

from memlab.course.gap import Case, Gap


def ruled(table):
    for rule, inputs in table.items():
        for given in inputs.split("; "):
            yield rule, given


FACT = "The deposit is 35 crowns."
DECISIONS = {
    "without a neighbour that matters, the fact is added": "; 9 other",
    "a fact that corrects a memory is added as well": "4 corrects",
    "0 is a number like any other": "0 corrects; 0 near",
    "of several neighbours, the nearest counts: the first": (
        "2 near, 7 near; 7 near, 2 near"
    ),
    "only one memory is deleted, the nearest that the fact corrects": (
        "6 corrects, 4 corrects; 4 corrects, 6 corrects"
    ),
    "a correction counts even if another neighbour is nearer": (
        "9 other, 4 corrects; 2 near, 4 corrects; 4 corrects, 2 near"
    ),
    "an update names the memory and contains the fact": "8 other, 7 near",
    "if the fact is the same as any neighbour, nothing changes": (
        "4 corrects, 6 same; 2 near, 6 same"
    ),
}


def decisions(rng):
    for rule, text in ruled(DECISIONS):
        pairs = [each.split() for each in text.split(", ") if each]
        yield Case(
            (FACT, [(int(number), kind) for number, kind in pairs]), rule
        )
    kinds = ("corrects", "near", "other", "same")
    for _ in range(20):
        numbers = rng.sample(range(60), rng.randint(1, 6))
        judged = [(each, rng.choice(kinds[:3])) for each in numbers]
        yield Case((FACT, [*judged, (99, rng.choice(kinds))]))


operations_gap = Gap(
    name="operations_for",
    place="memlab.landscape.mem0.operations_for",
    cases=decisions,
    hints=(
        "The order of the four rules matters more than the order of the neighbours: first"
        " look for *same* among all of them, then for *corrects*, then for *near*.",
        "Collect the nearest neighbour of each judgement in a dictionary."
        " `nearest.setdefault(judgement, number)` keeps the first number that it gets.",
    ),
    why="The loop goes from the nearest neighbour to the farthest, and `setdefault` ignores"
    " everything after the first one, so `nearest` has one number for each judgement. The four"
    " `if`s are in the order of the rules, and a neighbour judged *other* never has an effect.",
    wrong=(
        (
            ".setdefault(judgement, number)",
            "[judgement] = number",
            "nearest counts",
        ),
        (
            "in neighbours:",
            "in neighbours[:1]:",
            "another neighbour is nearer",
        ),
        ('"corrects" in nearest', 'nearest.get("corrects")', "0 is a number"),
        (
            '"same" in nearest',
            '"same" in [*nearest][:1]',
            "the same as any neighbour",
        ),
        (""", "ADD"]""", "]", "is added as well"),
        ('"near" in nearest', 'list(nearest) == ["near"]', "names the memory"),
    ),
)


FIRST, SECOND, THIRD = range(100, 110), range(200, 217), range(300, 318)
SEARCHES = {
    "the best one comes first": [[[4, 9, 2]]],
    "a search may have found nothing": [[], [[], [9, 4]]],
    "if sums are equal, the smaller number is first": [
        [[10], [9]],
        [[2, 1], [1, 2]],
    ],
    "what only one search found is in the result, too": [[[3], [1], [4]]],
    "what a memory gets in all lists is added up": [
        [[7, 3], [5, 3]],
        [[1, 2, 3], [4, 2, 5], [6, 2, 7]],
    ],
    "a place gets 1 / (60 + place)": [[[1], [2, 3], [4, 3]]],
    "two lists that are equal both count": [[[2, 1], [2, 1], [1, 3, 2]]],
    # 1 is in places 2 and 14, 2 in 6 and 9: 1 is ahead if places begin at 0.
    # The second case is larger: 1 is in places 1 and 37, and 2 in 12 and 18.
    "places begin at 1": [
        [[3, 1, 4, 5, 6, 2], [*range(7, 15), 2, *range(15, 19), 1]],
        [[1, *FIRST, 2], [*SECOND, 2, *THIRD, 1]],
    ],
    # two places that are far behind are worth less than one first place
    "a place near the top is worth only a little more": [
        [[1, *range(100, 170), 2], [*range(200, 270), 2]]
    ],
}


def searches(rng):
    for rule, inputs in SEARCHES.items():
        for rankings in inputs:
            yield Case((rankings,), rule)
    for _ in range(15):  # two lists: equal sums are rounded equally
        found = [rng.sample(range(20), rng.randint(0, 7)) for _ in range(2)]
        yield Case((found,))


fuse_gap = Gap(
    name="fuse",
    place="memlab.landscape.hindsight.fuse",
    cases=searches,
    hints=(
        "A dictionary can hold the sum for each memory. `enumerate(ranking, start=1)` gives you"
        " places that begin at 1.",
        "Sort with a key of two parts. In `(-score, number)`, the minus sign puts the highest"
        " score first, and the number decides between equal scores.",
    ),
    why="A memory gets something for each list that it is in, and nothing for the others. The"
    " second part of the key is only looked at if the first parts are equal."
    " `sorted(scores, …, reverse=True)` would reverse the second part as well.",
    wrong=(
        ("ranking, start=1", "ranking", "begin at 1"),
        (
            "-scores[number], number",
            "-scores[number]",
            "smaller number",
        ),
        ("scores.get(number, 0) + 1", "1", "added up"),
        ("1 / (60 + place)", "1 / place", "1 / (60 + place)"),
        ("-scores[number], number", "scores[number], number", "best one"),
        ("in rankings:", "in rankings[:2]:", "only one search found"),
    ),
)


GRAPHS = {  # links / start / steps; "ab bc" is a link from a to b and one from b to c
    "what is in start belongs to the result": "ab bc/z/3; //3",
    "each entity occurs once": "aa ab/a/2",
    "what is more than `steps` away is left out": "ab bc/a/0; ab bc cd/a/2; cd ab bc/a/1",
    "a link leads in both directions": "ba cb/a/2",
    "each entity occurs once, however often it is named": "ab bc cd/aa/1",
    "the nearest come first": "mz zb/m/2",
    "each entity occurs once, even in a circle": "ab bc cd da/a/9",
    "the shortest way to an entity counts": "ab bc cz az zy/a/2",
    "at the same distance, the order is that of `sorted`": "mz mB ma/m/1; ab bc cd/da/1",
}


def graphs(rng):
    for rule, given in ruled(GRAPHS):
        links, start, steps = given.split("/")
        pairs = [(one, other) for one, other in links.split()]
        yield Case((pairs, list(start), int(steps)), rule)
    names = ("Maren", "Tuva", "Iggy", "hut", "radio", "boat", "ærø")
    for _ in range(15):
        many = range(rng.randint(3, 9))
        links = [(rng.choice(names), rng.choice(names)) for _ in many]
        start = rng.sample(names, rng.randint(1, 2))
        yield Case((links, start, rng.randint(0, 4)))


walk_gap = Gap(
    name="walk",
    place="memlab.landscape.graph.walk",
    cases=graphs,
    hints=(
        "Walk in rounds. Everything that you reach for the first time in round 1 is one step"
        " away. Everything that you reach for the first time in round 2 is two steps away.",
        "Keep two things: `reached`, the list that you will return, and `frontier`, the set of"
        " entities that were new in the last round. In each round, look for links that have an"
        " entity of the frontier on one side.",
        "The new frontier is what you arrived at, without everything that is in `reached`."
        " `arrived.difference(reached)` gives you that set.",
    ),
    why="The walk goes on only from the entities of the frontier, so after round *n* the frontier"
    " contains exactly what is *n* steps away. What was reached before is removed, so it keeps its"
    " shortest distance, and links that form a circle cannot make the walk endless.",
    wrong=(
        ("if other in frontier", "if False", "in both directions"),
        ("arrived.difference(reached)", "arrived", "occurs once"),
        ("range(steps)", "range(steps + 1)", "more than `steps` away"),
        ("reached = sorted(frontier)", "reached = start", "changed its"),
        ("return reached", "return sorted(reached)", "nearest come"),
        (
            "+= sorted(frontier)",
            "+= sorted(frontier, key=str.lower)",
            "that of `sorted`",
        ),
    ),
)
