"""How much work a piece of code does: a figure that no busy machine and no slow one changes.

A test that reads a clock fails on a day when the machine has something else to do, so the tests
count instead. Left out: what happens inside one call into C, such as a regular expression that
backtracks; ``does_not_stall`` is for those.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

STALLED = 10.0
"""Seconds of processor time. What is judged takes a hundredth of it, unless its time is squared."""


def calls(work: Callable[[], object]) -> int:
    """Count the function calls, of Python's and of C's, that some work makes in this thread."""
    count = 0

    def count_call(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        if event in ("call", "c_call"):
            count += 1

    before = sys.getprofile()
    sys.setprofile(count_call)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def does_not_stall(work: Callable[[], object]) -> bool:
    """Tell whether work on a hostile text ends soon; the one clock that may decide a test.

    It is the processor time of this process, so that nothing else on the machine counts.
    """
    begun = time.process_time()
    work()
    return time.process_time() - begun < STALLED
