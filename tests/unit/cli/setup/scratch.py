"""A scratch clone to run the command line in, as a person would, with fakes of the slow tools.

The package's own files are copied; ``venv``, ``pip``, ``pytest`` and ``jupyterlab`` come from
``fakes``, which is first on the path of every child. uv is never the machine's own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import memlab
from memlab.cli.setup.packages import PROFILES

PACKAGE = Path(memlab.__file__).parent
FAKES = Path(__file__).parent / "fakes"
# driftwood is a package that no machine has; flotsam is the light one of the two.
REQUIREMENTS = "flotsam>=1  # why\npytest>=8  # tests\ndriftwood>=2,<3  # why\n-e .\n"
PYPROJECT = """
[build-system]
requires = ["setuptools>=77"]
[project]
name = "memlab"
requires-python = ">=3.11"
dependencies = ["flotsam>=1"]
[project.optional-dependencies]
course = ["pytest>=8", "pytest-xdist>=3", "nbval>=0.11,<1", "driftwood>=2,<3"]
dev = ["ruff>=0.14"]
[tool.ruff]
line-length = 100
"""
LIGHT = ["flotsam==1.3"]
COURSE = [*LIGHT, "pytest==8.4", "pytest-xdist==3.6", "nbval==0.11.0", "driftwood==2.4"]
LOCKS = {"light": LIGHT, "course": COURSE, "dev": [*COURSE, "ruff==0.14"]}
FILES = {profile.name: profile.lock for profile in PROFILES.values()}


@dataclass(frozen=True)
class Said:
    """What a run showed: exit status, its output, and its complaints."""

    status: int
    out: str
    err: str


class Scratch:
    """A clone with two notebooks, in a folder with a space and an umlaut in its name."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "a clöne"
        self.log = folder / "log"
        self.log.touch()
        self.tools = folder / "tools"
        self.tools.mkdir()
        shutil.copytree(
            PACKAGE / "cli",
            self.root / "memlab" / "cli",
            ignore=shutil.ignore_patterns("__pycache__", "chat"),
        )
        for name in ("copies.py", "__init__.py", "__main__.py", "lazy.py"):
            shutil.copy(PACKAGE / name, self.root / "memlab" / name)
        (self.root / "requirements.txt").write_text(REQUIREMENTS, "utf-8")
        (self.root / "pyproject.toml").write_text(PYPROJECT, "utf-8")
        for name, lines in LOCKS.items():
            self.lock(name, *lines)
        self.deliver("00_start_here.ipynb", "print('hello')")
        self.deliver("03_scan.ipynb", "2 + 2")

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    @property
    def stamp(self) -> Path:
        return self.venv / "memlab-stamp.json"

    @property
    def state(self) -> str:
        return str(json.loads(self.stamp.read_text("utf-8"))["state"])

    @property
    def called(self) -> list[str]:
        """What the fakes were asked to do, in order: venv, and pip or uv with the lock's name.

        The second call of an installer, for memlab itself, is left out.
        """
        calls = []
        for line in self.log.read_text("utf-8").splitlines():
            locks = [name for name, file in FILES.items() if f" {file}" in line]
            if not line.endswith(" -e ."):
                named = line if line.startswith("venv") else line.split()[0]
                calls.append(" ".join([named, *locks]))
        return calls

    def lock(self, name: str, *lines: str) -> None:
        """Write a lock file."""
        path = self.root / FILES[name]
        path.write_text("".join(f"{line} \\\n    --hash=sha256:0\n" for line in lines), "utf-8")

    def give_uv(self) -> None:
        """Put a fake uv on the path of every child."""
        if os.name == "nt":
            script = f'@"{sys.executable}" "{FAKES / "uv.py"}" %*\n'
            (self.tools / "uv.cmd").write_text(script, "utf-8")
            return
        script = f'#!/bin/sh\nexec "{sys.executable}" "{FAKES / "uv.py"}" "$@"\n'
        (self.tools / "uv").write_text(script, "utf-8")
        (self.tools / "uv").chmod(0o755)

    def deliver(self, name: str, *sources: str) -> Path:
        """Put a notebook into ``notebooks/``."""
        return write_notebook(self.root / "notebooks" / name, *sources)

    def command(self, *args: str) -> list[str]:
        return [sys.executable, "-m", "memlab", *args]

    def environment(self, **more: str) -> dict[str, str]:
        fakes = {"PYTHONPATH": f"{FAKES}{os.pathsep}{self.root}", "FAKE_LOG": str(self.log)}
        folders = os.environ.get("PATH", "").split(os.pathsep)
        others = [name for name in folders if not shutil.which("uv", path=name)]
        path = {"PATH": os.pathsep.join([str(self.tools), *others])}
        return {**os.environ, "PYTHONIOENCODING": "utf-8", **path, **fakes, **more}

    def run(self, *args: str, typed: str = "", cwd: Path | None = None, **more: str) -> Said:
        """Run ``python -m memlab`` to its end; ``more`` goes into its environment."""
        ended = subprocess.run(
            self.command(*args),
            cwd=cwd or self.root,
            env=self.environment(**more),
            input=typed,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
        assert "Traceback" not in ended.stderr, ended.stderr
        return Said(ended.returncode, ended.stdout, ended.stderr)

    def start(self, *args: str, **more: str) -> subprocess.Popen[str]:
        """Start ``python -m memlab`` in a process group of its own, as a terminal does."""
        return subprocess.Popen(
            self.command(*args),
            cwd=self.root,
            env=self.environment(**more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        )


def write_notebook(path: Path, *sources: str, outputs: bool = False) -> Path:
    """Write a small notebook; with ``outputs`` it looks as if it had been run."""
    ran = {"execution_count": 1, "outputs": [{"output_type": "stream", "text": "x"}]}
    cells = [
        {"cell_type": "code", "source": [source], "metadata": {}}
        | (ran if outputs else {"execution_count": None, "outputs": []})
        for source in sources
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook), "utf-8")
    return path
