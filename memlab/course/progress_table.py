"""List every gap in the course, and show which have passed.

examples:
  python3 -m memlab progress    list every gap: passed, ours or todo
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from memlab.course import gap_list
from memlab.course.display import Table, table
from memlab.course.exercise_files import all_gaps
from memlab.course.my_parts import my, shown_parts_path
from memlab.course.parts_file import Section
from memlab.errors import MemlabError


def progress() -> Table:
    """List every gap: *passed*, *ours* if ``start`` filled it in, *off* if it
    is switched off, or *todo*.

    A part in the file that cannot be run is *broken*, and one that was
    *edited* after it passed does not pass any more.
    """
    sections = {section.name: section for section in my.sections}
    rows = [
        (f"{gap.notebook:02d}", gap.name, _state(sections.get(gap.name)))
        for gap in all_gaps()
        if not gap.planned
    ]
    rows += gap_list.progress().rows
    rows.sort(key=lambda row: row[0])
    return table(rows, ("notebook", "gap", "state"))


def parts_line() -> str:
    """Count the parts that are in the file; empty as long as there are none."""
    if not my.sections:
        return ""
    states = [row[2] for row in progress().rows]
    off, ours = states.count("off"), states.count("ours")
    line = f"Your parts: {states.count('passed') + off} of {len(states)}"
    if ours:
        line += f" (and {ours} of ours)"
    if off:
        line += f", {off} of them off"
    return f"{line} · progress()"


def _state(section: Section | None) -> str:
    if section is None:
        return "todo"
    if section.off:
        return "off"
    if section.name not in my.usable:
        return "broken"
    return "edited" if section.is_edited else section.by


def main(argv: Sequence[str]) -> int:
    """Print the list; gives the exit status."""
    parser = argparse.ArgumentParser(
        prog="python3 -m memlab progress",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.parse_args(argv)
    try:
        for problem in my.load():
            print(problem)
        shown = progress()
    except MemlabError as error:
        print(f"memlab progress: {error}", file=sys.stderr)
        return 2
    states = [row[2] for row in shown.rows]
    print(shown)
    print(
        f"\n{states.count('passed')} of {len(states)} have passed"
        f" ({shown_parts_path()})"
    )
    return 0
