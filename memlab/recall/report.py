"""The recall microscope: what one recall saw, chose and left out, and why, as plain data.

Users of such systems could see neither what was recalled nor why. Left out: judging. Whether the
choice was a good one takes a labelled set.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from memlab.memdir.scan import Scan
from memlab.recall.attach import Attachment, LeftOut, Surface
from memlab.recall.choose import Selection, explains_tool_in_use


@dataclass(frozen=True)
class RecallReport:
    """One recall: the selection, what of it is attached, and every other memory with its reason.

    ``when`` tells whether it came ``in time``, ``after tools`` or ``late``; empty where nobody
    prefetched.
    """

    query: str
    selection: Selection
    attachments: tuple[Attachment, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    when: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """What is attached to the turn."""
        return tuple(attachment.text for attachment in self.attachments)

    @property
    def figures(self) -> dict[str, Any]:
        """What the log says of it: each reason with its memories; of those not chosen, how many."""
        reasons: dict[str, Any] = {}
        for each in self.left_out:
            reasons.setdefault(each.reason, []).append(each.filename)
        if "not chosen" in reasons:
            reasons["not chosen"] = len(reasons["not chosen"])
        attached = {each.filename: each.bytes for each in self.attachments}
        return {"by": self.selection.by, "attached": attached, "left_out": reasons}

    def as_dict(self) -> dict[str, Any]:
        """Give all of it as JSON can hold it."""
        plain = {"query": self.query, "when": self.when, **self.selection.figures}
        plain["fallback"] = [each.filename for each in self.selection.fallback]
        plain["attachments"] = [asdict(each) for each in self.attachments]
        plain["left_out"] = [asdict(each) for each in self.left_out]
        return plain | {"manifest": self.selection.manifest.splitlines()}

    def rows(self) -> list[tuple[str, str, str, str]]:
        """List each memory, what became of it, why, and its place among those words choose."""
        rows = [
            (each.filename, "attached", f"{each.bytes:,} bytes" + ", cut" * bool(each.cut))
            for each in self.attachments
        ]
        rows += [
            (each.filename, "left out", f"{each.reason}: {each.detail}".rstrip(": "))
            for each in self.left_out
        ]
        places = {each.filename: str(n) for n, each in enumerate(self.selection.fallback, 1)}
        return [(*row, places.get(row[0], "")) for row in rows]


def left_out(
    scan: Scan,
    seen: Collection[str],
    selection: Selection,
    surfaced: Surface,
    recent_tools: Sequence[str],
) -> tuple[LeftOut, ...]:
    """Say of everything that is not attached why; ``seen`` surfaced in an earlier turn.

    What was merely not chosen comes last. That a memory was left out as documentation of a tool is
    told by rule: a model gives no reason.
    """
    told = {each.filename: each for each in surfaced.left_out}
    told |= {name: LeftOut(name, "cap") for name in selection.capped}
    told |= {name: LeftOut(name, "surfaced") for name in seen}
    attached = {each.filename for each in surfaced.attachments}
    for each in scan:
        why = "tool documentation" if explains_tool_in_use(each, recent_tools) else "not chosen"
        told.setdefault(each.filename, LeftOut(each.filename, why))
    found = [told[each.filename] for each in scan if each.filename not in attached]
    found += [LeftOut(name, "not in the manifest") for name in selection.invented]
    found += [LeftOut(name, "unreadable", why) for name, why in scan.skipped]
    found += [LeftOut(f"({scan.beyond} older)", "age")] if scan.beyond else []
    return tuple(sorted(found, key=lambda each: each.reason == "not chosen"))
