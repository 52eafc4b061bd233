"""However ``chat`` and ``dream`` are ended from outside, it is told in one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

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
    started = [sys.executable, "-m", "memlab.cli.chat.start", *command]
    return subprocess.Popen(started, **parts | more)  # type: ignore[call-overload,no-any-return]


@needs_posix
def test_ctrl_c_while_it_loads(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys\n"
        "from memlab.cli.chat import start\n"
        "sys.meta_path.insert(0, type('Stop', (), {'find_spec': lambda *a, **k: "
        "os.kill(os.getpid(), signal.SIGINT)})())\n"
        "sys.exit(start.main(['chat']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, stdin=-3
    )
    assert done.returncode == 130
    assert done.stderr.strip() == "memlab chat: stopped"


@pytest.mark.slow
@pytest.mark.parametrize("command", [("dream", "--yes"), ("chat",), ("doctor", ".")])
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
    assert signal.SIGINT
