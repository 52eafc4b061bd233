"""The gaps of notebook 17: a search index that is never trusted too much."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

from memlab.course.gap import Case, Gap


def counts(rng: Random) -> Iterator[Case]:
    none = "a term that no memory contains is left out"
    yield Case(({"zebra": 0}, 500), none)
    yield Case(({}, 500), none)
    one = "at least one term is returned, however frequent it is"
    yield Case(({"ledger": 900}, 500), one)
    given = {"ledger": 900, "attic": 800, "anvil": 3, "zebra": 0}
    rarest = "the rarest terms come first"
    yield Case((given, 2000), rarest)
    yield Case(({"a": 9, "b": 10, "c": 8}, 100), rarest)
    equal = "equally frequent terms are in the order of `sorted`"
    yield Case(({"b": 5, "a": 5, "Z": 5}, 99), equal)
    summed = "the counts are added up, and the sum decides"
    yield Case((given, 1000), summed)
    yield Case((given, 802), summed)
    yield Case(({"a": 1, "b": 1, "c": 98}, 99), summed)
    exact = "a sum of exactly `most` does not exceed it"
    yield Case((given, 1703), exact)
    yield Case((given, 803), exact)
    only = "if the rarest term is already too much, it is the only one"
    yield Case((given, 2), only)
    yield Case((given, 0), only)
    yield Case(({"ledger": 900, "attic": 800}, 500), only)
    terms = ("anvil", "attic", "ledger", "keys", "tides", "Zora", "17", "ä")
    for _ in range(20):
        containing = {
            term: rng.choice((0, 1, 2, 5, 5, 40, 300))
            for term in rng.sample(terms, rng.randint(1, len(terms)))
        }
        most = rng.choice((0, 1, 6, 12, 50, 340, 900))
        yield Case((containing, most))


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
            """
def rare_terms(containing, most):
    kept, total = [], 0
    for term in sorted(containing, key=containing.get):
        if containing[term] == 0:
            continue
        total += containing[term]
        if kept and total > most:
            break
        kept.append(term)
    return kept
""",
            "in the order of `sorted`",
        ),
        (
            """
def rare_terms(containing, most):
    kept, total = [], 0
    for term, count in containing.items():
        if count and (not kept or total + count <= most):
            kept.append(term)
            total += count
    return kept
""",
            "rarest terms come first",
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


def candidates(rng: Random) -> Iterator[Case]:
    three: Pairs = [("a.md", (5, 90)), ("b.md", (7, 80)), ("c.md", (6, 70))]
    here = dict(three)
    yield Case((three, here, 5), "all three lists are in the dictionary")
    yield Case((three[::-1], here, 5), "the order is that of `proposed`")
    gone = "a file that is gone makes room for the next candidate"
    yield Case((three, {"b.md": (7, 80), "c.md": (6, 70)}, 2), gone)
    yield Case((three, {"c.md": (6, 70)}, 1), gone)
    yield Case((three, {}, 2), gone)
    changed = "a changed file is shown, and indexed again"
    yield Case((three, here | {"a.md": (8, 91)}, 5), changed)
    yield Case((three, here | {"a.md": (4, 90)}, 5), "an older file, too")
    yield Case((three, here | {"a.md": (5, 89)}, 5), "another size, too")
    yield Case(([("a.md", (5, 9))], {"a.md": (0, 0)}, 2), "0 is a stamp, too")
    enough = "with enough files to show, no further pair is taken"
    yield Case((three, here, 3), enough)
    yield Case((three, here, 1), enough)
    yield Case((three, here | {"b.md": (9, 80)}, 2), enough)
    yield Case(([], {}, 3), "there may be no candidate")
    names = ("attic", "barn", "cellar", "dock", "east", "ferry", "gate")
    for _ in range(20):
        proposed = []
        disk = {}
        for name in rng.sample(names, rng.randint(1, len(names))):
            proposed.append((name, (500, 90)))
            stamps = ((500, 90), (500, 90), (501, 90), (499, 90), (500, 91))
            if now := rng.choice((*stamps, None)):
                disk[name] = now
        yield Case((proposed, disk, rng.randint(1, 6)))


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
        (
            "            continue\n",
            "            show.append(file)\n            continue\n",
            "makes room",
        ),
        (
            "    for file, indexed in proposed:\n",
            "    for file, indexed in list(proposed):\n",
            "no further pair",
        ),
        (
            """
def check_candidates(proposed, stat, most):
    show, index_again, forget = [], [], []
    for file, indexed in proposed:
        if len(show) == most:
            break
        now = stat(file)
        if now is None:
            forget.append(file)
            continue
        show.append(file)
        if now != indexed:
            index_again.append(file)
    return {"show": show, "index_again": index_again, "forget": forget}
""",
            "no further pair",
        ),
        (
            "        show.append(file)\n        if now != indexed:\n",
            "        if now == indexed:\n            show.append(file)\n"
            "        else:\n",
            "a changed file is shown",
        ),
    ),
)
