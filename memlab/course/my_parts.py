"""``my``: the learner's parts, kept in ``my/memory.py`` and called by the
machine.

``my.f`` is the exercise's solution until the learner's function has passed,
and the learner's function afterwards. Every call of a learner's part is
counted, and an exception in one is shown with its line.
"""

from __future__ import annotations

import functools
import inspect
import linecache
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any
from weakref import WeakSet

from memlab.course import data_files, own_parts
from memlab.course.cell_source import find_definition
from memlab.course.display import Folded, Page, Table, fenced, table
from memlab.course.exercise import Exercise, judge
from memlab.course.exercise_files import (
    all_exercises,
    find_exercise,
    notebook_of,
    read_solution,
)
from memlab.course.gap import all_gaps
from memlab.course.notebook_folder import course_folder
from memlab.course.own_frames import show_own_frames
from memlab.course.parts_file import (
    FILE,
    PartsFile,
    Problem,
    Section,
    load_parts,
    lost_definitions,
    problem_in_fresh_process,
    read_parts_file,
    set_aside,
    write_parts_file,
)
from memlab.course.scope import names_of_notebook
from memlab.course.seams import (
    SEAMS,
    install_seams,
    installed_parts,
    with_seams,
)
from memlab.errors import CourseError

_INSIDE: ContextVar[frozenset[str]] = ContextVar("inside", default=frozenset())
"""The parts that are running: a method that calls another is one call."""
_COUNTING: WeakSet[Any] = WeakSet()
"""The functions that ``my`` has put around the learner's, to count calls."""


def parts_path() -> Path:
    """Return the path of the learner's file: ``my/memory.py`` in the clone, or
    ``memory.py`` in ``MEMLAB_COURSE_HOME``.
    """
    usual = data_files.CLONE / "my"
    folder = course_folder()
    return (usual if folder.is_relative_to(usual) else folder) / FILE


def shown_parts_path() -> str:
    """Return that path as messages show it."""
    path = parts_path()
    return f"my/{path.name}" if path.parent.name == "my" else path.name


@dataclass(frozen=True)
class Kept:
    """What became of a part that passed; if it is not ``usable`` in the next
    notebook, it has not passed yet.
    """

    usable: bool
    line: str


