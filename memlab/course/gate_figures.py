"""Draws the gates as a funnel: how many checks reach each gate, how many stop
there, and what asking cost.

The figures come from the reports of real checks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memlab.course.display import Table, table
from memlab.course.gate_examples import cost_in_words
from memlab.course.pictures import OUTPUT_WIDTH, SMALL, Picture
from memlab.dream.gates import GATES, Gate, GateReport

_MIDDLE, _WIDEST, _STEP = 400, 330, 62


def gate_counts(
    reports: Sequence[GateReport], gates: Sequence[Gate] = GATES
) -> list[tuple[str, int, int, str]]:
    """List for each gate its name, how often it was asked, how often it was
    shut, and what asking cost in all.
    """
    rows = []
    for gate in gates:
        asked = stopped = 0
        cost: Counter[str] = Counter()
        for report in reports:
            for verdict in report.verdicts:
                if verdict.name == gate.__name__:
                    asked += 1
                    stopped += not verdict.open
                    cost.update(verdict.cost)
        rows.append((gate.__name__, asked, stopped, cost_in_words(cost)))
    return rows


def funnel_table(
    reports: Sequence[GateReport], gates: Sequence[Gate] = GATES
) -> Table:
    """Show the same figures as ``gate_funnel``, as a table."""
    return table(
        gate_counts(reports, gates), ("gate", "asked", "shut", "cost in all")
    )


def gate_funnel(
    reports: Sequence[GateReport], gates: Sequence[Gate] = GATES
) -> Picture:
    """Draw one bar per gate, as wide as the number of checks that reach it."""
    rows = gate_counts(reports, gates)
    checks = len(reports)
    dreams = sum(report.open for report in reports)
    said = "; ".join(
        f"{name}: asked {asked} times, shut {stopped} times, {cost}"
        for name, asked, stopped, cost in rows
    )
    picture = Picture(
        f"{checks} checks, {dreams} dreams",
        f"A funnel from {checks} checks to {dreams} dreams. {said}.",
        height=72 + _STEP * (len(rows) + 1),
        width=OUTPUT_WIDTH,
    )
    picture.text(24, 66, "gate", size=SMALL, faint=True)
    picture.text(
        _MIDDLE,
        66,
        "checks that ask it",
        size=SMALL,
        anchor="middle",
        faint=True,
    )
    picture.text(590, 66, "what asking cost", size=SMALL, faint=True)
    y = 80
    for name, asked, stopped, cost in rows:
        _bar(picture, y, asked / checks, str(asked), blue=True)
        picture.text(24, y + 22, name, bold=True)
        picture.text(590, y + 22, cost)
        if stopped:
            words = f"{stopped} stop here"
            picture.text(120, y + 22, words, size=SMALL)
        y += _STEP
    _bar(picture, y, dreams / checks, str(dreams), blue=False)
    picture.text(24, y + 22, "dream", bold=True)
    return picture


def _bar(
    picture: Picture, y: float, share: float, words: str, *, blue: bool
) -> None:
    width = max(38.0, _WIDEST * share)
    picture.box(
        _MIDDLE - width / 2,
        y,
        width,
        34,
        words,
        fill="blue" if blue else "green",
        strong=True,
    )
