"""Figures of measurements: calls to the model over time, and races for a
lock.

Each is a picture that is drawn the same way on every machine, with its numbers
as text. Colour is never the only sign.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memlab.course.display import Table, table
from memlab.course.pictures import (
    OUTPUT_WIDTH,
    SMALL,
    Drawing,
    Fill,
    Picture,
    TimeAxis,
)
from memlab.course.races import Race
from memlab.events import (
    Event,
    ExtractionStarted,
    ExtractionStashed,
    TurnEnded,
)
from memlab.ledger import Call

_LABEL, _ROW, _BAR, _TOP = 190, 38, 26, 62
_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600)
_MOST_STEPS = 12
_NAMES = {"main": "turn {} (main)", "extract": "run {} (extract)"}
_BOUNDARIES: dict[str, type[Event]] = {
    "main": TurnEnded,
    "extract": ExtractionStarted,
}


@dataclass(frozen=True)
class Row:
    """The calls of one turn or one run, which follow each other without a
    pause.
    """

    name: str
    calls: tuple[Call, ...]

    @property
    def started(self) -> datetime:
        """When the first call was sent."""
        return self.calls[0].started

    @property
    def ended(self) -> datetime:
        """When the last answer ended."""
        return self.calls[-1].ended


@dataclass(frozen=True, repr=False)
class Timeline(Drawing):
    """Calls to the model over time; ``picture`` is the drawing, ``table`` the
    same in numbers.

    With ``events``, turns and runs are told apart where they touch, and each
    turn that was stashed has an arrow to the run that took it.
    """

    title: str
    calls: tuple[Call, ...]
    events: tuple[Event, ...] = ()

    @property
    def table(self) -> Table:
        """Seconds from the first start, one row per call."""
        rows = [
            (
                call.purpose,
                *(
                    f"{self._since(at):.2f}"
                    for at in (call.started, call.answered, call.ended)
                ),
                f"{call.seconds:.2f}",
            )
            for call in self.calls
        ]
        return table(
            rows,
            ("call", "sent at s", "first byte at s", "ended at s", "took s"),
        )

    @property
    def rows(self) -> tuple[Row, ...]:
        """The calls by turn and run: a call that begins where another one of
        its kind ended is in the same row.
        """
        rows: list[list[Call]] = []
        for call in self.calls:
            row = next((row for row in rows if self._goes_on(row, call)), None)
            if row is None:
                rows.append([call])
            else:
                row.append(call)
        counts: dict[str, int] = {}
        named = []
        for row in rows:
            purpose = row[0].purpose
            counts[purpose] = counts.get(purpose, 0) + 1
            name = _NAMES.get(purpose, purpose).format(counts[purpose])
            named.append(Row(name, tuple(row)))
        return tuple(named)

    def _goes_on(self, row: Sequence[Call], call: Call) -> bool:
        last = row[-1]
        if last.purpose != call.purpose or last.ended != call.started:
            return False
        boundary = _BOUNDARIES.get(call.purpose)
        return not any(
            boundary and isinstance(event, boundary) and event.at == last.ended
            for event in self.events
        )

    def stashed(self) -> list[tuple[Row, Row]]:
        """Pair each turn whose messages were stashed with the run that took
        them.
        """
        turns = [row for row in self.rows if row.calls[0].purpose == "main"]
        runs = [row for row in self.rows if row.calls[0].purpose == "extract"]
        pairs = []
        for event in self.events:
            if not isinstance(event, ExtractionStashed):
                continue
            before = [turn for turn in turns if turn.ended <= event.at]
            after = [run for run in runs if run.started >= event.at]
            if before and after:
                pairs.append((before[-1], after[0]))
        return pairs

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        bars = [
            f"{row.name} from {self._since(call.started):.2f} s "
            f"to {self._since(call.ended):.2f} s"
            for row in self.rows
            for call in row.calls
        ]
        arrows = [
            f" {turn.name} was stashed, and {run.name} took it."
            for turn, run in self.stashed()
        ]
        return (
            f"{self.title}. Bars over time: {'; '.join(bars)}."
            f"{''.join(arrows)}"
        )

    @property
    def picture(self) -> Picture:
        """The drawing: a row per turn or run; each bar is dashed while the
        call waits for the first byte.
        """
        rows = self.rows
        bottom = _TOP + _ROW * len(rows) + 6
        picture = Picture(
            self.title, self.alt, height=bottom + 62, width=OUTPUT_WIDTH
        )
        last = max(
            (self._since(call.ended) for call in self.calls), default=1.0
        )
        every = next(
            (step for step in _STEPS if last / step <= _MOST_STEPS), last
        )
        axis = picture.time_axis(
            _LABEL,
            bottom,
            OUTPUT_WIDTH - _LABEL - 70,
            start=0,
            end=last,
            every=every,
        )
        for number, row in enumerate(rows):
            y = _TOP + _ROW * number
            picture.text(24, y + 18, row.name)
            for call in row.calls:
                self._draw_call(picture, axis, y, call)
        for turn, run in self.stashed():
            start = axis.at(self._since(turn.ended)) - 4
            end = axis.at(self._since(run.started)) - 5
            y = _TOP + _ROW * rows.index(turn) + _BAR
            y_run = _TOP + _ROW * rows.index(run) + _BAR / 2
            picture.arrow((start, y), (start, y_run), (end, y_run))
        _legend(
            picture,
            bottom + 34,
            (("plain", True, "waiting"), ("blue", False, "answer arrives")),
            "→ stashed until that run" if self.stashed() else "",
        )
        return picture

    def _draw_call(
        self, picture: Picture, axis: TimeAxis, y: float, call: Call
    ) -> None:
        answered = min(call.answered, call.ended)
        sent, first, last = (
            axis.at(self._since(at))
            for at in (call.started, answered, call.ended)
        )
        picture.box(sent, y, first - sent, _BAR, dashed=True)
        picture.box(first, y, max(1, last - first), _BAR, fill="blue")
        words = f"{call.seconds:.2f} s"
        left, right = max((sent, first), (first, last), key=_length)
        if right - left > 50:
            middle = (left + right) / 2
            picture.text(middle, y + 18, words, size=SMALL, anchor="middle")
        else:
            picture.text(last + 4, y + 18, words, size=SMALL)

    def _since(self, at: datetime) -> float:
        return (at - min(call.started for call in self.calls)).total_seconds()

    def __repr__(self) -> str:
        return f"{self.title}\n\n{self.table!r}"


def timeline(
    calls: Iterable[Call],
    title: str = "Calls to the model",
    *,
    events: Iterable[Event] = (),
) -> Timeline:
    """Draw calls as bars over time, a row per turn or run: waiting, then the
    answer arriving.

    ``events`` are the lab's, and add the arrows from stashed turns. A notebook
    shows the drawing, and plain text the table; show ``timeline(…).table``
    next to it.
    """
    ordered = sorted(calls, key=lambda call: call.started)
    return Timeline(title, tuple(ordered), tuple(events))


TITLE = "Contests by number of holders"
_FILLS: tuple[Fill, ...] = ("red", "hatched", "grey")


@dataclass(frozen=True, repr=False)
class Histogram(Drawing):
    """Races side by side, one group of bars per number of holders."""

    races: tuple[Race, ...]
    label: str = ""

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        counts = [
            f"{race.lock}: "
            + ", ".join(
                f"{count} with {holders}"
                for holders, count in race.rows()
                if count
            )
            for race in self.races
        ]
        label = f" ({self.label})" if self.label else ""
        return f"{TITLE}{label}. {'; '.join(counts)}."

    @property
    def picture(self) -> Picture:
        """The drawing: a group of bars for each number of processes that
        believed they held the lock, with its counts.
        """
        groups = sorted(
            {
                holders
                for race in self.races
                for holders, count in race.rows()
                if count
            }
        )
        tall = 30 * len(self.races) + 16
        bottom = _TOP + 12 + tall * len(groups)
        picture = Picture(
            TITLE, self.alt, height=bottom + 56, width=OUTPUT_WIDTH
        )
        if self.label:
            picture.text(24, 56, self.label, size=SMALL, faint=True)
        most = max(count for race in self.races for _, count in race.rows())
        room = OUTPUT_WIDTH - _LABEL - 90
        for number, holders in enumerate(groups):
            y = _TOP + 12 + tall * number
            picture.text(24, y + 18, f"{holders} holder{'s' * (holders != 1)}")
            for place, race in enumerate(self.races):
                count = dict(race.rows()).get(holders, 0)
                width = max(1.0, room * count / most)
                top = y + 30 * place
                picture.box(_LABEL, top, width, _BAR, fill=_FILLS[place])
                picture.text(_LABEL + width + 8, top + 18, f"{count:,}")
        marks = [
            (fill, False, f"{race.lock}, {race.processes} processes")
            for fill, race in zip(_FILLS, self.races, strict=False)
        ]
        _legend(picture, bottom + 14, marks)
        return picture

    def __repr__(self) -> str:
        return self.alt if self.label else TITLE


def histogram(*races: Race, label: str = "") -> Histogram:
    """Draw up to three races side by side; ``label`` says where recorded ones
    come from.
    """
    return Histogram(races, label)


def _length(part: tuple[float, float]) -> float:
    return part[1] - part[0]


def _legend(
    picture: Picture,
    y: float,
    marks: Sequence[tuple[Fill, bool, str]],
    more: str = "",
) -> None:
    """Say what the fills mean; each mark is its fill, whether it is dashed,
    and its meaning.
    """
    x = float(_LABEL)
    for fill, dashed, words in marks:
        picture.box(x, y, 30, 18, fill=fill, dashed=dashed)
        picture.text(x + 38, y + 14, words, size=SMALL)
        x += 70 + 7.5 * len(words)
    picture.text(x, y + 14, more, size=SMALL)
