"""Shows an exception of a learner's part without memlab's own frames.

Between the cell that was run and the learner's function lie frames of memlab,
of asyncio and of the adapter, which say nothing to the learner. IPython asks
an exception how it wants to be shown; elsewhere nothing changes.
"""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

from memlab.course.messages import is_cell


def show_own_frames(error: BaseException, file: str) -> None:
    """Let a notebook show only the frames of cells, and those of the file
    with the learner's parts.
    """

    def render() -> list[str]:
        own = own_frames(error.__traceback__, file)
        shell: Any = sys.modules["IPython"].get_ipython()
        lines: list[str] = shell.InteractiveTB.structured_traceback(
            type(error), error, own, 0
        )
        return lines

    error.__dict__["_render_traceback_"] = render


def own_frames(trace: TracebackType | None, file: str) -> TracebackType | None:
    """Return a traceback of the learner's own frames alone."""
    kept = []
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name == file or is_cell(name):
            kept.append(trace)
        trace = trace.tb_next
    found = None
    for each in reversed(kept):
        found = TracebackType(
            found, each.tb_frame, each.tb_lasti, each.tb_lineno
        )
    return found
