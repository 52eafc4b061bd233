"""The parts of one lab: the learner's own, or ours.

What has passed ``check`` is the learner's, and so is what ``begin(n,
parts=…)`` was given, for this lab alone. A function fills the part of its
name. Nothing is judged here: ``check`` does that.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from memlab.course.exercise_files import find_exercise
from memlab.course.gap import all_gaps
from memlab.course.my_parts import my
from memlab.course.seams import SEAMS, without_seams
from memlab.errors import CourseError


class Parts:
    """The exchangeable parts by name, each the learner's or ours."""

    def __init__(
        self, mine: Mapping[str, Callable[..., Any]] | None = None
    ) -> None:
        self.given = dict(mine or {})
        self._set_aside = False

    @property
    def mine(self) -> tuple[str, ...]:
        """The names of the parts that are the learner's, in alphabetical
        order.
        """
        saved = [name for name in my.active if name in SEAMS]
        return tuple(sorted({*self.given, *saved}))

    def get(self, name: str) -> Callable[..., Any]:
        """Return the learner's part, or else ours; raises CourseError for an
        unknown name.
        """
        seam = SEAMS.get(name)
        if seam is None or seam.ours is None:
            raise CourseError(
                f"there is no part {name!r}", where="parts", do=_choose()
            )
        if self._set_aside:
            return seam.ours
        if name in self.given:
            return seam.asked(my.counted(name, self.given[name]))
        mine = my.learners(name)
        return seam.ours if mine is None else seam.asked(mine)

    @contextmanager
    def set_aside(self) -> Iterator[None]:
        """Use memlab's own parts for a while, in the machine as well."""
        self._set_aside = True
        try:
            with without_seams():
                yield
        finally:
            self._set_aside = False


def read_parts(parts: Any = None) -> Parts:
    """Read ``parts=``: a mapping, or some functions.

    Functions of exercises that fill no part are passed over. Raises
    CourseError for a part that does not exist.
    """
    if parts is None or isinstance(parts, Parts):
        return parts or Parts()
    mine = {}
    for part, function in _named(parts):
        if part not in SEAMS and find_exercise(part):
            continue
        if part not in SEAMS and part not in all_gaps():
            raise CourseError(
                f"there is no part {part!r}",
                where=f"parts={part}",
                do=_choose(),
            )
        if not callable(function):
            raise CourseError(
                f"{function!r} is not a function",
                where=f"parts={part}",
                do=f"Write def {part}",
            )
        mine[part] = function
    return Parts(mine)


def _named(parts: Any) -> list[tuple[str, Any]]:
    if isinstance(parts, Mapping):
        return [(str(name), value) for name, value in parts.items()]
    if inspect.isfunction(parts):
        return [(parts.__name__, parts)]
    if isinstance(parts, Iterable):
        return [
            (getattr(part, "__name__", repr(part)), part) for part in parts
        ]
    raise CourseError(
        f"{parts!r} names no functions",
        where="parts=",
        do="Pass [contains_evidence]",
    )


def _choose() -> str:
    return f"The parts are: {', '.join(sorted(SEAMS))}"
