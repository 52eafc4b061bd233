"""The gates before a dream: one table of questions, asked in order until the
first shut gate.

They are asked after every turn, so a shut gate has to cost next to nothing.
The order is from cheap to expensive, with two exceptions: the throttle comes
right before the directory listing it is there to avoid, and the lock comes
last because its answer goes stale immediately.

``GATES`` is the only list of the gates. The chain, the limits, the reasons,
the tables and figures of the course, the time machine and its dials, and the
learner's comparison are derived from it.

Open gates are a forecast: they do not take the lock, and whether it can be
taken is decided when the dream begins.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from memlab.clock import Clock, from_nanoseconds
from memlab.dream.lock import ConsolidationLock
from memlab.dream.waiting import HOW_TO_REVIEW, is_waiting
from memlab.memdir.toggles import Toggles
from memlab.settings import Settings

Limits = Mapping[str, float]
State = tuple[str, str]
IsOpen = Callable[[Any], bool]
Chain = Callable[
    [Sequence[tuple[str, IsOpen]], Callable[[str], Any]], list[State]
]
Stat = Callable[[Path], os.stat_result]
Cost = Mapping[str, int]


class ScanThrottle:
    """When this process last listed the sessions; a new process has not listed
    them yet.
    """

    def __init__(self) -> None:
        self.last: datetime | None = None


class Answer(NamedTuple):
    """What a gate found out.

    ``reason`` is left empty by a gate that has a figure, and ``cost`` is None
    where it is the one in the table. ``details`` are for the gates after it
    and for the report.
    """

    value: Any
    reason: str = ""
    cost: Cost | None = None
    details: Any = None


@dataclass(frozen=True)
class Situation:
    """What the gates can examine, and the answers of the gates that were asked
    before.
    """

    now: datetime
    lock: ConsolidationLock
    toggles: Toggles
    sessions: Path
    current_session: str
    throttle: ScanThrottle
    fork: bool = False
    manual: bool = False
    stat: Stat = os.lstat
    scandir: Callable[[Path], Any] = os.scandir
    answers: dict[str, Answer] = field(default_factory=dict)


@dataclass(frozen=True)
class Figure:
    """The number that a gate compares with its limit; it opens at the limit.

    ``words`` say the number, and ``unknown`` says why there is none, in which
    case the gate is open. ``setting`` names the limit, and ``toggle`` names
    the toggle that may replace it. ``dial`` is the slider in the time machine:
    its label, lowest and highest value, step and start. The gate is open at
    the start.
    """

    words: str
    unknown: str
    setting: str
    dial: tuple[str, float, float, float, float]
    toggle: str = ""

    def limit(self, settings: Settings, toggles: Toggles) -> float:
        """Give the least number that opens the gate."""
        replaced = getattr(toggles, self.toggle) if self.toggle else None
        return float(
            getattr(settings, self.setting) if replaced is None else replaced
        )

    def in_words(self, value: float | None) -> str:
        """Say the number; it is cut to one decimal, so that 23.99 hours do not
        read as 24.
        """
        if value is None:
            return self.unknown
        return self.words.format(math.floor(value * 10) / 10)


@dataclass(frozen=True, kw_only=True)
class Gate:
    """A row of the table.

    A gate has either a figure, or a question with a yes or no answer of which
    ``opens_if`` is the one that opens it. ``cost`` is what asking it costs
    with one transcript: stats, listings and reads of the disk. ``ask`` may
    raise OSError, which shuts the gate.
    """

    name: str
    question: str
    cost: Cost
    ask: Callable[[Situation], Answer]
    opens_if: bool = True
    figure: Figure | None = None

    def is_shut(self, value: Any, limits: Limits) -> bool:
        """Say whether this answer shuts the gate."""
        if self.figure is None:
            return bool(value) != self.opens_if
        return not hours_gate(value, limits[self.name])

    @property
    def open_value(self) -> Any:
        """An answer that opens the gate under the default settings."""
        return self.opens_if if self.figure is None else self.figure.dial[-1]


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
    gates: Sequence[tuple[str, IsOpen]], look: Callable[[str], Any]
) -> list[State]:
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


def _dreams_allowed(situation: Situation) -> Answer:
    wanted = {"auto_memory": True, "remote": False, "bare": False}
    if not situation.manual:
        wanted |= {"auto_dream": True, "daily_log": False}
    against = ["a fork does not dream"] if situation.fork else []
    for name, state in wanted.items():
        if getattr(situation.toggles, name) != state:
            is_now = "off" if state else "on"
            against.append(
                f"{name} is {is_now} ({situation.toggles.source(name)})"
            )
    return Answer(not against, "; ".join(against) or "every switch allows it")


def _hours_since_last(situation: Situation) -> Answer:
    last = situation.lock.last_consolidated_at(situation.stat)
    if last is None:
        return Answer(None)
    hours = max((situation.now - last).total_seconds(), 0) / 3600
    return Answer(hours, details=last)


def _minutes_since_scan(situation: Situation) -> Answer:
    last = situation.throttle.last
    if last is None or last > situation.now:  # the clock was set back
        return Answer(None)
    return Answer((situation.now - last).total_seconds() / 60)


def _sessions_since_last(situation: Situation) -> Answer:
    """Count the other transcripts that were written to since the last
    consolidation.
    """
    if not situation.manual:
        # a listing that fails is not repeated at once
        situation.throttle.last = situation.now
    last = situation.answers.get("time", Answer(None)).details
    times: list[tuple[float, Path]] = []
    with (
        suppress(FileNotFoundError),
        situation.scandir(situation.sessions) as entries,
    ):
        for entry in entries:
            path = situation.sessions / entry.name
            if (
                path.suffix != ".jsonl"
                or path.stem == situation.current_session
            ):
                continue
            if entry.is_file():
                with suppress(FileNotFoundError):  # removed since the listing
                    written = situation.stat(path).st_mtime_ns
                    time = from_nanoseconds(written).timestamp()
                    times.append((time, path))
    since = None if last is None else last.timestamp()
    files = [(path.name, time) for time, path in times]
    count = count_sessions(files, since, situation.current_session)
    fresh = [
        path for time, path in sorted(times) if since is None or time > since
    ]
    return Answer(
        count, cost={"listings": 1, "stats": len(times)}, details=fresh
    )


def _lock_held(situation: Situation) -> Answer:
    """Find out whether another process has the lock, or a dream is waiting for
    a review.

    The waiting dream has to be decided on first: a second one would start from
    a memory that the first one is about to change.
    """
    refused = situation.lock.peek()
    if refused is not None:
        return Answer(True, refused.message, {"stats": 1, "reads": 1})
    if is_waiting(situation.lock.directory):
        return Answer(
            True, f"another dream is waiting for your review. {HOW_TO_REVIEW}"
        )
    return Answer(False, "the lock is free")


GATES = (
    Gate(
        name="toggles",
        question="Do the switches allow a dream?",
        cost={},
        ask=_dreams_allowed,
    ),
    Gate(
        name="time",
        question="How long ago was the last consolidation?",
        cost={"stats": 1},
        ask=_hours_since_last,
        figure=Figure(
            words="{:.1f} h since the last consolidation",
            unknown="no consolidation is known, or its time is in the future",
            setting="dream_min_hours",
            toggle="min_hours",
            dial=("hours since the lock's time", -24, 48, 0.5, 30),
        ),
    ),
    Gate(
        name="throttle",
        question="How long ago did this process list the sessions?",
        cost={},
        ask=_minutes_since_scan,
        figure=Figure(
            words="{:.1f} min since the last session scan",
            unknown="no session scan yet",
            setting="dream_scan_minutes",
            dial=("minutes since the last scan", 0, 15, 1, 15),
        ),
    ),
    Gate(
        name="sessions",
        question="How many other sessions were there since then?",
        cost={"listings": 1, "stats": 1},
        ask=_sessions_since_last,
        figure=Figure(
            words="{:.0f} other sessions since then",
            unknown="the sessions have not been counted",
            setting="dream_min_sessions",
            toggle="min_sessions",
            dial=("sessions since then", 0, 12, 1, 6),
        ),
    ),
    Gate(
        name="lock",
        question=(
            "Does another process hold the lock, or does a dream wait for a"
            " review?"
        ),
        cost={"stats": 2, "reads": 1},
        ask=_lock_held,
        opens_if=False,
    ),
)


def gate_limits(
    settings: Settings, toggles: Toggles | None = None, *, manual: bool = False
) -> Limits:
    """Give the least figure that opens each gate that has one; 0 for a dream
    by hand.
    """
    return {
        gate.name: (
            0.0
            if manual
            else gate.figure.limit(settings, toggles or Toggles())
        )
        for gate in GATES
        if gate.figure
    }


@dataclass(frozen=True)
class Verdict:
    """One gate that was asked: whether it is open, why, and what asking cost.

    A shut gate is falsy, so an optional verdict has to be compared with None.
    ``numbers`` has the value, and the number needed if there is one. ``cost``
    counts stats, listings and reads of the disk; it is empty if only memory
    was read.
    """

    name: str
    open: bool
    reason: str
    numbers: Mapping[str, Any] = field(default_factory=dict)
    cost: Cost = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.open


@dataclass(frozen=True)
class GateReport:
    """The gates that were asked, in order, and the transcripts to review,
    oldest first.

    It is falsy unless every gate is open. ``hours_since`` is None if no last
    consolidation is known.
    """

    verdicts: tuple[Verdict, ...]
    sessions: tuple[Path, ...] = ()
    hours_since: float | None = None

    @property
    def shut(self) -> Verdict | None:
        """The gate that is shut, if any: the last one asked."""
        return next(
            (verdict for verdict in self.verdicts if not verdict.open), None
        )

    @property
    def open(self) -> bool:
        """Whether a dream may try to take the lock."""
        return self.shut is None

    def __bool__(self) -> bool:
        return self.open


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
    chain: Chain | None = None,
    gates: Sequence[Gate] = GATES,
    stat: Stat = os.lstat,
    scandir: Callable[[Path], Any] = os.scandir,
) -> GateReport:
    """Ask whether a dream is due now; a gate whose question cannot be answered
    is shut.

    ``sessions`` is the folder of transcripts, and ``current_session`` names
    the one that is being written and does not count. A ``manual`` dream is
    never too early and needs no sessions; it also runs with auto-dream off or
    the daily log on. Without a ``chain``, ``gate_chain`` asks the ``gates``.
    """
    situation = Situation(
        now=clock.now(),
        lock=lock,
        toggles=toggles,
        sessions=sessions,
        current_session=current_session,
        throttle=throttle,
        fork=fork,
        manual=manual,
        stat=stat,
        scandir=scandir,
    )
    by_name = {gate.name: gate for gate in gates}
    limits = gate_limits(settings, toggles, manual=manual)
    answers = situation.answers
    asked: list[str] = []

    def look(name: str) -> Any:
        if name not in answers:
            asked.append(name)
            try:
                answers[name] = by_name[name].ask(situation)
            except OSError as error:
                why = f"cannot be read: {error.strerror}"
                answers[name] = Answer(None, why, cost={})
                raise
        return answers[name].value

    def is_open(gate: Gate, answer: Any) -> bool:
        return not gate.is_shut(answer, limits)

    pairs = [(gate.name, partial(is_open, gate)) for gate in gates]
    states = (chain or gate_chain)(pairs, look)
    shut = next((name for name, state in states if state == "shut"), "")
    return GateReport(
        verdicts=tuple(
            _verdict(by_name[name], answers[name], limits, shut)
            for name in asked
        ),
        sessions=tuple(answers.get("sessions", Answer(None)).details or ()),
        hours_since=answers.get("time", Answer(None)).value,
    )


def _verdict(gate: Gate, answer: Answer, limits: Limits, shut: str) -> Verdict:
    reason = answer.reason
    numbers = {"value": answer.value}
    if gate.figure and not reason:
        reason = gate.figure.in_words(answer.value)
        if answer.value is not None:
            reason += f", {limits[gate.name]:g} needed"
            numbers["needed"] = limits[gate.name]
    cost = gate.cost if answer.cost is None else answer.cost
    return Verdict(gate.name, gate.name != shut, reason, numbers, cost)
