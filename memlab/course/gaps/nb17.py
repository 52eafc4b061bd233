"""The gaps of notebook 17: a search index that is never trusted too much."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

from memlab.course.gap import Case, Gap

GIVEN = {"ledger": 900, "attic": 800, "anvil": 3, "zebra": 0}
COUNTS = {
    "a term that no memory contains is left out": (
        ({"zebra": 0}, 500),
        ({}, 500),
    ),
    "at least one term is returned, however frequent it is": (
        ({"ledger": 900}, 500),
    ),
    "the rarest terms come first": (
        (GIVEN, 2000),
        ({"a": 9, "b": 10, "c": 8}, 100),
    ),
    "equally frequent terms are in the order of `sorted`": (
        ({"b": 5, "a": 5, "Z": 5}, 99),
    ),
    "the counts are added up, and the sum decides": (
        (GIVEN, 1000),
        (GIVEN, 802),
        ({"a": 1, "b": 1, "c": 98}, 99),
    ),
    "a sum of exactly `most` does not exceed it": (
        (GIVEN, 1703),
        (GIVEN, 803),
    ),
    "if the rarest term is already too much, it is the only one": (
        (GIVEN, 2),
        (GIVEN, 0),
        ({"ledger": 900, "attic": 800}, 500),
    ),
}


def counts(rng: Random) -> Iterator[Case]:
    for rule, inputs in COUNTS.items():
        for given in inputs:
            yield Case(given, rule)
    for _ in range(20):
        terms = rng.sample(("anvil", "attic", "keys", "Zora", "17", "ä"), 5)
        containing = {
            term: rng.choice((0, 1, 5, 5, 40, 300)) for term in terms
        }
        yield Case((containing, rng.choice((0, 1, 6, 12, 50, 340, 900))))


rare_terms = Gap(
    name="rare_terms",
    place="memlab.recall.first_stage.rare_terms",
    cases=counts,
    hints=(
        "Sort pairs of a number and a term: Python compares the numbers"
        " first, and the terms only where the numbers are equal.",
        "`if kept and total > most: break` stops at the first term that is"
        " too much, unless nothing has been taken yet.",
    ),
    why="The time of a search grows with the number of memories that contain"
    " its terms, and the sum of these numbers is limited. Rare terms come"
    " first because they say most about what is meant. A question whose terms"
    " are all frequent keeps one, because a slow search is better than none.",
    wrong=(
        ("if kept and total > most", "if total > most", "at least one term"),
        ("if kept and total > most", "if kept and total >= most", "exactly"),
        ("if kept and total > most", "if kept and count > most", "added up"),
        (" if count\n", "\n", "no memory contains"),
        (
            "        if kept and total > most:\n            break\n"
            "        kept.append(term)\n",
            "        kept.append(term)\n        if total > most:\n"
            "            break\n",
            "the sum decides",
        ),
        (
            "    rarest_first = sorted(",
            "    rarest_first = list(",
            "rarest terms come",
        ),
    ),
)


def check_candidates(
    proposed: Iterable[tuple[str, tuple[int, int]]],
    stat: Callable[[str], tuple[int, int] | None],
    most: int,
) -> dict[str, list[str]]:
    """Return which files to show, to index again and to forget."""
    show, index_again, forget = [], [], []
    for file, indexed in proposed:
        now = stat(file)
        if now is None:
            forget.append(file)
            continue
        show.append(file)
        if now != indexed:
            index_again.append(file)
        if len(show) == most:
            break
    return {"show": show, "index_again": index_again, "forget": forget}


Stamp = tuple[int, int]
Pairs = list[tuple[str, Stamp]]


def watch_candidates(
    mine: Any, proposed: Pairs, disk: dict[str, Stamp], most: int
) -> Any:
    """Return the result, what was looked at, and how many pairs were taken."""
    taken: list[str] = []
    looked: list[str] = []

    def pairs() -> Iterator[tuple[str, Stamp]]:
        for file, stamp in proposed:
            taken.append(file)
            yield file, stamp

    def stat(file: str) -> Stamp | None:
        looked.append(file)
        return disk.get(file)

    result = mine(pairs(), stat, most)
    return {"returns": result, "stat of": looked, "pairs": len(taken)}


def candidates_call(proposed: Pairs, disk: dict[str, Stamp], most: int) -> str:
    return (
        f"check_candidates(proposed, stat, {most})\n"
        f"    proposed: {proposed!r}\n    on the disk: {disk!r}"
    )


THREE: Pairs = [("a.md", (5, 90)), ("b.md", (7, 80)), ("c.md", (6, 70))]
DISK = dict(THREE)
CANDIDATES: dict[str, tuple[tuple[Pairs, dict[str, Stamp], int], ...]] = {
    "all three lists are in the dictionary": ((THREE, DISK, 5),),
    "the order is that of `proposed`": ((THREE[::-1], DISK, 5),),
    "a file that is gone makes room for the next candidate": (
        (THREE, {"b.md": (7, 80), "c.md": (6, 70)}, 2),
        (THREE, {"c.md": (6, 70)}, 1),
        (THREE, {}, 2),
    ),
    "a changed file is shown, and indexed again": (
        (THREE, DISK | {"a.md": (8, 91)}, 5),
    ),
    "an older file, too": ((THREE, DISK | {"a.md": (4, 90)}, 5),),
    "another size, too": ((THREE, DISK | {"a.md": (5, 89)}, 5),),
    "0 is a stamp, too": (([("a.md", (5, 9))], {"a.md": (0, 0)}, 2),),
    "with enough files to show, no further pair is taken": (
        (THREE, DISK, 3),
        (THREE, DISK, 1),
        (THREE, DISK | {"b.md": (9, 80)}, 2),
    ),
}


def candidates(rng: Random) -> Iterator[Case]:
    for rule, inputs in CANDIDATES.items():
        for given in inputs:
            yield Case(given, rule)
    stamps = ((500, 90), (500, 90), (501, 90), (499, 90), (500, 91), None)
    for _ in range(20):
        names = rng.sample(("attic", "barn", "dock", "east", "ferry"), 4)
        now = {name: rng.choice(stamps) for name in names}
        disk = {name: stamp for name, stamp in now.items() if stamp}
        yield Case(
            ([(name, (500, 90)) for name in names], disk, rng.randint(1, 5))
        )


candidates_gap = Gap(
    name="check_candidates",
    answer=check_candidates,
    cases=candidates,
    watch=watch_candidates,
    call=candidates_call,
    hints=(
        "Write one loop over `proposed`, and call `stat` once in it. There are"
        " three outcomes: gone, changed, and the same.",
        "Stop at the end of the loop's body, right after a file has been added"
        " to `show`. If you test at the beginning of the body, the loop has"
        " already asked for one pair too many.",
    ),
    why="A file that is gone adds nothing to `show`, so the loop goes on and"
    " takes the next candidate in its place. A changed file is shown all the"
    " same, because what the model sees is read from the file. And comparing"
    " with `!=` notices an older file as well as a newer one.",
    wrong=(
        ("now != indexed", "now > indexed", "an older file"),
        ("now != indexed", "now[0] != indexed[0]", "another size"),
        ("now is None", "not now or not any(now)", "0 is a stamp"),
        ("if now != indexed", "if stat(file) != indexed", "all three lists"),
        (
            "        if len(show) == most:\n            break\n",
            "",
            "no further pair",
        ),
        (
            "        if len(show) == most:\n            break\n",
            "        if len(show) + len(forget) == most:\n            break\n",
            "makes room",
        ),
        ("in proposed:", "in list(proposed):", "no further pair"),
        (
            "        show.append(file)\n        if now != indexed:\n",
            "        if now == indexed:\n            show.append(file)\n"
            "        else:\n",
            "a changed file is shown",
        ),
    ),
)
