"""Pictures for notebooks, as SVG with the same in words below.

A picture has an opaque background, because an image cannot see the theme of
its page, and no text in it is smaller than 13 px. What a colour says is also
said in words.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Literal

from memlab.course.show import Page, fenced, literal

WIDTH = 820
"""Pixels; JupyterLab at 1024 pixels shows this without cutting it off."""
SMALL, NORMAL, LARGE = 13, 14, 16
INK, FAINT, PAPER = "#1A1A1A", "#595959", "#FAFAF7"
FILLS = {
    "plain": "#FFFFFF",
    "marked": "#FFE08A",
    "blue": "#CFE3F7",
    "green": "#D3EBD1",
    "red": "#F8D3CC",
    "grey": "#E6E6E0",
}
FONT = "system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"
LETTER = 0.6  # the width of an average letter, in parts of the font's size

Part = tuple[str, float, str]


class Picture:
    """A drawing that is made part by part; ``alt`` says in words what it
    shows. Positions are pixels from the upper left corner.
    """

    def __init__(self, title: str, alt: str, *, height: float) -> None:
        self.title, self.alt, self.height = title, alt, height
        self._parts: list[str] = []
        self.text(24, 34, title, size=LARGE, bold=True)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: int = NORMAL,
        anchor: Literal["start", "middle"] = "start",
        bold: bool = False,
        faint: bool = False,
    ) -> None:
        """Write one line; ``y`` is its base line."""
        weight = ' font-weight="600"' if bold else ""
        self._parts.append(
            f'<text x="{x:.4g}" y="{y:.4g}" font-size="{size}"'
            f' text-anchor="{anchor}"{weight}'
            f' fill="{FAINT if faint else INK}">{escape(words)}</text>'
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
        fill: str = "plain",
        strong: bool = False,
    ) -> None:
        """Draw a box with words in its middle, wrapped at its width, and
        fainter words below them.
        """
        self._parts.append(
            f'<rect x="{x:.4g}" y="{y:.4g}" width="{width:.4g}"'
            f' height="{height:.4g}" rx="4" fill="{FILLS[fill]}"'
            f' stroke="{INK if strong else FAINT}"'
            f' stroke-width="{2.5 if strong else 1}"/>'
        )
        letters = max(1, int((width - 8) / (SMALL * LETTER)))
        lines = [(line, False) for line in textwrap.wrap(words, letters)]
        lines += [(line, True) for line in textwrap.wrap(below, letters)]
        step = 1.3 * SMALL
        top = y + (height - step * len(lines)) / 2
        for number, (line, faint) in enumerate(lines, 1):
            self.text(
                x + width / 2,
                top + step * number - 4,
                line,
                size=SMALL,
                anchor="middle",
                bold=strong and not faint,
                faint=faint,
            )

    def line(self, points: Sequence[tuple[float, float]], dash: str) -> None:
        """Draw a line along some points."""
        path = " ".join(f"{x:.4g},{y:.4g}" for x, y in points)
        self._parts.append(
            f'<polyline points="{path}" fill="none" stroke="{INK}"'
            f' stroke-width="1.8" stroke-dasharray="{dash}"/>'
        )

    def svg(self) -> str:
        """Return the picture as SVG."""
        size = f'width="{WIDTH}" height="{self.height:.4g}"'
        return "\n".join(
            (
                '<svg xmlns="http://www.w3.org/2000/svg"'
                f' viewBox="0 0 {WIDTH} {self.height:.4g}" {size} role="img"'
                f' aria-label="{escape(self.alt)}" font-family="{FONT}">',
                f"<title>{escape(self.title)}</title>",
                f'<rect {size} fill="{PAPER}"/>',
                *self._parts,
                "</svg>\n",
            )
        )

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"image/svg+xml": self.svg(), "text/plain": repr(self)}

    def _ipython_display_(self) -> None:
        """Show the picture and, folded below it, the same in words.

        JupyterLab and GitHub show an SVG as an image without a name, so a
        screen reader could say nothing about it.
        """
        from IPython.display import display  # only a notebook has it

        words = fenced(self.alt) if "\n" in self.alt else literal(self.alt)
        folded = f"<summary>The picture in words</summary>\n\n{words}\n\n"
        page = Page("the picture in words", f"<details>{folded}</details>")
        display(self._repr_mimebundle_(), raw=True)  # type: ignore[no-untyped-call]
        display(page)  # type: ignore[no-untyped-call]

    def __repr__(self) -> str:
        return self.alt


def bars(
    title: str, alt: str, rows: Sequence[Part], *, most: float = 0
) -> Picture:
    """Draw one horizontal bar per row: its label, its length, and what is
    written at its end.

    ``most`` is the length of the longest possible bar; without it, the longest
    of the rows.
    """
    picture = Picture(title, alt, height=64 + 38 * len(rows))
    left = 30 + LETTER * NORMAL * max(len(name) for name, _, _ in rows)
    longest = most or max(length for _, length, _ in rows)
    for number, (name, length, end) in enumerate(rows):
        y = 56 + 38 * number
        width = max(2, (WIDTH - left - 150) * length / longest)
        picture.text(24, y + 18, name)
        picture.box(left, y, width, 26, fill="blue")
        picture.text(left + width + 8, y + 18, end)
    return picture


def lanes(
    title: str, alt: str, rows: Sequence[tuple[str, Sequence[Part]]]
) -> Picture:
    """Draw a lane per row, below its name, cut into parts: for each, its name,
    its length in the unit of all lanes, and its colour in ``FILLS``.

    A lane without a name belongs to the one above it. A part that is too
    narrow for its name shows none.
    """
    named = sum(bool(name) for name, _ in rows)
    picture = Picture(title, alt, height=64 + 34 * len(rows) + 32 * named)
    longest = max(sum(part[1] for part in parts) for _, parts in rows)
    y = 44.0
    for name, parts in rows:
        y += 32 * bool(name)
        x = 24.0
        picture.text(x, y - 8, name, bold=True)
        for words, length, fill in parts:
            width = (WIDTH - 48) * length / longest
            fits = width > 12 + LETTER * SMALL * len(words)
            picture.box(x, y, width, 30, words if fits else "", fill=fill)
            x += width
        y += 34
    return picture


def rising_lines(
    title: str,
    alt: str,
    labels: Sequence[str],
    lines: Mapping[str, Sequence[float]],
) -> Picture:
    """Draw lines over the same steps, each with its last figure and its name
    at its end; every line has a pattern of its own.
    """
    picture = Picture(title, alt, height=340)
    most = max(max(values) for values in lines.values()) or 1
    step = (WIDTH - 370) / max(1, len(labels) - 1)
    for place, label in enumerate(labels):
        x = 48 + step * place
        picture.text(x, 318, label, size=SMALL, anchor="middle", faint=True)
    for number, (name, values) in enumerate(lines.items()):
        points = [
            (48 + step * place, 290 - 220 * value / most)
            for place, value in enumerate(values)
        ]
        picture.line(points, ("none", "7 4", "2 3", "9 3 2 3")[number % 4])
        x, y = points[-1]
        picture.text(x + 12, y + 5, f"{values[-1]:,g} {name}", bold=True)
    return picture
