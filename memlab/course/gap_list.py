"""Which gaps have passed, and how to begin with a later notebook."""

from __future__ import annotations

from memlab.course.display import Table, table
from memlab.course.gap import all_gaps, stand_alone
from memlab.course.own_parts import part_files, write_part


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
