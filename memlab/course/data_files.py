"""Finds the folders of the clone that the course reads."""

from __future__ import annotations

from pathlib import Path

from memlab.errors import CourseError

CLONE = Path(__file__).resolve().parents[2]
"""The folder that contains ``data/`` and ``notebooks/``, unless memlab was
installed without it.
"""


def data_folder(name: str) -> Path:
    """Find a folder of ``data/``; raises CourseError if memlab was installed
    without it.
    """
    folder = CLONE / "data" / name
    if not folder.is_dir():
        raise CourseError(
            "this folder is not part of an installed memlab",
            where=f"data/{name}",
            do="Clone the whole repository and start there",
        )
    return folder


def notebook_numbers() -> list[int]:
    """Return the numbers of the course's notebooks, in order."""
    files = (CLONE / "notebooks").glob("[0-9][0-9]_*.ipynb")
    return sorted(int(file.name[:2]) for file in files)
