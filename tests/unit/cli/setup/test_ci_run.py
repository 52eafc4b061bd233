"""``.ci/run``: a stranger first, then a Chromium or an error, then everything."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memlab.cli.setup.clone import find_clone
from tests.platforms import needs_posix
from tests.unit.cli.setup.scratch import Said

pytestmark = needs_posix

SAYS = "import sys; print({text!r}, *sys.argv[1:], flush=True); sys.exit({status})"
TOOLS = ("bash", "env", "dirname", "mktemp", "tail", "rm")


class Machine:
    """A checkout with fakes of what the script calls, and a path with nothing else on it."""

    def __init__(self, folder: Path) -> None:
        self.checkout = folder / "checkout"
        self.bin = folder / "bin"
        (self.checkout / ".ci").mkdir(parents=True)
        (self.checkout / "memlab").mkdir()
        self.bin.mkdir()
        shutil.copy(find_clone().root / ".ci" / "run", self.checkout / ".ci" / "run")
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found, tool
            (self.bin / tool).symlink_to(found)
        self.program("python3", f'exec "{sys.executable}" "$@"')
        self.program("id", "echo 1000")
        self.script(".ci/stranger.py", "a stranger's two commands", 0)
        self.script(".ci/playwright_chromium.py", "", 1)
        self.script("memlab/__main__.py", "memlab", 0)

    def program(self, name: str, text: str) -> None:
        (self.bin / name).write_text(f"#!/bin/sh\n{text}\n", "utf-8")
        (self.bin / name).chmod(0o755)

    def script(self, name: str, text: str, status: int) -> None:
        (self.checkout / name).write_text(SAYS.format(text=text, status=status), "utf-8")

    def run(self, **more: str) -> Said:
        ended = subprocess.run(
            ["bash", ".ci/run"],
            cwd=self.checkout,
            env={"PATH": str(self.bin), **more},
            capture_output=True,
            encoding="utf-8",
        )
        return Said(ended.returncode, ended.stdout, ended.stderr)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_table_of_the_stages_with_their_seconds(machine: Machine) -> None:
    machine.program("chromium", "")
    said = machine.run()
    assert said.out.index("a stranger's two commands") < said.out.index("there is one already")
    assert "memlab test --all" in said.out
    table = [line.split() for line in said.out.splitlines()[-4:-1]]
    assert [row[:2] for row in table] == [
        ["stranger", "passed"],
        ["chromium", "passed"],
        ["rest", "passed"],
    ]
    assert all(row[2].isdecimal() and row[3] == "s" for row in table)
    assert said.status == 0


def test_nothing_follows_a_stranger_who_fails(machine: Machine) -> None:
    machine.script(".ci/stranger.py", "no", 1)
    said = machine.run()
    assert said.status == 1
    assert "stranger    FAILED" in said.out
    assert "test --all" not in said.out


def test_without_a_chromium_it_ends_in_an_error(machine: Machine) -> None:
    said = machine.run()
    assert said.status == 1
    assert "error: no Chromium" in said.out
    assert "test --all" not in said.out


def test_root_installs_one_with_apt(machine: Machine) -> None:
    machine.program("id", "echo 0")
    fetch = f'[ "$1" = update ] || ln -s /bin/sh "{machine.bin}/chromium"'
    machine.program("apt-get", fetch.replace("ln", shutil.which("ln") or "ln"))
    said = machine.run()
    assert "installing the system's with apt-get" in said.out
    assert "memlab test --all" in said.out
    assert said.status == 0


def test_the_browser_is_left_out_visibly(machine: Machine) -> None:
    said = machine.run(MEMLAB_NO_BROWSER="1")
    assert "left out: MEMLAB_NO_BROWSER=1" in said.out
    assert said.status == 0


def test_a_failure_of_the_rest_is_the_status(machine: Machine) -> None:
    machine.script("memlab/__main__.py", "memlab", 1)
    said = machine.run(MEMLAB_NO_BROWSER="1")
    assert said.status == 1
    assert "rest        FAILED" in said.out
