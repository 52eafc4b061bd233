"""A histogram of races: how often how many processes believed that they held
the lock.

What is counted live differs from run to run, so its plain text only names the
figure. A recorded measurement has a label, and its plain text has the counts.
Left out: the races.
"""

from __future__ import annotations

import io
import logging
from binascii import b2a_base64
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from memlab.course.races import Race

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Contests by number of holders"
_FILLS = (("#D55E00", "////"), ("#0072B2", ""), ("#999999", ".."))


@dataclass(frozen=True, repr=False)
class Histogram:
    """Races side by side, one group of bars a number of holders."""

    races: tuple[Race, ...]
    label: str = ""

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        told = [
            f"{race.lock}: "
            + ", ".join(
                f"{count} with {holders}"
                for holders, count in race.rows()
                if count
            )
            for race in self.races
        ]
        label = f" ({self.label})" if self.label else ""
        return f"{TITLE}{label}. {'; '.join(told)}."

    @cached_property
    def figure(self) -> Figure:
        """The drawing; bars differ by hatching as well as by colour, and carry
        their counts.
        """
        logger = logging.getLogger("matplotlib")
        level = logger.level
        # a first run's notes on fonts belong in no notebook
        logger.setLevel(logging.ERROR)
        try:
            from matplotlib.figure import Figure
        finally:
            logger.setLevel(level)
        figure = Figure(figsize=(7.5, 3), layout="constrained")
        axes, width = figure.add_subplot(), 0.8 / len(self.races)
        for place, (race, (colour, hatch)) in enumerate(
            zip(self.races, _FILLS, strict=False)
        ):
            aside = (place - (len(self.races) - 1) / 2) * width
            bars = axes.bar(
                [holders + aside for holders, _ in race.rows()],
                [count for _, count in race.rows()],
                width,
                color=colour,
                hatch=hatch,
                edgecolor="white",
                label=f"{race.lock}, {race.processes} processes",
            )
            axes.bar_label(bars, fontsize=9)
        axes.set_xlabel("processes that believed they held the lock")
        axes.set_ylabel("contests")
        if self.label:
            axes.set_title(self.label, fontsize=9, loc="left")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False)
        return figure

    def _repr_png_(self) -> tuple[str, dict[str, str]]:
        drawn = io.BytesIO()
        self.figure.savefig(
            drawn, format="png", dpi=100, metadata={"Software": None}
        )
        return b2a_base64(drawn.getvalue(), newline=False).decode("ascii"), {
            "alt": self.alt
        }

    def __repr__(self) -> str:
        return self.alt if self.label else TITLE


def histogram(*races: Race, label: str = "") -> Histogram:
    """Draw up to three races side by side; ``label`` says where recorded ones
    come from.
    """
    return Histogram(races, label)
