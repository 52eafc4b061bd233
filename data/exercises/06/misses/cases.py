"""Sessions: whole ones, slow ones, ones whose prefix changed, and mixtures."""

from __future__ import annotations

from random import Random

from memlab.course import Case, case

SUM = "A call should read what the call before it read and created together"
BEFORE = "What counts is the call before, and not the largest so far"
FIRST = "The first call is never in the result"
CAUSE = "5 minutes or more mean expired, and anything else means changed"
SINCE = "The minutes count from the call before, and not from the first one"
LATE = "A call that read everything is never in the result, however late"
MORE = "Only a call that read too little is in the result"
NUMBER = "The numbers count from 1"


def cases(random: Random) -> list[Case]:
    """Make sessions, and compare with an answer that is computed otherwise."""
    whole = [_call(0, 0, 2000), _call(1, 2000, 90), _call(2, 2090, 80)]
    fixed: list[tuple[list[dict[str, int]], str]] = [
        ([], FIRST),
        ([_call(0, 0, 2000)], FIRST),
        (whole, SUM),
        ([*whole[:2], _call(2, 2000, 180)], f"{SUM}; {NUMBER}"),
        ([*whole[:2], _call(2, 0, 2200)], f"{SUM}; {NUMBER}"),
        ([*whole[:2], _call(2, 2089, 81)], SUM),
        ([*whole[:2], _call(2, 2100, 80)], MORE),
        ([*whole, _call(40, 2170, 50)], LATE),
        ([_call(0, 0, 2000), _call(4, 0, 2100)], CAUSE),
        ([_call(0, 0, 2000), _call(5, 0, 2100)], CAUSE),
        ([_call(0, 0, 2000), _call(6, 0, 2100)], CAUSE),
        ([_call(0, 0, 2000), _call(6, 900, 1200)], CAUSE),
        ([*whole, _call(5, 0, 2300)], SINCE),
        ([_call(9, 0, 2000), _call(10, 0, 2100)], SINCE),
        ([_call(0, 0, 2000), _call(9, 0, 2090), _call(10, 700, 1500)], CAUSE),
        ([_call(0, 0, 900), _call(1, 0, 950), _call(2, 0, 990)], SUM),
        ([_call(0, 0, 2000), _call(1, 0, 300), _call(2, 300, 0)], BEFORE),
    ]
    for _ in range(14):
        fixed.append((_session(random), f"{SUM}; {CAUSE}"))
    return [case((calls,), _expected(calls), rule) for calls, rule in fixed]


def _expected(calls: list[dict[str, int]]) -> list[str]:
    found = []
    held = 0
    sent = 0
    for number, call in enumerate(calls, 1):
        if call["read"] < held:
            late = call["minute"] - sent >= 5
            found.append(f"{number} {'expired' if late else 'changed'}")
        held = call["read"] + call["created"]
        sent = call["minute"]
    return found


def _session(random: Random) -> list[dict[str, int]]:
    minute = random.randint(0, 30)
    held = 0
    calls = []
    for _ in range(random.randint(2, 7)):
        minute += random.choice((1, 2, 4, 5, 6, 9))
        read = random.choice((held, held, 0, held // 2))
        created = random.randint(50, 900) + held - read
        calls.append(_call(minute, read, created))
        held = read + created
    return calls


def _call(minute: int, read: int, created: int) -> dict[str, int]:
    return {"minute": minute, "read": read, "created": created}
