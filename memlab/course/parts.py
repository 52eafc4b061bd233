"""The learner's own parts in the machine: what ``begin(n, parts=…)`` accepts.

A function ``my_contains_evidence`` fills the part ``contains_evidence``; a part
that nobody filled is ours. Nothing is judged here: ``check`` does that.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from memlab.course.adapters import PARTS
from memlab.course.exercise_files import find_exercise
from memlab.errors import CourseError

PREFIX = "my_"


class Parts:
    """The exchangeable parts by name, each the learner's or ours."""

    def __init__(
        self, mine: Mapping[str, Callable[..., Any]] | None = None
    ) -> None:
        self._mine = dict(mine or {})

    @property
    def mine(self) -> tuple[str, ...]:
        """The names of the parts that are the learner's, in alphabetical
        order.
        """
        return tuple(sorted(self._mine))

    def get(self, name: str) -> Callable[..., Any]:
        """Return the learner's part, or else ours; raises CourseError for an
        unknown name.
        """
        if name not in PARTS:
            raise CourseError(
                f"there is no part {name!r}", where="parts", do=_choose()
            )
        return self._mine.get(name, PARTS[name])


def read_parts(parts: Any = None) -> Parts:
    """Read ``parts=``: a mapping, some ``my_*`` functions, or a namespace such
    as a module.

    ``my_*`` functions of exercises that fill no part are passed over, and so
    is every name of a namespace that does not begin with ``my_``. Raises
    CourseError for a part that does not exist.
    """
    if parts is None or isinstance(parts, Parts):
        return parts or Parts()
    mine = {}
    for name, function in _named(parts):
        part = name.removeprefix(PREFIX)
        if part not in PARTS and part != name and find_exercise(name):
            continue
        if part not in PARTS:
            raise CourseError(
                f"there is no part {part!r}",
                where=f"parts={name}",
                do=_choose(),
            )
        if not callable(function):
            raise CourseError(
                f"{function!r} is not a function",
                where=f"parts={name}",
                do="Write def " + name,
            )
        mine[part] = function
    return Parts(mine)


def _named(parts: Any) -> list[tuple[str, Any]]:
    if isinstance(parts, Mapping):
        if "__name__" not in parts:
            return [(str(name), value) for name, value in parts.items()]
        return _mine_in(parts)
    if inspect.isfunction(parts):
        return [(parts.__name__, parts)]
    if isinstance(parts, Iterable):
        return [
            (getattr(part, "__name__", repr(part)), part) for part in parts
        ]
    try:
        return _mine_in(vars(parts))
    except TypeError:
        raise CourseError(
            f"{parts!r} names no functions",
            where="parts=",
            do="Pass [my_contains_evidence]",
        ) from None


def _mine_in(names: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [
        (name, value) for name, value in names.items() if _is_mine(name, value)
    ]


def _is_mine(name: str, value: Any) -> bool:
    return name.startswith(PREFIX) and inspect.isfunction(value)


def _choose() -> str:
    return f"The parts are: {', '.join(sorted(PARTS))}"
