"""Rankings on which a sum of weights and memlab's own ranking agree.

memlab's also counts repeated stems, and puts short headers first. A case is
used only if that makes no difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from memlab.course import Case
from memlab.memdir import MemoryHeader
from memlab.recall import keyword_rank
from memlab.text import terms_of

STEMS = "tides and tide are one stem"
STOPPED = "stop words don't count"
RARE = "a stem that few headers contain counts more than one that many contain"
ONCE = "a stem counts once, however often it occurs"
NAME = "the stems of the name count as well as those of the description"
TIES = "if scores are equal, the newer header comes first, then the file name"
TIMES = "the newer header comes first, even if both are from the same day"
TOTAL = "total is how many headers there are, not how many share a stem"
OWN = "count and total are those of the headers that are passed in"
LIMIT = "at most limit headers are returned"
NOTHING = "a header that shares no stem is left out"

Weight = Callable[[int, int], float]
Score = Callable[[float], float]

NOUNS = (
    "kayak", "ferry", "harbour", "lantern", "paddle", "ticket", "window",
    "garden", "bucket", "radio", "jacket", "sandbank", "column", "laptop",
)  # fmt: skip


class _Header(MemoryHeader):
    """A header that says only what a ranking can use."""

    def __repr__(self) -> str:
        """Show what decides about the rank; a name only if there is one."""
        text = f"{self.name} - {self.description}".removeprefix(" - ")
        return f"<{self.filename}, {self.mtime:%d %b %H:%M}: {text}>"


def _header(
    filename: str, description: str, *, name: str = "", day: float = 1
) -> MemoryHeader:
    moment = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(days=day)
    return _Header(Path(filename), filename, moment, name, description, None)


def _ranking(
    query: str, headers: list[MemoryHeader], slip: str, limit: int = 5
) -> Case:
    wanted = [each.filename for each in _ranked(query, headers)[:limit]]
    shown = f"[{', '.join(f'header of {name}' for name in wanted)}]"
    return Case((query, headers, limit), shown, partial(_agrees, wanted), slip)


def _agrees(wanted: list[str], result: list[Any]) -> bool:
    return [getattr(each, "filename", None) for each in result] == wanted


def _weight(count: int, total: int) -> float:
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def _shared(query: str, headers: Sequence[MemoryHeader]) -> list[set[str]]:
    asked = set(terms_of(query))
    return [
        asked & set(terms_of(f"{each.name} {each.description}"))
        for each in headers
    ]


def _scores(
    query: str, headers: Sequence[MemoryHeader], weight: Weight = _weight
) -> list[float]:
    found = _shared(query, headers)
    scores = []
    for shared in found:
        weights = []
        for stem in shared:
            count = sum(stem in other for other in found)
            weights.append(weight(count, len(headers)))
        scores.append(math.fsum(weights))
    return scores


def _ranked(
    query: str,
    headers: Sequence[MemoryHeader],
    weight: Weight = _weight,
    score: Score = float,
) -> list[MemoryHeader]:
    scores = [score(each) for each in _scores(query, headers, weight)]
    scored = [
        (-score, -header.mtime.timestamp(), header.filename, header)
        for score, header in zip(scores, headers, strict=True)
        if score > 0
    ]
    return [row[3] for row in sorted(scored, key=lambda row: row[:3])]


def _is_fair(query: str, headers: Sequence[MemoryHeader], limit: int) -> bool:
    """Say whether memlab ranks alike, and no two scores nearly agree.

    The order of an addition can change the last bit of a sum of three or more
    numbers, so only scores of at most two stems may be equal.
    """
    scores = _scores(query, headers)
    long_sums = [
        score
        for score, shared in zip(scores, _shared(query, headers), strict=True)
        if len(shared) > 2
    ]
    different = sorted({score for score in scores if score > 0})
    if not different or any(b - a < 0.01 for a, b in pairwise(different)):
        return False
    if any(scores.count(score) > 1 for score in long_sums):
        return False
    ours = keyword_rank(query, headers, limit)
    return ours == _ranked(query, headers)[:limit]


def cases(random: Random) -> list[Case]:
    tabs = _header("m1.md", "indentation is by tabs")
    tide = _header("m2.md", "which table of tides we print")
    ferry = _header("m3.md", "when work stops", name="The ferry home")
    some = [_header(f"s{n}.md", f"tide {noun}") for n, noun in
            enumerate(NOUNS[:4])]  # fmt: skip
    yard = _header("yard.md", "lantern yard")
    twins = [
        _header(f"{name}.md", "price boat", day=day)
        for name, day in (("p3", 3), ("p1", 3), ("p2", 9))
    ]
    same_day = [
        _header("p1.md", "price boat", day=3),
        _header("p2.md", "price boat", day=3.5),
    ]
    small = [
        *[_header(f"c{n}.md", "kayak ferry") for n in range(3)],
        _header("yard.md", "lantern"),
    ]
    larger = [
        *[_header(f"c{n}.md", "kayak ferry") for n in range(3)],
        _header("yard.md", "lantern yard light"),
        *[_header(f"r{n}.md", f"{noun} radio") for n, noun in
          enumerate(("jacket", "sandbank", "column", "laptop", "bucket"))],
        _header("m9.md", "garden window"),
    ]  # fmt: skip
    repeated = [
        _header("r1.md", "tide tide tide radio"),
        _header("r2.md", "tide ferry jacket bucket"),
        _header("r3.md", "garden window column paddle"),
    ]
    fixed = [
        _ranking("What indentation is it?", [tide, tabs], NOTHING),
        _ranking("How are you today?", [tabs, tide], NOTHING),
        _ranking("Which is it, and when?", [tabs, tide, ferry], STOPPED),
        _ranking("Printing the TIDE?", [tabs, tide], STEMS),
        _ranking("home, please", [tabs, ferry], NAME),
        _ranking("tide lantern", [*some, yard], f"{RARE}; {TIES}"),
        _ranking("The tide", some, LIMIT, 2),
        _ranking("boat price", twins, TIES),
        _ranking("boat price", twins, LIMIT, 0),
        _ranking("boat price", same_day, TIMES),
        _ranking("kayak ferry lantern", small, OWN),
        _ranking("kayak ferry lantern", larger, TOTAL),
        _ranking("tide tide tide ferry", repeated, ONCE),
        _ranking("anything", [], NOTHING),
    ]
    some_random = [_random_ranking(random) for _ in range(15)]
    tricky = [_random_ranking(random, wrong) for wrong in WRONG_RANKINGS]
    return [*fixed, *some_random, *tricky]


Ranking = Callable[[str, Sequence[MemoryHeader]], list[MemoryHeader]]


def _random_ranking(random: Random, wrong: Ranking | None = None) -> Case:
    """Draw headers and a query until memlab ranks them alike, and a wrong
    ranking doesn't.
    """
    while True:
        nouns = random.sample(NOUNS, 7)
        count = random.randint(4, 8)
        headers = [
            _header(
                f"m{number}.md",
                _phrase(random, nouns),
                name=random.choice(("", random.choice(nouns).title())),
                day=random.randint(1, 5),
            )
            for number in random.sample(range(10), count)
        ]
        query = f"What of the {_phrase(random, nouns)}?"
        limit = random.choice((2, 5, 5))
        right = _ranked(query, headers)[:limit]
        if wrong and wrong(query, headers)[:limit] == right:
            continue
        if _is_fair(query, headers, limit):
            rules = f"{RARE}; {ONCE}; {STEMS}; {NAME}; {TIES}; {LIMIT}"
            return _ranking(query, headers, rules, limit)


def _phrase(random: Random, nouns: list[str]) -> str:
    words = random.choices(nouns, k=random.randint(2, 4))
    for number, word in enumerate(words):
        if random.random() < 0.3:
            words[number] = f"{word}s"
        if random.random() < 0.2:
            words[number] = f"the {words[number]}"
    return " ".join(words)


def _matching_only(
    query: str, headers: Sequence[MemoryHeader]
) -> list[MemoryHeader]:
    found = zip(headers, _shared(query, headers), strict=True)
    return _ranked(query, [header for header, shared in found if shared])


WRONG_RANKINGS: tuple[Ranking, ...] = (
    partial(_ranked, weight=lambda count, total: math.log(1 + total / count)),
    partial(_ranked, weight=lambda count, total: _weight(count, 20)),
    partial(_ranked, weight=lambda count, total: 1 / count),
    partial(_ranked, weight=lambda count, total: 1),
    partial(_ranked, score=lambda score: round(score, 1)),
    _matching_only,
)
"""A query for which each of these gives another order is among the cases."""
