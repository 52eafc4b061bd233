"""List every gap in the course, and show which have passed.

Below the list are the minutes that each notebook has taken so far, without
long pauses, and the estimate.

With files, make a table of many learners instead: one row per file, one
column per notebook, and below it the gaps at which most people are stuck.
--save writes such a file: the minutes, and the names of the gaps that have
passed. It contains no name, no code, no text and no date. A row is named
after its file, so let people choose the names of their files.
Nothing is sent anywhere: learners hand in the file themselves, or don't.

With --core, only the gaps on the short path count, for a course that takes
"lab --core"; the estimates are those of the short path, too.

examples:
  python3 -m memlab progress                     list every gap: passed, ours
                                                 or todo
  python3 -m memlab progress --save robin.json   write the file to hand in
  python3 -m memlab progress handed-in/          make a table of many files
  python3 -m memlab progress --core handed-in/   the same for the short path
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memlab.course import gap_list
from memlab.course.data_files import notebook_files, notebook_numbers
from memlab.course.display import Table, table
from memlab.course.exercise_files import Gap, all_gaps
from memlab.course.minutes import gaps_on_short_path, read_notebook
from memlab.course.my_parts import my, shown_parts_path
from memlab.course.own_minutes import minutes_path, read_taken
from memlab.course.parts_file import Section
from memlab.course.progress_files import (
    as_csv,
    learners_table,
    notebooks_table,
    read_learners,
    save_progress,
    stuck_table,
)
from memlab.course.seams import SEAMS
from memlab.errors import MemlabError


def progress(*, core: bool = False) -> Table:
    """List every gap: *passed*, *ours* if ``start`` filled it in, *off* if it
    is switched off, or *todo*; with ``core``, those on the short path.

    A part in the file that cannot be run is *broken*, and one that was
    *edited* after it passed does not pass any more.
    """
    rows = []
    for gap, section in _gaps(core=core):
        seam = SEAMS.get(gap.name)
        rows.append(
            (
                f"{gap.notebook:02d}",
                gap.name,
                _state(section),
                gap.minutes,
                seam.who if seam else "",
            )
        )
    for number, name, state in gap_list.progress().rows:
        rows.append((number, name, state, 0, ""))
    rows.sort(key=lambda row: row[0])
    return table(rows, ("notebook", "gap", "state", "minutes", "called by"))


def parts_line() -> str:
    """Count the parts that are in the file; empty as long as there are none."""
    if not my.sections:
        return ""
    states = [_state(section) for _, section in _gaps()]
    passed = states.count("passed") + states.count("off")
    line = f"Your parts: {passed} of {len(states)}"
    if "ours" in states:
        line += f" (and {states.count('ours')} of ours)"
    if "off" in states:
        line += f", {states.count('off')} of them off"
    return f"{line} · progress()"


def names_in_scope() -> Mapping[str, Any]:
    """Return what a notebook can use after ``begin`` without an import."""
    from memlab.course.checking import check, hint, solution
    from memlab.course.quizzes import answer

    return {
        "my": my,
        "check": check,
        "hint": hint,
        "solution": solution,
        "answer": answer,
        "progress": progress,
    }


def minutes_table(*, core: bool = False) -> Table:
    """Show the minutes that each notebook has taken so far, and the estimate
    (with ``core``, that of its short path); the notebooks that were not begun
    are left out.
    """
    rows = []
    for number, taken in sorted(read_taken(minutes_path()).items()):
        for path in notebook_files(number):
            estimate = _estimate(path, core=core)
            rows.append((path.stem, f"{taken.minutes:.0f}", estimate))
    return table(rows, ("notebook", "your minutes", "estimate"))


def _estimate(path: Path, *, core: bool) -> int:
    minutes = read_notebook(path)
    return (minutes.short if core else minutes.whole).stated


def _gaps(*, core: bool = False) -> Iterator[tuple[Gap, Section | None]]:
    """Return every gap with its section of the file; what is planned counts
    once it has passed.
    """
    sections = {section.name: section for section in my.sections}
    for gap in _listed_gaps(core=core):
        section = sections.get(gap.name)
        if section is not None or not gap.planned:
            yield gap, section


def _listed_gaps(*, core: bool) -> list[Gap]:
    if not core:
        return list(all_gaps())
    short = {
        number: {
            name
            for path in notebook_files(number)
            for name in gaps_on_short_path(path)
        }
        for number in notebook_numbers()
    }
    return [
        gap for gap in all_gaps() if gap.name in short.get(gap.notebook, ())
    ]


def _state(section: Section | None) -> str:
    if section is None:
        return "todo"
    if section.off:
        return "off"
    if section.name not in my.usable:
        return "broken"
    return "edited" if section.is_edited else section.by


def _show_learners(files: list[Path], *, csv: bool, core: bool) -> int:
    """Print the tables of many learners; the status is 1 if no file could be
    read.
    """
    gaps = [gap for gap in _listed_gaps(core=core) if not gap.planned]
    estimates = {
        number: _estimate(path, core=core)
        for number in notebook_numbers()
        for path in notebook_files(number)
    }
    learners = read_learners(files)
    if not learners:
        print("memlab progress: there are no .json files", file=sys.stderr)
        return 1
    shown = learners_table(learners, gaps, estimates)
    readable = [one for one in learners if not one.problem]
    if csv:
        print(as_csv(shown), end="")
        return 0 if readable else 1
    print(shown)
    if readable:
        print(f"\n{notebooks_table(readable, gaps, estimates)}")
        stuck = stuck_table(readable, gaps)
        if stuck.rows:
            print(f"\nwhere people are stuck:\n\n{stuck}")
    return 0 if readable else 1


def _save(path: Path) -> int:
    for problem in my.load():
        print(problem)
    passed = [
        gap.name
        for gap, section in _gaps()
        if _state(section) in ("passed", "off")
    ]
    gaps = [gap for gap, _ in _gaps()]
    save_progress(path, read_taken(minutes_path()), passed, gaps)
    print(
        f"{path} contains your minutes and the names of {len(passed)} gaps"
        " that have passed. It contains no name, no code, no text and no"
        " date; the table that is made of it shows the file's name."
    )
    return 0


def main(argv: Sequence[str]) -> int:
    """Print the list; gives the exit status."""
    parser = argparse.ArgumentParser(
        prog="python3 -m memlab progress",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "files",
        nargs="*",
        type=Path,
        metavar="FILE",
        help="files that --save has written, or folders of them",
    )
    parser.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="write your own progress to this file, to hand it in",
    )
    parser.add_argument(
        "--csv", action="store_true", help="print the learners' table as CSV"
    )
    parser.add_argument(
        "--core",
        action="store_true",
        help="count only the gaps on the short path (◆)",
    )
    args = parser.parse_args(argv)
    if (args.save and (args.files or args.csv or args.core)) or (
        args.csv and not args.files
    ):
        parser.error(
            "choose one: nothing (perhaps with --core), --save FILE, or"
            " FILE … (perhaps with --core and --csv)"
        )
    try:
        if args.files:
            return _show_learners(args.files, csv=args.csv, core=args.core)
        if args.save:
            return _save(args.save)
        for problem in my.load():
            print(problem)
        shown = progress(core=args.core)
        taken = minutes_table(core=args.core)
    except MemlabError as error:
        print(f"memlab progress: {error}", file=sys.stderr)
        return 2
    print(shown)
    states = [row[2] for row in shown.rows]
    print(
        f"\n{states.count('passed')} of {len(states)} have passed"
        f" ({shown_parts_path()})"
    )
    if taken.rows:
        print(f"\n{taken}")
    return 0
