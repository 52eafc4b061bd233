"""Draws the pictures of the course as SVG: boxes, arrows, bars and time axes.

A picture has an opaque, neutral background, because an image cannot see the
theme of the page it is on, and no text in it is smaller than 13 px. What a
colour says is also said by a word, a mark or a pattern.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

from memlab.course.show import Page, fenced, literal

WIDTH = 880
"""Pixels; a picture of this width fits beside JupyterLab's closed sidebar at
1024 pixels.
"""
OUTPUT_WIDTH = 820
"""Pixels; a cell's output of this width is not cut off at 1024 pixels, where
JupyterLab does not shrink it as it does pictures in text.
"""
SMALL, NORMAL, LARGE = 13, 14, 16
INK, FAINT, PAPER, MARKED = "#1A1A1A", "#595959", "#FAFAF7", "#FFE08A"
_CODE = "ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace"
_FONT = "system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"
_LETTER = 0.6
"""The width of an average letter, in parts of the font's size."""

_APPEAR = """<style>
  .later { animation: appear 0.5s both; }
  @keyframes appear { from { opacity: 0; } }
  @media (prefers-reduced-motion: reduce) { .later { animation: none; } }
</style>"""

Fill = Literal["plain", "marked", "blue", "green", "red", "grey", "hatched"]
_FILLS: dict[str, str] = {
    "plain": "#FFFFFF",
    "marked": MARKED,
    "blue": "#CFE3F7",
    "green": "#D3EBD1",
    "red": "#F8D3CC",
    "grey": "#E6E6E0",
    "hatched": "url(#hatched)",
}
Point = tuple[float, float]


@dataclass(frozen=True)
class TimeAxis:
    """A horizontal axis: ``x`` of its start, pixels, and the seconds it spans."""

    left: float
    width: float
    start: float
    end: float

    def at(self, time: float) -> float:
        """Return the x of a time."""
        share = (time - self.start) / (self.end - self.start)
        return self.left + share * self.width


