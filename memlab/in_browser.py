"""What a browser tab lacks, for the edition of the course that runs in one
(``python3 -m memlab lite``).

Pyodide, the Python for browsers, has neither threads nor processes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

IN_BROWSER: bool = sys.platform == "emscripten"

if IN_BROWSER and not hasattr(sys.modules.get("fcntl"), "flock"):
    # The browser's Jupyter kernel puts an empty module in the place of this
    # one, but Pyodide has the real one, and filelock needs it.
    sys.modules.pop("fcntl", None)


@contextmanager
def limit_by_tracing(
    seconds: float, error: Callable[[], BaseException]
) -> Iterator[None]:
    """Raise ``error`` at the next line of Python code after so many seconds.

    This needs no second thread, but it makes the code slower, and it never
    ends a long call into C. Code that swallows the error goes on without a
    limit, because Python stops tracing when a trace function raises.
    """
    end = time.monotonic() + seconds

    def trace(frame: FrameType, event: str, value: Any) -> Any:
        if time.monotonic() > end:
            raise error()
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)