class My:
    """The learner's parts by name."""

    def __init__(self) -> None:
        self._file = PartsFile()
        self._found: dict[str, Any] = {}
        self._is_read = False
        self._counts: Counter[str] = Counter()
        self._reported: set[tuple[str, int]] = set()

    # what a notebook uses

    def __getattr__(self, name: str) -> Any:
        """Return the learner's part, or else the exercise's solution.

        Without a ``begin``, as in a script that imports ``memory``, the file
        is read now.
        """
        if name.startswith("__"):
            raise AttributeError(name)
        if not self._is_read:
            self.load()
        if name in all_gaps():
            return getattr(own_parts.my, name)
        mine = self.learners(name)
        if mine is not None:
            return mine
        source = read_solution(name)
        if source is None:
            raise AttributeError(f"there is no gap {name!r}")
        return run_solution(name, source)

    def counts(self) -> Table | Page:
        """Show how often each of the learner's parts was called since the last
        ``begin``, or say that there is none yet.
        """
        rows = [
            (
                section.name,
                "off" if section.off else section.by,
                self._counts[section.name],
            )
            for section in self._file.sections
        ]
        saved = {row[0] for row in rows}
        rows += [
            (name, "given to begin", count)
            for name, count in self._counts.items()
            if name not in saved
        ]
        rows += own_parts.my.rows()
        if not rows:
            nothing = (
                "None of your functions has passed yet, so memlab uses its"
                " own versions."
            )
            return Page("no parts yet", nothing)
        return table(rows, ("part", "is", "calls"))

    def off(self, name: str) -> None:
        """Switch a part off: the machine uses its own, and ``my`` has the
        solution.
        """
        self._switch(name, off=True)

    def on(self, name: str) -> None:
        """Switch a part on again."""
        self._switch(name, off=False)

    def source(self) -> Page:
        """Show the learner's file."""
        path = parts_path()
        if not path.exists():
            return Page("no parts yet", "No part has passed yet.")
        text = path.read_text(encoding="utf-8", errors="replace")
        return Page(
            shown_parts_path(),
            f"`{shown_parts_path()}`\n\n{fenced(text, 'python')}",
        )

    def adapter(self, name: str) -> Page:
        """Show where the machine calls a part, and the adapter in between."""
        seam = SEAMS.get(name)
        if seam is None or not seam.places:
            return Page("no seam", f"Only the notebook calls {name}.")
        where = ", ".join(f"`{place}`" for place in seam.places)
        code = fenced(inspect.getsource(seam.adapter), "python")
        return Page(f"adapter of {name}", f"In place of {where}:\n\n{code}")

    def __repr__(self) -> str:
        return f"<my parts: {', '.join(self.active) or 'none yet'}>"

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *self.active]

    # what the course uses

    @property
    def active(self) -> tuple[str, ...]:
        """The parts that are in the file, can be used, and are not off."""
        return tuple(
            one.name
            for one in self._file.sections
            if one.name in self._found and not one.off
        )

    @property
    def sections(self) -> tuple[Section, ...]:
        """What is in the file."""
        return self._file.sections

    @property
    def usable(self) -> tuple[str, ...]:
        """The gaps in the file whose code can be run."""
        return tuple(self._found)

    def calls(self) -> Counter[str]:
        """Return how often each part was called since the last ``load``."""
        return self._counts.copy()

    def learners(self, name: str) -> Any:
        """Return the learner's part, counted; None if the file has none that
        can be used.
        """
        for section in self._file.sections:
            if (
                section.name == name
                and section.name in self._found
                and not section.off
            ):
                return self.counted(name, self._found[section.name])
        return None

    def meanwhile(self, exercise: Exercise) -> str:
        """Say which version of a gap's function is used as long as the one in
        the notebook is not written; empty if nothing calls it.
        """
        if self.learners(exercise.name) is not None:
            return f"until it passes, the one in {shown_parts_path()} is used"
        if not exercise.is_called:
            return ""
        return "until it passes, memlab's version is used"

    def load(self) -> list[str]:
        """Read the file; gives a line for everything in it that is wrong."""
        return [*own_parts.my.load(), *self._load_file()]

    def _load_file(self) -> list[str]:
        path = parts_path()
        self._is_read = True
        try:
            self._file = read_parts_file(path)
        except ValueError as error:
            self._file, self._found = PartsFile(), {}
            aside = set_aside(path)
            return [
                f"{shown_parts_path()} cannot be read ({error}). It is kept as"
                f" {aside.name}, and you start again with no parts"
            ]
        except OSError as error:
            self._file, self._found = PartsFile(), {}
            return [f"{shown_parts_path()}: {error.strerror}"]
        self._found, problems = load_parts(self._file, path)
        said = [_reported(problem) for problem in problems]
        for line, name in lost_definitions(self._file, _is_gap):
            said.append(
                f"{shown_parts_path()}, line {line}: {name} has no heading, so"
                f" memlab's version of it is used. Run check({name}) again in"
                f" notebook {notebook_of(name)}"
            )
        said += self._check_edited()
        # a check calls the parts, and what matters is who else does
        self._counts.clear()
        self._reported.clear()
        return said

    def _check_edited(self) -> list[str]:
        """Check the parts whose code was edited by hand; gives a line for each
        that does not pass any more. It is used all the same.
        """
        said = []
        for section in self._file.sections:
            exercise = find_exercise(section.name)
            if (
                exercise is None
                or not section.is_edited
                or section.name not in self._found
            ):
                continue
            if judge(exercise, self._found[section.name]).passed:
                self._file = self._file.with_section(section.marked())
                with suppress(OSError):
                    write_parts_file(parts_path(), self._file)
                continue
            name = section.name
            said.append(
                f"{shown_parts_path()}, line {section.line}: {section.name} was"
                " edited after it passed, and does not pass any more."
                f" check(my.{name}) says why"
            )
        return said

    @contextmanager
    def uncounted_calls(self) -> Iterator[None]:
        """Count nothing for a while: a check may call parts, too."""
        before = self._counts.copy()
        try:
            yield
        finally:
            self._counts = before

    @contextmanager
    def completed(self, **instead: Any) -> Iterator[Counter[str]]:
        """Run with a complete set of parts: the learner's, and our solutions
        where they have none. ``instead`` replaces parts for this time.

        Gives the number of calls of each part, which grows meanwhile. The file
        stays as it is.
        """
        own = self._file, self._found, self._counts
        theirs = installed_parts()
        kept = [one for one in self._file.sections if one.name in self._found]
        filled = [
            one
            for one in system_sections(PartsFile(sections=tuple(kept)))
            if one.by == "ours" and one not in kept
        ]
        solutions, _ = load_parts(
            PartsFile(sections=tuple(filled)), Path("our solutions")
        )
        names = {one.name for one in filled}
        kept = [one for one in kept if one.name not in names]
        self._file = PartsFile(sections=(*kept, *filled))
        self._found = {**self._found, **solutions}
        for section in self._file.sections:
            if section.name in instead:
                self._found[section.name] = instead[section.name]
        self._counts = Counter()
        parts = {
            name: self.counted(name, part)
            for name, part in (solutions | instead).items()
        }
        try:
            moved = {
                name: instead[name] for name in instead if name in all_gaps()
            }
            with (
                with_seams(parts, also=instead),
                own_parts.my.completed(**moved) as more,
            ):
                yield self._counts
                self._counts.update(more)
        finally:
            for name in theirs:
                own[2][name] += self._counts[name]
            self._file, self._found, self._counts = own

    def system(self) -> Folded:
        """Show the whole memory system as one file: the learner's parts, and
        our solutions where they have none. A notebook shows it folded.
        """
        usable = [
            one for one in self._file.sections if one.name in self._found
        ]
        sections = system_sections(PartsFile(sections=tuple(usable)))
        own = [one for one in sections if one.by != "ours"]
        lines = sum(len(one.code.strip().splitlines()) for one in sections)
        head = (
            f"# {lines} lines of code in {len(sections)} parts; {len(own)} of"
            " them are yours"
        )
        parts = [f"{_whose(one)}\n{one.code.strip()}" for one in sections]
        return Folded("\n\n\n".join([head, *parts]))

    def install(self, extra: Mapping[str, Callable[..., Any]]) -> None:
        """Put the learner's parts into the machine, and nothing else: what was
        there before is taken out. ``extra`` has parts for this lab alone.
        """
        found = {
            name: mine
            for name in self.active
            if (mine := self.learners(name)) is not None
        }
        found |= {
            name: self.counted(name, part) for name, part in extra.items()
        }
        install_seams(found)
        for name, part in extra.items():
            if name in all_gaps():
                own_parts.my.use(all_gaps()[name], part)

    def keep(self, exercise: Exercise, part: Any) -> Kept:
        """Save a part that passed to the file, and put it into the machine.

        It is first loaded in a fresh process; if that fails, nothing changes.
        """
        from memlab.course.lab import Lab

        file = self._current_file()
        found = find_definition(
            part,
            names=names_of_notebook(),
            notebooks_own=(Lab,),
            saved=[one.name for one in file.sections],
        )
        if found is None:
            return Kept(True, "no cell defines it, so it is not saved")
        if found.missing:
            return Kept(False, _needs(found.missing))
        section = Section(
            exercise.name, exercise.notebook, found.code
        ).marked()
        wanted = file.with_section(section)
        path = parts_path()
        problem = problem_in_fresh_process(wanted, exercise.name, path.parent)
        if problem is not None:
            if problem.missing:
                return Kept(False, _needs(problem.missing))
            return Kept(
                False, f"it cannot be saved: in a fresh Python, {problem.what}"
            )
        try:
            write_parts_file(path, wanted)
        except OSError as error:
            why = error.strerror or str(error)
            return Kept(
                False, f"{shown_parts_path()} cannot be written: {why}"
            )
        counts = self._counts.copy()
        self.load()
        self._counts = counts
        self.install({})
        return Kept(True, _thanks(exercise))

    def counted(self, name: str, part: Any) -> Any:
        """Return the part with its calls counted and its exceptions shown."""
        if not inspect.isclass(part):
            counting = self._counting(name, part)
            _COUNTING.add(counting)
            return counting
        methods = {
            key: self._counting(name, value)
            for key, value in vars(part).items()
            if isinstance(value, FunctionType) and not key.startswith("_")
        }
        return type(
            part.__name__,
            (part,),
            {"__module__": part.__module__, "__doc__": part.__doc__} | methods,
        )

    def _counting(self, name: str, function: Any) -> Any:
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def call_async(*given: Any, **named: Any) -> Any:
                with self._called(name):
                    return await function(*given, **named)

            return call_async

        @functools.wraps(function)
        def call(*given: Any, **named: Any) -> Any:
            with self._called(name):
                return function(*given, **named)

        return call

    @contextmanager
    def _called(self, name: str) -> Iterator[None]:
        """Count a call from outside, and print what it raised, with the line
        of the learner's code; each line is shown once. What a right answer
        may raise is not shown.
        """
        around = _INSIDE.get()
        if name not in around:
            self._counts[name] += 1
        token = _INSIDE.set(around | {name})
        try:
            yield
        except Exception as error:
            seam = SEAMS.get(name)
            expected = seam is not None and isinstance(error, seam.raises)
            line = None if expected else _line_in_part(error)
            show_own_frames(error, str(parts_path()))
            if line is not None and (name, line[0]) not in self._reported:
                self._reported.add((name, line[0]))
                number, where, code = line
                print(
                    f"your {name} raised {type(error).__name__}: {error}\n"
                    f"  {where}, line {number}: {code}"
                )
            raise
        finally:
            _INSIDE.reset(token)

    def _switch(self, name: str, *, off: bool) -> None:
        file = self._current_file()
        for section in file.sections:
            if section.name == name:
                changed = file.with_section(replace(section, off=off))
                write_parts_file(parts_path(), changed)
                self.load()
                self.install({})
                print(
                    f"{name} is {'off' if off else 'on'}:"
                    f" the machine uses {'its own' if off else 'yours'}"
                )
                return
        raise CourseError(
            f"{name!r} has not passed yet",
            where="my",
            do="See progress()",
        )

    def _current_file(self) -> PartsFile:
        """Read the file again: another kernel may have added a part."""
        try:
            return read_parts_file(parts_path())
        except ValueError:
            set_aside(parts_path())
            return PartsFile()


