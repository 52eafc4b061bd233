"""The table of commands, how each of them ends, and what ``test`` runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from memlab.cli import test

ROOT = Path(__file__).resolve().parents[3]


def test_the_diagnosis_is_all_that_the_doctor_prints_and_may_be_left_unread() -> None:
    """The set-up's own words are left out: this clone may have no environment yet."""
    code = "import sys; from memlab.cli import commands, doctor; "
    code += "sys.exit(commands.guarded('doctor', lambda: doctor.main(['data/example/memory'])))"
    read, write = os.pipe()
    os.close(read)
    for out in (subprocess.PIPE, write):
        command = [sys.executable, "-c", code]
        said = subprocess.run(command, cwd=ROOT, stdout=out, stderr=subprocess.PIPE)
        assert (said.returncode, said.stderr) == (1, b"")
        assert out == write or said.stdout.startswith(b"20 memories: ")
    os.close(write)


def test_what_runs_before_the_set_up_needs_no_package() -> None:
    modules = "memlab.__main__, memlab.cli.lab, memlab.cli.reset, memlab.cli.test"
    code = f"import sys; sys.path.append('.'); import {modules}"
    subprocess.run([sys.executable, "-I", "-S", "-c", code], cwd=ROOT, check=True)


REST = "ruff ruff mypy import tests mutation web"


def test_every_step_runs_whatever_fails(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def fake(command: list[str], *, env: dict[str, str], **_: Any) -> SimpleNamespace:
        assert "ANTHROPIC_API_KEY" not in env  # no test asks a model for money
        return SimpleNamespace(returncode=command[-2:] == ["--tier", "rest"])

    monkeypatch.setattr(test, "prepare", lambda packages: packages)
    monkeypatch.setattr(test.subprocess, "run", fake)
    for name in ("MEMLAB_QUICK_DONE", "MEMLAB_NO_BROWSER", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "1")
    assert test.main(["--all"]) == 1
    table = capsys.readouterr().out.split("\n\n")[-1].splitlines()
    assert [row.split()[0] for row in table] == REST.split()
    assert [row.split()[0] for row in table if "FAILED" in row] == ["tests"]
