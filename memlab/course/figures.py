"""The figure of races for a lock, which is drawn the same way on every machine,
with its numbers as text. Colour is never the only sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memlab.course.pictures import (
    OUTPUT_WIDTH,
    SMALL,
    Drawing,
    Fill,
    Picture,
)
from memlab.course.races import Race

_LABEL, _BAR, _TOP = 190, 26, 62
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
            (fill, f"{race.lock}, {race.processes} processes")
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


def _legend(
    picture: Picture, y: float, marks: Sequence[tuple[Fill, str]]
) -> None:
    """Say what the fills mean; each mark is a fill and its meaning."""
    x = float(_LABEL)
    for fill, words in marks:
        picture.box(x, y, 30, 18, fill=fill)
        picture.text(x + 38, y + 14, words, size=SMALL)
        x += 70 + 7.5 * len(words)
    picture.text(x, y + 14, "", size=SMALL)