def system_sections(file: PartsFile) -> tuple[Section, ...]:
    """List the parts of the machine in the order of the notebooks: those in
    the file that are not off, and otherwise our solutions.
    """
    sections = []
    for exercise in all_exercises():
        if not exercise.part or not SEAMS[exercise.part].in_system:
            continue
        saved = next(
            (
                one
                for one in file.sections
                if one.name == exercise.part and not one.off
            ),
            None,
        )
        solution = Section(
            exercise.name,
            exercise.notebook,
            exercise.solution.strip(),
            by="ours",
        )
        sections.append(saved or solution)
    return tuple(sections)


def _whose(section: Section) -> str:
    """Return the comment above a part on the page of the whole system."""
    whose = "our solution" if section.by == "ours" else "yours"
    return (
        f"# ---- {section.name}"
        f" (notebook {section.notebook:02d}): {whose} ----"
    )


def _is_gap(name: str) -> bool:
    return bool(notebook_of(name))


def uncounted(function: Any) -> Any:
    """Return the learner's own function, if ``my`` counts its calls."""
    return inspect.unwrap(function) if function in _COUNTING else function


def run_solution(name: str, source: str) -> Any:
    """Run the source of a solution; gives its function or class."""
    names: dict[str, Any] = {"__name__": f"solution_of_{name}"}
    exec(_compiled(source), names)
    return names[name]


