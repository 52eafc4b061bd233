"""The comparison of the memory systems with a real embedding model, as it was
recorded once: all-MiniLM-L6-v2, with the hashed bag's results beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from memlab.errors import MemlabError
from memlab.landscape.history import DATA

RECORDED = DATA / "recorded.yaml"


@dataclass(frozen=True)
class PairFigures:
    """What an embedder makes of a group of pairs."""

    group: str
    embedder: str
    pairs: int
    meaning_wins: int
    first: int


@dataclass(frozen=True)
class Recorded:
    """The recorded results, and what made them.

    ``results`` leads from the half to the embedder (``model`` or ``bag``), to
    the judge (``rules`` or ``labels``), and to one row per system.
    """

    made: date
    embedder: str
    packages: Mapping[str, str]
    python: str
    machine: str
    pairs: Sequence[PairFigures]
    results: Mapping[str, Mapping[str, Mapping[str, list[dict[str, Any]]]]]


def load_recorded(path: Path = RECORDED) -> Recorded:
    """Read the recorded results; raises MemlabError if they are not there."""
    try:
        data = yaml.safe_load(path.read_text("utf-8"))
        pairs = [PairFigures(**row) for row in data.pop("pairs")]
        return Recorded(pairs=pairs, **data)
    except (
        OSError,
        yaml.YAMLError,
        TypeError,
        KeyError,
        AttributeError,
    ) as error:
        raise MemlabError(
            "these recorded results cannot be read",
            where=path,
            do="Check out data/landscape again",
        ) from error
