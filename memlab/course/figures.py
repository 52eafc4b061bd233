"""Figures drawn from what was recorded, each with its numbers as text.

Left out: styling by the reader's set-up. A figure is drawn the same way
everywhere, and colour is never the only sign.
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

from memlab.course.tables import Table, table
from memlab.ledger import Call

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WAITING, _ARRIVING, _INK = "#E69F00", "#0072B2", "#222222"
_DOTS_PER_INCH = 100


@dataclass(frozen=True, repr=False)
class Timeline:
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

    def png(self) -> bytes:
        """Draw the figure as PNG; the same calls give the same bytes under one
        matplotlib.
        """
        drawn = io.BytesIO()
        self.figure.savefig(
            drawn,
            format="png",
            dpi=_DOTS_PER_INCH,
            metadata={"Software": None},
        )
        return drawn.getvalue()

    def _repr_png_(self) -> tuple[str, dict[str, str]]:
        return b2a_base64(self.png(), newline=False).decode("ascii"), {
            "alt": self.alt
        }

    def __repr__(self) -> str:
        return f"{self.title}\n\n{self.table!r}"


def timeline(
    calls: Iterable[Call], title: str = "Calls to the model"
) -> Timeline:
    """Draw calls as bars over time, in the order they were sent: waiting, then
    the answer arriving.

    A notebook shows the drawing, and plain text the table; show
    ``timeline(…).table`` beside it.
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
