"""The map of behaviours is true, and the README shows it as it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.notebooks.behaviours import BEHAVIOURS, README, problems, stands_in_readme, table


@pytest.mark.parametrize("one", BEHAVIOURS, ids=lambda one: f"{one.notebook} {one.what}")
def test_notebook_module_and_test_belong_together(one) -> None:
    assert list(problems(one)) == []


def test_the_readme_shows_the_map() -> None:
    shown = stands_in_readme(README.read_text(encoding="utf-8"))
    assert shown == table(), "write it: python -m tests.notebooks.behaviours"


def test_a_wrong_row_is_found() -> None:
    one = next(one for one in BEHAVIOURS if one.module == "memlab/memdir/truncate.py")
    for change, told in (
        ({"module": "memlab/nothing.py"}, "is missing"),
        ({"test": "tests/nothing.py"}, "is missing"),
        ({"notebook": "77"}, "there is no notebook"),
        ({"notebook": "00"}, "the notebook names nothing"),
        ({"test": "tests/unit/memdir/test_age.py"}, "the test names nothing"),
    ):
        assert any(told in problem for problem in problems(replace(one, **change)))
