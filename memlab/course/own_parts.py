"""What a learner uses: ``check``, ``hint``, ``solution``, and ``my``, the parts
that have passed. They are in ``my/parts``, one file for each.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import linecache
import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from memlab.course import data_files, parts
from memlab.course.display import Folded, Page, Table, fenced, table
from memlab.course.gap import (
    Gap,
    all_gaps,
    judge,
    load,
    stand_alone,
)
from memlab.course.kernel_state import KERNEL_STATE
from memlab.course.messages import Verdict, refusal, show, todo, wrapped
from memlab.course.notebook_folder import course_folder
from memlab.course.raising import TooLongError, time_limit
from memlab.text import shorten

LAST_OF_SYSTEM = 11
"""The last notebook whose gaps are parts of the memory system."""

_HEAD = re.compile(r"# (\w+), notebook (\d\d): (passed|ours), ([0-9a-f]{8})\n")

_OLD_HEAD = re.compile(
    r"^# ---- (\w+) \(notebook \d\d\): passed.* ----$\n", re.MULTILINE
)


def parts_folder() -> Path:
    """Return the folder of the learner's parts: ``my/parts`` in the clone, or
    ``parts`` in ``MEMLAB_COURSE_HOME``.
    """
    usual = data_files.CLONE / "my"
    folder = course_folder()
    return (usual if folder.is_relative_to(usual) else folder) / "parts"


def shown_file(name: str) -> str:
    """Return a part's file as messages show it."""
    return f"my/parts/{name}.py"


# check, hint, solution


def check(function: Any) -> None:
    """Show how a learner's function does: *todo*, *not yet* or *pass*. What
    passes is saved, and memlab calls it from then on.
    """
    gap = _find(function)
    if gap is None:
        show(refusal(_unknown(function)))
        return
    try:
        show(_checked(gap, function))
    except Exception as error:
        kind = type(error).__name__
        show(refusal(f"This could not be judged ({kind}: {error})"))


def _checked(gap: Gap, function: Any) -> Verdict:
    if isinstance(function, str) or not callable(function):
        return refusal(f"Give the function itself: check({gap.name})")
    function = inspect.unwrap(getattr(function, "__mro__", [function])[0])
    if function is gap.ours:
        return Verdict("not yet", (f"{gap.name}: this is memlab's own.",))
    source = definition_cell(function)
    if _has_ellipsis(gap.name, source):
        return todo(gap.name)
    if source:
        try:
            with my.closed(gap.name), time_limit(4 * parts.SECONDS):
                function = load(gap.name, source)
        except (Exception, TooLongError) as error:
            return refusal(_not_alone(gap.name, error), gap.name)
    with my.closed(gap.name):
        verdict = judge(gap, function)
    if not verdict.passed:
        return verdict
    if not source:
        return verdict.with_note("No cell defines it, so it is not saved")
    write_part(gap, source, "passed")
    my.use(gap, function)
    who = "; from now on, memlab calls yours" if gap.place else ""
    return verdict.with_note(f"saved in {shown_file(gap.name)}{who}")


def definition_cell(thing: Any) -> str:
    """Return the text of the cell that defines a function or class, without
    what the cell calls and awaits at its top.
    """
    functions = [thing, *vars(thing).values()]
    files = [
        each.__code__.co_filename
        for each in functions
        if hasattr(each, "__code__")
    ]
    lines = linecache.getlines(files[0]) if files else []
    for node in ast.parse("".join(lines)).body:
        awaits = isinstance(node, ast.AsyncFor | ast.AsyncWith) or (
            isinstance(node, ast.Assign | ast.AnnAssign)
            and any(isinstance(each, ast.Await) for each in ast.walk(node))
        )
        if isinstance(node, ast.Expr) or awaits:
            count = (node.end_lineno or node.lineno) - node.lineno + 1
            lines[node.lineno - 1 : node.end_lineno] = ["\n"] * count
    text = _HEAD.sub("", "".join(lines), count=1).strip("\n")
    return f"{text}\n" if text else ""


def _has_ellipsis(name: str, source: str) -> bool:
    """Tell whether there is still a bare ``...`` in a definition."""
    for node in ast.parse(source).body:
        if getattr(node, "name", "") == name:
            return any(
                isinstance(each, ast.Expr)
                and isinstance(each.value, ast.Constant)
                and each.value.value is ...
                for each in ast.walk(node)
            )
    return False


