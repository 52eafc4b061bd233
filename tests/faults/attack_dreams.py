"""The labelled dreams against the limit, as the store they begin with and the calls they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from memlab.memdir.places import INDEX
from tests.unit.dream.helpers import Call, DreamSetup, Step, text, tombstone

FOLDER = Path(__file__).parents[2] / "data" / "labelled" / "dream_attacks"
Parts = tuple[str, str, str, str]


@cache
def _document() -> Mapping[str, Any]:
    document: Mapping[str, Any] = yaml.safe_load((FOLDER / "dreams.yaml").read_text("utf-8"))
    return document


def store_before() -> dict[str, Parts]:
    """Give the memories of the store, as a bed is filled with them."""
    return {
        one["file"]: (one["name"], one["type"], one["description"], one["body"])
        for one in _document()["store"]
    }


def cases() -> Sequence[Mapping[str, Any]]:
    """Give the labelled dreams."""
    found: Sequence[Mapping[str, Any]] = _document()["cases"]
    return found


def case(name: str) -> Mapping[str, Any]:
    """Give one labelled dream by its id."""
    return next(one for one in cases() if one["id"] == name)


def steps(setup: DreamSetup, name: str) -> list[Step]:
    """Give the answers of the dreamer: it reads everything, makes its calls, and ends."""
    calls = [_call(setup, one) for one in case(name)["calls"]]
    return [setup.read(*store_before(), INDEX), calls, "All is in order."]


def _call(setup: DreamSetup, wanted: Mapping[str, str]) -> Call:
    if "drop" in wanted:
        return setup.write(wanted["drop"], tombstone(dropped=wanted["reason"]))
    if "merge" in wanted:
        return setup.write(wanted["merge"], tombstone(superseded_by=wanted["into"]))
    parts = (wanted["name"], wanted["type"], wanted["description"], wanted["body"])
    return setup.write(wanted["write"], text(*parts))
