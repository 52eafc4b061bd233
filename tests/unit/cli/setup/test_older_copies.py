"""An import that fails in an older copy of a notebook says which command gets the new one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cli.setup.scratch import Scratch

OLD = "03_scan.ipynb"
ADVICE = "-m memlab reset {} (yours moves to my/.replaced/)"


@pytest.fixture
def older(scratch: Scratch) -> Scratch:
    """A clone whose learner has the newest copy of notebook 00, and an older one of 03."""
    scratch.run("lab", "--prepare", "--here")
    scratch.deliver(OLD, "from memlab.cli import lab")
    return scratch


def cell(clone: Scratch, source: str, folder: Path, running: str = OLD) -> str:
    """Run a cell in a folder, and give all that was shown."""
    named = {"JPY_SESSION_NAME": f"{folder.name}/{running}"} if running else {}
    ended = subprocess.run(
        [sys.executable, "-m", "IPython", "--colors=nocolor", "-c", source],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(clone.root)} | named,
        capture_output=True,
        encoding="utf-8",
    )
    assert ended.returncode == 1
    return ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (
            "from memlab.memdir.by_hand import undo",
            "ModuleNotFoundError: No module named 'memlab.memdir",
        ),
        ("from memlab.cli import copies", "ImportError: cannot import name 'copies'"),
        ("from memlab import Store", "ImportError: cannot import name 'Store'"),
    ],
)
def test_an_older_copy_is_told_to_reset(older: Scratch, source: str, problem: str) -> None:
    shown = cell(older, source, older.root / "my").strip()
    assert shown.startswith(problem)
    assert "This copy of notebook 03 is older than memlab." in shown
    assert shown.endswith(ADVICE.format("03"))
    assert len(shown.splitlines()) == 1


def test_where_the_notebook_is_not_known_the_number_is_left_open(older: Scratch) -> None:
    assert ADVICE.format("NN") in cell(older, "import memlab.gone", older.root / "my", "")


@pytest.mark.parametrize(
    ("source", "folder", "running"),
    [
        ("import memlab.gone", "my", "00_start_here.ipynb"),
        ("import memlab.gone", "my", "mine.ipynb"),
        ("import memlab.gone", "notebooks", OLD),
        ("import memlab, gone", "my", OLD),
    ],
)
def test_any_other_failure_is_shown_as_usual(
    older: Scratch, source: str, folder: str, running: str
) -> None:
    shown = cell(older, source, older.root / folder, running)
    assert "Traceback" in shown
    assert "ModuleNotFoundError: No module named" in shown
    assert "reset" not in shown


def test_a_copy_whose_number_belongs_to_another_notebook_says_so_before_it_runs(
    older: Scratch,
) -> None:
    notebooks = older.root / "notebooks"
    (notebooks / OLD).rename(notebooks / "04_scan.ipynb")
    said = "03_scan.ipynb is no longer part of the course. Please open 04_scan.ipynb instead"
    assert cell(older, "import memlab, gone", older.root / "my").startswith(said)
    assert "no longer" not in cell(older, "import memlab, gone", notebooks)
    (older.root / "my" / "mine.ipynb").touch()
    for own in ("mine.ipynb", "00_start_here.ipynb"):
        assert "no longer" not in cell(older, "import memlab, gone", older.root / "my", own)


def test_memlab_without_its_repository_imports_in_a_notebook(older: Scratch) -> None:
    (older.root / "requirements.txt").unlink()
    for source in ("import memlab, gone", "import memlab.gone"):
        shown = cell(older, source, older.root / "my")
        assert "ModuleNotFoundError: No module named" in shown
        assert "clone" not in shown.replace(str(older.root), "")


def test_reset_helps(older: Scratch) -> None:
    assert older.run("reset", "03", "--yes").status == 0
    assert "reset" not in cell(older, "import memlab.gone", older.root / "my")
