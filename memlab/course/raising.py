"""Raises an exception in another thread, or in this one a moment later.

Python 3.11 has one flag for all threads which says that something is to be
raised, and clears it only when something has been. While it is set, a function
that is traced never gets past its first line, so a debugger would hang. So
nothing is ever taken back here: it arrives and is caught.
"""

from __future__ import annotations

import ctypes
import threading


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
