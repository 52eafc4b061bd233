"""Rankings on which a sum of weights and memlab's own ranking agree.

memlab's also counts repeated stems, and puts short headers first. A case is
used only if that makes no difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
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
LIMIT = "at most limit headers are returned"
NOTHING = "a header that shares no stem is left out"

NOUNS = (
    "kayak", "ferry", "harbour", "lantern", "paddle", "ticket", "window",
    "garden", "bucket", "radio", "jacket", "sandbank", "column", "laptop",
)  # fmt: skip


class _Header(MemoryHeader):
    """A header that says only what a ranking can use."""

    def __repr__(self) -> str:
        return f"<{self.filename}: {self.name} - {self.description}>"


def _header(
    filename: str, description: str, *, name: str = "", day: int = 1
) -> MemoryHeader:
    moment = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(days=day)
    return _Header(Path(filename), filename, moment, name, description, None)


def _ranking(
    query: str, headers: list[MemoryHeader], slip: str, limit: int = 5
) -> Case:
    wanted = [each.filename for each in _ranked(query, headers)[:limit]]
    shown = " before ".join(wanted) or "no header"
    return Case((query, headers, limit), shown, partial(_agrees, wanted), slip)


def _agrees(wanted: list[str], result: list[Any]) -> bool:
    return [getattr(each, "filename", None) for each in result] == wanted


def _scores(query: str, headers: Sequence[MemoryHeader]) -> list[float]:
    asked = set(terms_of(query))
    described = [
        set(terms_of(f"{each.name} {each.description}")) for each in headers
    ]
    total = len(headers)
    scores = []
    for found in described:
        score = 0.0
        for shared in sorted(asked & found):
            count = sum(shared in other for other in described)
            score += math.log(1 + (total - count + 0.5) / (count + 0.5))
        scores.append(score)
    return scores


def _ranked(query: str, headers: Sequence[MemoryHeader]) -> list[MemoryHeader]:
    scored = [
        (-score, -header.mtime.timestamp(), header.filename, header)
        for score, header in zip(_scores(query, headers), headers, strict=True)
        if score > 0
    ]
    return [row[3] for row in sorted(scored, key=lambda row: row[:3])]


def _is_fair(query: str, headers: Sequence[MemoryHeader], limit: int) -> bool:
    """Say whether memlab ranks alike, and no two scores nearly agree."""
    ours = keyword_rank(query, headers, limit)
    scores = sorted({score for score in _scores(query, headers) if score > 0})
    apart = all(b - a > 0.01 for a, b in zip(scores, scores[1:]))
    return apart and ours == _ranked(query, headers)[:limit]


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
        _ranking("tide lantern", [*some, yard], RARE),
        _ranking("The tide", some, LIMIT, 2),
        _ranking("boat price", twins, TIES),
        _ranking("boat price", twins, LIMIT, 0),
        _ranking("tide tide tide ferry", repeated, ONCE),
        _ranking("anything", [], NOTHING),
    ]
    return [*fixed, *(_random_ranking(random) for _ in range(20))]


def _random_ranking(random: Random) -> Case:
    """Draw headers and a query until memlab ranks them alike."""
    while True:
        nouns = random.sample(NOUNS, 7)
        count = random.randint(4, 7)
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
        if _is_fair(query, headers, limit) and len(_ranked(query, headers)):
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
