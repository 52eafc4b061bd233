from __future__ import annotations

import base64

from memlab.course.figures import histogram
from memlab.course.races import Race, recorded_races

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
    assert recorded.label in figure.alt
    assert repr(figure) == figure.alt
    assert figure.figure.axes[0].get_title(loc="left") == recorded.label
    naive, ours = recorded.races
    assert naive.two_seen
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
