"""The receipt of a dream: the review of its changes, and what became of them.

``memlab.evidence.review`` judges the changes. ``waiting`` says when a person
has to decide.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memlab.evidence.pending import PendingChange
from memlab.evidence.review import REMOVALS, Change, Contents, Review
from memlab.evidence.sentences import text_of
from memlab.evidence.support import Verdict
from memlab.memdir.index import Settled, named
from memlab.memdir.places import INDEX
from memlab.memdir.scan import one_line
from memlab.text import visible

_ORDER = ("dropped", "merged", "rewrote", "changed", "added")
_VERBS: Mapping[str, str] = {
    "merged": "merged",
    "created": "added",
    "changed": "changed",
}
NO_SOURCE = Verdict.UNSUPPORTED, Verdict.OFF_RECORD
_GAINED: Mapping[str, tuple[Verdict, ...]] = {
    "no source found for": NO_SOURCE,
    "a rise in authority": (Verdict.RISE,),
    "inferred by the model": (Verdict.INFERRED,),
}


@dataclass(frozen=True)
class Receipt(Review):
    """The review of a dream's changes, and what became of them.

    ``attack`` says why none of them may be made. ``waits`` says why the whole
    dream waits for a person: nothing was changed then. ``change`` is the id in
    the history of what was changed. ``settled`` says what code does to put the
    index in order, whatever becomes of the changes. ``held`` has the sentences
    that wait for the person, ``proposed`` the files of which a change does.
    ``problems`` are for the person to know. ``diffs`` are by file.
    """

    attack: str = ""
    change: str = ""
    waits: tuple[str, ...] = ()
    settled: Settled | None = None
    held: tuple[PendingChange, ...] = ()
    proposed: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    diffs: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def accepted(self) -> tuple[Change, ...]:
        """The changes that no rule refuses; none after an attack."""
        return () if self.attack else super().accepted

    @property
    def memories(self) -> tuple[Change, ...]:
        """The accepted changes to memories, without those to an index."""
        return tuple(one for one in self.accepted if one.kind != "index")

    @property
    def stamps(self) -> dict[str, Any]:
        """Whose words the new sentences are, by key, as the journal keeps it."""
        return {
            one.sentence.key: one.judgement.stamp.as_json()
            for one in self.gains
        }

    @property
    def index_report(self) -> list[str]:
        """What code does to the index, in a line each."""
        done = self.settled
        parts = (
            (
                "removed dead or double pointers",
                done and done.dead + done.double,
            ),
            ("added missing pointers", done and done.added),
            ("shortened or renewed generated lines", done and done.renewed),
            ("not in the index, because it is full", done and done.unlisted),
        )
        return [
            f"{what}, {len(files):,}: {named(files)}"
            for what, files in parts
            if files
        ]

    def gained(self, file: str, *verdicts: Verdict) -> list[str]:
        """List the new sentences of a file on which the verdict is one of
        these; a rise in authority with its source.
        """
        return [
            f"{one.sentence.text}{_source(one.judgement.why)}"
            for one in self.gains
            if one.file == file and one.judgement.verdict in verdicts
        ]

    def __str__(self) -> str:
        """Show the receipt as plain lines: ``+`` what is accepted, ``-`` what
        is not, ``?`` what waits for a person.
        """
        rows = [f"Refused as a whole: {self.attack}"] if self.attack else []
        rows += [
            f"Waiting for a review: {one_line(why)}" for why in self.waits
        ]
        for one in self.changes:
            kept = f" (keeps {one.keeps:.0%})" if one.keeps < 1 else ""
            mark = "-" if self.attack or one.refused else "+"
            if one.file in self.proposed:
                mark = "?"
            rows.append(f"{mark} {one_line(one.line)}{kept}")
            rows += [
                f"    a negation changed: {one_line(pair)}"
                for pair in one.reverses
            ]
            for what, verdicts in _GAINED.items():
                rows += [
                    f"    {what}: {one_line(text)}"
                    for text in self.gained(one.file, *verdicts)
                ]
            rows += (
                [f"    left as it was: {one_line(one.refused)}"]
                if one.refused
                else []
            )
        rows += [f"? held back for /review: {one.line}" for one in self.held]
        if not self.attack:
            rows += [
                f"~ {INDEX} put in order by code: {one_line(line)}"
                for line in self.index_report
            ]
        suspicions = (why for why in self.suspicions if why not in self.waits)
        rows += map(one_line, (*suspicions, *self.problems))
        return "\n".join(rows) or "Nothing to change."


def diffs(before: Contents, after: Contents) -> dict[str, str]:
    """Give the difference of each file that differs, for people."""
    found = {}
    for name in sorted({*before, *after}):
        if before.get(name) == after.get(name):
            continue
        old, new = text_of(before.get(name)), text_of(after.get(name))
        lines = difflib.unified_diff(
            old.splitlines(),
            new.splitlines(),
            f"before/{name}",
            f"after/{name}",
            n=2,
            lineterm="",
        )
        found[name] = visible("\n".join(lines))
    return found


def _source(why: str) -> str:
    """Give in brackets the source from which a rise is taken."""
    _, found, source = why.partition(" (")
    return f" ({source}" if found else ""


def tally(changes: Sequence[Change]) -> str:
    """Count what happened to the memories: "dropped 2 memories, merged 3"; ""
    for none.
    """
    counts = Counter(_verb(change) for change in changes)
    parts: list[str] = []
    for verb in _ORDER:
        if counts[verb] and not parts:
            parts.append(
                f"{verb} {counts[verb]}"
                f" {'memory' if counts[verb] == 1 else 'memories'}"
            )
        elif counts[verb]:
            parts.append(f"{verb} {counts[verb]}")
    return ", ".join(parts)


def _verb(change: Change) -> str:
    if change.kind in REMOVALS:
        return "dropped"
    if change.kind == "changed" and change.rewritten:
        return "rewrote"
    return _VERBS.get(change.kind, "changed")
