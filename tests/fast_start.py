"""A plugin for pytest (``-p tests.fast_start``), for the tests and for the notebooks.

It starts without grammars that nobody here needs. nbval imports nbformat, which imports jsonschema,
which builds the grammars of international web addresses if it finds the package
``rfc3987_syntax``: two seconds in the controller and in each worker. No notebook has a field of
that kind, and jsonschema does without the package.

And temporary files, with the course's state of this run, are in memory where that is possible,
because the store waits for the disk at every change.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]


def scratch_folder() -> Path | None:
    """Return a folder in memory; None if there is none with enough room."""
    folder = Path("/dev/shm")
    if not os.access(folder, os.W_OK | os.X_OK) or shutil.disk_usage(folder).free < 10**9:
        return None
    return folder


def pytest_configure(config: pytest.Config) -> None:
    """Choose where temporary files are, for this process and the ones that it starts."""
    if folder := scratch_folder():
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    if "MEMLAB_COURSE_HOME" not in os.environ:
        home = tempfile.TemporaryDirectory(prefix="memlab-", ignore_cleanup_errors=True)
        config.add_cleanup(home.cleanup)
        os.environ["MEMLAB_COURSE_HOME"] = home.name
