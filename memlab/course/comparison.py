"""Counts what the two weeks called of the learner's parts."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memlab.course import own_parts
from memlab.course.display import Table, table
from memlab.course.gap import all_gaps

NEVER = "nothing in these two weeks asks for it"
NOTEBOOK_ONLY = "only cells of its notebook call it"
_MODULE = re.compile(r"\.(_?[A-Z].*|\w+)$")


def part_calls(calls: Mapping[str, int]) -> Table:
    """List every part of the machine: whose it is, in which module, and how
    often it was called.
    """
    rows = []
    yours = own_parts.part_files()
    for name, gap in all_gaps().items():
        if gap.notebook > own_parts.LAST_OF_SYSTEM:
            continue
        is_yours = yours.get(name, ("ours",))[0] == "passed"
        whose = "yours" if is_yours else "our solution"
        number = f"{gap.notebook:02d}"
        place = _MODULE.sub("", gap.place) or f"notebook {number}"
        remark = ""
        if not calls.get(name):
            remark = NEVER if gap.place else NOTEBOOK_ONLY
        rows.append((number, name, whose, place, calls.get(name, 0), remark))
    return table(rows, ("notebook", "part", "whose", "in", "calls", ""))