def _not_alone(name: str, error: BaseException) -> str:
    if isinstance(error, NameError):
        return (
            f"The cell of {name} has to stand alone, and there: {error}. Put"
            " what it uses into the same cell"
        )
    return (
        f"The cell of {name} cannot be run alone ({type(error).__name__}:"
        f" {error})"
    )


def hint(gap: Any) -> None:
    """Print the next hint for a gap, given by its function or its name."""
    found = _find(gap)
    if found is None:
        print(wrapped(_unknown(gap)))
        return
    number = KERNEL_STATE.next_hint(found.name, len(found.hints))
    text = found.hints[number - 1]
    last = f' (the last one; solution("{found.name}") shows one way)'
    more = last if number == len(found.hints) else ""
    print(wrapped(f"hint {number} of {len(found.hints)}: {text}{more}"))


def solution(gap: Any) -> Page:
    """Show memlab's own version, which stands alone, and in a sentence why it
    is right.
    """
    found = _find(gap)
    if found is None:
        return Page("no such gap", _unknown(gap))
    source = fenced(stand_alone(found.ours).rstrip(), "python")
    return Page(f"solution of {found.name}", f"{source}\n\n{found.why}")


def _find(gap: Any) -> Gap | None:
    return all_gaps().get(_name_of(gap) or "")


def _name_of(gap: Any) -> str | None:
    name = gap if isinstance(gap, str) else getattr(gap, "__name__", None)
    return name if isinstance(name, str) else None


def _unknown(gap: Any) -> str:
    name = _name_of(gap)
    if name is None:
        came = shorten(repr(gap), 40)
        return f"give the function itself, not {came}. progress() lists them"
    near = get_close_matches(name, list(all_gaps()), n=2)
    meant = f" Did you mean {' or '.join(near)}?" if near else ""
    return f"there is no gap {name!r}.{meant} progress() lists them"


# The files


def write_part(gap: Gap, source: str, by: str) -> None:
    """Write a part's file, at once or not at all; ``by`` is *passed* or
    *ours*.
    """
    folder = parts_folder()
    folder.mkdir(parents=True, exist_ok=True)
    head = f"# {gap.name}, notebook {gap.notebook:02d}: {by}, {_mark(source)}"
    half = folder / f".{gap.name}.new"
    half.write_text(f"{head}\n{source}", encoding="utf-8")
    os.replace(half, folder / f"{gap.name}.py")


def _mark(source: str) -> str:
    """Return the fingerprint of a source, without the space around it."""
    text = source.strip().encode()
    return hashlib.sha256(text).hexdigest()[:8]


def part_files() -> dict[str, tuple[str, str]]:
    """Return by name what a part is, *passed*, *ours* or *edited*, and its
    source.
    """
    found = {}
    for file in sorted(parts_folder().glob("*.py")):
        if file.stem in all_gaps():
            text = file.read_text(encoding="utf-8", errors="replace")
            head = _HEAD.match(text)
            source = text[head.end() :] if head else text
            same = head is not None and head[4] == _mark(source)
            found[file.stem] = (head[3] if head and same else "edited", text)
    return found


def split_old_file() -> list[str]:
    """Split ``my/memory.py``, in which earlier versions kept all parts, into
    one file for each; gives a line that says so.
    """
    old = parts_folder().parent / "memory.py"
    if not old.is_file():
        return []
    text = old.read_text(encoding="utf-8", errors="replace")
    above, *sections = _OLD_HEAD.split(text)
    if not sections:
        return []
    kept = part_files()
    names = []
    for name, source in zip(sections[::2], sections[1::2], strict=True):
        if name in all_gaps() and name not in kept:
            names.append(name)
            # without a fingerprint, it is checked when it is loaded
            source = f"{above.strip()}\n\n\n{source.strip()}\n"
            parts_folder().mkdir(parents=True, exist_ok=True)
            (parts_folder() / f"{name}.py").write_text(source, "utf-8")
    place = old.with_name("memory.older.py")
    while place.exists():
        place = place.with_suffix(".older.py")
    old.rename(place)
    return [
        f"my/memory.py was split into my/parts, one file for each part"
        f" ({', '.join(names) or 'none is in this course'}); the old file is"
        f" kept as my/{place.name}"
    ]


# my


