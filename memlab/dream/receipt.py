"""The receipt: what a dream wanted to change, file by file, and what became of each change.

A receipt is plain data. It is made by ``review``, which also decides what may happen without a
person.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from memlab.memdir.scan import one_line

REMOVALS = ("contradicted", "stale", "dropped")
REWRITTEN_BELOW = 2 / 3


@dataclass(frozen=True)
class Change:
    """What a dream wants to do to one file, and what that costs.

    ``kind`` is created, changed, index, or for a removal merged, contradicted, stale, dropped.
    ``into`` is the file that says it now, ``reason`` the dreamer's own word. ``keeps`` is the share
    of the old content found again, ``loses`` has the sentences that were not. A change with
    ``refused`` is not made.

    ``keeps_all`` is for a merge: each sentence is in the other file word for word, and that file
    says nothing new. ``reverses`` has pairs of sentences between which a negation came or went.
    ``unsupported`` has new sentences for which no source was found.
    """

    file: str
    kind: str
    into: str = ""
    reason: str = ""
    keeps: float = 1.0
    loses: tuple[str, ...] = ()
    refused: str = ""
    diff: str = field(default="", repr=False)
    keeps_all: bool = True
    reverses: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()

    @property
    def rewritten(self) -> bool:
        """Whether a memory says something substantially different, or the opposite."""
        return bool(self.reverses) or (self.kind == "changed" and self.keeps < REWRITTEN_BELOW)

    @property
    def needs_person(self) -> bool:
        """Whether the change counts towards what a dream may do when nobody reviews it."""
        lossy_merge = self.kind == "merged" and not self.keeps_all
        return self.kind in REMOVALS or lossy_merge or self.rewritten

    @property
    def line(self) -> str:
        """The change in one line."""
        merged = self.kind == "merged" and self.into
        why = f": {self.reason}" if self.reason and not merged else ""
        return f"{self.file} {self.kind}{f' into {self.into}' if merged else why}"


@dataclass(frozen=True)
class Receipt:
    """All that a dream wanted to change; ``attack`` says why none of it may be done.

    ``problems`` are for the person to know, and ``suspicions`` are those that a person has to
    decide on. ``waits`` says why the whole dream waits for a review: nothing of it has been done.
    ``change`` is the id in the history once it was done.
    """

    changes: tuple[Change, ...] = ()
    problems: tuple[str, ...] = ()
    attack: str = ""
    change: str = ""
    suspicions: tuple[str, ...] = ()
    waits: tuple[str, ...] = ()

    @property
    def accepted(self) -> tuple[Change, ...]:
        """The changes that nothing speaks against."""
        return () if self.attack else tuple(one for one in self.changes if not one.refused)

    @property
    def memories(self) -> tuple[Change, ...]:
        """The accepted changes to memories, without that to the index."""
        return tuple(one for one in self.accepted if one.kind != "index")

    def __str__(self) -> str:
        """Show the receipt as plain lines: ``+`` what is accepted, ``-`` what is not."""
        rows = [f"Refused as a whole: {self.attack}"] if self.attack else []
        rows += [f"Waiting for a review: {one_line(why)}" for why in self.waits]
        for one in self.changes:
            kept = f" (keeps {one.keeps:.0%})" if one.keeps < 1 else ""
            rows.append(f"{'-' if self.attack or one.refused else '+'} {one_line(one.line)}{kept}")
            rows += [f"    a negation changed: {one_line(pair)}" for pair in one.reverses]
            rows += [f"    no source found for: {one_line(text)}" for text in one.unsupported]
            rows += [f"    left as it was: {one_line(one.refused)}"] if one.refused else []
        suspicions = (why for why in self.suspicions if why not in self.waits)
        rows += map(one_line, (*suspicions, *self.problems))
        return "\n".join(rows) or "Nothing to change."
