"""What a learner uses: ``check``, ``hint``, ``solution``, and ``my``, the parts
that have passed. They are in ``my/parts``, one file for each.
"""

from __future__ import annotations

import inspect
import textwrap
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memlab.course import parts
from memlab.course.gap import SAME_CELL, Gap, Verdict, all_gaps, judge
from memlab.course.notebook_folder import course_home
from memlab.course.show import Folded, Page, Table, fenced, table
from memlab.course.sources import ELLIPSIS, definition_cell, load, stand_alone
from memlab.errors import CourseError

LAST_OF_SYSTEM = 11
"""The last notebook whose gaps are parts of the memory system."""

_hints_given: Counter[str] = Counter()


def check(function: Any) -> None:
    """Show how a learner's function does: *todo*, *not yet* or *pass*. What
    passes is saved, and memlab calls it from then on.
    """
    from IPython.display import display

    gap = _find(function)
    function = inspect.unwrap(function)
    if function is gap.ours or not callable(function):
        wanted = f"{gap.name}: give check the function that you wrote."
        verdict = Verdict("not yet", (wanted,))
    else:
        verdict = _checked(gap, function)
    display(verdict)  # type: ignore[no-untyped-call]


def _checked(gap: Gap, function: Any) -> Verdict:
    source = definition_cell(function)
    if ELLIPSIS.search(source):
        return _todo(gap)
    my.closed = gap.name
    try:
        mine = load(gap.name, source)
        verdict = judge(gap, mine)
    except Exception as error:
        said = f"The cell, run alone, raises {type(error).__name__}: {error}."
        return Verdict("not yet", (said, SAME_CELL))
    finally:
        my.closed = ""
    if verdict.state != "pass":
        return verdict if verdict.lines else _todo(gap)
    _write(parts_folder() / f"{gap.name}.py", source)
    my.use(gap, mine)
    parts.calls.setdefault(gap.name, 0)  # until now, memlab's was called
    saved = f"It is saved in my/parts/{gap.name}.py"
    if gap.place:
        saved += ", and from now on, memlab calls yours"
    return Verdict("pass", (*verdict.lines, f"{saved}."))


def _todo(gap: Gap) -> Verdict:
    """Say in one line that a cell is still, or again, as it was at first, and
    which version is used until it passes.
    """
    said = f"{gap.name} is not written yet: until it passes, memlab's version"
    if gap.name in part_files():
        file = part_files()[gap.name][1].relative_to(course_home()).as_posix()
        said = f"{gap.name} is not written here; the one saved in my/{file}"
    return Verdict("todo", (f"{said} is used · {gap.help}",))


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
        raise CourseError(f"there is no gap {name}", do="See progress()")
    return all_gaps()[name]


# The files


def parts_folder() -> Path:
    """Return the folder of the learner's parts: ``my/parts`` in the clone, or
    ``parts`` in ``MEMLAB_COURSE_HOME``.
    """
    return course_home() / "parts"


def part_files() -> dict[str, tuple[str, Path]]:
    """Return by name the state and the file of each part: *passed* if it is
    the learner's, and *ours* if ``start`` has filled it in.
    """
    folders = {"ours": parts_folder() / "ours", "passed": parts_folder()}
    found = {}
    for name in all_gaps():
        for state, folder in folders.items():
            if (folder / f"{name}.py").is_file():
                found[name] = (state, folder / f"{name}.py")
    return found


def fill_in(number: int) -> list[str]:
    """Write our versions of the parts of earlier notebooks that the learner
    has not; gives their names.
    """
    written = part_files()
    filled = []
    for name, gap in all_gaps().items():
        if gap.notebook < number and name not in written:
            file = parts_folder() / "ours" / f"{name}.py"
            _write(file, stand_alone(gap.ours))
            filled.append(name)
    return filled


def _write(file: Path, source: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(source, encoding="utf-8")


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
        for name, (_, file) in part_files().items():
            try:
                mine = load(name, file.read_text("utf-8"), str(file))
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
        parts.calls.update(
            name for name in calls.elements() if name in self._mine
        )

    def counts(self) -> Table | Page:
        """Show how often the learner's parts were called since the last
        ``begin``; those that passed earlier and were not are left out.
        """
        rows = [
            (name, state, parts.calls[name])
            for name, (state, _) in part_files().items()
            if name in parts.calls
        ]
        if rows:
            return table(rows, ("part", "is", "calls"))
        if self._mine:
            unused = "None of your functions has been called since `begin`."
            return Page("no calls yet", unused)
        nothing = "None of your functions has passed yet, so memlab uses its"
        return Page("no parts yet", f"{nothing} own versions.")

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
            state, file = written.get(name, ("todo", None))
            if file and state == "passed":
                whose, source = "yours", file.read_text("utf-8")
                own += 1
            head = f"# ---- {name} (notebook {gap.notebook:02d}): {whose} ----"
            pieces.append(f"{head}\n{source.strip()}")
        lines = sum(piece.count("\n") for piece in pieces)
        title = f"{lines} lines of code in {len(pieces)} parts; {own} of them"
        return Folded(f"{title} are yours", "\n\n\n".join(pieces))


my = My()
