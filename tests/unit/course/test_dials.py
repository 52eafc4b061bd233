from __future__ import annotations

import pytest

from memlab.course.widgets import VIEW
from memlab.course.widgets.dials import AT_WORK, MOMENTS, Moment, ask_gates, dials
from memlab.memdir.toggles import Toggles


@pytest.mark.parametrize(
    ("moment", "shut"),
    [
        (Moment(), None),
        (Moment(hours=None), None),
        (Moment(toggles=Toggles()), "toggles"),
        (Moment(hours=3), "time"),
        (Moment(sessions=2, minutes=4), "throttle"),
        (Moment(sessions=2), "sessions"),
        (Moment(hours=0.5, body=AT_WORK, toggles=Toggles(auto_dream=True, min_hours=0)), "lock"),
    ],
)
def test_the_real_gates_answer(moment: Moment, shut: str | None) -> None:
    report = ask_gates(moment)
    assert (report.shut.name if report.shut is not None else None) == shut


def test_dials_are_shown_in_words_too() -> None:
    bundle = dials()._repr_mimebundle_()
    assert VIEW in bundle
    for name in MOMENTS:
        assert name in bundle["text/plain"]
        assert name in bundle["text/markdown"]
