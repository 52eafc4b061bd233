"""``doctor``, ``chat`` and ``dream`` install what they need and no more, and say so first."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memlab.cli import commands
from memlab.cli.setup.console import Problem
from tests.unit.cli.setup.scratch import FAKES, Said, Scratch


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Said]:
    """Run ``shout`` with somebody at the terminal who types something."""

    def run(typed: str) -> Said:
        screen = Terminal()
        monkeypatch.setattr("sys.stdin", Terminal(typed))
        monkeypatch.setattr("sys.stderr", screen)
        try:
            status = commands.main(["shout"])
        except Problem as problem:
            return Said(1, "", screen.getvalue() + str(problem))
        return Said(status, "", screen.getvalue())

    return run


def test_a_script_is_told_what_is_installed_and_how_large_it_is(
    shout: Scratch, command: Callable[..., Said]
) -> None:
    said = command("shout")
    assert said.status == 0
    first = said.err.splitlines()[0]
    assert f" MB in {shout.venv} (without Jupyter)" in first
    assert shout.called == ["venv", "pip light", "shout"]
    assert not list(shout.venv.rglob("driftwood-*"))

    command("shout")
    assert shout.called == ["venv", "pip light", "shout", "shout"]


def test_lab_adds_the_rest_to_a_light_environment(
    shout: Scratch, command: Callable[..., Said]
) -> None:
    command("shout")
    assert shout.run("lab", "--prepare").status == 0
    assert shout.called == ["venv", "pip light", "shout", "pip course"]
    command("shout")
    assert shout.called[4:] == ["shout"]


def test_a_person_at_a_terminal_is_asked(
    shout: Scratch, command: Callable[..., Said], at_a_terminal: Callable[[str], Said]
) -> None:
    assert command is not None  # finds the scratch clone
    for no in ("n\n", ""):  # the second is Ctrl-D
        said = at_a_terminal(no)
        assert "install them now? [Y/n]" in said.err
        assert "nothing was installed" in said.err
        assert shout.called == []
    assert at_a_terminal("\n").status == 0
    assert shout.called == ["venv", "pip light", "shout"]


@pytest.mark.parametrize(("needs", "made"), [(("pyyaml",), False), ((), True)])
def test_a_python_that_has_the_needed_packages_is_used_as_it_is(
    shout: Scratch, tmp_path: Path, needs: tuple[str, ...], made: bool
) -> None:
    """As for the doctor, which needs YAML and not the SDK."""
    project = shout.root / "pyproject.toml"
    text = project.read_text("utf-8")
    project.write_text(text.replace('["flotsam>=1"]', '["flotsam>=1", "pyyaml>=6"]'), "utf-8")
    shout.lock("light", "flotsam==1.3", "pyyaml==6.1")
    (tmp_path / "site" / "PyYAML-6.1.dist-info").mkdir(parents=True)
    path = os.pathsep.join([str(FAKES), str(shout.root), str(tmp_path / "site")])
    table = shout.root / "memlab" / "cli" / "commands.py"
    code = table.read_text("utf-8").replace('"memlab.cli.doctor"', '"shout"')
    code = code.replace('packages=("pyyaml",)', f"packages={needs!r}")
    table.write_text(code, "utf-8")

    said = shout.run("doctor", PYTHONPATH=path)
    assert said.status == 0, said.err
    assert shout.venv.exists() is made
    assert (f"using this Python {sys.version_info[0]}." in said.err) is not made


def test_a_newer_lock_does_not_disturb_a_light_command(
    shout: Scratch, command: Callable[..., Said]
) -> None:
    command("shout")
    fields = json.loads(shout.stamp.read_text("utf-8")) | {"inputs": "older"}
    shout.stamp.write_text(json.dumps(fields), "utf-8")
    command("shout")
    assert shout.called == ["venv", "pip light", "shout", "shout"]
