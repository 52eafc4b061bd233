"""Where things are in a clone of the repository."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from memlab.cli.setup.console import COMMAND, Problem


@dataclass(frozen=True)
class Clone:
    """The folder that holds the whole project, and the paths that the set-up
    uses in it.
    """

    root: Path

    @property
    def venv(self) -> Path:
        """The virtual environment the course makes for itself."""
        return self.root / ".venv"

    @property
    def guard(self) -> Path:
        """The file whose lock says that somebody is working on ``.venv``; it
        is never removed.
        """
        return self.root / ".venv.lock"

    @property
    def requirements(self) -> Path:
        """What the course needs, as ranges with their reasons: the list for
        people.
        """
        return self.root / "requirements.txt"

    @property
    def pyproject(self) -> Path:
        """The package's own description, with the extras ``course`` and
        ``dev``.
        """
        return self.root / "pyproject.toml"

    @property
    def notebooks(self) -> Path:
        """The notebooks as delivered."""
        return self.root / "notebooks"

    @property
    def my(self) -> Path:
        """The learner's copies; git ignores them."""
        return self.root / "my"


def find_clone() -> Clone:
    """Find the clone this package is in.

    Raises ``Problem`` when the package was installed without its repository.
    """
    clone = Clone(Path(__file__).resolve().parents[3])
    if not (clone.requirements.is_file() and clone.pyproject.is_file()):
        raise Problem(
            "this needs a clone of the project, and the memlab in"
            f" {clone.root} was installed without one. Clone the repository,"
            " go into its folder, and type the command there, beginning with"
            f" {COMMAND}"
        )
    return clone


def python_in(venv: Path) -> Path:
    """Return the path of a virtual environment's interpreter."""
    return (
        venv / "Scripts" / "python.exe"
        if os.name == "nt"
        else venv / "bin" / "python"
    )


def site_folders(venv: Path) -> list[str]:
    """List the folders a virtual environment keeps installed packages in."""
    found = [
        venv / "Lib" / "site-packages",
        *venv.glob("lib/python3*/site-packages"),
    ]
    return [str(folder) for folder in found if folder.is_dir()]
