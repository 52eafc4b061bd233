"""The receipt of a dream: the review of its changes, and what became of them.

``memlab.evidence.review`` judges the changes, and ``plan`` makes them.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memlab.errors import StoreError
from memlab.evidence.pending import PendingChange, waiting
from memlab.evidence.review import REMOVALS, Change, Contents, Review
from memlab.evidence.sentences import text_of
from memlab.evidence.support import Verdict
from memlab.memdir.folder import Folder
from memlab.memdir.index import Settled, named
from memlab.memdir.places import INDEX
from memlab.memdir.scan import one_line
from memlab.text import visible

HOW_TO_REVIEW = (
    "Type /dream receipt in the chat, or run `python3 -m memlab dream` in a"
    " terminal"
)
BECAUSE = " because "  # in a group, between the dream and why it waits
_DOUBTS: Mapping[Verdict, str] = {
    Verdict.UNSUPPORTED: "no source found for",
    Verdict.OFF_RECORD: "no source found for",
    Verdict.RISE: "a rise in authority",
    Verdict.INFERRED: "inferred by the model",
}
_VERBS = dict.fromkeys(REMOVALS, "dropped")
_VERBS |= {"created": "added", "merged": "merged", "changed": "changed"}


@dataclass(frozen=True)
class Receipt(Review):
    """The review of a dream's changes, and what became of them.

    ``change`` is the id in the history of what was changed. ``settled`` says
    what code does to put the index in order, whatever becomes of the changes.
    ``pending`` is what waits for the person. ``diffs`` are by file.
    """

    change: str = ""
    settled: Settled | None = None
    pending: tuple[PendingChange, ...] = ()
    diffs: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def proposed(self) -> tuple[str, ...]:
        """The files of which a change waits for the person."""
        return tuple(sorted(one.file for one in self.pending))

    @property
    def waits(self) -> str:
        """Why these wait; "" if nothing does."""
        groups = [one.group for one in self.pending]
        return groups[0].partition(BECAUSE)[2] if groups else ""

    @property
    def made(self) -> tuple[Change, ...]:
        """The accepted changes that do not wait."""
        waits = self.proposed
        return tuple(one for one in self.accepted if one.file not in waits)

    @property
    def memories(self) -> tuple[Change, ...]:
        """Those of them that are not to an index."""
        return tuple(one for one in self.made if one.kind != "index")

    def __str__(self) -> str:
        """Show the receipt as plain lines: ``+`` what is accepted, ``-`` what
        is not, ``?`` what waits for a person.
        """
        rows = [f"Waiting for a review: {self.waits}"] if self.waits else []
        for one in self.changes:
            mark = "-" if one.refused else "+"
            mark = "?" if one.file in self.proposed else mark
            kept = f" (keeps {one.keeps:.0%})" if one.keeps < 1 else ""
            rows.append(f"{mark} {one.line}{kept}")
            notes = [f"a negation changed: {pair}" for pair in one.reverses]
            notes += self._doubts(one.file)
            if one.refused:
                notes.append(f"left as it was: {one.refused}")
            rows += [f"    {one_line(note)}" for note in notes]
        rows += _index_report(self.settled) if self.settled else []
        rows += self.suspicions
        lines = [row if row[0] == " " else one_line(row) for row in rows]
        return "\n".join(lines) or "Nothing to change."

    def _doubts(self, file: str) -> list[str]:
        """Say what is doubtful in a file's new sentences; for a rise in
        authority, with the source.
        """
        return [
            f"{_DOUBTS[found.verdict]}: {sentence.text}"
            + "".join(found.why.partition(" (")[1:])
            for name, sentence, found in self.gains
            if name == file and found.verdict in _DOUBTS
        ]


def _index_report(settled: Settled) -> list[str]:
    """Say what code does to the index, in a line each."""
    parts = {
        "removed dead or double pointers": settled.dead + settled.double,
        "added missing pointers": settled.added,
        "shortened or renewed generated lines": settled.renewed,
        "not in the index, because it is full": settled.unlisted,
    }
    return [
        f"~ {INDEX} put in order by code: {what}, {len(files):,}: {named(files)}"
        for what, files in parts.items()
        if files
    ]


def diffs(before: Contents, after: Contents) -> dict[str, str]:
    """Give the difference of each file that differs, for people."""
    found = {}
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            old, new = text_of(before.get(name)), text_of(after.get(name))
            names = f"before/{name}", f"after/{name}"
            lines = difflib.unified_diff(
                old.splitlines(), new.splitlines(), *names, n=2, lineterm=""
            )
            found[name] = visible("\n".join(lines))
    return found


def tally(changes: Sequence[Change]) -> str:
    """Count what happened to the memories: "dropped 2 memories, merged 3"; ""
    for none.
    """
    counts = Counter(
        "rewrote"
        if one.kind == "changed" and one.rewritten
        else _VERBS[one.kind]
        for one in changes
    )
    verbs = ("dropped", "merged", "rewrote", "changed", "added")
    first, *others = [
        f"{verb} {counts[verb]}" for verb in verbs if counts[verb]
    ] or [""]
    if first:
        first += " memory" if first.endswith(" 1") else " memories"
    return ", ".join([first, *others])


def is_waiting(directory: Path) -> bool:
    """Say whether a dream of this memory directory waits; one may, if what
    waits cannot be read.
    """
    try:
        return any(one.closes_gate for one in waiting(Folder(directory)))
    except (StoreError, OSError):
        return True
