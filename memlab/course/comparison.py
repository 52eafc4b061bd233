"""Asks a memory directory the twelve questions."""

from __future__ import annotations

from pathlib import Path

from memlab.course.baselines import recalled_from
from memlab.course.lab import Lab
from memlab.course.measuring import Row, measure
from memlab.course.notebook_folder import SHOWN_MEMORY
from memlab.course.parts import without_parts


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
