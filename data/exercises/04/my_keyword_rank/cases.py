from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from memlab.course import Case
from memlab.memdir import MemoryHeader

_NOUNS = (
    *(
        "kayak",
        "ferry",
        "harbour",
        "lantern",
        "paddle",
        "ticket",
        "window",
        "garden",
        "almanac",
    ),
    *(
        "traceback",
        "bucket",
        "invoice",
        "column",
        "laptop",
        "radio",
        "sandbank",
        "jacket",
    ),
)
_RARE = "a word that few memories hold tells more than one that many hold"
_ENDING = "tide and tides, print and printing are one word to a reader: cut the endings"
_LITTLE = "the, is, on and other little words say nothing of the matter: leave STOP_WORDS out"
_NEWEST = "where two memories share the same words, the newer stands first, then the file name"


class _Header(MemoryHeader):
    """A header that is short to read where an answer fails."""

    def __repr__(self) -> str:
        return f"<{self.filename}: {self.description}>"


def _header(
    filename: str, description: str, *, name: str = "", day: int = 1
) -> MemoryHeader:
    moment = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(days=day)
    return _Header(Path(filename), filename, moment, name, description, None)


def _ranking(
    query: str, headers: list[MemoryHeader], best: list[str], slip: str
) -> Case:
    """Make a case that wants these files in this order, whatever the scores."""
    limit = max(5, len(best))
    shown = "nothing" if not best else " before ".join(best)
    return Case((query, headers, limit), shown, partial(_in_order, best), slip)


def _in_order(best: list[str], result: list[Any]) -> bool:
    return [getattr(each, "filename", None) for each in result] == best


def cases(random: Random) -> list[Case]:
    """Give rankings to make; any will do that drops little words and cuts endings."""
    tabs = _header("tabs.md", "indentation is by tabs")
    tide = _header("source.md", "which table of tides we print")
    ferry = _header("ferry-home.md", "when work stops", name="The way home")
    tides = [
        _header(f"tide-{n}.md", f"tide fact {word}")
        for n, word in enumerate(_NOUNS[:6])
    ]
    twins = [
        _header(f"{name}.md", "the price of a boat", day=day)
        for name, day in _TWINS
    ]
    five = Case(
        ("tide", tides, 2),
        "2 memories",
        lambda result: len(result) == 2,
        "limit is the greatest number of memories to give",
    )
    return [
        _ranking(
            "What indentation is it?",
            [tabs, tide],
            ["tabs.md"],
            "one word in common",
        ),
        _ranking(
            "How are you today?",
            [tabs, tide],
            [],
            "no word in common, no memory",
        ),
        _ranking("Which is it, and when?", [tabs, tide, ferry], [], _LITTLE),
        _ranking(
            "Printing the TIDE",
            [tabs, tide],
            ["source.md"],
            f"{_ENDING}; case is nothing",
        ),
        _ranking(
            "the ferry",
            [tabs, ferry],
            ["ferry-home.md"],
            "the file name is searched too",
        ),
        _ranking(
            "home?",
            [tabs, ferry],
            ["ferry-home.md"],
            "the name is searched too",
        ),
        _ranking(
            "tide lantern",
            [*tides[:3], tides[4], _header("yard.md", "lantern at night")],
            ["yard.md", "tide-0.md", "tide-1.md", "tide-2.md", "tide-4.md"],
            _RARE,
        ),
        five,
        _ranking("boat price", twins, ["p2.md", "p1.md", "p3.md"], _NEWEST),
        _ranking(
            "anything", [], [], "a directory without a memory is no error"
        ),
        *(_random_ranking(random) for _ in range(15)),
    ]


_TWINS = (("p3", 3), ("p1", 3), ("p2", 9))


def _random_ranking(random: Random) -> Case:
    one, two, *others = random.sample(_NOUNS, 8)
    wanted = _header(
        "wanted.md", f"{one} {two} {others[0]}", day=random.randint(1, 9)
    )
    half = _header(
        "half.md",
        f"{random.choice((one, two))} {others[1]} {others[2]}",
        day=12,
    )
    rest = [
        _header(f"m{n}.md", f"{random.choice(others[3:])} {others[1]} fact")
        for n in range(4)
    ]
    headers = [wanted, half, *rest]
    random.shuffle(headers)
    query = f"What of the {two}s and the {one}?"
    return _ranking(
        query, headers, ["wanted.md", "half.md"], f"{_ENDING}; {_LITTLE}"
    )
