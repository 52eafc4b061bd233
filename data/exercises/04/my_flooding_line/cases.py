from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random

from memlab.course import Case
from memlab.memdir import MemoryHeader
from memlab.recall import keyword_rank
from memlab.settings import Settings

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


def _header(filename: str, description: str, day: int) -> MemoryHeader:
    moment = datetime(2026, 3, day, tzinfo=UTC)
    return MemoryHeader(
        Path(filename), filename, moment, "", description, None
    )


def cases(random: Random) -> list[Case]:
    """Give queries and the descriptions to outrank."""
    return [_flooding(random) for _ in range(6)]


def _flooding(random: Random) -> Case:
    nouns = random.sample(_NOUNS, 12)
    threes = [nouns[start : start + 3] for start in (0, 3, 6)]
    queries = [
        f"Where is the {one}, the {two} and the {three}?"
        for one, two, three in threes
    ]
    rivals = [
        f"the {noun} and {random.choice(('its age', 'its colour'))}"
        for noun in nouns
    ]
    most = Settings().manifest_description_characters
    return Case(
        (queries, rivals),
        f"one line of at most {most} characters that ranks first for every query",
        partial(_floods, queries, rivals, most),
        "each query has to find its own words in the line, and the line is one of 300 characters",
    )


def _floods(
    queries: list[str], rivals: list[str], most: int, line: str
) -> bool:
    if len(line.splitlines()) != 1 or len(line) > most:
        return False
    headers = [
        _header(f"m{number}.md", rival, 2)
        for number, rival in enumerate(rivals)
    ]
    headers.append(_header("flood.md", line, 1))
    return all(
        keyword_rank(query, headers, 1) == headers[-1:] for query in queries
    )
