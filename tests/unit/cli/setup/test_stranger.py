"""CI's first stage types the README's commands in a fresh copy, as somebody new would."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import pytest

from memlab.cli.setup.clone import find_clone
from tests.platforms import needs_posix

pytestmark = needs_posix

ROOT = find_clone().root
SPEC = importlib.util.spec_from_file_location("stranger", ROOT / ".ci" / "stranger.py")
assert SPEC is not None
assert SPEC.loader is not None
stranger = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(stranger)

README = """# x
```text
no command
```
```sh
python3 -m memlab lab     # sets up
python3 -m memlab test    # tests
```
```sh
never typed
```
"""
MAIN = """
import os, pathlib, sys
print("typed:", *sys.argv[1:], flush=True)
print("files:", *sorted(p.name for p in pathlib.Path().iterdir()), flush=True)
print("home:", os.listdir(os.environ["HOME"]), os.getcwd(), flush=True)
print("private:", [n for n in os.environ if n.startswith(("MEMLAB", "ANTHROPIC"))], flush=True)
sys.exit(3 if pathlib.Path("broken").exists() and "test" in sys.argv else 0)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose commands only say how they were called, in a developer's environment."""
    root = tmp_path / "project"
    (root / "memlab").mkdir(parents=True)
    (root / "memlab" / "__main__.py").write_text(MAIN, "utf-8")
    (root / "README.md").write_text(README, "utf-8")
    (root / ".gitignore").write_text("/.venv/\n", "utf-8")
    (root / ".venv").mkdir()
    (root / ".venv" / "installed").touch()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-dear")
    monkeypatch.setenv("MEMLAB_MODEL", "live")
    monkeypatch.setattr(stranger, "already_there", lambda env, folder: [])
    return root


def test_the_readmes_commands_are_what_is_typed() -> None:
    commands = stranger.readme_commands((ROOT / "README.md").read_text("utf-8"))
    assert commands == ["python3 -m memlab lab", "python3 -m memlab test"]


def test_both_commands_run_in_a_copy_with_nothing_of_the_developers(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert stranger.main(project) == 0
    out = capfd.readouterr().out
    typed = [line for line in out.splitlines() if line.startswith("typed:")]
    assert typed == ["typed: lab --prepare", "typed: test"]
    assert "files: .gitignore README.md memlab\n" in out
    assert "private: []" in out
    assert "home: []" in out
    (folder,) = {line.split("[] ")[1] for line in out.splitlines() if line.startswith("home:")}
    assert " ö" in folder
    assert not Path(folder).exists()
    *_, lab, test = out.splitlines()
    assert lab.split()[:6] == ["python3", "-m", "memlab", "lab", "--prepare", "0"]
    assert test.split()[:5] == ["python3", "-m", "memlab", "test", "0"]


def test_a_python_that_has_packages_is_replaced_by_a_bare_one(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(stranger, "already_there", lambda env, folder: ["hypothesis"])
    main = project / "memlab" / "__main__.py"
    main.write_text("import sys; print('prefix:', sys.prefix, flush=True)", "utf-8")
    assert stranger.main(project) == 0
    out = capfd.readouterr().out
    assert "python3 here has hypothesis; using a bare one" in out
    (prefix,) = {line for line in out.splitlines() if line.startswith("prefix:")}
    assert prefix.endswith("bare")


def test_a_command_that_fails_fails_the_stage(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "broken").touch()
    assert stranger.main(project) == 1
    assert capfd.readouterr().out.splitlines()[-1].split()[4] == "3"


def test_a_readme_without_the_commands_fails_the_stage(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "README.md").write_text(README.replace("```sh", "```text"), "utf-8")
    assert stranger.main(project) == 1
    assert "README.md's first sh block" in capfd.readouterr().out
