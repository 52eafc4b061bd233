"""The project keeps its rules of form, and each check notices a file that breaks one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests import lint
from tests.mutation.mutations import MUTATIONS
from tests.notebooks.behaviours import BEHAVIOURS, problems


def test_the_project_keeps_every_rule_of_form() -> None:
    found = lint.problems()
    assert not found, "\n".join(["python -m tests.lint says:", *found])


def test_every_check_looks_at_something() -> None:
    """A check that no longer finds its files would be content with everything."""
    names = {name for name, _ in lint.project_texts()}
    assert {"memlab/errors.py", "README.md", "tests/platforms.py", ".ci/run"} <= names
    assert lint.find_notebooks()
    assert BEHAVIOURS
    assert MUTATIONS


def test_a_registry_and_a_machine_are_found() -> None:
    given_away = lint.given_away
    mirror = ".".join(["our-artifactory", "example"])
    assert given_away("tests/x.py", f"get it from https://{mirror}/x") == [mirror]
    assert given_away("README.md", "get it from https://files.pythonhosted.org/x")
    assert given_away("tests/x.py", "pip said: no host pypi.org") == []
    assert given_away("README.md", "see /home/someone/notes") == ["/home/someone"]
    assert given_away("README.md", f"in {lint.ROOT}") == [str(lint.ROOT)]
    assert given_away("README.md", "~/tidebook, /home/robin/tidebook, api.anthropic.com") == []


def test_a_test_that_skips_itself_is_found() -> None:
    for line in (
        'pytest.importorskip("hypothesis")',
        "@pytest.mark.skipif(True, reason='')",
        "    pytest.skip('not today')",
        "@pytest.mark.skip",
    ):
        (found,) = lint.skips("tests/unit/test_x.py", f"import pytest\n{line}\n")
        assert found.startswith("tests/unit/test_x.py:2: ")
        assert lint.skips("tests/platforms.py", line) == []
    assert lint.skips("tests/unit/test_x.py", "from tests.platforms import needs_links") == []


def test_a_mutation_that_cannot_be_made_is_found() -> None:
    good = MUTATIONS[0]
    wrong = {
        "stands there 0 times": replace(good, old="no such text"),
        "no notebook 77": replace(good, notebook="77"),
        "is not one of the package": replace(good, file="tests/lint.py"),
        "does not say what": replace(good, why=""),
    }
    assert list(lint.mutation_problems([good])) == []
    for said, mutation in wrong.items():
        assert any(said in problem for problem in lint.mutation_problems([mutation])), said
    assert any("twice" in problem for problem in lint.mutation_problems([good, good]))


def test_a_wrong_row_of_the_map_is_found() -> None:
    row = next(row for row in BEHAVIOURS if row.module == "memlab/memdir/index.py")
    for change, said in (
        ({"module": "memlab/nothing.py"}, "is missing"),
        ({"test": "tests/nothing.py"}, "is missing"),
        ({"notebook": "77"}, "there is no notebook"),
        ({"notebook": "00"}, "the notebook names nothing"),
        ({"test": "tests/unit/memdir/test_dates.py"}, "the test names nothing"),
    ):
        assert any(said in problem for problem in problems(replace(row, **change)))


def test_the_report_names_every_problem(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lint, "CHECKS", (lambda: iter(()),))
    assert lint.main() == 0
    assert "no problem" in capsys.readouterr().out
    monkeypatch.setattr(lint, "CHECKS", (lambda: iter(["a.py: one"]), lambda: iter(["b.py: two"])))
    assert lint.main() == 1
    assert capsys.readouterr().out == "a.py: one\nb.py: two\n"
