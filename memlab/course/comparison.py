"""Counts what the two weeks called of the learner's parts, and asks a memory
directory the twelve questions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from memlab.course import own_parts
from memlab.course.baselines import recalled_from
from memlab.course.display import Table, table
from memlab.course.gap import all_gaps
from memlab.course.lab import Lab
from memlab.course.measuring import Row, measure
from memlab.course.notebook_folder import SHOWN_MEMORY
from memlab.course.parts import without_parts

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


def shown_memory(path: Path) -> str:
    """Show a path of a replay as the story's memory directory would show it."""
    return SHOWN_MEMORY if path.is_dir() else f"{SHOWN_MEMORY}/{path.name}"


def evidence_in(
    lab: Lab, directory: Path, name: str = "12", *, ours: bool = False
) -> Row:
    """Ask the twelve questions of a memory directory: in how many requests
    their evidence is, at how many tokens.

    The lab's parts choose and judge, the learner's where they have passed;
    with ``ours``, memlab's own.
    """
    if ours:
        with without_parts():
            return evidence_in(lab, directory, name)
    builder = recalled_from(lab, directory, shown_memory)
    label = name if " " in name else f"{name} two weeks"
    return measure(label, builder, lab.questions)
