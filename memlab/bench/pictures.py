"""The pictures of a report as SVG: intervals, differences, flips and tokens.

Positions across are percentages and positions down are pixels, so a picture
becomes narrower on a phone while its letters keep their size. The colours
come from classes that the page defines, light or dark; what a colour says is
also written beside it, and the description of each picture has its figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from memlab.bench.compare import Comparison, Row
from memlab.bench.report import (
    name,
    names,
    percent,
    points,
    range_text,
    verdict_word,
)
from memlab.ledger import COST_KINDS
from memlab.text import shorten

LEFT, RIGHT = 3.0, 97.0
"""The ends of every axis, in percent of the width."""
STEP = 72
"""Pixels from one variant to the next: two lines of words above its mark."""
MARK = 38
"""Pixels from a variant's first line of words down to its mark."""
LONGEST_NAME = 36

LIGHT = """\
--paper: #FAFAF7; --ink: #1A1A1A; --faint: #595959; --rule: #8A8A84;
--card: #FFFFFF; --edge: #D5D5CE; --mark: #1F5FA8; --good: #276B2B;
--bad: #B3261E; --same: #D5D5CE; --failing: #7A7A74; --code: #F0F0EA;
--t1: #1F5FA8; --t2: #8A5A00; --t3: #9DBFE3; --t4: #5B3A8C;"""
DARK = """\
--paper: #15171A; --ink: #ECECE6; --faint: #B0B1AB; --rule: #7F8288;
--card: #1E2125; --edge: #3B3F45; --mark: #7FB4EC; --good: #7CC47F;
--bad: #F2938C; --same: #3B3F45; --failing: #8A8D93; --code: #24282D;
--t1: #7FB4EC; --t2: #E0B050; --t3: #3C6591; --t4: #BFA3EC;"""
CLASSES = """\
svg text { fill: var(--ink); font: 13px system-ui, sans-serif;
  paint-order: stroke; stroke: var(--card); stroke-width: 4px; }
svg .faint { fill: var(--faint); }
svg .end { text-anchor: end; }
svg .middle { text-anchor: middle; }
svg .strong { font-weight: 600; }
svg .axis { stroke: var(--rule); }
svg .zero { stroke: var(--ink); stroke-dasharray: 4 3; }
svg .whisker { stroke: var(--mark); stroke-width: 2.5; }
svg .dot { fill: var(--mark); }
svg .hollow { fill: var(--paper); stroke: var(--mark); stroke-width: 2; }
svg .good { fill: var(--good); }
svg .bad { fill: var(--bad); }
svg .same { fill: var(--same); }
svg .failing { fill: var(--failing); }
svg .bound { stroke: var(--ink); stroke-width: 2; }
svg .t1 { fill: var(--t1); }
svg .t2 { fill: var(--t2); }
svg .t3 { fill: var(--t3); }
svg .t4 { fill: var(--t4); }"""


def correct_picture(rows: Sequence[Row], baseline: Row | None = None) -> str:
    """Draw the share of correct answers of each variant, with its interval;
    the rules' baseline has a hollow mark.
    """
    drawing = _Drawing("Correct, with 95 % intervals")
    shown = [(row, name(row.variant)) for row in rows]
    if baseline:
        shown.append((baseline, "rules (no language model)"))
    for number, (row, label) in enumerate(shown):
        y = 20 + STEP * number
        words = f"{percent(row.correct)} ({range_text(row)})"
        drawing.label(y, label, words)
        drawing.interval(
            y + MARK,
            _across(row.interval.low, 0, 1),
            _across(row.correct, 0, 1),
            _across(row.interval.high, 0, 1),
            hollow=row is baseline,
        )
    bottom = STEP * len(shown)
    ticks = {0.0: "0", 0.25: "25", 0.5: "50", 0.75: "75", 1.0: "100 %"}
    drawing.axis(
        bottom,
        [(_across(tick, 0, 1), words) for tick, words in ticks.items()],
    )
    return drawing.svg(bottom + 28)


