"""List every gap in the course, and show which have passed."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence

from memlab.course.gap import all_gaps
from memlab.course.own_parts import LAST_OF_SYSTEM, my, part_files
from memlab.course.show import Table, table

_ATTRIBUTE = re.compile(r"\.(_?[A-Z].*|\w+)$")
NEVER = "nothing in these two weeks asks for it"
NOTEBOOK_ONLY = "only cells of its notebook call it"


def progress() -> Table:
    """List every gap: *passed*, *ours* if ``start`` filled it in, or *todo*."""
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
    passed, ours = states.count("passed"), states.count("ours")
    also = f" (and {ours} of ours)" if ours else ""
    return f"Your parts: {passed} of {len(all_gaps())}{also} · progress()"


def part_calls(calls: Mapping[str, int]) -> Table:
    """List every part of the machine: whose it is, in which module, and how
    often it was called.
    """
    written = part_files()
    rows = []
    for name, gap in all_gaps().items():
        if gap.notebook > LAST_OF_SYSTEM:
            continue
        state, _ = written.get(name, ("ours", ""))
        whose = "yours" if state == "passed" else "our solution"
        number = f"{gap.notebook:02d}"
        count, remark = calls.get(name, 0), ""
        if not count:
            remark = NEVER if gap.place else NOTEBOOK_ONLY
        where = _ATTRIBUTE.sub("", gap.place) or f"notebook {number}"
        rows.append((number, name, whose, where, count, remark))
    return table(rows, ("notebook", "part", "whose", "in", "calls", ""))


def main(argv: Sequence[str]) -> int:
    """Print the list; gives the exit status."""
    argparse.ArgumentParser(
        prog="python3 -m memlab progress", description=__doc__
    ).parse_args(argv)
    for problem in my.load():
        print(problem)
    shown = progress()
    passed = [row for row in shown.rows if row[2] == "passed"]
    print(shown)
    print(f"\n{len(passed)} of {len(shown.rows)} have passed (my/parts)")
    return 0
