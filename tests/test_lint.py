"""The project keeps its rules of form, and each check notices a file that breaks one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests import behaviours, lint
from tests.mutation.mutations import MUTATIONS


@pytest.mark.slow
def test_the_project_keeps_every_rule_of_form() -> None:
    found = lint.problems()
    assert not found, "\n".join(["python -m tests.lint says:", *found])


@pytest.mark.slow
def test_every_check_looks_at_something() -> None:
    """A check that no longer finds its files would be content with everything."""
    names = {name for name, _ in lint.project_texts()}
    assert {"memlab/errors.py", "README.md", "tests/platforms.py", ".ci/run"} <= names
    assert lint.find_notebooks()
    assert behaviours.proofs()
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


MARKED = """
import pytest

@pytest.mark.behaviour("A1", "A2")
@pytest.mark.parametrize("one", [1])
def test_one(one): ...

@pytest.mark.behaviour("A1")
class TestTwo:
    @pytest.mark.slow
    @pytest.mark.behaviour("Z9")
    async def test_three(self): ...

def test_four(): ...
"""


def test_the_markers_make_a_table_and_what_nothing_proves_is_listed(tmp_path: Path) -> None:
    (tmp_path / "unit").mkdir()
    (tmp_path / "unit" / "test_x.py").write_text(MARKED)
    found = behaviours.proofs(tmp_path)
    assert {(one.behaviour, one.test) for one in found} == {
        ("A1", "test_one"),
        ("A2", "test_one"),
        ("A1", "TestTwo"),
        ("Z9", "test_three"),
    }
    known = {"A1": "First", "A2": "Second", "A3": "Third"}
    assert list(behaviours.problems(known, found)) == [
        "tests/unit/test_x.py, test_three: 'Z9' is not in tests/behaviours.yaml"
    ]
    lines = behaviours.table(known, found).splitlines()
    assert lines[0] == "No test proves these behaviours yet: A3."
    assert lines[-3:] == [
        "| A1 | First | `unit/test_x.py::test_one`<br>`unit/test_x.py::TestTwo` |",
        "| A2 | Second | `unit/test_x.py::test_one` |",
        "| A3 | Third | *nothing yet* |",
    ]
    assert any("twice" in one for one in behaviours.problems(known, [*found, found[0]]))


@pytest.mark.slow
def test_an_old_table_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{behaviours.BEGIN}\nold\n{behaviours.END}\nafter\n")
    monkeypatch.setattr(behaviours, "README", readme)
    assert any(
        "run python -m tests.behaviours" in one for one in lint.the_table_of_behaviours_is_current()
    )
    behaviours.write(readme)
    assert list(lint.the_table_of_behaviours_is_current()) == []
    assert readme.read_text().startswith("before\n")
    assert readme.read_text().endswith("\nafter\n")


def test_the_report_names_every_problem(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lint, "CHECKS", (lambda: iter(()),))
    assert lint.main() == 0
    assert "no problem" in capsys.readouterr().out
    monkeypatch.setattr(lint, "CHECKS", (lambda: iter(["a.py: one"]), lambda: iter(["b.py: two"])))
    assert lint.main() == 1
    assert capsys.readouterr().out == "a.py: one\nb.py: two\n"
