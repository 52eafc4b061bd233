"""Ctrl-C, a kill, and two set-ups at once."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.platforms import needs_posix
from tests.unit.cli.setup.scratch import Scratch

pytestmark = needs_posix


@pytest.fixture
def gate(tmp_path: Path) -> str:
    """A named pipe: a fake that waits on it goes on when something is written there."""
    path = tmp_path / "gate"
    os.mkfifo(path)
    return str(path)


def wait_until_it_waits(gate: str) -> int:
    """Open the gate for writing, which succeeds once a fake is waiting there."""
    return os.open(gate, os.O_WRONLY)


def end(process: subprocess.Popen[str], how: signal.Signals) -> tuple[int, str, str]:
    os.killpg(process.pid, how)
    out, err = process.communicate(timeout=30)
    return process.returncode, out, err


@pytest.mark.parametrize(
    ("stage", "state"), [("FAKE_VENV_WAITS", "making"), ("FAKE_PIP_WAITS", "installing")]
)
def test_ctrl_c_ends_in_one_line_and_the_next_run_repairs(
    scratch: Scratch, gate: str, stage: str, state: str
) -> None:
    process = scratch.start("lab", "--prepare", **{stage: gate})
    pipe = wait_until_it_waits(gate)
    status, _, err = end(process, signal.SIGINT)
    os.close(pipe)
    assert status == 130
    assert err == "memlab: stopped. Run the same command again to continue\n"
    assert scratch.state == state

    said = scratch.run("lab", "--prepare")
    assert said.status == 0
    assert "making .venv again: the last set-up was interrupted" in said.out


def test_a_polite_kill_ends_pip_too(scratch: Scratch, gate: str) -> None:
    process = scratch.start("lab", "--prepare", FAKE_PIP_WAITS=gate)
    pipe = wait_until_it_waits(gate)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    with pytest.raises(BrokenPipeError):  # nobody is waiting at the gate any more
        os.write(pipe, b"go")
    os.close(pipe)


def test_a_polite_kill_of_test_ends_its_step_and_starts_no_other(
    scratch: Scratch, gate: str
) -> None:
    (scratch.root / "tests").mkdir()
    process = scratch.start("test", FAKE_PYTEST_WAITS=gate)
    pipe = wait_until_it_waits(gate)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=30)
    os.close(pipe)
    assert "== tests ==" in out
    assert "== notebooks ==" not in out
    assert "memlab test stopped after" in out
    assert process.returncode == 130


def test_a_hard_kill_is_repaired(scratch: Scratch, gate: str) -> None:
    process = scratch.start("lab", "--prepare", FAKE_VENV_WAITS=gate)
    pipe = wait_until_it_waits(gate)
    end(process, signal.SIGKILL)
    os.close(pipe)
    assert scratch.run("lab", "--prepare").status == 0
    assert scratch.state == "ready"


def test_the_second_of_two_waits_and_finds_it_ready(scratch: Scratch, gate: str) -> None:
    first = scratch.start("lab", "--prepare", FAKE_PIP_WAITS=gate)
    pipe = wait_until_it_waits(gate)
    second = scratch.start("lab", "--prepare")
    assert second.stdout is not None
    assert (
        second.stdout.readline() == "memlab: another memlab is working on .venv; waiting for it\n"
    )
    os.close(pipe)

    assert "installed in" in first.communicate(timeout=30)[0]
    assert "install" not in second.communicate(timeout=30)[0]
    assert (first.returncode, second.returncode) == (0, 0)
    assert scratch.called == ["venv", "pip course"]


def test_a_pip_that_outlives_its_set_up_keeps_others_waiting(scratch: Scratch, gate: str) -> None:
    first = scratch.start("lab", "--prepare", FAKE_PIP_WAITS=gate)
    pipe = wait_until_it_waits(gate)
    os.kill(first.pid, signal.SIGKILL)
    first.wait(timeout=30)
    second = scratch.start("lab", "--prepare")
    assert second.stdout is not None
    assert "another memlab is working" in second.stdout.readline()
    os.close(pipe)
    assert "the last set-up was interrupted" in second.communicate(timeout=30)[0]
    assert second.returncode == 0
