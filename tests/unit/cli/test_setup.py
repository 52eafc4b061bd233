"""What a person sees of the set-up, in a scratch clone with a fake pip, and of ``lab``."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen

import pytest

import memlab
from memlab.cli import bootstrap
from tests.platforms import needs_posix

pytestmark = needs_posix
PACKAGE, FAKE = Path(memlab.__file__).parent, Path(__file__).with_name("fake_pip.py")
NAME, PREPARE = "03_scan.ipynb", ("lab", "--prepare")
NOTEBOOKS = ("00_start_here.ipynb", NAME, "04_recall.ipynb")


class Clone:
    """A clone with two notebooks, in a folder with a space and an umlaut in its name."""

    def __init__(self, folder: Path) -> None:
        self.root, self.log = folder / "a clöne", folder / "log"
        self.venv, self.my = self.root / ".venv", self.root / "my"
        cli, tools = self.root / "memlab" / "cli", folder / "tools"
        shutil.copytree(PACKAGE / "cli", cli)
        for name in ("__init__", "__main__", "lazy", "errors", "text"):
            shutil.copy(PACKAGE / f"{name}.py", cli.parent)
        (cli / "doctor.py").write_text("def main(argv): print(*argv)")
        notebooks = self.root / "notebooks"
        for made in (tools, notebooks / "images", notebooks / ".jupyterlab"):
            made.mkdir(parents=True)
        for name in bootstrap.LOCKS.values():
            (self.root / name).write_text(f"six==1  # {name}\n")
        cell = {"cell_type": "code", "source": "2 + 2", "outputs": ["4"]}
        for name in NOTEBOOKS:
            gap = {"cell_type": "code", "source": f"check(gap_{name[:2]})"}
            cells = [cell] if name == NAME else [cell, gap]
            (notebooks / name).write_text(json.dumps({"cells": cells}))
        for name in ("pip", "ensurepip", "jupyterlab"):
            shutil.copy(FAKE, tools / f"{name}.py")
        fakes = {"PYTHONPATH": str(tools), "FAKE_LOG": str(self.log)}
        self.environment = os.environ | fakes | {"PATH": "/usr/bin:/bin"}

    def start(self, *typed: str, **more: str) -> Popen[str]:
        command, env = [sys.executable, "-m", "memlab", *typed], self.environment | more
        out = {"stdout": PIPE, "stderr": STDOUT, "encoding": "utf-8"}
        return Popen(command, cwd=self.root, env=env, **out)  # type: ignore[call-overload]

    def run(self, *typed: str, status: int = 0, **more: str) -> str:
        ended = self.start(*typed, **more)
        said = str(ended.communicate(timeout=60)[0])
        assert (ended.returncode, "Traceback" in said) == (status, False), said
        return said

    def installed(self) -> list[str]:
        """The lock files that were installed."""
        return re.findall(r"/requirements-?(\w*)\.lock", self.log.read_text("utf-8"))


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def test_each_command_installs_what_it_needs_and_only_once(clone: Clone) -> None:
    assert clone.run("doctor", "DIR").endswith("\nDIR\n")
    assert "installing the course packages" in clone.run(*PREPARE)
    assert "installing" not in clone.run(*PREPARE) + clone.run("doctor")
    assert clone.installed() == ["light", ""]
    (clone.my / "parts" / "ours").mkdir(parents=True)
    for passed, opened in (("none", 0), ("gap_00", 1), ("ours/gap_04", 0)):
        (clone.my / "parts" / f"{passed}.py").touch()
        said = clone.run("lab", "--port", "9876", "--no-browser")
        assert NOTEBOOKS[opened] in said
        last = clone.log.read_text("utf-8").splitlines()[-1]
        for option in (f"root_dir={clone.my}", "port=9876", f"/tree/{NOTEBOOKS[opened]}"):
            assert option in last


def test_an_environment_that_will_not_do_is_made_again(clone: Clone) -> None:
    for number, change in enumerate(["", "damaged", "interrupted", "other lock", "moved"]):
        if change == "damaged":
            next(clone.venv.rglob("six")).rmdir()
        elif change == "interrupted":
            (clone.venv / "memlab-stamp.txt").write_text("")
        elif change == "other lock":
            (clone.root / "requirements.lock").write_text("six==2\n")
        elif change:
            clone.root = clone.root.rename(clone.root.with_name("elsewhere"))
        said = clone.run(*PREPARE)
        assert ("six is missing" in said) == (change == "damaged")
        assert len(clone.installed()) == number + 1, change
        assert "making" not in clone.run(*PREPARE)


NO_NETWORK = "Max retries exceeded\nERROR: No matching distribution found for six==1"
FULL = "Collecting six\nERROR: Could not install: [Errno 28] No space left on device\n"


def test_what_went_wrong_is_said_and_no_folder_is_touched(clone: Clone) -> None:
    for output, last in ((NO_NETWORK, "no network"), (FULL, "No space left")):
        said = clone.run(*PREPARE, status=2, FAKE_SAYS=output)
        assert last in said.splitlines()[-1]
    assert "no wheels" in clone.run(*PREPARE, "--wheels", "notebooks", status=2)
    shutil.rmtree(clone.venv)
    clone.venv.mkdir()
    (clone.venv / "thesis.txt").write_text("years of work")
    assert "Move it away" in clone.run(*PREPARE, status=2)
    assert (clone.venv / "thesis.txt").read_text() == "years of work"


def test_two_commands_at_once_wait_for_each_other(clone: Clone, tmp_path: Path) -> None:
    os.mkfifo(gate := tmp_path / "gate")
    first = clone.start("doctor", FAKE_WAITS=str(gate))
    pipe = os.open(gate, os.O_WRONLY)  # returns once the fake pip waits
    second = clone.start("doctor")
    assert second.stdout
    assert "another memlab" in second.stdout.readline()
    first.terminate()  # interrupted, while the other one waits
    first.wait(timeout=30)
    os.close(pipe)
    assert second.wait(timeout=30) == 0
    assert (clone.venv / "memlab-stamp.txt").read_text()


def test_a_copy_has_no_outputs_and_no_old_one_is_ever_lost(clone: Clone) -> None:
    clone.run(*PREPARE)
    (cell,) = json.loads((clone.my / NAME).read_text())["cells"]
    assert (cell["source"], cell["outputs"]) == ("2 + 2", [])
    for text in ("first", "second", "first"):
        (clone.my / NAME).write_text(text)
        os.utime(clone.my / NAME, (0, 0))
        assert "reset 03" in clone.run(*PREPARE)
        assert (clone.my / NAME).read_text() == text
        assert "77" in clone.run("reset", "03", "77", status=2)
        clone.run("reset", "3", "03")
        assert "2 + 2" in (clone.my / NAME).read_text()
    kept = sorted((clone.my / ".replaced").iterdir())
    assert [path.read_text() for path in kept] == ["first", "second"]
