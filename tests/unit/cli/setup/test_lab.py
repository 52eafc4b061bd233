"""How JupyterLab is started, and what happens when its port is taken."""

import re
import socket
from collections.abc import Callable, Iterator

import pytest

from memlab.cli import commands
from tests.unit.cli.setup.scratch import Said, Scratch


@pytest.fixture
def taken() -> Iterator[int]:
    """A port on which something else listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_opens_the_first_notebook_of_the_learners_own(scratch: Scratch) -> None:
    said = scratch.run("lab", "--here", "--no-browser", "--port", "9876")
    my = scratch.root / "my"
    assert said.status == 0
    assert f"jupyterlab in {my} hash seed 0" in said.out
    for option in (
        f"--ServerApp.root_dir={my}",
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.port=9876",
        "--LabApp.default_url=/lab/tree/00_start_here.ipynb",
        "--no-browser",
    ):
        assert f"option {option}\n" in said.out


def test_the_address_is_the_last_line_and_jupyters_warnings_are_kept_in_a_file(
    scratch: Scratch,
) -> None:
    lines = scratch.run("lab", "--here").out.splitlines()
    address = "http://127.0.0.1:8888/lab/tree/00_start_here.ipynb?token=abc"
    assert lines[-2] == address  # then it stops by itself
    assert "JupyterLab has stopped" in lines[-1]
    log = scratch.root / "my" / ".jupyterlab.log"
    for noise in ("Kernel is running over TCP", "not trusted", "Debugger warning"):
        assert noise not in "".join(lines)
        assert noise in log.read_text("utf-8")
    assert "my/.jupyterlab.log" in "".join(lines)


def test_a_real_error_of_the_server_is_shown(scratch: Scratch) -> None:
    said = scratch.run("lab", "--here", FAKE_LAB_FAILS_LATER="1")
    assert "Uncaught exception\n  in here\n" in said.out


def test_a_server_that_does_not_start_says_why(scratch: Scratch) -> None:
    reason = "[C 2026-01-31 12:00:00.000 ServerApp] ERROR: no port is available"
    for words in (reason, "No module named jupyterlab"):
        said = scratch.run("lab", "--here", FAKE_LAB_SAYS=words)
        assert words in said.out
        assert said.err.startswith("memlab: JupyterLab did not start.")
        assert said.status == 1


def test_a_browser_is_opened_unless_told_otherwise(scratch: Scratch) -> None:
    assert "--no-browser" not in scratch.run("lab", "--here").out


def test_without_the_first_notebook_the_room_opens_empty(scratch: Scratch) -> None:
    (scratch.root / "notebooks" / "00_start_here.ipynb").unlink()
    assert "default_url=/lab\n" in scratch.run("lab", "--here").out


def test_a_taken_port_is_said_before_anything_starts(scratch: Scratch, taken: int) -> None:
    said = scratch.run("lab", "--port", str(taken))
    assert said.status == 1
    assert said.err.startswith(f"memlab: port {taken} is taken. Try: ")
    assert int(said.err.split("--port ")[1]) > taken
    assert scratch.called == []
    assert not (scratch.root / "my").exists()


@pytest.mark.parametrize("port", ["0", "65536", "http", "-1"])
def test_what_is_no_port_is_refused(scratch: Scratch, port: str) -> None:
    said = scratch.run("lab", f"--port={port}")
    assert said.status == 2
    assert "is not a port; choose a number from 1 to 65535" in said.err


def test_a_row_of_the_table_is_a_command_with_its_help(
    shout: Scratch, command: Callable[..., Said]
) -> None:
    assert command("shout", "--help", "folder").status == 0
    assert (shout.venv / "pyvenv.cfg").exists()
    assert shout.log.read_text("utf-8").endswith("\nshout --help folder\n")
    text = commands.parser().format_help()
    assert "Repeat what you say." in text
    assert re.search(r" shout HEY +say it$", text, re.MULTILINE)


def test_prepare_starts_nothing(scratch: Scratch) -> None:
    said = scratch.run("lab", "--here", "--prepare")
    assert "ready:" in said.out
    assert "option" not in said.out
