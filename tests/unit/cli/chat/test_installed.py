"""However ``chat``, ``dream`` and ``doctor`` are ended from outside, one line says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memlab.cli.commands import COMMANDS, InstalledCommand
from tests.platforms import needs_full_device, needs_posix

ROOT = Path(__file__).resolve().parents[4]


def begin(tmp_path: Path, *command: str, **more: object) -> subprocess.Popen[bytes]:
    (tmp_path / "project").mkdir(exist_ok=True)
    environ = os.environ | {"MEMLAB_HOME": str(tmp_path / "base"), "PYTHONPATH": str(ROOT)}
    parts: dict[str, object] = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "cwd": tmp_path / "project",
        "env": environ,
    }
    (row,) = [row for row in COMMANDS if row.name == command[0]]
    assert isinstance(row, InstalledCommand)
    started = [
        *(sys.executable, "-m", "memlab.cli.installed"),
        *(row.name, row.module, *command[1:]),
    ]
    return subprocess.Popen(started, **parts | more)  # type: ignore[call-overload,no-any-return]


@needs_posix
def test_ctrl_c_while_it_loads(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys\n"
        "from memlab.cli import installed\n"
        "sys.meta_path.insert(0, type('Stop', (), {'find_spec': lambda *a, **k: "
        "os.kill(os.getpid(), signal.SIGINT)})())\n"
        "sys.exit(installed.main(['chat', 'memlab.cli.chat.conversation']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, stdin=-3
    )
    assert done.returncode == 130
    assert done.stderr.strip() == "memlab chat: stopped"


@pytest.mark.slow
@pytest.mark.parametrize("command", [("chat",), ("doctor", ".")])
def test_a_reader_that_goes_away(tmp_path: Path, command: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)
    started = begin(tmp_path, *command, stdout=write)
    os.close(write)
    assert started.stderr is not None
    told = started.stderr.read().decode()
    assert started.wait(60) == 1
    assert "Traceback" not in told
    assert told.count("\n") == 1
    assert "cannot write its output" in told


@pytest.mark.slow
@needs_full_device
def test_a_full_device(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as out:
        started = begin(tmp_path, "dream", "--yes", stdout=out)
        assert started.stderr is not None
        told = started.stderr.read().decode()
        assert (started.wait(60), "Traceback" in told) == (1, False)