@functools.cache
def _compiled(source: str) -> CodeType:
    return compile(source, "<string>", "exec")


def _needs(missing: tuple[str, ...]) -> str:
    return (
        f"it cannot be saved, because it needs {' and '.join(missing)}. Define"
        " that in a cell without await, or pass it in as an argument, and then"
        " run check again"
    )


def _thanks(exercise: Exercise) -> str:
    seam = SEAMS.get(exercise.name)
    if seam is None:
        return f"saved in {shown_parts_path()}"
    return (
        f"saved in {shown_parts_path()}; from now on, {seam.who} calls your"
        f" {exercise.name}"
    )


def _reported(problem: Problem) -> str:
    return (
        f"{shown_parts_path()}, line {problem.line}: {problem.what}. Until you"
        f" fix this, memlab's version of {problem.name} is used"
    )


def _line_in_part(error: Exception) -> tuple[int, str, str] | None:
    """Find the innermost line of the learner's own code in a traceback."""
    path = str(parts_path())
    found = None
    trace = error.__traceback__
    while trace:
        file = trace.tb_frame.f_code.co_filename
        if file == path or trace.tb_frame.f_globals.get("__name__") in (
            "__main__",
        ):
            code = linecache.getline(file, trace.tb_lineno).strip()
            where = shown_parts_path() if file == path else "this notebook"
            found = (trace.tb_lineno, where, code)
        trace = trace.tb_next
    return found


my = My()