def difference_picture(comparisons: Sequence[Comparison]) -> str:
    """Draw each difference to the base with its interval, beside zero."""
    drawing = _Drawing("Difference in correct, with 95 % intervals")
    reach = max(
        abs(bound)
        for each in comparisons
        for bound in (*each.interval, each.difference)
    )
    end = next(
        (step for step in (0.05, 0.1, 0.2, 0.3, 0.5) if reach <= step), 1.0
    )
    drawing.words(LEFT, 16, "← worse than the base", "faint")
    drawing.words(RIGHT, 16, "better →", "faint end")
    bottom = 24 + STEP * len(comparisons)
    middle = _across(0, -end, end)
    drawing.line(middle, 24, middle, bottom, "zero")
    for number, comparison in enumerate(comparisons):
        y = 44 + STEP * number
        label = names(comparison)[1]
        words = f"{points(comparison.difference)}: {verdict_word(comparison)}"
        low, high = comparison.interval
        drawing.label(y, label, words, f"from {points(low)} to {points(high)}")
        drawing.interval(
            y + MARK,
            _across(low, -end, end),
            _across(comparison.difference, -end, end),
            _across(high, -end, end),
        )
    drawing.axis(
        bottom,
        [
            (LEFT, f"−{100 * end:.0f}"),
            (middle, "0"),
            (RIGHT, f"+{100 * end:.0f} points"),
        ],
    )
    return drawing.svg(bottom + 28)


