"""``test``: steps, what is missing, the table, the last line and the exit status."""

import pytest

from memlab.cli.test import steps
from tests.unit.cli.setup.scratch import Said, Scratch

STEPS = [
    "ruff check",
    "ruff format",
    "mypy",
    "import layers",
    "tests",
    "notebooks",
    "mutation proof",
    "web site",
    "browser",
]


@pytest.fixture
def tested(scratch: Scratch) -> Scratch:
    """A clone that has a tests folder."""
    (scratch.root / "tests" / "notebooks").mkdir(parents=True)
    return scratch


def test_unit_tests_and_strict_notebooks(tested: Scratch) -> None:
    said = tested.run("test", ANTHROPIC_API_KEY="sk-dear")
    lines = said.out.splitlines()
    calls = [line for line in lines if line.startswith("pytest ")]
    assert calls[0].startswith("pytest -p tests.fast_start -p no:nbval tests ")
    assert "tests.fast_start notebooks --nbval --nbval-current-env" in calls[1]
    for call in calls:  # no key reaches a test, and the course's home is new and empty
        assert "{'PYTHONHASHSEED': '0', 'ANTHROPIC_API_KEY': None} home: []" in call
    assert lines[-2] == "steps: 2 passed, 0 failed, 0 errors"
    assert lines[-1].startswith("memlab test passed in ")
    assert said.status == 0


@pytest.mark.parametrize(("fails", "name"), [("tests", "tests"), ("notebooks", "notebooks")])
def test_a_failure_stops_nothing_and_decides_the_end(
    tested: Scratch, fails: str, name: str
) -> None:
    said = tested.run("test", FAKE_PYTEST_FAILS=fails)
    assert "1 passed, 1 failed" in said.out
    assert said.out.splitlines()[-1].startswith(f"memlab test failed: {name} in ")
    assert said.status == 1


def test_all_goes_through_every_step_in_order(tested: Scratch) -> None:
    said = tested.run("test", "--all")
    headlines = [line.strip("= ") for line in said.out.splitlines() if line.startswith("== ")]
    assert headlines == STEPS
    assert "pip dev" in tested.called


def test_each_tier_runs_its_tests_and_the_mutation_proof_is_not_quick(tested: Scratch) -> None:
    quick, every = (
        {step.name: " ".join(step.argv) for step in steps(everything=everything)}
        for everything in (False, True)
    )
    assert list(quick) == ["tests", "notebooks"]
    assert list(every) == STEPS
    assert quick["tests"].startswith("-m pytest -p tests.fast_start -p no:nbval tests ")
    assert "--tier" not in quick["tests"]
    assert "--tier all" in every["tests"]
    assert quick["notebooks"] == every["notebooks"]
    assert every["mutation proof"] == "-m tests.mutation"


def test_what_the_quick_tier_has_shown_can_be_left_out(
    tested: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMLAB_QUICK_DONE", "1")
    every = {step.name: step for step in steps(everything=True)}
    assert every["tests"].argv[-2:] == ("--tier", "rest")
    said = tested.run("test", "--all")
    (row,) = [line for line in table(said) if line.startswith("notebooks")]
    assert "left out" in row
    assert "MEMLAB_QUICK_DONE=1" in row
    quick = tested.run("test")
    assert "left out" not in quick.out
    assert "2 passed" in quick.out


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ("mypy", "mypy is not installed"),
        ("import layers", "import-linter is not installed"),
        ("web site", "sphinx is not installed"),
        ("browser", "playwright is not installed"),
    ],
)
def test_a_missing_tool_is_an_error_with_the_reason(
    tested: Scratch, step: str, reason: str
) -> None:
    said = tested.run("test", "--all")
    (row,) = [line for line in table(said) if line.startswith(step)]
    assert "ERROR" in row
    assert reason in row
    assert said.status == 1


def table(said: Said) -> list[str]:
    """The table of results, without its head."""
    return said.out.split("\nstep  ")[1].splitlines()[1:]


def test_the_browser_is_left_out_only_where_that_is_said(tested: Scratch) -> None:
    said = tested.run("test", "--all", MEMLAB_NO_BROWSER="1")
    (row,) = [line for line in table(said) if line.startswith("browser")]
    assert "left out" in row
    assert "MEMLAB_NO_BROWSER=1" in row
    assert ", 1 left out" in said.out


def test_without_notebooks_or_tests_nothing_is_said_to_pass(scratch: Scratch) -> None:
    for path in (scratch.root / "notebooks").iterdir():
        path.unlink()
    said = scratch.run("test")
    assert "error: there is no tests" in said.out
    assert "error: there is no notebooks/*.ipynb" in said.out
    assert said.status == 1


def test_a_pytest_that_found_no_test_is_an_error(tested: Scratch) -> None:
    said = tested.run("test", FAKE_PYTEST_EMPTY="tests")
    assert "no test found" in said.out
    assert "1 passed, 0 failed, 1 errors" in said.out
    assert said.status == 1
