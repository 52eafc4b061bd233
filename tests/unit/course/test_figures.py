from __future__ import annotations

import logging
import struct
from datetime import UTC, datetime, timedelta

from matplotlib.patches import Rectangle

from memlab.course import timeline
from memlab.ledger import Call

START = datetime(2026, 3, 30, 9, 0, tzinfo=UTC)


def call(purpose: str, *seconds: float) -> Call:
    sent, first, last = (START + timedelta(seconds=each) for each in seconds)
    return Call(purpose, "a-model", sent, first, last)


CALLS = [call("select", 5.1, 5.5, 5.75), call("main", 5.0, 6.25, 8.0)]


def test_the_table_counts_from_the_first_start() -> None:
    rows = timeline(CALLS, "Two at once").table.rows
    assert rows == (
        ("main", "0.00", "1.25", "3.00", "3.00"),
        ("select", "0.10", "0.50", "0.75", "0.65"),
    )


def test_the_bars_lie_where_the_table_says() -> None:
    axes = timeline(CALLS).figure.axes[0]
    bars = [bar for bar in axes.patches if isinstance(bar, Rectangle)]
    assert [
        (round(bar.get_x(), 6), round(bar.get_width(), 6), bool(bar.get_hatch())) for bar in bars
    ] == [
        (0.0, 1.25, True),
        (1.25, 1.75, False),
        (0.1, 0.4, True),
        (0.5, 0.25, False),
    ]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["main", "select"]


def test_plain_text_shows_title_and_numbers_and_the_alternative_text_too() -> None:
    shown = timeline(CALLS, "Two at once")
    assert repr(shown).startswith("Two at once\n\ncall ")
    assert "select" in shown.alt
    assert "from 0.10 s to 0.75 s" in shown.alt


def test_the_drawing_is_a_png_and_the_same_each_time() -> None:
    first, second = timeline(CALLS).png(), timeline(CALLS).png()
    assert first.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", first[16:24])
    assert (width, height) == (750, 220)
    assert first == second
    _, metadata = timeline(CALLS)._repr_png_()
    assert metadata["alt"] == timeline(CALLS).alt


def test_no_calls_are_an_empty_figure() -> None:
    empty = timeline([])
    assert empty.table.rows == ()
    assert empty.png().startswith(b"\x89PNG")


def test_matplotlib_keeps_its_own_log_level_afterwards() -> None:
    logger = logging.getLogger("matplotlib")
    before = logger.level
    _ = timeline(CALLS).figure
    assert logger.level == before
