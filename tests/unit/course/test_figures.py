from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from memlab.course import histogram, recorded_races, timeline
from memlab.course.races import Race
from memlab.events import Event, ExtractionStarted, ExtractionStashed, TurnEnded
from memlab.ledger import Call

START = datetime(2026, 3, 30, 9, 0, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def call(purpose: str, *seconds: float) -> Call:
    return Call(purpose, "a-model", *map(at, seconds))


def event(kind: type[Event], seconds: float, **more: Any) -> Event:
    return replace(kind(**more), at=at(seconds))


NAIVE = Race("naive", 4, 10, {1: 4, 2: 5, 4: 1}, 0.5)
OURS = Race("ours", 4, 10, {1: 10}, 0.5)
CALLS = [call("select", 5.1, 5.5, 5.75), call("main", 5.0, 6.25, 8.0)]
MESSAGES: dict[str, Any] = {"messages": 3, "first": None, "last": None}
STASHED = [
    call("main", 0, 1, 2),
    call("extract", 2, 4, 5),
    call("extract", 5, 7, 8),
    call("main", 3, 4, 4.5),
    call("extract", 8, 10, 11),
]
EVENTS = [
    event(TurnEnded, 2, reason="end_turn", calls=1),
    event(ExtractionStarted, 2, **MESSAGES),
    event(TurnEnded, 4.5, reason="end_turn", calls=1),
    event(ExtractionStashed, 4.5, **MESSAGES),
    event(ExtractionStarted, 8, **MESSAGES),
]


def test_the_table_counts_from_the_first_start() -> None:
    rows = timeline(CALLS, "Two at once").table.rows
    assert rows == (
        ("main", "0.00", "1.25", "3.00", "3.00"),
        ("select", "0.10", "0.50", "0.75", "0.65"),
    )


def test_plain_text_shows_title_and_numbers_and_the_alternative_text_too() -> None:
    shown = timeline(CALLS, "Two at once")
    assert repr(shown).startswith("Two at once\n\ncall ")
    assert "select from 0.10 s to 0.75 s" in shown.alt
    assert shown._repr_mimebundle_()["text/plain"] == repr(shown)


def test_the_calls_of_a_turn_or_a_run_share_a_row_and_runs_that_touch_do_not() -> None:
    drawn = timeline(STASHED, events=EVENTS)
    assert [(row.name, len(row.calls)) for row in drawn.rows] == [
        ("turn 1 (main)", 1),
        ("run 1 (extract)", 2),
        ("turn 2 (main)", 1),
        ("run 2 (extract)", 1),
    ]
    without_events = timeline(STASHED).rows
    assert [len(row.calls) for row in without_events] == [1, 3, 1]


def test_an_arrow_leads_from_a_stashed_turn_to_the_run_that_took_it() -> None:
    drawn = timeline(STASHED, events=EVENTS)
    assert [(turn.name, run.name) for turn, run in drawn.stashed()] == [
        ("turn 2 (main)", "run 2 (extract)")
    ]
    assert "turn 2 (main) was stashed, and run 2 (extract) took it." in drawn.alt
    arrows = drawn.picture.svg().count("marker-end")
    assert arrows == timeline(STASHED).picture.svg().count("marker-end") + 1


def test_durations_are_inside_their_bars_where_there_is_room() -> None:
    svg = timeline(CALLS).picture.svg()
    assert re.search(r'text-anchor="middle"[^>]*>3\.00 s<', svg)
    assert re.search(r'text-anchor="(start|middle)"[^>]*>0\.65 s<', svg)


def test_a_call_that_was_never_answered_waits_until_its_end() -> None:
    cut_off = replace(CALLS[1], answered=at(99))
    widths = re.findall(r'<rect [^>]*width="(-?[\d.]+)"', timeline([cut_off]).picture.svg())
    assert all(float(width) >= 0 for width in widths)


def test_no_calls_are_an_empty_figure() -> None:
    empty = timeline([])
    assert empty.table.rows == ()
    assert "<svg" in empty.picture.svg()


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
    assert repr(figure) == figure.alt
    assert f">{recorded.label}<" in figure.picture.svg()
    naive, ours = recorded.races
    assert max(holders for holders, count in naive.rows() if count) > 1
    assert ours.one_each


def test_every_race_has_a_bar_for_each_number_of_holders_that_differs_by_more_than_colour() -> None:
    figure = histogram(NAIVE, OURS)
    svg = figure._repr_mimebundle_()["image/svg+xml"]
    for label in ("1 holder", "2 holders", "4 holders"):
        assert f">{label}<" in svg
    assert ">3 holders<" not in svg
    counts = [int(count) for count in re.findall(r">(\d+)</text>", svg)]
    assert counts == [4, 10, 5, 0, 1, 0]
    assert svg.count('fill="url(#hatched)"') == 4  # a bar per group, and the legend
    assert ">naive, 4 processes<" in svg
    assert svg == histogram(NAIVE, OURS).picture.svg()
