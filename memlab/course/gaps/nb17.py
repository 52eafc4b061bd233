"""The gaps of notebook 17: a search index that is never trusted too much."""

from __future__ import annotations

from memlab.course.gap import Case, Gap

GIVEN = "l900 a800 n3 z0"
COUNTS = {  # each term, one letter here, and its count → most
    "a term that no memory contains is left out": "z0 → 500;  → 500",
    "at least one term is returned, however frequent it is": "l900 → 500",
    "the rarest terms come first": f"{GIVEN} → 2000; a9 b10 c8 → 100",
    "equally frequent terms are in the order of `sorted`": "b5 a5 Z5 → 99",
    "the counts are added up, and the sum decides": (
        f"{GIVEN} → 1000; {GIVEN} → 802; a1 b1 c98 → 99"
    ),
    "a sum of exactly `most` does not exceed it": f"{GIVEN} → 1703; {GIVEN} → 803",
    "if the rarest term is already too much, it is the only one": (
        f"{GIVEN} → 2; {GIVEN} → 0; l900 a800 → 500"
    ),
}


def counts(rng):
    for rule, inputs in COUNTS.items():
        for given in inputs.split("; "):
            terms, most = given.split(" → ")
            containing = {each[0]: int(each[1:]) for each in terms.split()}
            yield Case((containing, int(most)), rule)
    for _ in range(20):
        names = rng.sample(("anvil", "attic", "keys", "Zora", "17", "ä"), 5)
        containing = {
            name: rng.choice((0, 1, 5, 5, 40, 300)) for name in names
        }
        yield Case((containing, rng.choice((0, 1, 6, 12, 50, 340, 900))))


rare_terms = Gap(
    name="rare_terms",
    place="memlab.recall.first_stage.rare_terms",
    cases=counts,
    hints=(
        "Sort pairs of a number and a term: Python compares the numbers first, and the terms only"
        " where the numbers are equal.",
        "`if kept and total > most: break` stops at the first term that is too much, unless nothing"
        " has been taken yet.",
    ),
    why="The time of a search grows with the number of memories that contain its terms, so the sum"
    " of these numbers is limited. Rare terms come first because they say most about what is meant."
    " If all terms are frequent, one is kept, because a slow search is better than none.",
    wrong=(
        ("if kept and total", "if total", "at least one term"),
        ("total > most", "total >= most", "exactly"),
        ("total > most", "count > most", "added up"),
        (" if count\n", "\n", "no memory contains"),
        ("total > most", "total - count > most", "the sum decides"),
        (
            "rarest_first = sorted(",
            "rarest_first = list(",
            "rarest terms come",
        ),
    ),
)


THREE = [("a.md", (5, 90)), ("b.md", (7, 80)), ("c.md", (6, 70))]
DISK, B_AND_C, ONLY_C = dict(THREE), dict(THREE[1:]), dict(THREE[2:])
CANDIDATES = {  # what is on the disk, and how many are wanted
    "all three lists are in the dictionary": [(DISK, 5)],
    "a file that is gone makes room for the next": [
        (B_AND_C, 2),
        (ONLY_C, 1),
        ({}, 2),
    ],
    "a changed file is shown, and indexed again": [
        (DISK | {"a.md": (8, 91)}, 5)
    ],
    "an older file has changed, too": [(DISK | {"a.md": (4, 90)}, 5)],
    "a file of another size has changed, too": [(DISK | {"a.md": (5, 89)}, 5)],
    "0 is a stamp, too": [(DISK | {"a.md": (0, 0)}, 5)],
    "with enough files, no further pair is taken": [(DISK, 3), (DISK, 1)],
    "a changed file counts, too": [(DISK | {"b.md": (9, 80)}, 2)],
}


def candidates(rng):
    for rule, inputs in CANDIDATES.items():
        for given in inputs:
            yield Case((THREE, *given), rule)
    yield Case((THREE[::-1], DISK, 5), "the order is that of `proposed`")
    stamps = ((500, 90), (500, 90), (501, 90), (499, 90), (500, 91), None)
    for _ in range(20):
        names = rng.sample(("attic", "barn", "dock", "east", "ferry"), 4)
        now = {name: rng.choice(stamps) for name in names}
        disk = {name: stamp for name, stamp in now.items() if stamp}
        pairs = [(name, (500, 90)) for name in names]
        yield Case((pairs, disk, rng.randint(1, 5)))


def watch_candidates(mine, proposed, disk, most):
    taken, looked = [], []

    def pairs():
        for pair in proposed:
            taken.append(pair)
            yield pair

    def stat(file):
        looked.append(file)
        return disk.get(file)

    result = mine(pairs(), stat, most)
    return {"returns": result, "stat of": looked, "pairs": len(taken)}


def candidates_call(proposed, disk, most):
    return f"check_candidates(iter({proposed}),\n    {disk}.get, {most})"


candidates_gap = Gap(
    name="check_candidates",
    place="memlab.recall.first_stage.check_candidates",
    cases=candidates,
    watch=watch_candidates,
    call=candidates_call,
    hints=(
        "Write one loop over `proposed`, and call `stat` once in it. There are three outcomes:"
        " gone, changed, and the same.",
        "Stop right after a file has been added to `show`. If you test at the beginning of the"
        " loop's body, the loop has already asked for one pair too many.",
    ),
    why="A file that is gone adds nothing to `show`, so the loop goes on and takes the next"
    " candidate in its place. A changed file is shown all the same, because what the model sees is"
    " read from the file. Comparing with `!=` notices an older file as well as a newer one.",
    wrong=(
        ("now != indexed", "now > indexed", "an older file"),
        ("now != indexed", "now[0] != indexed[0]", "another size"),
        ("now is None", "not now or not any(now)", "0 is a stamp"),
        ("if now != indexed", "if stat(file) != indexed", "all three lists"),
        ("len(show) == most", "len(show) + len(forget) == most", "makes room"),
        ("in proposed:", "in list(proposed):", "no further pair"),
        ("len(show) == most", "False", "no further pair"),
        ("show.append(file)", "show += [file] * (now == indexed)", "is shown"),
    ),
)
