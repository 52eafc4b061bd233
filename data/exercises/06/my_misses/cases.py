from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from memlab.course import Case, case

_SUM = (
    "what the call before had read and created together is what could be read"
)
_CAUSE = "more than 5 minutes mean expired, anything else changed"


def cases(random: Random) -> list[Case]:
    """Give bills: whole ones, one that was slow, one whose prefix changed, and mixtures."""
    fixed = [
        ([], _SUM),
        ([_call(0, 0, 2000), _call(1, 2000, 90)], _SUM),
        ([_call(0, 0, 2000), _call(1, 2000, 90), _call(2, 2000, 180)], _SUM),
        ([_call(0, 0, 2000), _call(5, 0, 2100)], _CAUSE),
        ([_call(0, 0, 2000), _call(6, 0, 2100)], _CAUSE),
        (
            [_call(0, 0, 2000), _call(9, 2000, 90), _call(10, 700, 1500)],
            _CAUSE,
        ),
    ]
    for _ in range(12):
        minute, held, calls = 0, 0, []
        for _ in range(random.randint(2, 7)):
            minute += random.choice((1, 2, 4, 5, 6, 9))
            read = random.choice((held, held, 0, held // 2))
            calls.append(
                _call(minute, read, random.randint(50, 900) + held - read)
            )
            held = calls[-1]["read"] + calls[-1]["created"]
        fixed.append((calls, f"{_SUM}; {_CAUSE}"))
    return [case((calls,), misses(calls), slip) for calls, slip in fixed]


def misses(calls: Sequence[Mapping[str, int]]) -> list[str]:
    """Name the calls that read less than the cache held, with the likely cause."""
    found = []
    for number in range(1, len(calls)):
        before, call = calls[number - 1], calls[number]
        if call["read"] < before["read"] + before["created"]:
            late = call["minute"] - before["minute"] > 5
            found.append(f"{number + 1} {'expired' if late else 'changed'}")
    return found


def _call(minute: int, read: int, created: int) -> dict[str, int]:
    return {"minute": minute, "read": read, "created": created}
