"""The runner on a small made-up package, and the rules for the list itself."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.mutation import __main__ as command
from tests.mutation.mutations import Mutation
from tests.mutation.tree import MutationError, changed_text, copy_project
from tests.notebooks import store

ROOT = Path(__file__).resolve().parents[2]
GATE = '''"""A gate."""

HOURS = 24
NEVER_SHOWN = 7


def is_open(hours: float) -> bool:
    """Say whether enough time has passed."""
    return hours >= HOURS
'''
CELLS = ("from memlab import gate", "print(gate.HOURS)", "gate.is_open(24)")

RAISES = Mutation("memlab/gate.py", "def is_open", "def is_shut", "the name", "00")
KILLED_EARLY = Mutation("memlab/gate.py", "HOURS = 24", "HOURS = 23", "the hours", "00")
KILLED_LATE = Mutation("memlab/gate.py", "hours >= HOURS", "hours > HOURS", "the edge", "00")
SURVIVOR = Mutation("memlab/gate.py", "SHOWN = 7", "SHOWN = 8", "a figure no cell shows", "00")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project with a space")
    (root / "memlab").mkdir()
    (root / "memlab" / "__init__.py").write_text('"""Made up."""\n')
    (root / "memlab" / "gate.py").write_text(GATE)
    (root / "notebooks").mkdir()
    path = root / "notebooks" / "00_made_up.ipynb"
    cells = [{"cell_type": "code", "source": text, "metadata": {}, "outputs": []} for text in CELLS]
    path.write_text(json.dumps({"cells": cells, "metadata": {}}))
    asyncio.run(store.store(path, packages=root))
    return root


def run(root: Path, mutations: Sequence[Mutation], *arguments: str) -> int:
    return command.main(arguments, mutations=mutations, root=root)


def test_a_killed_mutant_is_red_at_the_cell_that_shows_it(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(project, [KILLED_EARLY, KILLED_LATE]) == 0
    said = capsys.readouterr().out
    assert "the hours; red at cell 2: stdout: '24' became '23'" in said
    assert "the edge; red at cell 3: text/plain: 'True' became 'False'" in said
    assert "2 mutations, 2 red (0 by an error)" in said
    assert (project / "memlab" / "gate.py").read_text() == GATE


def test_a_notebook_that_dies_or_hangs_is_red(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.mutation.runner.CELL_SECONDS", 1)
    dies = replace(KILLED_EARLY, new="HOURS = __import__('os')._exit(3)", why="an exit")
    hangs = replace(KILLED_EARLY, new="HOURS = __import__('time').sleep(99)", why="a pause")
    assert run(project, [dies, hangs, KILLED_LATE], "-j", "1") == 0
    said = capsys.readouterr().out
    assert "an exit; red at cell 1: the process died" in said
    assert "a pause; red at cell 1: not done in 1 s" in said
    assert "the edge; red at cell 3" in said


def test_a_test_may_notice_what_no_notebook_shows(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "tests").mkdir()
    (project / "tests" / "test_gate.py").write_text(
        "from memlab import gate\n\n\ndef test_shown():\n    assert gate.NEVER_SHOWN == 7\n"
    )
    noticed = replace(SURVIVOR, notebook="", test="tests/test_gate.py::test_shown")
    unnoticed = replace(KILLED_EARLY, notebook="", test="tests/test_gate.py")
    missing = replace(noticed, test="tests/test_gate.py::test_gone")
    assert run(project, [noticed, unnoticed], "-j", "1") == 1
    said = capsys.readouterr().out
    assert "a figure no cell shows; red at tests/test_gate.py::test_shown: assert 8 == 7" in said
    assert "the hours: no test notices" in said
    assert run(project, [missing], "-j", "1") == 1
    assert "test_gone control" in capsys.readouterr().out


def test_a_survivor_fails_the_run(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(project, [RAISES, SURVIVOR], "-j", "1") == 1
    said = capsys.readouterr().out
    assert "a figure no cell shows: no cell notices" in said
    assert "the name; red at cell 3: AttributeError" in said
    assert "2 mutations, 1 red (1 by an error)" in said


def test_a_line_that_is_gone_fails_the_run(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = Mutation("memlab/gate.py", "HOURS = 25", "HOURS = 26", "an old line", "00")
    assert run(project, [gone]) == 1
    assert "an old line: the old text stands there 0 times" in capsys.readouterr().out


def test_nothing_is_tried_on_a_notebook_that_is_red_without_a_change(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stale = copy_project(project, tmp_path)
    gate = stale / "memlab" / "gate.py"
    gate.write_text(GATE.replace("24", "48"))
    assert run(stale, [SURVIVOR]) == 1
    said = capsys.readouterr().out
    assert "control at cell 2: stdout: '24' became '48'" in said
    assert "1 mutations were not tried" in said
    assert "0 red" in said


def test_only_picks_by_what_the_report_would_say(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(project, [KILLED_EARLY], "--only", "nothing of that name") == 1
    assert "no mutation to run" in capsys.readouterr().out


def test_a_run_leaves_no_folder_behind(
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    made: list[Path] = []

    def noted(root: Path, target: Path) -> Path:
        made.append(target)
        return copy_project(root, target)

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("tests.mutation.runner.scratch_folder", lambda: None)
    monkeypatch.setattr("tests.mutation.runner.copy_project", noted)
    assert run(project, [KILLED_EARLY, SURVIVOR], "--only", "the hours") == 0
    assert "1 mutations, 1 red" in capsys.readouterr().out
    assert [path.parents[2] for path in made] == [tmp_path, tmp_path]
    assert list(tmp_path.iterdir()) == []


def test_what_a_cell_left_running_is_ended_before_its_folder_is_removed(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    child = "['sh', '-c', 'sleep 20; echo still here']"
    started = f"HOURS = __import__('subprocess').Popen({child}, stdout=open('{pipe}', 'w')).pid"
    assert run(project, [replace(KILLED_EARLY, new=started, why="a child")], "-j", "1") == 0
    assert "a child; red at cell 2" in capsys.readouterr().out
    os.set_blocking(reading, True)
    assert os.read(reading, 100) == b"", "the end of the file: nobody has it open any more"
    os.close(reading)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("HOURS = 24", "HOURS = 24", "exactly one line"),
        ("HOURS", "DAYS", "2 times"),
        ("", "x", "0 times"),
        ("HOURS = 24\nNEVER_SHOWN = 7", "HOURS = 23\nNEVER_SHOWN = 8", "exactly one line"),
        ("HOURS = 24\n", "", "exactly one line"),
        ("HOURS = 24", "HOURS = (24", "does not compile"),
    ],
)
def test_only_one_changed_line_that_compiles_is_a_mutation(
    project: Path, old: str, new: str, problem: str
) -> None:
    with pytest.raises(MutationError, match=problem):
        changed_text(project, Mutation("memlab/gate.py", old, new, "", "00"))


def test_context_may_make_a_line_unique(project: Path) -> None:
    mutation = Mutation(
        "memlab/gate.py", "HOURS = 24\nNEVER", "HOURS = 23\nNEVER", "in context", "00"
    )
    before, after = changed_text(project, mutation)
    assert before == GATE
    assert after == GATE.replace("24", "23")


def test_a_file_that_is_gone_is_said(project: Path) -> None:
    with pytest.raises(MutationError, match="no such file"):
        changed_text(project, Mutation("memlab/gone.py", "a", "b", "", "00"))
