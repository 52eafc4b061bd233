"""One recall from end to end: scan, drop what has surfaced, ask, attach, report.

When a recall runs is decided by ``prefetch``, and whether one runs at all by the harness.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memlab.clock import Clock
from memlab.events import EventLog
from memlab.memdir.scan import scan_memory_files
from memlab.recall.attach import Surfaced, surface
from memlab.recall.choose import Rank, Selection, select_relevant_memories
from memlab.recall.keyword import keyword_rank
from memlab.recall.report import RecallReport, left_out
from memlab.settings import Settings

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic


async def recall(
    query: str,
    *,
    directory: Path,
    client: AsyncAnthropic,
    settings: Settings,
    clock: Clock,
    surfaced: Surfaced,
    events: EventLog | None = None,
    recent_tools: Sequence[str] = (),
    show: Callable[[Path], str] = str,
    rank: Rank = keyword_rank,
    enabled: bool = True,
) -> RecallReport:
    """Find the memories that help with a query, and make them ready to attach.

    What is attached is added to ``surfaced``, which belongs to the session. If recall is not
    ``enabled``, no memory is read.
    """
    if not enabled:
        return RecallReport(query, Selection(by="off"))
    scan, seen = scan_memory_files(directory, settings), tuple(surfaced.files)
    selection = await select_relevant_memories(
        query,
        [header for header in scan if header.filename not in seen],
        client=client,
        settings=settings,
        clock=clock,
        events=events,
        recent_tools=recent_tools,
        rank=rank,
    )
    shown = surface(selection.chosen, surfaced, now=clock.now(), settings=settings, show=show)
    reasons = left_out(scan, seen, selection, shown, recent_tools)
    report = RecallReport(query, selection, shown.attachments, reasons)
    if events is not None:
        events.emit("recall", **report.figures)
    return report
