from __future__ import annotations

import base64
import logging
import struct
from datetime import UTC, datetime, timedelta

from matplotlib.patches import Rectangle

from memlab.course import histogram, recorded_races, timeline
from memlab.course.races import Race
from memlab.ledger import Call

START = datetime(2026, 3, 30, 9, 0, tzinfo=UTC)


def call(purpose: str, *seconds: float) -> Call:
    sent, first, last = (START + timedelta(seconds=each) for each in seconds)
    return Call(purpose, "a-model", sent, first, last)


NAIVE = Race("naive", 4, 10, {1: 4, 2: 5, 4: 1}, 0.5)
OURS = Race("ours", 4, 10, {1: 10}, 0.5)
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


def test_the_words_say_what_the_bars_show() -> None:
    assert histogram(NAIVE, OURS).alt == (
        "Contests by number of holders. naive: 4 with 1, 5 with 2, 1 with 4; ours: 10 with 1."
    )


def test_plain_text_is_the_same_for_every_run() -> None:
    assert repr(histogram(NAIVE)) == repr(histogram(OURS)) == "Contests by number of holders"


def test_a_recorded_measurement_is_labelled_wherever_it_is_shown() -> None:
    recorded = recorded_races()
    assert recorded.label.startswith("recorded 20")
    figure = histogram(*recorded.races, label=recorded.label)
    assert recorded.label in figure.alt
    assert repr(figure) == figure.alt
    assert figure.figure.axes[0].get_title(loc="left") == recorded.label
    naive, ours = recorded.races
    assert max(holders for holders, count in naive.rows() if count) > 1
    assert ours.one_each


def test_a_recorded_measurement_is_drawn_as_the_same_bytes_each_time() -> None:
    first, second = (
        histogram(*recorded.races, label=recorded.label)._repr_png_()
        for recorded in (recorded_races(), recorded_races())
    )
    assert first == second


def test_every_race_has_a_bar_for_each_number_of_holders_that_differs_by_more_than_colour() -> None:
    figure = histogram(NAIVE, OURS).figure
    bars = figure.axes[0].containers
    assert [[bar.get_height() for bar in group] for group in bars] == [
        [0, 4, 5, 0, 1],
        [0, 10, 0, 0, 0],
    ]
    hatches = {next(iter(group)).get_hatch() for group in bars}
    assert len(hatches) == 2
    legend = figure.axes[0].get_legend()
    assert legend
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels == ["naive, 4 processes", "ours, 4 processes"]


def test_a_notebook_gets_a_picture_with_its_words() -> None:
    data, metadata = histogram(NAIVE)._repr_png_()
    assert base64.b64decode(data)[1:4] == b"PNG"
    assert "5 with 2" in metadata["alt"]
