"""List every gap in the course, and show which have passed.

examples:
  python3 -m memlab progress    list every gap: passed, ours or todo
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from memlab.course.display import Table, table
from memlab.course.gap import all_gaps, stand_alone
from memlab.course.own_parts import my, part_files, split_old_file, write_part
from memlab.errors import MemlabError


def progress() -> Table:
    """List every gap: *passed*, *ours* if ``start`` filled it in, *edited* if
    it was changed since, or *todo*.
    """
    written = part_files()
    rows = []
    for name, gap in all_gaps().items():
        state, _ = written.get(name, ("todo", ""))
        rows.append((f"{gap.notebook:02d}", name, state))
    return table(rows, ("notebook", "gap", "state"))


def parts_line() -> str:
    """Count the parts that have passed; empty as long as there are none."""
    states = [state for state, _ in part_files().values()]
    if not states:
        return ""
    ours = states.count("ours")
    also = f" (and {ours} of ours)" if ours else ""
    passed = len(states) - ours
    return f"Your parts: {passed} of {len(all_gaps())}{also} · progress()"


def fill_in(number: int) -> list[str]:
    """Write our versions of the parts of earlier notebooks that the learner
    has not; gives their names.
    """
    written = part_files()
    filled = []
    for name, gap in all_gaps().items():
        if gap.notebook < number and name not in written:
            write_part(gap, stand_alone(gap.ours), "ours")
            filled.append(name)
    return filled


def read_parts() -> list[str]:
    """Put the learner's parts into memlab; gives a line for each problem."""
    return [*split_old_file(), *my.load()]


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
        for problem in read_parts():
            print(problem)
        shown = progress()
    except (MemlabError, OSError) as error:
        print(f"memlab progress: {error}", file=sys.stderr)
        return 2
    states = [row[2] for row in shown.rows]
    print(shown)
    print(
        f"\n{states.count('passed')} of {len(states)} have passed (my/parts)"
    )
    return 0
