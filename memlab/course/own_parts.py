"""What a learner uses: ``check``, ``hint``, ``solution``, and ``my``, the parts
that have passed. They are in ``my/parts``, one file for each.
"""

from __future__ import annotations

import inspect
import os
import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from IPython.display import display

from memlab.course import parts
from memlab.course.gap import Gap, all_gaps, judge
from memlab.course.notebook_folder import course_home
from memlab.course.show import Folded, Page, Table, fenced, table
from memlab.course.sources import ELLIPSIS, definition_cell, load, stand_alone
from memlab.course.verdict import Verdict, help_for, refusal, todo
from memlab.errors import CourseError

LAST_OF_SYSTEM = 11
"""The last notebook whose gaps are parts of the memory system."""

_HEAD = re.compile(r"# \w+, notebook \d\d: (passed|ours).*\n")
_hints_given: Counter[str] = Counter()


def check(function: Any) -> None:
    """Show how a learner's function does: *todo*, *not yet* or *pass*. What
    passes is saved, and memlab calls it from then on.
    """
    gap = _find(function)
    display(_checked(gap, inspect.unwrap(function)))  # type: ignore[no-untyped-call]


def _checked(gap: Gap, function: Any) -> Verdict:
    if isinstance(function, str):
        return refusal(f"Give the function itself: check({gap.name}).")
    if function is gap.ours:
        return refusal(f"{gap.name}: this is memlab's own.")
    source = _HEAD.sub("", definition_cell(function))
    if ELLIPSIS.search(source):
        return todo(gap.name)
    my.closed = gap.name
    try:
        mine = load(gap.name, source)
        verdict = judge(gap, mine)
    except Exception as error:
        return refusal(
            f"The cell of {gap.name} has to stand alone, and there:"
            f" {type(error).__name__}: {error}. Put what it uses into the same"
            f" cell. {help_for(gap.name)}"
        )
    finally:
        my.closed = ""
    if verdict.state != "pass":
        return verdict
    write_part(gap, source, "passed")
    my.use(gap, mine)
    saved = f"It is saved in my/parts/{gap.name}.py"
    if gap.place:
        saved += ", and from now on, memlab calls yours"
    return Verdict("pass", (*verdict.lines, f"{saved}."))


def hint(gap: Any) -> None:
    """Print the next hint for a gap, given by its function or its name."""
    gap = _find(gap)
    last = len(gap.hints)
    number = min(last, _hints_given[gap.name] + 1)
    _hints_given[gap.name] = number
    text = f"hint {number} of {last}: {gap.hints[number - 1]}"
    if number == last:
        text += f' (the last one; solution("{gap.name}") shows one way)'
    print(textwrap.fill(text, 79, break_long_words=False))


def solution(gap: Any) -> Page:
    """Show memlab's own version, which stands alone, and in a sentence why it
    is right.
    """
    gap = _find(gap)
    source = fenced(stand_alone(gap.ours), "python")
    return Page(f"solution of {gap.name}", f"{source}\n\n{gap.why}")


def _find(gap: Any) -> Gap:
    name = gap if isinstance(gap, str) else getattr(gap, "__name__", gap)
    if name not in all_gaps():
        raise CourseError(
            f"there is no gap {name}", do="See progress(), which lists them"
        )
    return all_gaps()[name]


# The files


def parts_folder() -> Path:
    """Return the folder of the learner's parts: ``my/parts`` in the clone, or
    ``parts`` in ``MEMLAB_COURSE_HOME``.
    """
    return course_home() / "parts"


def write_part(gap: Gap, source: str, by: str) -> None:
    """Write a part's file, at once or not at all; ``by`` is *passed* or
    *ours*.
    """
    parts_folder().mkdir(parents=True, exist_ok=True)
    half = parts_folder() / f".{gap.name}.new"
    head = f"# {gap.name}, notebook {gap.notebook:02d}: {by}"
    half.write_text(f"{head}\n{source}", encoding="utf-8")
    os.replace(half, parts_folder() / f"{gap.name}.py")


