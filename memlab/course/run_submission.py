"""Runs a learner's function on the cases of an exercise, where nothing it does
can do harm.

It runs in a thread that is given up on when it does not come back, with its
output swallowed and its own copy of every argument. There is no sandbox: the
learner's code may touch files, as any notebook cell may.
"""

from __future__ import annotations

import contextlib
import copy
import ctypes
import io
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

SECONDS = 5.0
_GRACE = 0.5
Patience = Callable[[threading.Thread], object]


@dataclass(frozen=True)
class Result:
    """What came of one call: a value or an error, and whether an argument was
    changed in place.
    """

    value: Any = None
    error: BaseException | None = None
    changed: bool = False


class _GivenUpError(BaseException):
    """Ends a thread that nobody waits for any more."""


def wait_for(seconds: float) -> Patience:
    """Be patient for so many seconds of real time."""
    return lambda thread: thread.join(seconds)


def run_calls(
    function: Callable[..., Any],
    calls: Sequence[tuple[Any, ...]],
    patience: Patience | None = None,
) -> list[Result]:
    """Call the function with each row of arguments, up to the first error.

    Fewer results than calls, the last without an error, mean that the next
    call did not come back.
    """
    results: list[Result] = []
    thread = threading.Thread(
        target=_work, args=(function, calls, results), daemon=True
    )
    swallowed = io.StringIO()
    with (
        contextlib.redirect_stdout(swallowed),
        contextlib.redirect_stderr(swallowed),
    ):
        thread.start()
        (patience or wait_for(SECONDS))(thread)
        if thread.is_alive():
            _stop(thread)
            thread.join(_GRACE)
    return list(results)


def _work(
    function: Callable[..., Any],
    calls: Sequence[tuple[Any, ...]],
    results: list[Result],
) -> None:
    with contextlib.suppress(_GivenUpError):
        for call in calls:
            arguments = copy.deepcopy(call)
            try:
                value = function(*arguments)
            except _GivenUpError:
                raise
            # SystemExit and KeyboardInterrupt are answers here too
            except BaseException as error:
                results.append(Result(error=error))
                return
            results.append(Result(value, changed=bool(arguments != call)))


def _stop(thread: threading.Thread) -> None:
    """Ask CPython to raise in the thread; a loop in Python ends, a call into C
    ends later.
    """
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident), ctypes.py_object(_GivenUpError)
        )
