"""The project keeps its rules of form."""

from __future__ import annotations

import pytest

from tests import lint


@pytest.mark.slow
def test_the_project_keeps_every_rule_of_form() -> None:
    found = lint.problems()
    assert not found, "\n".join(["python -m tests.lint says:", *found])