class My:
    """The learner's parts by name, and memlab's own where there is none."""

    def __init__(self) -> None:
        self._mine: dict[str, Any] = {}
        self._state: dict[str, str] = {}
        self._closed = ""

    def __getattr__(self, name: str) -> Any:
        gap = all_gaps().get(name)
        if gap is None:
            raise AttributeError(f"there is no gap {name!r}")
        if name == self._closed:
            raise RuntimeError(f"my.{name} is what you are writing")
        if name in self._mine and not self._closed:
            return parts.counted(name, self._mine[name])
        return gap.ours

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *all_gaps()]

    def __repr__(self) -> str:
        return f"<my parts: {', '.join(self._mine) or 'none yet'}>"

    @contextmanager
    def closed(self, name: str) -> Iterator[None]:
        """While a gap is judged, give only memlab's own, and not this one: an
        answer that only calls it is no answer.
        """
        before, self._closed = self._closed, name
        try:
            yield
        finally:
            self._closed = before

    def use(self, gap: Gap, mine: Any) -> None:
        """Let memlab call a part that has passed."""
        self._mine[gap.name] = mine
        self._state[gap.name] = "passed"
        if gap.place:
            parts.install(gap, mine)

    def load(self) -> list[str]:
        """Put every part in ``my/parts`` into memlab, and nothing else; gives
        a line for each that cannot be used.
        """
        parts.remove_all()
        self._mine.clear()
        self._state.clear()
        said = []
        for name, (state, source) in part_files().items():
            gap, file = all_gaps()[name], str(parts_folder() / f"{name}.py")
            try:
                with time_limit(4 * parts.SECONDS):
                    mine = load(name, source, file)
            except (Exception, TooLongError) as error:
                what = f"{type(error).__name__}: {error}".rstrip(": ")
                said.append(
                    f"{shown_file(name)}: {what}. Until you fix this, memlab's"
                    " version is used"
                )
                continue
            if state == "edited":
                with self.closed(name):
                    verdict = judge(gap, mine)
                if not verdict.passed:
                    said.append(
                        f"{shown_file(name)} was edited and does not pass any"
                        f" more, so memlab's version is used.\n{verdict}"
                    )
                    continue
                write_part(gap, _HEAD.sub("", source, count=1), "passed")
                state = "passed"
            self.use(gap, mine)
            self._state[name] = state
        return said

    @contextmanager
    def completed(self, **instead: Any) -> Iterator[Counter[str]]:
        """Run with a complete set of parts: the learner's, and ours where they
        have none. ``instead`` replaces parts for this time.

        Gives the number of calls of each part, which grows meanwhile.
        """
        with parts.without_parts():
            before, parts.calls = parts.calls, Counter()
            for name, gap in all_gaps().items():
                mine = instead.get(name, self._mine.get(name, gap.ours))
                if gap.place:
                    parts.install(gap, mine)
            try:
                yield parts.calls
            finally:
                counted, parts.calls = parts.calls, before
                parts.remove_all()
        parts.calls.update({name: counted[name] for name in self._mine})

    def counts(self) -> Table | Page:
        """Show how often each of the learner's parts was called since the last
        ``begin``.
        """
        if rows := self.rows():
            return table(rows, ("part", "is", "calls"))
        nothing = (
            "None of your functions has passed yet, so memlab uses its own"
            " versions."
        )
        return Page("no parts yet", nothing)

    def rows(self) -> list[tuple[str, str, int]]:
        """List each part, whether it passed, and how often it was called."""
        return [
            (name, self._state[name], parts.calls[name])
            for name in all_gaps()
            if name in self._mine
        ]

    def system(self) -> Folded:
        """Show the memory system as one file: the learner's parts, and ours
        where there are none.
        """
        written = part_files()
        pieces = []
        own = 0
        for name, gap in all_gaps().items():
            if gap.notebook > LAST_OF_SYSTEM:
                continue
            is_own = written.get(name, ("ours",))[0] == "passed"
            own += is_own
            source = stand_alone(gap.ours)
            if is_own:
                source = _HEAD.sub("", written[name][1], count=1)
            whose = "yours" if is_own else "our solution"
            head = f"# ---- {name} (notebook {gap.notebook:02d}): {whose} ----"
            pieces.append(f"{head}\n{source.strip()}")
        lines = sum(len(each.splitlines()) - 1 for each in pieces)
        head = (
            f"# {lines} lines of code in {len(pieces)} parts; {own} of them"
            " are yours"
        )
        return Folded("\n\n\n".join([head, *pieces]))


my = My()
