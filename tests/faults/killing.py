"""Processes that are killed at a call that changes a file."""

from __future__ import annotations

import os
import random
import select
import signal
from collections.abc import Callable
from typing import Any

import pytest

from memlab.memdir.folder import Folder

STARTED, DONE, CALL = b"s", b"d", b"c"
# In the tier all a tenth of what is tried in nightly.
TIMES = [pytest.param(10, marks=pytest.mark.slow), pytest.param(100, marks=pytest.mark.soak)]


def child(work: Callable[..., object], *given: Any) -> int:
    """Fork a process that works and ends, with status 0 if nothing was raised."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work(*given)
            status = 0
        finally:
            os._exit(status)
    return pid


def until_killed(work: Callable[[int], object], chance: random.Random, most: int = 20) -> bytes:
    """Let a child work, kill it at a random one of its calls, and give what it said before.

    A moment chosen by the clock would hardly ever fall between two calls of one change.
    """
    read_end, write_end = os.pipe()
    pid = child(lambda: (_tell_calls(write_end), work(write_end)))
    os.close(write_end)
    said, calls = b"", chance.randrange(1, most)
    while said.count(CALL) < calls and (sign := os.read(read_end, 1)):
        said += sign
    select.select([], [], [], chance.random() * 0.002)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    while more := os.read(read_end, 4_096):
        said += more
    os.close(read_end)
    return said.replace(CALL, b"")


def _tell_calls(pipe: int) -> None:
    def telling(call: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given, **more: (os.write(pipe, CALL), call(*given, **more))[1]

    for name in ("create", "append", "rename", "remove", "sync"):
        setattr(Folder, name, telling(getattr(Folder, name)))
