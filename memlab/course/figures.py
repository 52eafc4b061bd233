"""Figures drawn with matplotlib: calls to the model over time, and races for a
lock.

Each figure has its numbers as text as well. It is drawn the same way on every
machine, and colour is never the only sign.
"""

from __future__ import annotations

import io
import logging
from binascii import b2a_base64
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from memlab.course.display import Table, table
from memlab.course.races import Race
from memlab.ledger import Call

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_WAITING, _ARRIVING, _INK = "#E69F00", "#0072B2", "#222222"
_DOTS_PER_INCH = 100


class _Drawing:
    """A figure that a notebook shows as PNG, with its contents in words."""

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        raise NotImplementedError

    @cached_property
    def figure(self) -> Figure:
        """The drawing, made when it is first asked for."""
        raise NotImplementedError

    def png(self) -> bytes:
        """Draw the figure as PNG.

        The same data gives the same bytes with one version of matplotlib.
        """
        stream = io.BytesIO()
        self.figure.savefig(
            stream,
            format="png",
            dpi=_DOTS_PER_INCH,
            metadata={"Software": None},
        )
        return stream.getvalue()

    def _repr_png_(self) -> tuple[str, dict[str, str]]:
        encoded = b2a_base64(self.png(), newline=False).decode("ascii")
        return encoded, {"alt": self.alt}


@dataclass(frozen=True, repr=False)
class Timeline(_Drawing):
    """Calls to the model over time; ``figure`` is the drawing, ``table`` the
    same in numbers.
    """

    title: str
    calls: tuple[Call, ...]

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
    def alt(self) -> str:
        """What the figure shows, in words."""
        bars = [
            f"{call.purpose} from {self._since(call.started):.2f} s "
            f"to {self._since(call.ended):.2f} s"
            for call in self.calls
        ]
        return f"{self.title}. Bars over time: {'; '.join(bars)}"

    @cached_property
    def figure(self) -> Figure:
        """The drawing: a hatched bar while waiting for the first byte, a solid
        one after it.
        """
        with _quiet_matplotlib():
            from matplotlib.figure import Figure

        figure = Figure(
            figsize=(7.5, 1.3 + 0.45 * len(self.calls)), layout="constrained"
        )
        axes = figure.add_subplot()
        for row, call in enumerate(self.calls):
            self._draw(axes, row, call)
        axes.set_yticks(
            range(len(self.calls)), [call.purpose for call in self.calls]
        )
        axes.set_ylim(len(self.calls) - 0.4, -0.6)
        axes.set_xlim(left=0)
        axes.set_xlabel("seconds since the first call was sent")
        axes.set_title(self.title, loc="left", fontsize=11)
        axes.spines[["top", "right"]].set_visible(False)
        if self.calls:
            figure.legend(loc="outside lower right", ncols=2, frameon=False)
        return figure

    def _draw(self, axes: Axes, row: int, call: Call) -> None:
        sent, first, last = map(
            self._since, (call.started, call.answered, call.ended)
        )
        waiting, arriving = (
            ("waiting", "answer arrives") if row == 0 else (None, None)
        )
        axes.barh(
            row,
            first - sent,
            height=0.5,
            left=sent,
            color="white",
            edgecolor=_WAITING,
            hatch="////",
            label=waiting,
        )
        axes.barh(
            row,
            last - first,
            height=0.5,
            left=first,
            color=_ARRIVING,
            edgecolor=_INK,
            label=arriving,
        )
        axes.annotate(
            f"{last:.2f} s",
            (last, row),
            (4, 0),
            textcoords="offset points",
            va="center",
        )

    def _since(self, at: datetime) -> float:
        return (at - min(call.started for call in self.calls)).total_seconds()

    def __repr__(self) -> str:
        return f"{self.title}\n\n{self.table!r}"


def timeline(
    calls: Iterable[Call], title: str = "Calls to the model"
) -> Timeline:
    """Draw calls as bars over time, in the order they were sent: waiting, then
    the answer arriving.

    A notebook shows the drawing, and plain text the table; show
    ``timeline(…).table`` next to it.
    """
    return Timeline(title, tuple(sorted(calls, key=lambda call: call.started)))


@contextmanager
def _quiet_matplotlib() -> Iterator[None]:
    """Keep first-run notes, such as that a font cache is built, out of a
    notebook's output.
    """
    logger = logging.getLogger("matplotlib")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


TITLE = "Contests by number of holders"
_FILLS = (("#D55E00", "////"), ("#0072B2", ""), ("#999999", ".."))


@dataclass(frozen=True, repr=False)
class Histogram(_Drawing):
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

    @cached_property
    def figure(self) -> Figure:
        """The drawing; bars differ by hatching as well as by colour, and are
        labelled with their counts.
        """
        with _quiet_matplotlib():
            from matplotlib.figure import Figure

        figure = Figure(figsize=(7.5, 3), layout="constrained")
        axes, width = figure.add_subplot(), 0.8 / len(self.races)
        for position, (race, (colour, hatch)) in enumerate(
            zip(self.races, _FILLS, strict=False)
        ):
            offset = (position - (len(self.races) - 1) / 2) * width
            bars = axes.bar(
                [holders + offset for holders, _ in race.rows()],
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

    def __repr__(self) -> str:
        return self.alt if self.label else TITLE


def histogram(*races: Race, label: str = "") -> Histogram:
    """Draw up to three races side by side; ``label`` says where recorded ones
    come from.
    """
    return Histogram(races, label)
