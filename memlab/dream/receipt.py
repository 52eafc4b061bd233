"""The receipt: what a dream wanted to change, file by file, and what became of each change.

Left out: finding that out (``review``), and asking the person.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from memlab.memdir.scan import one_line


@dataclass(frozen=True)
class Change:
    """What a dream wants to do to one file, and what that costs.

    ``kind`` is created, changed, index, or for a removal merged, contradicted, stale, dropped.
    ``into`` is the file that says it now, ``reason`` the dreamer's own word. ``keeps`` is the share
    of the old content found again, ``loses`` has the sentences that were not. A change with
    ``refused`` is not carried out.
    """

    file: str
    kind: str
    into: str = ""
    reason: str = ""
    keeps: float = 1.0
    loses: tuple[str, ...] = ()
    refused: str = ""
    diff: str = field(default="", repr=False)

    @property
    def line(self) -> str:
        """The change in one line."""
        merged = self.kind == "merged" and self.into
        why = f": {self.reason}" if self.reason and not merged else ""
        return f"{self.file} {self.kind}{f' into {self.into}' if merged else why}"


@dataclass(frozen=True)
class Receipt:
    """All that a dream wanted to change; ``attack`` says why nothing of it may be carried out.

    ``problems`` are for the person to know. ``change`` is the id in the history once it was done.
    """

    changes: tuple[Change, ...] = ()
    problems: tuple[str, ...] = ()
    attack: str = ""
    change: str = ""

    @property
    def accepted(self) -> tuple[Change, ...]:
        """The changes that nothing speaks against."""
        return () if self.attack else tuple(one for one in self.changes if not one.refused)

    @property
    def memories(self) -> tuple[Change, ...]:
        """The accepted changes to memories, without that to the index."""
        return tuple(one for one in self.accepted if one.kind != "index")

    def __str__(self) -> str:
        """Show the receipt as plain lines: ``+`` what is carried out, ``-`` what is not."""
        rows = [f"Refused as a whole: {self.attack}"] if self.attack else []
        for one in self.changes:
            kept = f" (keeps {one.keeps:.0%})" if one.keeps < 1 else ""
            rows.append(f"{'-' if self.attack or one.refused else '+'} {one_line(one.line)}{kept}")
            rows += [f"    left as it was: {one_line(one.refused)}"] if one.refused else []
        return "\n".join([*rows, *map(one_line, self.problems)]) or "Nothing to change."
