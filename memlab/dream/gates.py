"""The gates before a dream: five questions, cheapest first, and no further than the first no.

They are asked after every turn, so a shut gate has to cost next to nothing: of the first three only
one touches the disk, with one stat. Left out: taking the lock. Open gates are a forecast, and the
lock itself decides.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from memlab.clock import Clock, from_nanoseconds
from memlab.dream.lock import ConsolidationLock
from memlab.dream.waiting import HOW_TO_REVIEW, is_waiting
from memlab.memdir.toggles import Toggles
from memlab.settings import Settings

Look = Callable[[str], Any]
Limits = Mapping[str, float]
Chain = Callable[[Look, Limits], str]
Stat = Callable[[Path], os.stat_result]


def gate_chain(look: Look, limits: Limits) -> str:
    """Name the first shut gate, or nothing if all are open; a look that is not taken is free.

    ``look`` gives, by a gate's name: whether the "toggles" allow a dream, the "time" since the last
    one in hours (None: never), the "throttle", minutes since the last session scan (None: not yet),
    the number of "sessions" since then, and whether the "lock" is held.
    """
    if not look("toggles"):
        return "toggles"
    for gate in ("time", "throttle", "sessions"):
        value = look(gate)
        if value is not None and value < limits[gate]:
            return gate
    return "lock" if look("lock") else ""


@dataclass(frozen=True)
class Verdict:
    """One gate that was asked: is it open, why, by which numbers, and what the look cost.

    A shut gate is falsy, so an optional verdict has to be compared with None.
    ``cost`` counts stats, listings and reads of the disk; it is empty for a look at memory.
    """

    name: str
    open: bool
    reason: str
    numbers: Mapping[str, Any] = field(default_factory=dict)
    cost: Mapping[str, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.open


@dataclass(frozen=True)
class GateReport:
    """The gates that were asked, in order, and the transcripts to review, oldest first.

    It is falsy unless every gate is open.
    ``hours_since`` is None where nothing is known of a last consolidation.
    """

    verdicts: tuple[Verdict, ...]
    sessions: tuple[Path, ...] = ()
    hours_since: float | None = None

    @property
    def shut(self) -> Verdict | None:
        """The gate that is shut, if any: the last one asked."""
        return next((verdict for verdict in self.verdicts if not verdict.open), None)

    @property
    def open(self) -> bool:
        """Whether a dream may try to take the lock."""
        return self.shut is None

    def __bool__(self) -> bool:
        return self.open


class ScanThrottle:
    """When this process last listed the sessions; a new process has not."""

    def __init__(self) -> None:
        self.last: datetime | None = None


def check_gates(
    *,
    lock: ConsolidationLock,
    toggles: Toggles,
    sessions: Path,
    current_session: str,
    clock: Clock,
    settings: Settings,
    throttle: ScanThrottle,
    fork: bool = False,
    manual: bool = False,
    chain: Chain = gate_chain,
    stat: Stat = os.lstat,
    scandir: Callable[[Path], Any] = os.scandir,
) -> GateReport:
    """Ask whether a dream is due now; what cannot be read shuts its gate and is no error.

    ``sessions`` is the folder of transcripts, and ``current_session`` names the one that is being
    written and does not count. For a ``manual`` dream it is never too early and no session needed,
    auto-dream may be off and the daily log on.
    """
    now, limits, seen = clock.now(), _limits(toggles, settings, manual), dict[str, _Seen]()
    looks: Mapping[str, Callable[[], _Seen]] = {
        "toggles": lambda: _toggles(toggles, fork, manual),
        "time": lambda: _time(lock, now, stat),
        "throttle": lambda: _throttle(throttle, now),
        "sessions": lambda: _sessions(
            sessions, current_session, seen.get("time", _Seen()).more, stat, scandir
        ),
        "lock": lambda: _lock(lock),
    }

    def look(gate: str) -> Any:
        if gate == "sessions" and not manual:
            throttle.last = now
        if gate not in seen:
            seen[gate] = _Seen()
            seen[gate] = looks[gate]()
        return seen[gate].value

    try:
        shut = chain(look, limits)
    except OSError as error:
        shut = list(seen)[-1]
        seen[shut] = _Seen(None, f"cannot be read: {error.strerror}")
    verdicts = tuple(_verdict(gate, one, limits, shut) for gate, one in seen.items())
    since, found = seen.get("time", _Seen()), seen.get("sessions", _Seen())
    return GateReport(verdicts, tuple(found.more or ()), since.value)


class _Seen(NamedTuple):
    value: Any = None
    reason: str = ""
    cost: Mapping[str, int] = {}
    more: Any = None


def _verdict(gate: str, seen: _Seen, limits: Limits, shut: str) -> Verdict:
    reason, numbers = seen.reason, {"value": seen.value}
    if gate in limits and seen.value is not None:
        reason, numbers["needed"] = f"{reason}, {limits[gate]:g} needed", limits[gate]
    return Verdict(gate, gate != shut, reason, numbers, seen.cost)


def _limits(toggles: Toggles, settings: Settings, manual: bool) -> Limits:
    hours = settings.dream_min_hours if toggles.min_hours is None else toggles.min_hours
    least = settings.dream_min_sessions if toggles.min_sessions is None else toggles.min_sessions
    limits = {"time": hours, "throttle": settings.dream_scan_minutes, "sessions": least}
    return dict.fromkeys(limits, 0.0) if manual else limits


def _toggles(toggles: Toggles, fork: bool, manual: bool) -> _Seen:
    wanted = {"auto_memory": True, "remote": False, "bare": False}
    wanted |= {} if manual else {"auto_dream": True, "daily_log": False}
    against = ["a fork does not dream"] if fork else []
    for name, state in wanted.items():
        if getattr(toggles, name) != state:
            against.append(f"{name} is {'off' if state else 'on'} ({toggles.source(name)})")
    return _Seen(not against, "; ".join(against) or "every switch allows it")


def _time(lock: ConsolidationLock, now: datetime, stat: Stat) -> _Seen:
    last = lock.last_consolidated_at(stat)
    if last is None:
        return _Seen(None, "no consolidation is known, or only one still to come", {"stats": 1})
    hours = max((now - last).total_seconds(), 0) / 3600
    return _Seen(hours, f"{_cut(hours)} h since the last consolidation", {"stats": 1}, last)


def _throttle(throttle: ScanThrottle, now: datetime) -> _Seen:
    if throttle.last is None or throttle.last > now:  # a clock set back knows nothing
        return _Seen(None, "no session scan yet")
    minutes = (now - throttle.last).total_seconds() / 60
    return _Seen(minutes, f"{_cut(minutes)} min since the last session scan")


def _sessions(
    folder: Path, current: str, last: datetime | None, stat: Stat, scandir: Callable[[Path], Any]
) -> _Seen:
    times: list[tuple[datetime, Path]] = []
    with suppress(FileNotFoundError), scandir(folder) as entries:
        for entry in entries:
            path = folder / entry.name
            if path.suffix == ".jsonl" and path.stem != current and entry.is_file():
                with suppress(FileNotFoundError):  # gone since the listing
                    times.append((from_nanoseconds(stat(path).st_mtime_ns), path))
    fresh = [path for moment, path in sorted(times) if last is None or moment > last]
    cost = {"listings": 1, "stats": len(times)}
    return _Seen(len(fresh), f"{len(fresh)} other sessions since then", cost, fresh)


def _lock(lock: ConsolidationLock) -> _Seen:
    """Look at the lock, and whether an earlier dream waits for a review.

    That dream has to be decided on first: a second one would be made of a memory that the first
    one is about to change.
    """
    refused = lock.peek()
    if refused is not None:
        return _Seen(True, refused.message, {"stats": 1, "reads": 1})
    cost = {"stats": 2, "reads": 1}
    if is_waiting(lock.directory):
        return _Seen(True, f"another dream is waiting for your review. {HOW_TO_REVIEW}", cost)
    return _Seen(False, "the lock is free", cost)


def _cut(number: float) -> float:
    """Cut to one decimal, so that what is not yet 24 does not read 24.0."""
    return math.floor(number * 10) / 10
