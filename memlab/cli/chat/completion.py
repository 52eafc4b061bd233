"""What Tab offers in a message: the files of the project."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def project_files(project: Path, word: str) -> list[str]:
    """Return the paths in the project that continue a word; a folder ends
    with a slash.

    What is hidden is not offered, and neither is anything outside.
    """
    folder, slash, name = word.rpartition("/")
    parts = Path(folder).parts
    if not word or Path(folder).is_absolute() or ".." in parts:
        return []
    found: list[str] = []
    with suppress(OSError):
        found = [
            f"{folder}{slash}{path.name}" + "/" * path.is_dir()
            for path in sorted((project / folder).iterdir())
            if path.name.startswith(name) and not path.name.startswith(".")
        ]
    return found
