"""Packs the learner's work into one file, for the browser edition, where
nobody can open the folder that it is in.
"""

from __future__ import annotations

import base64
import contextlib
import io
import zipfile
from pathlib import Path

from memlab.course.my_parts import parts_path
from memlab.errors import CourseError

FILE = "memlab-work.zip"
DRIVE = Path("/drive")
"""Where a notebook in the browser finds the notebooks that were saved there."""


class Download:
    """A link that downloads bytes as a file; a notebook renders it."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def _repr_html_(self) -> str:
        text = base64.b64encode(self.data).decode("ascii")
        return (
            f'<a download="{FILE}" href="data:application/zip;base64,{text}">'
            f"Download {FILE}</a>"
        )

    def __repr__(self) -> str:
        return f"<download: {FILE}>"


def download_work() -> Download:
    """Return a link to a zip file with the learner's parts, and with the
    notebooks that the browser keeps.

    Raises CourseError if there is nothing to download yet.
    """
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as work:
        for folder, pattern in (
            (parts_path().parent, "*"),
            (DRIVE, "*.ipynb"),
        ):
            # without its service worker, a browser has no such folder
            with contextlib.suppress(OSError):
                for path in sorted(folder.glob(pattern)):
                    if path.is_file():
                        work.writestr(path.name, path.read_bytes())
        empty = not work.namelist()
    if empty:
        raise CourseError(
            "there is nothing to download yet",
            where="download_work()",
            do="Run the cells above first",
        )
    return Download(packed.getvalue())