def part_files() -> dict[str, tuple[str, str]]:
    """Return by name whose a part is, *passed* (the learner's) or *ours*, and
    its source.
    """
    found = {}
    for name in all_gaps():
        file = parts_folder() / f"{name}.py"
        if file.is_file():
            text = file.read_text(encoding="utf-8", errors="replace")
            head = _HEAD.match(text)
            found[name] = (head[1] if head else "passed", text)
    return found


# my


class My:
    """The learner's parts by name, and memlab's own where there is none."""

    def __init__(self) -> None:
        self._mine: dict[str, Any] = {}
        self.closed = ""
        """The gap that is being judged: an answer that only calls it is no
        answer, and of the other gaps it gets memlab's own.
        """

    def __getattr__(self, name: str) -> Any:
        gap = all_gaps().get(name)
        if gap is None:
            raise AttributeError(f"there is no gap {name!r}")
        if name == self.closed:
            raise RuntimeError(f"my.{name} is what you are writing")
        if name in self._mine and not self.closed:
            return parts.counted(name, self._mine[name])
        return gap.ours

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *all_gaps()]

    def use(self, gap: Gap, mine: Any) -> None:
        """Let memlab call a part."""
        self._mine[gap.name] = mine
        parts.install(gap, mine)

    def load(self) -> list[str]:
        """Put every part in ``my/parts`` into memlab, and nothing else; gives
        a line for each that cannot be used.
        """
        parts.remove_all()
        parts.calls.clear()
        self._mine.clear()
        problems = []
        for name, (_, source) in part_files().items():
            try:
                mine = load(name, source, str(parts_folder() / f"{name}.py"))
            except Exception as error:
                problems.append(
                    f"my/parts/{name}.py: {type(error).__name__}: {error}."
                    " Until you fix this, memlab's version is used"
                )
            else:
                self.use(all_gaps()[name], mine)
        return problems

    @contextmanager
    def completed(self, **instead: Any) -> Iterator[Counter[str]]:
        """Run with a complete set of parts: the learner's, and ours where they
        have none. ``instead`` replaces parts for this time.

        Gives the number of calls of each part, which grows meanwhile.
        """
        with parts.without_parts() as calls:
            for name, gap in all_gaps().items():
                mine = self._mine.get(name, gap.ours)
                parts.install(gap, instead.get(name, mine))
            yield calls
        parts.calls.update({name: calls[name] for name in self._mine})

    def counts(self) -> Table | Page:
        """Show how often each of the learner's parts was called since the last
        ``begin``.
        """
        rows = [
            (name, state, parts.calls[name])
            for name, (state, _) in part_files().items()
            if name in self._mine
        ]
        if rows:
            return table(rows, ("part", "is", "calls"))
        nothing = (
            "None of your functions has passed yet, so memlab uses its own"
            " versions."
        )
        return Page("no parts yet", nothing)

    def system(self) -> Folded:
        """Show the memory system as one file: the learner's parts, and ours
        where there are none.
        """
        written = part_files()
        pieces, own = [], 0
        for name, gap in all_gaps().items():
            if gap.notebook > LAST_OF_SYSTEM:
                continue
            whose, source = "our solution", stand_alone(gap.ours)
            if written.get(name, ("ours",))[0] == "passed":
                whose, source = "yours", _HEAD.sub("", written[name][1])
                own += 1
            head = f"# ---- {name} (notebook {gap.notebook:02d}): {whose} ----"
            pieces.append(f"{head}\n{source.strip()}")
        lines = sum(piece.count("\n") for piece in pieces)
        title = f"{lines} lines of code in {len(pieces)} parts; {own} of them"
        return Folded("\n\n\n".join([f"# {title} are yours", *pieces]))


my = My()
