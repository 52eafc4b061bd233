"""The scratch clone that the tests of the set-up share."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from memlab import __main__ as command_line
from memlab.cli.setup.place import Clone
from memlab.cli.setup.say import guarded
from tests.unit.cli.setup.scratch import Said, Scratch


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    return Scratch(tmp_path)


@pytest.fixture
def command(
    scratch: Scratch, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Said]:
    """The command line on the scratch clone, in this process: quicker where no child is needed."""
    monkeypatch.setattr(command_line, "find_clone", lambda: Clone(scratch.root))

    def run(*args: str, typed: str = "") -> Said:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        status = guarded(lambda: command_line.main(list(args)))
        return Said(status, *capsys.readouterr())

    return run
