"""The scratch clone that the tests of the set-up share."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from memlab.cli import commands
from memlab.cli.commands import InstalledCommand
from memlab.cli.setup.clone import Clone
from memlab.cli.setup.console import guarded
from tests.unit.cli.setup.scratch import Said, Scratch


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    return Scratch(tmp_path)


@pytest.fixture
def shout(scratch: Scratch, monkeypatch: pytest.MonkeyPatch) -> Scratch:
    """A clone with one more row in the table: ``shout``, which needs the light packages."""
    for name, value in scratch.environment().items():
        monkeypatch.setenv(name, value)
    row = InstalledCommand("shout", "Repeat what you say.", {"HEY": "say it"}, "shout")
    monkeypatch.setattr(commands, "COMMANDS", (*commands.COMMANDS, row))
    return scratch


@pytest.fixture
def command(
    scratch: Scratch, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Said]:
    """The command line on the scratch clone, in this process: quicker where no child is needed."""
    monkeypatch.setattr(commands, "find_clone", lambda: Clone(scratch.root))

    def run(*args: str, typed: str = "") -> Said:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        status = guarded(lambda: commands.main(list(args)))
        return Said(status, *capsys.readouterr())

    return run
