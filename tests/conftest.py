"""For all tests: an empty home for the course, and a skip where a dev tool is missing.

`python3 -m memlab test` runs with requirements.txt alone: a test module that imports a tool of the
extra must not turn that run red.
"""

from __future__ import annotations

import os
import re
import signal
import tempfile
import threading
from collections.abc import Generator

import pytest

DEV_TOOLS = ("hypothesis", "playwright", "nbclient", "nbformat")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Turn "No module named 'hypothesis'" while collecting into a skip with that reason."""
    report = yield
    missing = re.search(rf"No module named '({'|'.join(DEV_TOOLS)})\b", str(report.longrepr))
    if report.failed and missing:
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 1, f"Skipped: {missing[1]} is not installed")
    return report


def pytest_configure(config: pytest.Config) -> None:
    """Keep the course's state of this run apart, unless whoever started it already does.

    And let Ctrl-C reach the programs under test: a shell that starts this run in the background has
    it ignored, which children would inherit.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if "MEMLAB_COURSE_HOME" not in os.environ:
        home = tempfile.TemporaryDirectory(prefix="memlab-", ignore_cleanup_errors=True)
        config.add_cleanup(home.cleanup)
        os.environ["MEMLAB_COURSE_HOME"] = home.name
