"""One recall from end to end: scan, leave out what the session has seen,
choose, attach, report.

The report says what became of every memory, and why: users of such systems
could see neither what was recalled nor the reason. When a recall runs is
decided by ``prefetch``, and whether it runs at all by the harness.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from memlab.events import MemoriesRecalled
from memlab.memdir.personal import read_personal
from memlab.memdir.scan import Scan, nothing_hidden, scan_memory_files
from memlab.recall.attach import (
    Attachment,
    Provenance,
    Surfaced,
    surface,
)
from memlab.recall.first_stage import FirstStage
from memlab.recall.keyword import rank_among
from memlab.recall.selection import (
    LeftOut,
    Rank,
    Selection,
    explains_tool_in_use,
    select_relevant_memories,
)
from memlab.runtime import Runtime

NOT_CHOSEN = "not chosen"
PROJECT_WINS = "the project's memory wins"


@dataclass(frozen=True)
class RecallReport:
    """One recall: the selection, what is attached, and the reason for every
    other memory.

    ``when`` says whether it came ``in time``, ``after tools`` or ``late``; it
    is empty if nothing was prefetched. ``candidates`` says how many memories a
    first stage proposed; it is empty if none did.
    """

    query: str
    selection: Selection
    attachments: tuple[Attachment, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    when: str = ""
    candidates: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """What is attached to the turn."""
        return tuple(attachment.text for attachment in self.attachments)

    @property
    def attached_bytes(self) -> dict[str, int]:
        """The attached files, each with its size in the request."""
        return {each.filename: each.bytes for each in self.attachments}

    def rows(self) -> list[tuple[str, str, str]]:
        """List each memory with its outcome and the reason."""
        attached = [
            (
                one.filename,
                "attached",
                f"{one.bytes:,} bytes{', cut' * bool(one.cut)}",
            )
            for one in self.attachments
        ]
        return attached + [
            (
                one.filename,
                "left out",
                f"{one.reason}: {one.detail}".rstrip(": "),
            )
            for one in self.left_out
        ]


async def recall(
    query: str,
    directory: Path,
    runtime: Runtime,
    *,
    surfaced: Surfaced,
    recent_tools: Sequence[str] = (),
    show: Callable[[Path], str] = str,
    rank: Rank | None = None,
    enabled: bool = True,
    personal: Path | None = None,
    hides: Callable[[str], str] = nothing_hidden,
    provenance: Callable[[str], Provenance | None] | None = None,
    first_stage: FirstStage | None = None,
) -> RecallReport:
    """Find the memories that help with a query, and make them ready to attach.

    ``first_stage`` proposes the candidates among more memories than a scan
    lists; without it, they are the newest ones. What is stale on the person's
    day is none. The memories in ``personal`` are candidates too, unless the
    project has one of that file or name. ``hides`` says why a memory is no
    candidate, and ``provenance`` which memories others have written.

    What is attached is added to ``surfaced``, which belongs to the session. If
    recall is not ``enabled``, no memory is read.
    """
    if not enabled:
        return RecallReport(query, Selection(by="off"))
    settings, clock = runtime.settings, runtime.clock
    proposed = None
    if first_stage is not None and query.strip():
        proposed = first_stage.propose(query, hides)
    if proposed is None:
        scan = scan_memory_files(directory, settings, hides=hides)
        candidates = ""
    else:
        scan, corpus = proposed
        rank = rank or partial(rank_among, corpus=corpus)
        candidates = (
            f"the first stage proposed {len(scan)} of"
            f" {corpus.memories:,} memories"
        )
    found: list[LeftOut] = []
    if personal is not None:
        mine = read_personal(personal, scan, settings)
        scan = mine.joined_to(scan)
        for file, winner in mine.hidden.items():
            found.append(LeftOut(file, PROJECT_WINS, winner))
    scan = scan.without_stale(clock.local(clock.now()).date())

    seen = tuple(surfaced.files)
    selection = await select_relevant_memories(
        query,
        scan,
        runtime,
        recent_tools=recent_tools,
        surfaced=surfaced.files,
        rank=rank,
    )
    shown = surface(
        selection.chosen,
        surfaced,
        now=clock.now(),
        settings=settings,
        known=scan,
        show=show,
        prompts=runtime.prompts,
        provenance=provenance,
    )

    report = RecallReport(
        query,
        selection,
        shown.attachments,
        candidates=candidates,
    )
    limits = (*selection.left_out, *shown.left_out)
    found += _reasons(scan, report.attached_bytes, seen, limits, recent_tools)
    if scan.beyond:
        older, why = ("more", "not proposed") if proposed else ("older", "age")
        found.append(LeftOut(f"({scan.beyond} {older})", why))
    found.sort(key=lambda one: one.reason == NOT_CHOSEN)
    reasons: dict[str, Any] = {}
    for one in found:
        reasons.setdefault(one.reason, []).append(one.filename)
    if NOT_CHOSEN in reasons:
        reasons[NOT_CHOSEN] = len(reasons[NOT_CHOSEN])
    attached = report.attached_bytes
    event = MemoriesRecalled(
        by=selection.by, attached=attached, left_out=reasons
    )
    runtime.events.emit(event)
    return replace(report, left_out=tuple(found))


def _reasons(
    scan: Scan,
    attached: Collection[str],
    seen: Collection[str],
    limits: Sequence[LeftOut],
    recent_tools: Sequence[str],
) -> list[LeftOut]:
    """Return the reason for every memory that is not ``attached``; ``seen``
    surfaced before, and ``limits`` has what the choice left out.

    A model gives no reason, so *tool documentation* is a conclusion from the
    memory's text.
    """
    reasons = {one.filename: one for one in limits}
    found = []
    for header in scan:
        file = header.filename
        verdict = reasons.pop(file, None) or LeftOut(file, NOT_CHOSEN)
        if file in seen:
            verdict = LeftOut(file, "surfaced")
        elif verdict.reason == NOT_CHOSEN and explains_tool_in_use(
            header, recent_tools
        ):
            verdict = LeftOut(file, "tool documentation")
        if file not in attached:
            found.append(verdict)
    found += reasons.values()  # names that no memory has
    found += [LeftOut(name, "unreadable", why) for name, why in scan.skipped]
    found += [LeftOut(name, "hidden", why) for name, why in scan.hidden]
    return found
