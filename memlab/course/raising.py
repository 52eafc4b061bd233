"""Raises an exception in another thread, or in this one a moment later.

Python 3.11 has one flag for all threads which says that something is to be
raised, and clears it only when something has been. While it is set, a function
that is traced never gets past its first line, so a debugger would hang. So
nothing is ever taken back here: it arrives and is caught.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class _NothingError(BaseException):
    """Is raised only to be caught."""


def raise_in(thread: int, error: type[BaseException]) -> None:
    """Raise in the thread with this ident, at its next jump or call in Python;
    a call into C has to return first. A thread that has ended is left alone.
    """
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), ctypes.py_object(error)
    )


def clear_flag() -> None:
    """Clear the flag that stays set while the other thread is stuck in C."""
    try:
        raise_in(threading.get_ident(), _NothingError)
        for _ in range(2):  # it arrives at a jump, if not before
            pass
    except _NothingError:
        pass


class TooLongError(BaseException):
    """Ends code that was still running when its time was over."""


_DEADLINES: dict[int, float] = {}
_LOCK = threading.Lock()
_WATCHERS: list[threading.Thread] = []


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TooLongError in this thread when the time is over; inside another
    limit, the outer one counts.

    One thread watches all limits, so a limit costs a few microseconds.
    """
    thread = threading.get_ident()
    if thread in _DEADLINES:
        yield
        return
    with _LOCK:
        _DEADLINES[thread] = time.monotonic() + seconds
        if not _WATCHERS:
            _WATCHERS.append(threading.Thread(target=_watch, daemon=True))
            _WATCHERS[0].start()
    try:
        yield
    finally:
        try:
            with _LOCK:
                _DEADLINES.pop(thread, None)
            for _ in range(2):  # what was raised at the last moment arrives
                pass
        except TooLongError:
            _DEADLINES.pop(thread, None)


def _watch() -> None:
    while True:
        time.sleep(0.1)
        with _LOCK:
            if not _DEADLINES:
                _WATCHERS.clear()
                return
            for thread, end in _DEADLINES.items():
                if time.monotonic() > end:
                    _DEADLINES[thread] = end + 1  # it may have been caught
                    raise_in(thread, TooLongError)
