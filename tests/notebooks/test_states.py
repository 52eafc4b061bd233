"""The states in ``data/example/states`` are what the machine makes, to the byte and the time."""

from __future__ import annotations

from memlab.course.states import STATES
from tests.notebooks.states import FOLDER, make_states


def test_living_through_the_story_leaves_the_stored_states() -> None:
    made = make_states()
    assert set(made) == set(STATES)
    for name, files in made.items():
        stored = {path.name: path.read_bytes() for path in (FOLDER / name).iterdir()}
        assert stored == files, "if that is wanted: python -m tests.notebooks.states"
    assert made["learned"] != made["dreamt"]
