"""The labelled ordinary sentences, and the judge of what was saved of one.

What a case contains and what the two counts mean is described in ``data/labelled/README.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

from memlab.evals.labelled import LABELLED, read_yaml
from memlab.memdir.memory import Memory

USUAL_DAY = "2026-06-16"
"""When a case was said that names no day."""

Case = Mapping[str, Any]


def load_cases(half: str) -> list[Case]:
    return list(read_yaml(LABELLED / "sentences" / f"{half}.yaml"))


def judge(case: Case, saved: Sequence[Memory]) -> tuple[bool, int]:
    """Tell whether every wish of a case is met, and how many memories are saved wrongly."""
    wishes = case.get("save") or []
    met = best_match(wishes, saved)
    never = [text.lower() for text in case.get("never", ())]
    wrong = [
        number
        for number, memory in enumerate(saved)
        if number not in met or any(text in memory.text.lower() for text in never)
    ]
    return len(met) == len(wishes), len(wrong)


def best_match(wishes: Sequence[Case], saved: Sequence[Memory]) -> set[int]:
    """The memories that meet a wish, each a different one, so that most wishes are met."""
    best: set[int] = set()
    for order in permutations(range(len(saved)), min(len(wishes), len(saved))):
        pairs = zip(wishes, order, strict=False)
        met = {number for wish, number in pairs if meets(saved[number], wish)}
        best = max(best, met, key=len)
    return best


def meets(memory: Memory, wish: Case) -> bool:
    """Tell whether a memory holds everything that a wish asks for."""
    text = memory.text.lower()
    kinds = [kind.strip() for kind in str(wish.get("type", "")).split("|")]
    if kinds != [""] and str(memory.type) not in kinds:
        return False
    if "date" in wish and str(wish["date"]) not in text:
        return False
    return all(
        any(part.strip().lower() in text for part in str(needed).split("|"))
        for needed in wish["must_contain"]
    )
