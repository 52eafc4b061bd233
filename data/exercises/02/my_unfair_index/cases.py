from __future__ import annotations

from functools import partial
from random import Random

from memlab.course import Case
from memlab.memdir import truncate_index


def cases(random: Random) -> list[Case]:
    return [
        Case(
            (count,),
            f"{count} pointer lines of which the byte cap shows fewer than 200, and fewer than all",
            partial(_unfair, count),
            "the lines have to be longer than 125 bytes on average, and there must be enough",
        )
        for count in (150, 200, random.randint(210, 400))
    ]


def _unfair(count: int, text: str) -> bool:
    shown = truncate_index(text)
    lines = text.splitlines()
    pointers = len(lines) == count and all(
        line.startswith("- [") for line in lines
    )
    return (
        pointers
        and shown.fired in ("bytes", "both")
        and len(shown.text.splitlines()) < 200
    )
