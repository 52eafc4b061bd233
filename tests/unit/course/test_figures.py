from __future__ import annotations

import re

from memlab.course import histogram, recorded_races
from memlab.course.races import Race

NAIVE = Race("naive", 4, 10, {1: 4, 2: 5, 4: 1}, 0.5)
OURS = Race("ours", 4, 10, {1: 10}, 0.5)


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
