"""Compares two replays of the two weeks: usually memlab's own, and one with the
learner's parts in the machine.

Whether a part is right is not decided here: ``check`` does that.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from memlab.course import own_parts
from memlab.course.baselines import recalled_from
from memlab.course.display import Table, table
from memlab.course.gap import all_gaps
from memlab.course.lab import Lab
from memlab.course.measuring import Row, measure
from memlab.course.notebook_folder import SHOWN_MEMORY
from memlab.course.parts import without_parts
from memlab.course.replay import Replay, story_sessions, story_turns
from memlab.events import MemoriesRecalled, TurnEnded
from memlab.memdir.store import MemoryStore
from memlab.text import shorten

NEVER = "nothing in these two weeks asks for it"
REQUESTS = "requests"
JOURNAL = "changes in the journal"
NOTEBOOK_ONLY = "only cells of its notebook call it"
_MODULE = re.compile(r"\.(_?[A-Z].*|\w+)$")


def part_calls(calls: Mapping[str, int]) -> Table:
    """List every part of the machine: whose it is, in which module, and how
    often it was called.
    """
    rows = []
    yours = own_parts.part_files()
    for name, gap in all_gaps().items():
        if gap.notebook > own_parts.LAST_OF_SYSTEM:
            continue
        is_yours = yours.get(name, ("ours",))[0] == "passed"
        whose = "yours" if is_yours else "our solution"
        number = f"{gap.notebook:02d}"
        place = _MODULE.sub("", gap.place) or f"notebook {number}"
        remark = ""
        if not calls.get(name):
            remark = NEVER if gap.place else NOTEBOOK_ONLY
        rows.append((number, name, whose, place, calls.get(name, 0), remark))
    return table(rows, ("notebook", "part", "whose", "in", "calls", ""))


@dataclass(frozen=True)
class Difference:
    """One thing that is not the same in two replays."""

    kind: str
    where: str
    first: str
    second: str


@dataclass(frozen=True, repr=False)
class WeeksCompared:
    """Two replays compared: how much, what differs, and every difference in
    full.
    """

    counts: Mapping[str, tuple[int, int]]
    differences: tuple[Difference, ...]
    names: tuple[str, str]

    @property
    def table(self) -> Table:
        """How many things of each kind there are, and how many differ."""
        rows = [
            (
                kind,
                first,
                second,
                sum(one.kind == kind for one in self.differences),
            )
            for kind, (first, second) in self.counts.items()
        ]
        return table(rows, ("compared", *self.names, "different"))

    @property
    def details(self) -> Table:
        """Every file, turn and session that differs, in full. A request or a
        line of the journal differs because one of these does.
        """
        rows = [
            (one.where, one.first, one.second)
            for one in self.differences
            if one.kind not in (REQUESTS, JOURNAL)
        ]
        return table(rows, ("where", *self.names))

    def _repr_markdown_(self) -> str:
        parts = [self.table.markdown]
        if self.differences:
            parts.append(self.details.markdown)
        return "\n\n".join(parts)

    def __repr__(self) -> str:
        if not self.differences:
            return repr(self.table)
        return f"{self.table!r}\n\n{self.details!r}"


def compare_weeks(
    lab: Lab,
    first: Replay,
    second: Replay,
    names: tuple[str, str] = ("memlab", "yours"),
) -> WeeksCompared:
    """Compare two replays of the same sessions: the files at the end, what was
    recalled in each turn, the dreams, the journal and the requests.
    """
    turns = [
        turn
        for path in story_sessions(lab)[: len(first.session_ends)]
        for turn in story_turns(path)
    ]
    recalled = [
        f"{turn.at:%d %b %H:%M} “{shorten(turn.words, 50)}”" for turn in turns
    ]
    found = [
        _files(first, second),
        _sequences(
            "turns, by recalled memories",
            recalled,
            recalls_by_turn(first),
            recalls_by_turn(second),
            _as_lines,
        ),
        _sequences(
            "sessions, by dream",
            [f"{one.at:%d %b}" for one in first.session_ends],
            [one.dream for one in first.session_ends],
            [one.dream for one in second.session_ends],
            lambda notice: str(notice or "no dream"),
        ),
        _sequences(
            JOURNAL,
            [],
            _journal(first),
            _journal(second),
            _as_lines,
        ),
        _sequences(
            REQUESTS,
            [],
            list(first.requests),
            list(second.requests),
            lambda body: "",
        ),
    ]
    counts = {kind: pair for kind, pair, _ in found}
    differences = tuple(one for *_, listed in found for one in listed)
    return WeeksCompared(counts, differences, names)


Found = tuple[str, tuple[int, int], list[Difference]]


def _files(first: Replay, second: Replay) -> Found:
    kind = "files at the end"
    ours, theirs = first.files(), second.files()
    listed = []
    for name in sorted({*ours, *theirs}):
        if ours.get(name) == theirs.get(name):
            continue
        if name not in theirs or name not in ours:
            there = [
                "there" if name in files else "missing"
                for files in (ours, theirs)
            ]
            listed.append(Difference(kind, name, *there))
            continue
        lines = [files[name].decode().splitlines() for files in (ours, theirs)]
        listed.append(Difference(kind, name, *_changed_lines(*lines)))
    return kind, (len(ours), len(theirs)), listed


def _changed_lines(
    first: Sequence[str], second: Sequence[str]
) -> tuple[str, str]:
    """Return the lines that only one of two texts has."""
    diff = list(difflib.ndiff(first, second))
    return (
        " / ".join(line[2:] for line in diff if line.startswith("- ")),
        " / ".join(line[2:] for line in diff if line.startswith("+ ")),
    )


def recalls_by_turn(replay: Replay) -> list[list[str]]:
    """Return the memories that were recalled in each turn, in their order."""
    turns: list[list[str]] = []
    names: list[str] = []
    for event in replay.events:
        if isinstance(event, MemoriesRecalled):
            names += event.attached
        if isinstance(event, TurnEnded):
            turns.append(names)
            names = []
    return turns


def _journal(replay: Replay) -> list[list[str]]:
    history = MemoryStore(replay.memory).history()
    return [
        [one.who, one.what, *(change.file for change in one.changes)]
        for one in history
    ]


def _sequences(
    kind: str,
    labels: Sequence[str],
    first: Sequence[Any],
    second: Sequence[Any],
    shown: Callable[[Any], str],
) -> Found:
    """Compare two lists element by element; ``shown`` turns an element into
    text.
    """
    listed = []
    for number, (one, other) in enumerate(zip_longest(first, second)):
        if one == other:
            continue
        where = labels[number] if number < len(labels) else f"{number + 1}"
        pair = shown(one), shown(other)
        listed.append(Difference(kind, where, *pair))
    return kind, (len(first), len(second)), listed


def _as_lines(names: Sequence[str] | None) -> str:
    return ", ".join(names or ()) or "nothing"


def shown_memory(path: Path) -> str:
    """Show a path of a replay as the story's memory directory would show it."""
    return SHOWN_MEMORY if path.is_dir() else f"{SHOWN_MEMORY}/{path.name}"


def evidence_in(
    lab: Lab, directory: Path, name: str = "12", *, ours: bool = False
) -> Row:
    """Ask the twelve questions of a memory directory: in how many requests
    their evidence is, at how many tokens.

    The lab's parts choose and judge, the learner's where they have passed;
    with ``ours``, memlab's own.
    """
    if ours:
        with without_parts():
            return evidence_in(lab, directory, name)
    builder = recalled_from(lab, directory, shown_memory)
    label = name if " " in name else f"{name} two weeks"
    return measure(label, builder, lab.questions)


def evidence_by_session(
    lab: Lab, replay: Replay, *, ours: bool = False
) -> list[Row]:
    """Ask the twelve questions of the memory directory as it was at the end of
    each session.
    """
    return [
        evidence_in(lab, one.copy, f"12 {one.at:%d %b}", ours=ours)
        for one in replay.session_ends
    ]
