"""Puts learners' functions into memlab in place of its own, and counts their
calls.

A part is a public function with plain arguments that the machine calls through
its module, so putting one in place is one ``setattr``. The machine knows
nothing of this.
"""

from __future__ import annotations

import functools
import inspect
import linecache
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import TYPE_CHECKING, Any

from memlab.course.raising import TooLongError, time_limit

if TYPE_CHECKING:
    from memlab.course.gap import Gap

SECONDS = 5.0
"""How long a part may run each time memlab calls it."""

calls: Counter[str] = Counter()
"""How often each part was called since the last ``begin``."""

_installed: dict[str, tuple[Any, str, Any, Any]] = {}
"""By gap: a module, a name in it, memlab's own version and the part."""
_said: set[str] = set()


def own(gap: Gap) -> Any:
    """Return memlab's own version of what is at a gap's place."""
    if gap.name in _installed:
        return _installed[gap.name][2]
    module, _, name = gap.place.rpartition(".")
    return getattr(pkgutil.resolve_name(module), name)


def install(gap: Gap, mine: Any) -> None:
    """Let memlab call a learner's version."""
    remove(gap.name)
    module, _, name = gap.place.rpartition(".")
    owner = pkgutil.resolve_name(module)
    ours = getattr(owner, name)
    part = _safe(gap, counted(gap.name, mine), ours)
    _installed[gap.name] = (owner, name, ours, part)
    setattr(owner, name, part)


def remove(name: str) -> None:
    """Put memlab's own version back."""
    if name in _installed:
        owner, attribute, ours, _ = _installed.pop(name)
        setattr(owner, attribute, ours)


def remove_all() -> None:
    """Put all of memlab's own versions back, and count from 0."""
    for name in list(_installed):
        remove(name)
    calls.clear()
    _said.clear()


@contextmanager
def without_parts() -> Iterator[None]:
    """Take the learner's parts out for a while, and count nothing."""
    installed, counts = dict(_installed), calls.copy()
    for name in installed:
        remove(name)
    try:
        yield
    finally:
        calls.clear()
        calls.update(counts)
        for name, (owner, attribute, ours, part) in installed.items():
            _installed[name] = (owner, attribute, ours, part)
            setattr(owner, attribute, part)


def counted(name: str, mine: Any) -> Any:
    """Return a function whose calls are counted, or a class, of which those of
    its first public method are.
    """
    if inspect.isclass(mine):
        methods = {
            key: value
            for key, value in vars(mine).items()
            if isinstance(value, FunctionType) and not key.startswith("_")
        }
        more = {"__module__": mine.__module__, "__doc__": mine.__doc__}
        for key in list(methods)[:1]:
            more[key] = counted(name, methods[key])
        return type(mine.__name__, (mine,), more)

    @functools.wraps(mine)
    def count(*given: Any, **named: Any) -> Any:
        calls[name] += 1
        return mine(*given, **named)

    return count


def _safe(gap: Gap, mine: Any, ours: Any) -> Any:
    """Return what takes the place of ours: no memory is lost by a mistake in
    the learner's version.
    """
    entering = gap.enters(mine, ours) if gap.enters else mine
    if inspect.isclass(entering):
        return entering

    @functools.wraps(ours)
    def part(*given: Any, **named: Any) -> Any:
        undo = [_undo(value) for value in (*given, *named.values())]
        try:
            with time_limit(SECONDS):
                result = entering(*given, **named)
        except gap.raises:
            raise
        except (Exception, TooLongError) as error:
            for put_back in undo:
                put_back()
            _say(gap.name, error)
            return ours(*given, **named)
        if gap.guard:
            return bool(result) and ours(*given, **named)
        return result

    return part


def _undo(value: Any) -> Callable[[], object]:
    """Return a function that gives an argument its present content again.

    A list and a dict are remembered here; anything else that a part may change
    has a method ``remember``, which returns such a function.
    """
    if isinstance(value, list):
        return functools.partial(value.__setitem__, slice(None), value[:])
    if isinstance(value, dict):
        return functools.partial(_refill, value, dict(value))
    remember = getattr(value, "remember", None)
    return remember() if callable(remember) else lambda: None


def _refill(value: dict[Any, Any], before: dict[Any, Any]) -> None:
    value.clear()
    value.update(before)


def _say(name: str, error: BaseException) -> None:
    """Print a line about a part that failed; the same line only once."""
    what = f"raised {type(error).__name__}: {error}"
    if isinstance(error, TooLongError):
        what = f"did not return within {SECONDS:g} seconds"
    found = line_of(error)
    where = f" (line {found[0]}: {found[1]})" if found else ""
    line = f"your {name} {what}{where}; memlab's own version was used instead"
    if line not in _said:
        _said.add(line)
        print(line)


def line_of(error: BaseException) -> tuple[int, str] | None:
    """Return number and text of the innermost line that the learner wrote."""
    found = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__") == "__main__":
            file = trace.tb_frame.f_code.co_filename
            text = linecache.getline(file, trace.tb_lineno).strip()
            found = (trace.tb_lineno, text)
        trace = trace.tb_next
    return found
