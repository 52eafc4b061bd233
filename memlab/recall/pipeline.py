"""One recall from end to end: scan, leave out what the session has seen,
choose, attach, report.

The report says what became of every memory, and why, as plain data: users of
such systems could see neither what was recalled nor the reason. When a recall
runs is decided by ``prefetch``, and whether it runs at all by the harness.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from memlab.events import MemoriesRecalled
from memlab.memdir.personal import read_personal
from memlab.memdir.scan import Scan, nothing_hidden, scan_memory_files
from memlab.recall.attach import (
    Attachment,
    Provenance,
    Surface,
    Surfaced,
    own_memory,
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

PROJECT_WINS = "the project's memory wins"


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
    provenance: Callable[[str], Provenance | None] = own_memory,
    first_stage: FirstStage | None = None,
) -> RecallReport:
    """Find the memories that help with a query, and make them ready to attach.

    ``first_stage`` proposes the candidates among more memories than a scan
    lists; without it, they are the newest ones.

    What is attached is added to ``surfaced``, which belongs to the session. If
    recall is not ``enabled``, no memory is read. The memories in ``personal``
    are candidates too, unless the project has one of that file or name.
    ``hides`` says why a memory is no candidate, and ``provenance`` which
    memories others have written.
    """
    if not enabled:
        return RecallReport(query, Selection(by="off"))
    settings = runtime.settings
    proposed = None
    if first_stage is not None and query.strip():
        proposed = first_stage.propose(query, hides)
    if proposed is None:
        scan = scan_memory_files(directory, settings, hides=hides)
    else:
        scan = proposed.scan
        if rank is None:
            rank = partial(rank_among, corpus=proposed.corpus)
    hidden: dict[str, str] = {}
    if personal is not None:
        mine = read_personal(personal, scan, settings)
        scan = mine.joined_to(scan)
        hidden = mine.hidden
    scan = scan.without_stale(runtime.clock.now().date())
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
        now=runtime.clock.now(),
        settings=runtime.settings,
        known=scan,
        show=show,
        prompts=runtime.prompts,
        provenance=provenance,
    )
    reasons = (
        *(LeftOut(file, PROJECT_WINS, by) for file, by in hidden.items()),
        *left_out(
            scan,
            seen,
            selection,
            shown,
            recent_tools,
            beyond="not proposed" if proposed else "age",
        ),
    )
    report = RecallReport(
        query,
        selection,
        shown.attachments,
        reasons,
        candidates=proposed.summary if proposed else "",
    )
    runtime.events.emit(
        MemoriesRecalled(
            by=selection.by,
            attached=report.attached_bytes,
            left_out=report.left_out_by_reason,
        )
    )
    return report


@dataclass(frozen=True)
class RecallReport:
    """One recall: the selection, what is attached, and the reason for every
    other memory.

    ``when`` says whether it came ``in time``, ``after tools`` or ``late``; it
    is empty if nothing was prefetched. ``candidates`` says which first stage
    proposed how many memories; it is empty if none did.
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

    @property
    def left_out_by_reason(self) -> dict[str, Any]:
        """Each reason with its memories; of those that were not chosen, only
        their number.
        """
        reasons: dict[str, Any] = {}
        for each in self.left_out:
            reasons.setdefault(each.reason, []).append(each.filename)
        if "not chosen" in reasons:
            reasons["not chosen"] = len(reasons["not chosen"])
        return reasons

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can hold it."""
        plain = {
            "query": self.query,
            "when": self.when,
            **self.selection.figures,
        }
        if self.candidates:
            plain["candidates"] = self.candidates
        plain["fallback"] = [each.filename for each in self.selection.fallback]
        plain["attachments"] = [asdict(each) for each in self.attachments]
        plain["left_out"] = [asdict(each) for each in self.left_out]
        return plain | {"manifest": self.selection.manifest.splitlines()}

    def rows(self) -> list[tuple[str, str, str, str]]:
        """List each memory with its outcome, the reason, and its place in the
        keyword ranking.
        """
        rows = [
            (
                each.filename,
                "attached",
                f"{each.bytes:,} bytes" + ", cut" * bool(each.cut),
            )
            for each in self.attachments
        ]
        rows += [
            (
                each.filename,
                "left out",
                f"{each.reason}: {each.detail}".rstrip(": "),
            )
            for each in self.left_out
        ]
        places = {
            each.filename: str(n)
            for n, each in enumerate(self.selection.fallback, 1)
        }
        return [(*row, places.get(row[0], "")) for row in rows]


def left_out(
    scan: Scan,
    seen: Collection[str],
    selection: Selection,
    surfaced: Surface,
    recent_tools: Sequence[str],
    *,
    beyond: str = "age",
) -> tuple[LeftOut, ...]:
    """Return the reason for every memory that is not attached; ``seen``
    surfaced before, and ``beyond`` is the reason of those that are not in the
    scan.

    Those that were merely not chosen come last. A model gives no reason, so
    *tool documentation* is a conclusion from the memory's text.
    """
    invented = [
        each
        for each in selection.left_out
        if each.reason == "not in the manifest"
    ]
    limited = [each for each in selection.left_out if each not in invented]
    reasons = {each.filename: each for each in (*limited, *surfaced.left_out)}
    for name in seen:
        reasons[name] = LeftOut(name, "surfaced")
    attached = {each.filename for each in surfaced.attachments}
    for each in scan:
        why = (
            "tool documentation"
            if explains_tool_in_use(each, recent_tools)
            else "not chosen"
        )
        reasons.setdefault(each.filename, LeftOut(each.filename, why))
    found = [
        reasons[each.filename]
        for each in scan
        if each.filename not in attached
    ]
    found += invented
    found += [LeftOut(name, "unreadable", why) for name, why in scan.skipped]
    found += [LeftOut(name, "hidden", why) for name, why in scan.hidden]
    if scan.beyond:
        older = "older" if beyond == "age" else "more"
        found.append(LeftOut(f"({scan.beyond} {older})", beyond))
    return tuple(sorted(found, key=lambda each: each.reason == "not chosen"))
