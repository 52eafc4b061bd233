"""Mixtures of origins."""

from __future__ import annotations

from random import Random

from memlab.course.exercise import Case, case
from memlab.memdir.origin import Origin

LEAST = "One sentence that is trusted less decides"
ORDER = "TRUST lists the most trusted origin first"
ANY = "The order of the origins makes no difference"
EMPTY = "If there are no origins, the result is 'unknown'"
STRANGE = "A label that is not in TRUST counts as 'unknown'"
LABELS = [origin.label for origin in Origin]


def cases(random: Random) -> list[Case]:
    """Make one case for each rule, and some at random."""
    fixed: list[tuple[list[str], str]] = [
        ([], EMPTY),
        (["person"], LEAST),
        (["outside"], LEAST),
        (["person", "outside"], LEAST),
        (["outside", "person"], f"{LEAST}; {ANY}"),
        (["person", "person", "assistant"], LEAST),
        (["assistant", "project file", "assistant"], f"{LEAST}; {ORDER}"),
        (["unknown", "tool result"], ORDER),
        (["unknown", "project file"], ORDER),
        (["outside", "tool result", "unknown"], f"{ORDER}; {ANY}"),
        (["the moon"], STRANGE),
        (["person", "the moon"], STRANGE),
        (["the moon", "person", "assistant"], STRANGE),
        (["the moon", "outside"], STRANGE),
        (["outside", "the moon"], STRANGE),
        (["tool result", "Person"], STRANGE),
        (["assistant", ""], STRANGE),
        (["web"], STRANGE),
        (["Outside"], STRANGE),
        (["outside world"], STRANGE),
        (["out"], STRANGE),
        (["person", "Outside", "assistant"], STRANGE),
    ]
    for _ in range(20):
        labels = random.choices([*LABELS, "a friend"], k=random.randint(1, 6))
        fixed.append((labels, f"{LEAST}; {STRANGE}"))
    return [case((labels,), _least(labels), slip) for labels, slip in fixed]


def _least(labels: list[str]) -> str:
    origins = [Origin.from_label(label) for label in labels]
    return min(origins, default=Origin.UNKNOWN).label
