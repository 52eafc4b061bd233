"""Commands for ``--shell``: what they print, and how they end."""

from __future__ import annotations

import shlex
import sys
import threading
from pathlib import Path

import pytest

from memlab.cli.chat.shell import Shell
from tests.platforms import needs_posix

pytestmark = needs_posix
FOREVER = f"{shlex.quote(sys.executable)} -c 'import time; print(1, flush=True); time.sleep(999)'"


def test_it_gives_what_was_printed_and_the_status(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    assert shell("echo one; echo two >&2") == "one\ntwo"
    assert shell("exit 3") == "[exit status 3]"
    assert Path(shell("pwd")).samefile(tmp_path)


def test_it_has_no_key_and_no_keyboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sesame")
    monkeypatch.setenv("OTHER", "there")
    shell = Shell(tmp_path)
    assert "sesame" not in shell("env")
    assert shell("echo $OTHER") == "there"
    assert shell("cat") == ""


def test_it_ends_what_takes_too_long_or_floods(tmp_path: Path) -> None:
    assert Shell(tmp_path, seconds=0.2)(FOREVER).endswith("[stopped after 0.2 s]")
    flooded = Shell(tmp_path, output_bytes=1_000)("yes")
    assert flooded.endswith("[stopped after 1000 bytes of output]")
    assert len(flooded) < 1_100


def test_what_it_started_in_the_background_ends_too(tmp_path: Path) -> None:
    assert Shell(tmp_path, seconds=0.2)(f"{FOREVER} &").endswith("[stopped after 0.2 s]")


def test_the_person_can_end_it(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    timer = threading.Timer(0.3, shell.stop)
    timer.start()
    assert shell(FOREVER).endswith("[interrupted by the person]")
    timer.join()
    assert shell("echo after") == "after"
