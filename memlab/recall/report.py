"""The report of one recall: what it saw, chose and left out, and why, as plain data.

Users of systems like this one could see neither what was recalled nor why. The report does not say
whether the choice was good; that takes a labelled set.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from memlab.memdir.scan import Scan
from memlab.recall.attach import Attachment, Surface
from memlab.recall.choose import LeftOut, Selection, explains_tool_in_use


@dataclass(frozen=True)
class RecallReport:
    """One recall: the selection, what is attached, and the reason for every other memory.

    ``when`` says whether it came ``in time``, ``after tools`` or ``late``; it is empty if nothing
    was prefetched.
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
        """The figures for the log: each reason with its memories, "not chosen" with a number."""
        reasons: dict[str, Any] = {}
        for each in self.left_out:
            reasons.setdefault(each.reason, []).append(each.filename)
        if "not chosen" in reasons:
            reasons["not chosen"] = len(reasons["not chosen"])
        attached = {each.filename: each.bytes for each in self.attachments}
        return {"by": self.selection.by, "attached": attached, "left_out": reasons}

    def as_dict(self) -> dict[str, Any]:
        """Give the report in types that JSON has."""
        plain = {"query": self.query, "when": self.when, **self.selection.figures}
        plain["fallback"] = [each.filename for each in self.selection.fallback]
        plain["attachments"] = [asdict(each) for each in self.attachments]
        plain["left_out"] = [asdict(each) for each in self.left_out]
        return plain | {"manifest": self.selection.manifest.splitlines()}

    def rows(self) -> list[tuple[str, str, str, str]]:
        """List each memory with its outcome, the reason, and its place in the keyword ranking."""
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
    """Give the reason for every memory that is not attached; ``seen`` surfaced in an earlier turn.

    Those that were merely not chosen come last. A model gives no reason, so *tool documentation* is
    a conclusion from the memory's text.
    """
    invented = [each for each in selection.left_out if each.reason == "not in the manifest"]
    limited = [each for each in selection.left_out if each not in invented]
    reasons = {each.filename: each for each in (*limited, *surfaced.left_out)}
    for name in seen:
        reasons[name] = LeftOut(name, "surfaced")
    attached = {each.filename for each in surfaced.attachments}
    for each in scan:
        why = "tool documentation" if explains_tool_in_use(each, recent_tools) else "not chosen"
        reasons.setdefault(each.filename, LeftOut(each.filename, why))
    found = [reasons[each.filename] for each in scan if each.filename not in attached]
    found += invented
    found += [LeftOut(name, "unreadable", why) for name, why in scan.skipped]
    if scan.beyond:
        found.append(LeftOut(f"({scan.beyond} older)", "age"))
    return tuple(sorted(found, key=lambda each: each.reason == "not chosen"))
