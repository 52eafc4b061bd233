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
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memlab.course.gap import Gap

calls: Counter[str] = Counter()
"""How often each part was called since the last ``begin``."""

_installed: dict[str, tuple[Gap, Any, Any]] = {}
"""By name: the gap, the learner's version and memlab's own."""
_said: set[str] = set()


def own(gap: Gap) -> Any:
    """Return memlab's own version of what is at a gap's place."""
    if gap.name in _installed:
        return _installed[gap.name][2]
    owner, name = _place(gap)
    return getattr(owner, name)


def install(gap: Gap, mine: Any) -> None:
    """Let memlab call a learner's version; if it raises, memlab's own is used
    for this call.
    """
    if not gap.place:
        return
    remove(gap.name)
    owner, name = _place(gap)
    ours = getattr(owner, name)
    part = counted(gap.name, mine)
    if gap.enters is not None:
        part = gap.enters(part, ours)
    if not inspect.isclass(part):
        part = _with_fallback(gap, part, ours)
    _installed[gap.name] = (gap, mine, ours)
    setattr(owner, name, part)


def remove(name: str) -> None:
    """Put memlab's own version back."""
    if name in _installed:
        gap, _, ours = _installed.pop(name)
        owner, attribute = _place(gap)
        setattr(owner, attribute, ours)


def remove_all() -> None:
    """Put all of memlab's own versions back."""
    for name in list(_installed):
        remove(name)


@contextmanager
def without_parts() -> Iterator[Counter[str]]:
    """Take the learner's parts out for a while; what is called meanwhile is
    counted separately.
    """
    global calls
    installed, before = list(_installed.values()), calls
    remove_all()
    calls = Counter()
    try:
        yield calls
    finally:
        remove_all()
        calls = before
        for gap, mine, _ in installed:
            install(gap, mine)


def counted(name: str, mine: Any) -> Any:
    """Return a function whose calls are counted; a class stays as it is."""
    if inspect.isclass(mine):
        return mine

    @functools.wraps(mine)
    def count(*given: Any, **named: Any) -> Any:
        calls[name] += 1
        return mine(*given, **named)

    return count


def _place(gap: Gap) -> tuple[Any, str]:
    owner, _, name = gap.place.rpartition(".")
    return pkgutil.resolve_name(owner), name


def _with_fallback(gap: Gap, mine: Any, ours: Any) -> Any:
    """Return what takes the place of ours: no memory is lost by a mistake in
    the learner's version.
    """

    @functools.wraps(ours)
    def part(*given: Any, **named: Any) -> Any:
        try:
            result = mine(*given, **named)
        except gap.raises:
            raise
        except Exception as error:
            say_once(gap.name, error)
            return ours(*given, **named)
        if gap.guard:  # it may refuse more than memlab does, never less
            return bool(result) and ours(*given, **named)
        return result

    return part


def say_once(name: str, error: Exception) -> None:
    """Print a line about a part that failed; the same line only once."""
    line = (
        f"your {name} raised {type(error).__name__}: {error}"
        f" ({line_of(error)}); memlab's own version was used instead"
    )
    if line not in _said:
        _said.add(line)
        print(line)


def line_of(error: BaseException) -> str:
    """Return number and text of the innermost line that the learner wrote."""
    found = ""
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_globals.get("__name__") == "__main__":
            text = linecache.getline(frame.f_code.co_filename, number)
            found = f"line {number}: {text.strip()}"
    return found
