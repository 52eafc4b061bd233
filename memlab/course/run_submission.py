"""Runs a learner's function on the cases of an exercise, where nothing it does
can do harm.

It runs in a thread that is given up on when it does not come back, with its
own copy of every argument. What it prints is captured. There is no sandbox:
the learner's code may touch files, as any notebook cell may.
"""

from __future__ import annotations

import builtins
import contextlib
import copy
import io
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from memlab.course.raising import clear_flag, raise_in

SECONDS = 5.0
"""How long to wait without any call coming back."""
ALL_CALLS = 12
"""All calls together may take this many times as long."""
_GRACE = 0.5
_MOST_PRINTED = 10_000
Patience = Callable[[threading.Thread], object]


@dataclass(frozen=True)
class Result:
    """What came of one call: a value or an error, what was printed, and
    whether an argument was changed in place.

    ``stopped`` means that the call did not come back.
    """

    value: Any = None
    error: BaseException | None = None
    changed: bool = False
    printed: str = ""
    stopped: bool = False


class _Printed(io.StringIO):
    """Keeps the first ten thousand characters that a call prints: an endless
    loop may print without end.
    """

    def write(self, text: str) -> int:
        left = _MOST_PRINTED - self.tell()
        if left > 0:
            super().write(text[:left])
        return len(text)

    def take(self) -> str:
        """Return what was printed since the last time."""
        text = self.getvalue()
        self.seek(0)
        self.truncate()
        return text


class NoInputError(Exception):
    """The learner's function has called ``input``, and nobody is there to
    answer.
    """

    def __init__(self) -> None:
        super().__init__(
            "input() waits for a person. Use the arguments instead"
        )


@contextlib.contextmanager
def _without_input() -> Iterator[None]:
    """Let ``input`` raise at once, in place of waiting for an answer."""

    def refuse(prompt: object = "") -> str:
        raise NoInputError

    before = builtins.input
    builtins.input = refuse
    try:
        yield
    finally:
        builtins.input = before


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

    If a call does not come back, its result is the last one.
    """
    results: list[Result] = []
    printed = _Printed()
    thread = threading.Thread(
        target=_work, args=(function, calls, results, printed), daemon=True
    )
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
        _without_input(),
    ):
        thread.start()
        for _ in range(ALL_CALLS):
            before = len(results)
            (patience or wait_for(SECONDS))(thread)
            if not thread.is_alive() or len(results) == before:
                break
        stopped = thread.is_alive()
        if stopped:
            raise_in(thread.ident or 0, _GivenUpError)
            thread.join(_GRACE)
            clear_flag()
    found = list(results)
    if stopped and len(found) < len(calls) and not _ended(found):
        found.append(Result(printed=printed.take(), stopped=True))
    return found


def _ended(results: Sequence[Result]) -> bool:
    return bool(results) and results[-1].error is not None


def _work(
    function: Callable[..., Any],
    calls: Sequence[tuple[Any, ...]],
    results: list[Result],
    printed: _Printed,
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
                results.append(Result(error=error, printed=printed.take()))
                return
            changed = bool(arguments != call)
            results.append(Result(value, None, changed, printed.take()))
