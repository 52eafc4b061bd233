"""Draws turns below each other: when each called the model, and when its recall
ran.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil

from memlab.course.pictures import OUTPUT_WIDTH, SMALL, Fill, Picture
from memlab.ledger import Call

_LABEL, _LANE, _BAR, _TOP, _GAP = 190, 32, 26, 58, 16


@dataclass(frozen=True)
class TimedTurn:
    """A turn with the calls that were made in it; ``started`` is when the
    person pressed Enter.
    """

    name: str
    started: datetime
    calls: tuple[Call, ...]

    def since(self, moment: datetime) -> float:
        """Return the seconds from the start of the turn."""
        return (moment - self.started).total_seconds()

    def of(self, purpose: str) -> list[Call]:
        """Return the calls for one purpose."""
        return [call for call in self.calls if call.purpose == purpose]

    @property
    def seconds(self) -> float:
        """When the last answer ended."""
        return max(self.since(call.ended) for call in self.of("main"))

    @property
    def waited(self) -> float:
        """When the first call to the main model was sent."""
        return min(self.since(call.started) for call in self.of("main"))


def turn_picture(title: str, turns: Sequence[TimedTurn]) -> Picture:
    """Draw the calls of each turn as bars over time, recall in a lane of its
    own.
    """
    ends = [turn.since(call.ended) for turn in turns for call in turn.calls]
    last = ceil(max(ends))
    height = _TOP + len(turns) * (2 * _LANE + _GAP) + 46
    alt = "; ".join(_in_words(turn) for turn in turns)
    picture = Picture(
        title,
        f"{title}. Bars over time. {alt}.",
        height=height,
        width=OUTPUT_WIDTH,
    )
    axis = picture.time_axis(
        _LABEL,
        height - 42,
        OUTPUT_WIDTH - _LABEL - 50,
        start=0,
        end=last,
        every=1 if last <= 12 else 2,
    )
    for number, turn in enumerate(turns):
        y = _TOP + number * (2 * _LANE + _GAP)
        picture.text(24, y + 18, turn.name, bold=True)
        lanes: tuple[tuple[str, str, Fill, int], ...] = (
            ("main", "answer", "blue", 0),
            ("select", "recall", "marked", 1),
        )
        for purpose, word, fill, lane in lanes:
            for place, call in enumerate(turn.of(purpose), 1):
                start, end = turn.since(call.started), turn.since(call.ended)
                words = word if purpose == "select" else f"{word} {place}"
                width = axis.at(end) - axis.at(start)
                top = y + lane * _LANE
                room = 8 * len(words) + 10
                picture.box(
                    axis.at(start),
                    top,
                    max(width, 2),
                    _BAR,
                    words if width > room else "",
                    fill=fill,
                    size=SMALL,
                )
                if width <= room:
                    picture.text(axis.at(end) + 6, top + 18, words, size=SMALL)
    return picture


def _in_words(turn: TimedTurn) -> str:
    calls = ", ".join(
        f"{'recall' if call.purpose == 'select' else 'answer'} from"
        f" {turn.since(call.started):.1f} to {turn.since(call.ended):.1f} s"
        for call in turn.calls
    )
    return f"{turn.name}: {calls}"
