"""The gates before a dream: functions, asked in order until one is shut.

They are asked after every turn, so a shut gate has to cost next to nothing.
The order is from cheap to expensive, with two exceptions: the throttle comes
right before the listing it is there to avoid, and the lock comes last because
its answer goes stale immediately.

The first line of a gate is the question that it answers. Open gates are a
forecast: they do not take the lock, and whether it can be taken is decided
when the dream begins.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memlab.clock import Clock, from_nanoseconds
from memlab.dream.lock import ConsolidationLock
from memlab.dream.receipt import HOW_TO_REVIEW, is_waiting
from memlab.memdir.toggles import Toggles
from memlab.settings import Settings


@dataclass(frozen=True)
class Verdict:
    """What a gate says: whether it is open, and why; a shut gate is falsy.

    ``cost`` counts stats, listings and reads of the disk.
    """

    name: str
    open: bool
    reason: str
    cost: Mapping[str, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.open


@dataclass
class ScanThrottle:
    """When this process last listed the sessions."""

    last: datetime | None = None


@dataclass(kw_only=True)
class Situation:
    """What the gates can look at, and what they find for those after them.

    ``sessions`` is the folder of transcripts, and ``current_session`` names
    the one that is being written and does not count. A ``manual`` dream is
    never too early and needs no sessions; it also runs with auto-dream off or
    the daily log on. The ``fresh`` transcripts are to be reviewed, the oldest
    first; ``hours`` is None if no last consolidation is known.
    """

    lock: ConsolidationLock
    toggles: Toggles
    sessions: Path
    current_session: str
    clock: Clock
    settings: Settings
    throttle: ScanThrottle
    manual: bool = False
    last: datetime | None = None
    hours: float | None = None
    fresh: list[Path] = field(default_factory=list)

    def least(self, setting: str, flag: float | None = None) -> float:
        """Give the least number that opens a gate."""
        if self.manual:
            return 0
        return getattr(self.settings, setting) if flag is None else flag


Gate = Callable[[Situation], Verdict]
IsOpen = Callable[[Any], bool]
Look = Callable[[str], Any]
Chain = Callable[..., list[tuple[str, str]]]


def hours_gate(hours: float | None, least: float) -> bool:
    """Tell whether enough hours have passed; None if no dream is known."""
    return hours is None or hours >= least


def count_sessions(
    files: Sequence[tuple[str, float]], last: float | None, current: str
) -> int:
    """Count the transcripts that no dream has seen, without the current one;
    each file is a name and the time when it was written.
    """
    count = 0
    for name, time in files:
        if not name.endswith(".jsonl") or name == f"{current}.jsonl":
            continue
        if last is None or time > last:
            count += 1
    return count


def gate_chain(
    gates: Sequence[tuple[str, IsOpen]], look: Look
) -> list[tuple[str, str]]:
    """Ask the gates up to the first shut one; return the state of each.

    ``look`` finds out the answer of the gate of that name, which costs
    something. If it raises OSError, the gate is shut.
    """
    states = []
    shut = False
    for name, is_open in gates:
        if shut:
            states.append((name, "not asked"))
            continue
        try:
            answer = look(name)
        except OSError:
            shut = True
        else:
            shut = not is_open(answer)
        states.append((name, "shut" if shut else "open"))
    return states


def toggles(now: Situation) -> Verdict:
    """Do the switches allow a dream?"""
    wanted = {"auto_memory": True, "remote": False, "bare": False}
    if not now.manual:
        wanted |= {"auto_dream": True, "daily_log": False}
    against = [
        f"{name} is {'off' if state else 'on'} ({now.toggles.source(name)})"
        for name, state in wanted.items()
        if getattr(now.toggles, name) != state
    ]
    reason = "; ".join(against) or "every switch allows it"
    return Verdict("toggles", not against, reason)


def time(now: Situation) -> Verdict:
    """How long ago was the last consolidation?"""
    now.last = now.lock.last_consolidated_at()
    least = now.least("dream_min_hours", now.toggles.min_hours)
    reason = "no consolidation is known, or its time is in the future"
    if now.last is not None:
        ago = (now.clock.now() - now.last).total_seconds()
        now.hours = max(ago, 0) / 3600
        hours = f"{_one_decimal(now.hours)} h since the last consolidation"
        reason = f"{hours}, {least:g} needed"
    return Verdict("time", hours_gate(now.hours, least), reason, {"stats": 1})


def throttle(now: Situation) -> Verdict:
    """How long ago did this process list the sessions?"""
    last, minutes = now.throttle.last, None
    least = now.least("dream_scan_minutes")
    reason = "no session scan yet"
    if last is not None and last <= now.clock.now():  # else it was set back
        minutes = (now.clock.now() - last).total_seconds() / 60
        said = f"{_one_decimal(minutes)} min since the last session scan"
        reason = f"{said}, {least:g} needed"
    return Verdict("throttle", hours_gate(minutes, least), reason)


def sessions(now: Situation) -> Verdict:
    """How many other sessions were there since then?"""
    if not now.manual:
        # a listing that fails is not repeated at once
        now.throttle.last = now.clock.now()
    due = now.lock.due()
    since = None if now.last is None else now.last.timestamp()
    times = {
        path: path.stat().st_mtime_ns
        for path in now.sessions.glob("*.jsonl")
        if path.stem != now.current_session
    }
    for path in sorted(times, key=times.__getitem__):
        is_due = due is not None and due[0] <= times[path] <= due[1]
        file = path.name, from_nanoseconds(times[path]).timestamp()
        if is_due or count_sessions([file], since, now.current_session):
            now.fresh.append(path)
    count = len(now.fresh)
    least = now.least("dream_min_sessions", now.toggles.min_sessions)
    reason = f"{count} other sessions since then, {least:g} needed"
    cost = {"listings": 1, "stats": len(times), "reads": int(due is not None)}
    return Verdict("sessions", hours_gate(count, least), reason, cost)


def lock(now: Situation) -> Verdict:
    """Does another process hold the lock, or does a dream wait for a review?

    The waiting dream has to be decided on first: a second one would start from
    a memory that the first one is about to change.
    """
    refused = now.lock.peek()
    if refused is not None:
        cost = {"stats": 1, "reads": 1}
        return Verdict("lock", False, refused.message, cost)
    cost, reason = {"stats": 2, "reads": 1}, "the lock is free"
    waits = is_waiting(now.lock.directory)
    if waits:
        reason = f"another dream is waiting for your review. {HOW_TO_REVIEW}"
    return Verdict("lock", not waits, reason, cost)


GATES: tuple[Gate, ...] = (toggles, time, throttle, sessions, lock)


@dataclass(frozen=True)
class GateReport:
    """The gates that were asked, in order, and the transcripts to review,
    oldest first; it is falsy unless every gate is open.
    """

    verdicts: tuple[Verdict, ...]
    sessions: tuple[Path, ...] = ()
    hours_since: float | None = None

    @property
    def shut(self) -> Verdict | None:
        """The gate that is shut, if any."""
        return next((one for one in self.verdicts if not one), None)

    @property
    def open(self) -> bool:
        """Whether a dream may try to take the lock."""
        return self.shut is None

    def __bool__(self) -> bool:
        return self.open


def check_gates(
    now: Situation,
    *,
    gates: Sequence[Gate] = GATES,
    chain: Chain | None = None,
) -> GateReport:
    """Ask whether a dream is due now; a gate whose question cannot be answered
    is shut. Without a ``chain``, ``gate_chain`` asks the ``gates``.
    """
    by_name = {gate.__name__: gate for gate in gates}
    asked: dict[str, Verdict] = {}

    def look(name: str) -> Verdict:
        try:
            asked[name] = by_name[name](now)
        except OSError as error:
            why = f"cannot be read: {error.strerror}"
            asked[name] = Verdict(name, False, why)
            raise
        return asked[name]

    states = (chain or gate_chain)([(name, bool) for name in by_name], look)
    verdicts = [
        replace(asked[name], open=state == "open")
        for name, state in states
        if name in asked
    ]
    return GateReport(tuple(verdicts), tuple(now.fresh), now.hours)


def _one_decimal(number: float) -> float:
    """Cut a number, so that 23.99 hours do not read as 24."""
    return math.floor(number * 10) / 10
