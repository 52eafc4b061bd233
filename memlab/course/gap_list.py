"""List every gap in the course, and show which have passed."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence

from memlab.course.gap import all_gaps
from memlab.course.own_parts import LAST_OF_SYSTEM, part_files
from memlab.course.show import Table, table

NEVER = "nothing in these two weeks asks for it"
NOTEBOOK_ONLY = "only cells of its notebook call it"
_NAME = re.compile(r"\.(_?[A-Z].*|\w+)$")
"""What follows the module in the place of a gap."""


def progress() -> Table:
    """List every gap: *passed*, *ours* if ``start`` filled it in, or *todo*."""
    written = part_files()
    rows = []
    for name, gap in all_gaps().items():
        state, _ = written.get(name, ("todo", None))
        rows.append((f"{gap.notebook:02d}", name, state))
    return table(rows, ("notebook", "gap", "state"))


def parts_line() -> str:
    """Count the parts that have passed; empty as long as there are none."""
    states = [state for state, _ in part_files().values()]
    if not states:
        return ""
    passed = states.count("passed")
    return f"Your parts: {passed} of {len(all_gaps())} · progress()"


def part_calls(calls: Mapping[str, int]) -> Table:
    """List every part of the machine: whose it is, in which module, and how
    often it was called.
    """
    rows = []
    for number, name, state in progress().rows:
        gap = all_gaps()[name]
        if gap.notebook > LAST_OF_SYSTEM:
            continue
        whose = "yours" if state == "passed" else "our solution"
        module = _NAME.sub("", gap.place) or f"notebook {number}"
        remark = ""
        if not calls.get(name):
            remark = NEVER if gap.place else NOTEBOOK_ONLY
        rows.append((number, name, whose, module, calls.get(name, 0), remark))
    return table(rows, ("notebook", "part", "whose", "in", "calls", ""))


def main(argv: Sequence[str]) -> int:
    """Print the list; gives the exit status."""
    parser = argparse.ArgumentParser(
        "python3 -m memlab progress", description=__doc__
    )
    parser.parse_args(argv)
    rows = progress().rows
    passed = sum(state == "passed" for _, _, state in rows)
    print(progress())
    print(f"\n{passed} of {len(rows)} have passed (my/parts)")
    return 0