def flips_picture(comparison: Comparison) -> str:
    """Draw all cases as one strip by bucket, and below it those that flipped,
    with the marks that the border has to pass to count.
    """
    drawing = _Drawing("Where the cases went")
    counts = [
        ("regressed", len(comparison.regressed), "bad"),
        ("still failing", len(comparison.failing), "failing"),
        ("unchanged", len(comparison.unchanged), "same"),
        ("fixed", len(comparison.fixed), "good"),
    ]
    drawing.words(LEFT, 18, f"All {len(comparison.cases)} cases", "strong")
    drawing.strip(28, [(count, look) for _, count, look in counts])
    for number, (label, count, look) in enumerate(counts):
        x = LEFT + 50 * (number % 2)
        y = 74 + 20 * (number // 2)
        drawing.key(x, y, look, f"{count} {label}")

    drawing.words(LEFT, 128, f"The {comparison.flips} that flipped", "strong")
    if not comparison.flips:
        drawing.words(LEFT, 150, "None.", "faint")
        return drawing.svg(162)
    drawing.strip(
        138,
        [
            (len(comparison.regressed), "bad"),
            (len(comparison.fixed), "good"),
        ],
    )
    if not comparison.verdict:
        return drawing.svg(172)
    least = comparison.detectable
    if least is None:
        drawing.words(
            LEFT, 184, "Too few to show a difference either way.", "faint"
        )
        return drawing.svg(196)
    for place in (least.fewer, least.more):
        x = _across(place, 0, comparison.flips)
        drawing.line(x, 132, x, 168, "bound")
    drawing.words(LEFT, 188, "It takes a border on one of the marks", "faint")
    drawing.words(LEFT, 206, "or outside them to show a difference.", "faint")
    return drawing.svg(216)


def tokens_picture(rows: Sequence[Row]) -> str:
    """Draw the tokens of each variant, by kind."""
    drawing = _Drawing("Tokens")
    most = max(sum(row.tokens.by_kind().values()) for row in rows) or 1
    for number, row in enumerate(rows):
        y = 20 + STEP * number
        counts = row.tokens.by_kind()
        drawing.label(
            y,
            name(row.variant),
            f"{row.tokens.input:,} in, {row.tokens.output:,} out",
            ", ".join(
                f"{counts[kind.name]:,} {kind.metadata['label']}"
                for kind in COST_KINDS
            ),
        )
        drawing.strip(
            y + MARK - 12,
            [
                (counts[kind.name], f"t{place}")
                for place, kind in enumerate(COST_KINDS, 1)
            ],
            most,
        )
    bottom = 20 + STEP * len(rows)
    for place, kind in enumerate(COST_KINDS):
        x = LEFT + 50 * (place % 2)
        y = bottom + 20 * (place // 2)
        drawing.key(x, y, f"t{place + 1}", kind.metadata["label"])
    return drawing.svg(bottom + 32)


def as_image(svg: str, *, width: int = 640) -> str:
    """Make a picture that is shown outside a page, with its own light paper
    and colours.
    """
    head, rest = svg.split(">", 1)
    style = f"<style>svg {{ {LIGHT} }}\n{CLASSES}</style>"
    paper = '<rect width="100%" height="100%" fill="#FAFAF7"/>'
    fixed = head.replace('width="100%"', f'width="{width}"')
    return f"{fixed}>{style}{paper}{rest}"


class _Drawing:
    """A picture that is made part by part; its description is what its labels
    say.
    """

    def __init__(self, title: str) -> None:
        self._said = [title]
        self._parts: list[str] = []

    def words(self, x: float, y: float, words: str, look: str = "") -> None:
        self._said.append(words)
        self._text(x, y, words, look)

    def label(
        self, y: float, heading: str, words: str, unseen: str = ""
    ) -> None:
        """Write a name, and its figures below it; ``unseen`` is only in the
        description.
        """
        said = ", ".join(part for part in (words, unseen) if part)
        self._said.append(f"{heading}: {said}")
        self._text(LEFT, y, shorten(heading, LONGEST_NAME), "strong")
        self._text(LEFT, y + 18, words, "")

    def key(self, x: float, y: float, look: str, words: str) -> None:
        """Write what a colour means, beside a square of it."""
        self._parts.append(
            f'<svg x="{_n(x)}%" y="{y - 11}" width="12" height="12">'
            f'<rect width="12" height="12" class="{look}"/></svg>'
            f'<svg x="{_n(x)}%" y="{y - 14}" width="50%" height="20">'
            f'<text x="18" y="14">{escape(words)}</text></svg>'
        )
        self._said.append(words)

    def line(
        self, x1: float, y1: float, x2: float, y2: float, look: str
    ) -> None:
        self._parts.append(
            f'<line x1="{_n(x1)}%" y1="{y1}" x2="{_n(x2)}%" y2="{y2}"'
            f' class="{look}"/>'
        )

    def interval(
        self,
        y: float,
        low: float,
        middle: float,
        high: float,
        *,
        hollow: bool = False,
    ) -> None:
        """Draw a point and its whiskers."""
        self.line(low, y, high, y, "whisker")
        self.line(low, y - 6, low, y + 6, "whisker")
        self.line(high, y - 6, high, y + 6, "whisker")
        look = "hollow" if hollow else "dot"
        self._parts.append(
            f'<circle cx="{_n(middle)}%" cy="{y}" r="6" class="{look}"/>'
        )

    def strip(
        self, y: float, parts: Sequence[tuple[int, str]], most: int = 0
    ) -> None:
        """Draw counts end to end; ``most`` fills the whole width."""
        whole = most or sum(count for count, _ in parts) or 1
        start = 0
        for count, look in parts:
            if count:
                x = _across(start, 0, whole)
                width = (RIGHT - LEFT) * count / whole
                self._parts.append(
                    f'<rect x="{_n(x)}%" y="{y}" width="{_n(width)}%"'
                    f' height="24" class="{look}"/>'
                )
            start += count

    def axis(self, y: float, ticks: Sequence[tuple[float, str]]) -> None:
        """Draw an axis with words at each tick."""
        self.line(LEFT, y, RIGHT, y, "axis")
        for x, words in ticks:
            self.line(x, y - 4, x, y + 4, "axis")
            look = {LEFT: "", RIGHT: " end"}.get(x, " middle")
            self._text(x, y + 20, words, f"faint{look}")

    def svg(self, height: int) -> str:
        """Give the picture."""
        said = escape(". ".join(self._said))
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" width="100%"'
            f' height="{height}" role="img" aria-label="{said}">'
            + "".join(self._parts)
            + "</svg>"
        )

    def _text(self, x: float, y: float, words: str, look: str) -> None:
        marked = f' class="{look}"' if look else ""
        self._parts.append(
            f'<text x="{_n(x)}%" y="{y}"{marked}>{escape(words)}</text>'
        )


def _across(value: float, low: float, high: float) -> float:
    """Give the place of a value on an axis, in percent of the width."""
    return LEFT + (RIGHT - LEFT) * (value - low) / (high - low)


def _n(number: float) -> str:
    return f"{number:.3f}".rstrip("0").rstrip(".")