class Drawing:
    """What a notebook shows as a picture, with the same in words below it.

    JupyterLab and GitHub show a drawing as an image without a name, so a
    screen reader has nothing to say about it. The words are folded: one line,
    until the reader opens it.
    """

    @property
    def alt(self) -> str:
        """What the picture shows, in words."""
        raise NotImplementedError

    @property
    def picture(self) -> Picture:
        """The drawing itself."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"image/svg+xml": self.picture.svg(), "text/plain": repr(self)}

    def _ipython_display_(self) -> None:
        from IPython.display import display  # only a notebook has it

        display(self._repr_mimebundle_(), raw=True)  # type: ignore[no-untyped-call]
        display(Page("the picture in words", self._in_words()))  # type: ignore[no-untyped-call]

    def _in_words(self) -> str:
        words = fenced(self.alt) if "\n" in self.alt else literal(self.alt)
        summary = "<summary>The picture in words</summary>"
        return f"<details>{summary}\n\n{words}\n\n</details>"


class Picture(Drawing):
    """A drawing that is made part by part; later parts are on top.

    ``alt`` says in words what the picture shows. Positions are pixels from the
    upper left corner.
    """

    alt: str = ""

    def __init__(
        self, title: str, alt: str, *, height: int, width: int = WIDTH
    ) -> None:
        self.title, self.alt = title, alt
        self.width, self.height = width, height
        self._parts: list[str] = []
        self._style = ""
        self.text(24, 34, title, size=LARGE, bold=True)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: int = NORMAL,
        anchor: Literal["start", "middle", "end"] = "start",
        bold: bool = False,
        faint: bool = False,
    ) -> None:
        """Write one line; ``y`` is its base line."""
        self._parts.append(
            f'<text x="{_n(x)}" y="{_n(y)}" font-size="{size}"'
            f' text-anchor="{anchor}"{_bold(bold)}'
            f' fill="{FAINT if faint else INK}">{escape(words)}</text>'
        )

    def code(
        self,
        x: float,
        y: float,
        words: str,
        *,
        width: float,
        colour: str = INK,
        background: str = "",
    ) -> None:
        """Write letters of a fixed width, ``width`` pixels in all; with a
        background, they are underlined as well.
        """
        line = ' text-decoration="underline"' if background else ""
        if background:
            self._parts.append(
                f'<rect x="{_n(x)}" y="{_n(y - 14)}" width="{_n(width)}"'
                f' height="19" fill="{background}"/>'
            )
        self._parts.append(
            f'<text x="{_n(x)}" y="{_n(y)}" font-size="{SMALL}"'
            f' font-family="{_CODE}" textLength="{_n(width)}"'
            f' lengthAdjust="spacingAndGlyphs" xml:space="preserve"'
            f' fill="{colour}"{line}>{escape(words)}</text>'
        )

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        words: str = "",
        *,
        below: str = "",
        fill: Fill = "plain",
        strong: bool = False,
        dashed: bool = False,
        size: int = NORMAL,
    ) -> None:
        """Draw a box with words in its middle, wrapped at its width, and
        smaller words below them.
        """
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self._parts.append(
            f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}"'
            f' height="{_n(height)}" rx="5" fill="{_FILLS[fill]}"'
            f' stroke="{INK if strong else FAINT}"'
            f' stroke-width="{2.5 if strong else 1}"{dash}/>'
        )
        lines = [(line, size, False) for line in _lines(words, width, size)]
        lines += [(line, SMALL, True) for line in _lines(below, width, SMALL)]
        top = y + height / 2 - sum(_step(one[1]) for one in lines) / 2
        for line, line_size, faint in lines:
            top += _step(line_size)
            self.text(
                x + width / 2,
                top - 0.3 * line_size,
                line,
                size=line_size,
                anchor="middle",
                bold=strong and not faint,
                faint=faint,
            )

    def band(
        self, x: float, y: float, width: float, height: float, *, fill: Fill
    ) -> None:
        """Draw a coloured area without a border."""
        self._parts.append(
            f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}"'
            f' height="{_n(height)}" fill="{_FILLS[fill]}"/>'
        )

    def arrow(
        self,
        *points: Point,
        words: str = "",
        at: Point | None = None,
        dashed: bool = False,
    ) -> None:
        """Draw an arrow along some points, with words at its middle or at a
        position.
        """
        self._line(points, dashed=dashed, tip=True)
        if words:
            (x1, y1), (x2, y2) = points[0], points[-1]
            x, y = at or ((x1 + x2) / 2, (y1 + y2) / 2 - 7)
            self.text(
                x,
                y,
                words,
                size=SMALL,
                anchor="start" if at else "middle",
                faint=True,
            )

    def line(self, *points: Point, dashed: bool = False) -> None:
        """Draw a line along some points."""
        self._line(points, dashed=dashed, tip=False)

    def mark(self, x: float, y: float, sign: str, *, fill: Fill) -> None:
        """Draw a round mark with one sign in it, such as ✓ or ✕."""
        self._parts.append(
            f'<circle cx="{_n(x)}" cy="{_n(y)}" r="11" fill="{_FILLS[fill]}"'
            f' stroke="{INK}" stroke-width="1.2"/>'
        )
        self.text(x, y + 5, sign, size=NORMAL, anchor="middle", bold=True)

    def time_axis(
        self,
        left: float,
        y: float,
        width: float,
        *,
        start: float,
        end: float,
        every: float,
        unit: str = "s",
    ) -> TimeAxis:
        """Draw an axis of time with a label at each step, and return it."""
        axis = TimeAxis(left, width, start, end)
        self.arrow((left, y), (left + width + 14, y))
        time = start
        while time <= end:
            x = axis.at(time)
            self.line((x, y - 4), (x, y + 4))
            label = f"{time:g} {unit}" if unit else f"{time:g}"
            self.text(
                x, y + 20, label, size=SMALL, anchor="middle", faint=True
            )
            time += every
        return axis

    @contextmanager
    def appears(self, after: float) -> Iterator[None]:
        """Show what is drawn in the block only after some seconds.

        Where nothing is animated, everything is shown at once.
        """
        self._parts.append(
            f'<g class="later" style="animation-delay: {_n(after)}s">'
        )
        yield
        self._parts.append("</g>")
        self._style = _APPEAR

    def svg(self) -> str:
        """Return the picture as SVG."""
        head = (
            '<svg xmlns="http://www.w3.org/2000/svg"'
            f' viewBox="0 0 {self.width} {self.height}" width="{self.width}"'
            f' height="{self.height}" role="img"'
            f' aria-label="{escape(self.alt)}" font-family="{_FONT}">'
        )
        defs = (
            '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5"'
            ' markerWidth="7" markerHeight="7" orient="auto">'
            f'<path d="M0 0L10 5L0 10z" fill="{FAINT}"/></marker>'
            '<pattern id="hatched" width="8" height="8"'
            ' patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
            '<rect width="8" height="8" fill="#EAF4E8"/>'
            '<line x1="0" y1="0" x2="0" y2="8" stroke="#BFDDBB"'
            ' stroke-width="3"/></pattern></defs>'
        )
        paper = (
            f'<rect width="{self.width}" height="{self.height}"'
            f' fill="{PAPER}"/>'
        )
        title = f"<title>{escape(self.title)}</title>"
        lines = [
            head,
            title,
            self._style,
            defs,
            paper,
            *self._parts,
            "</svg>\n",
        ]
        return "\n".join(line for line in lines if line)

    @property
    def picture(self) -> Picture:
        """This one."""
        return self

    def __repr__(self) -> str:
        return self.alt

    def _line(
        self, points: Sequence[Point], *, dashed: bool, tip: bool
    ) -> None:
        path = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        end = ' marker-end="url(#tip)"' if tip else ""
        self._parts.append(
            f'<polyline points="{path}" fill="none" stroke="{FAINT}"'
            f' stroke-width="1.6"{dash}{end}/>'
        )


def bars(
    title: str,
    alt: str,
    rows: Sequence[tuple[str, float, str]],
    *,
    most: float = 0,
) -> Picture:
    """Draw one horizontal bar per row: its label, its length, and what is
    written at its end.

    ``most`` is the length of the longest possible bar; without it, the longest
    of the rows.
    """
    picture = Picture(
        title, alt, height=64 + 38 * len(rows), width=OUTPUT_WIDTH
    )
    label = 30 + max(_width(row[0], NORMAL) for row in rows)
    room = OUTPUT_WIDTH - label - 150
    longest = most or max(row[1] for row in rows)
    for number, (name, length, end) in enumerate(rows):
        y = 56 + 38 * number
        picture.text(24, y + 18, name)
        width = max(2.0, room * length / longest)
        picture.box(label, y, width, 26, fill="blue")
        picture.text(label + width + 8, y + 18, end)
    return picture


def rising_lines(
    title: str,
    alt: str,
    labels: Sequence[str],
    lines: Mapping[str, Sequence[float]],
) -> Picture:
    """Draw lines over the same steps, each with its name and its last figure
    at its end; every line but the first is dashed.
    """
    picture = Picture(title, alt, height=340, width=OUTPUT_WIDTH)
    most = max(max(values) for values in lines.values()) or 1
    step = (OUTPUT_WIDTH - 370) / max(1, len(labels) - 1)
    picture.line((40, 290), (OUTPUT_WIDTH - 310, 290))
    for number, label in enumerate(labels):
        picture.text(
            50 + step * number, 312, label, size=SMALL, anchor="middle"
        )
    for number, (name, values) in enumerate(lines.items()):
        places = [
            (50 + step * place, 290 - 220 * value / most)
            for place, value in enumerate(values)
        ]
        picture.line(*places, dashed=number > 0)
        x, y = places[-1]
        picture.text(x + 12, y + 5, f"{values[-1]:,g} {name}", bold=True)
    return picture


def _lines(words: str, width: float, size: int) -> list[str]:
    letters = max(1, int((width - 8) / (size * _LETTER)))
    return textwrap.wrap(words, letters)


def _width(words: str, size: int) -> float:
    return len(words) * size * _LETTER


def _step(size: int) -> float:
    return size * 1.3


def _bold(bold: bool) -> str:
    return ' font-weight="600"' if bold else ""


def _n(number: float) -> str:
    return f"{number:.1f}".rstrip("0").rstrip(".")
