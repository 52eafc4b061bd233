"""The table of commands, how each of them ends, what ``test`` runs, and the lists of packages."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from memlab.cli import bootstrap, commands, test
from memlab.errors import MemlabError

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(("typed", "status"), [(["--help"], 0), ([], 0), (["labb"], 2)])
def test_the_help_lists_every_command(typed: Any, status: int, capsys: Any) -> None:
    assert commands.main(typed) == status
    listed = re.findall(r"^  (\w+) ", capsys.readouterr().out, re.M)
    assert {*listed} == {*commands.COMMANDS}


@pytest.mark.parametrize(
    ("error", "status", "word"),
    [
        (MemlabError("it is closed", where="the gate", do="Open it"), 2, "Open it"),
        (PermissionError(13, "Permission denied", "/x"), 2, "/x"),
        (KeyboardInterrupt(), 130, "stopped"),
    ],
)
def test_what_ends_a_command_early_is_said_in_one_line(
    error: BaseException, status: int, word: str, capsys: Any
) -> None:
    def action() -> int:
        raise error

    assert commands.guarded("move", action) == status
    (line,) = capsys.readouterr().err.splitlines()
    assert word in line


def test_the_diagnosis_is_all_that_the_doctor_prints_and_may_be_left_unread() -> None:
    command = [sys.executable, "-m", "memlab", "doctor", "data/example/memory"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True)
    assert (said.returncode, said.stderr) == (1, b"")
    assert said.stdout.startswith(b"20 memories: ")
    read, write = os.pipe()
    os.close(read)
    said = subprocess.run(command, cwd=ROOT, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (said.returncode, said.stderr) == (1, b"")


def test_what_runs_before_the_set_up_needs_no_package() -> None:
    modules = ", ".join(
        f"memlab.{name}" for name in ("__main__", "cli.lab", "cli.reset", "cli.test")
    )
    code = f"import sys; sys.path.append('.'); import {modules}"
    subprocess.run([sys.executable, "-I", "-S", "-c", code], cwd=ROOT, check=True)


EVERY = "ruff ruff mypy import tests notebooks mutation web browser"
REST = dict.fromkeys(["MEMLAB_QUICK_DONE", "MEMLAB_NO_BROWSER", "ANTHROPIC_API_KEY"], "1")


@pytest.mark.parametrize(
    ("typed", "variables", "names"),
    [
        ([], {}, "tests notebooks"),
        (["--all"], {}, EVERY),
        (["--all"], REST, EVERY.replace("notebooks ", "").replace(" browser", "")),
    ],
)
def test_every_step_runs_whatever_fails(
    typed: list[str], variables: Any, names: str, monkeypatch: Any, capsys: Any
) -> None:
    run: list[str] = []

    def fake(command: list[str], *, env: dict[str, str], **_: Any) -> SimpleNamespace:
        assert not env.keys() & variables.keys()  # no test asks a model for money
        run.append(" ".join(command))
        return SimpleNamespace(returncode="tests" in command)

    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(test, "prepare", lambda packages: packages)
    monkeypatch.setattr(test.subprocess, "run", fake)
    assert test.main(typed) == 1
    table = capsys.readouterr().out.split("\n\n")[-1].splitlines()
    assert [row.split()[0] for row in table] == names.split()
    assert sum("FAILED" in row for row in table) == 1
    assert all(line.startswith("dev " if typed else "course ") for line in run)
    assert ("--tier rest" in "".join(run)) == bool(variables)


def test_the_lists_of_packages_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras, light = project["optional-dependencies"], project["dependencies"]
    packages = {"light": light, "course": light + extras["course"]}
    packages["dev"] = packages["course"] + extras["dev"]
    text = (ROOT / "requirements.txt").read_text()
    listed = re.findall(r"^(?![#-])\S.*?(?=  #|$)", text, re.M)
    assert sorted(map(str.strip, listed)) == sorted(packages["course"])
    for name, file in bootstrap.LOCKS.items():
        locked = {*re.findall(r"^([\w.-]+)==", (ROOT / file).read_text("utf-8"), re.M)}
        wanted = {re.split("[<>=]", line)[0].lower() for line in packages[name]}
        assert wanted | {bootstrap.SIGNS[name]} <= locked, "make the lock files again"
