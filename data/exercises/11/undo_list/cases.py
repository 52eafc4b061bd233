"""Journals: quiet nights, a night that took 23 files, and nights that were put right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from memlab.course.exercise import Case, case

WHO = "Only a dream is to be undone"
NOTHING = "A dream that removed no file stays"
ONE = "One removed file without a reason is enough"
REASON = "A dream that gives a reason for each removed file stays"
UNDONE = "A change that has been taken back needs no second undo"
REDONE = "If an undo is taken back, the first change is in force again"
ORDER = "The newest change comes first"
OTHER = "An undo concerns only the change that it names"
ANYBODY = "It doesn't matter who took a change back"
BOTH = (
    "A dream that takes something back can also remove a file without a reason"
)
FILES = ("tabs", "harbour", "freeze", "reviews", "keys", "boards", "prices")
Change = dict[str, Any]


def cases(random: Random) -> list[Case]:
    """Make one case for each rule, and some at random."""
    many = {f"note-{number:02}.md": "" for number in range(1, 24)}
    why = "superseded by tabs.md"
    lost = {"a.md": ""}
    dream = _change("c1", "dream", lost)
    fixed: list[tuple[list[Change], str]] = [
        ([], WHO),
        ([_change("c1", "main agent", {})], WHO),
        ([_change("c1", "dream", {})], NOTHING),
        ([_change("c1", "dream", {"a.md": why})], REASON),
        ([_change("c1", "user", lost)], WHO),
        ([_change("c1", "extractor", lost)], WHO),
        ([_change("c1", "dream", many)], ONE),
        ([_change("c1", "dream", {"a.md": why, "b.md": ""})], ONE),
        ([_change("c1", "dream", {"a.md": "", "b.md": why})], ONE),
        ([dream, _undo("c2", "c1")], UNDONE),
        ([dream, _change("c2", "dream", lost)], ORDER),
        (
            [_change("c9", "dream", lost), _change("c10", "dream", lost)],
            ORDER,
        ),
        (
            [dream, _change("c2", "dream", lost), _undo("c3", "c1")],
            f"{UNDONE}; {OTHER}",
        ),
        ([dream, _undo("c2", "c1"), _undo("c3", "c2")], REDONE),
        (
            [dream, _undo("c2", "c1"), _undo("c3", "c2"), _undo("c4", "c3")],
            REDONE,
        ),
        (
            [dream, _undo("c2", "c1"), _undo("c3", "c2"), _undo("c4", "c1")],
            f"{REDONE}; {UNDONE}",
        ),
        (
            [dream, _undo("c2", "c1"), _change("c3", "dream", lost)],
            f"{UNDONE}; {OTHER}",
        ),
    ]
    fixed += [
        ([dream, _undo("c2", "c1", "main agent")], f"{UNDONE}; {ANYBODY}"),
        ([dream, _undo("c2", "c1", "dream")], f"{UNDONE}; {ANYBODY}"),
        ([dream, _undo("c2", "c1", "dream", {"b.md": ""})], BOTH),
        (
            [
                dream,
                _change("c2", "dream", lost),
                _undo("c3", "c1"),
                _undo("c4", "c3"),
            ],
            f"{REDONE}; {ORDER}",
        ),
    ]
    for _ in range(25):
        journal: list[Change] = []
        for number in range(1, random.randint(3, 10)):
            earlier = [change["id"] for change in journal]
            if earlier and random.random() < 0.4:
                target, by = (
                    random.choice(earlier),
                    random.choice(("user", "dream")),
                )
                journal.append(_undo(f"c{number}", target, by))
                continue
            who = random.choice(("dream", "dream", "user", "extractor"))
            names = random.sample(FILES, random.randint(0, 3))
            removed = {
                f"{name}.md": random.choice(
                    ("", why, "stale because it is over")
                )
                for name in names
            }
            journal.append(_change(f"c{number}", who, removed))
        fixed.append(
            (journal, f"{WHO}; {REASON}; {UNDONE}; {REDONE}; {ORDER}")
        )
    return [
        case((journal,), to_undo(journal), slip) for journal, slip in fixed
    ]


def to_undo(journal: Sequence[Mapping[str, Any]]) -> list[str]:
    """Ask of each change whether it is in force."""
    found = []
    for change in journal:
        bad = [file for file, why in change["removed"].items() if not why]
        if change["who"] == "dream" and bad and _in_force(change, journal):
            found.append(change["id"])
    return found[::-1]


def _in_force(
    change: Mapping[str, Any], journal: Sequence[Mapping[str, Any]]
) -> bool:
    return not any(
        other["undoes"] == change["id"] and _in_force(other, journal)
        for other in journal
    )


def _change(name: str, who: str, removed: Mapping[str, str]) -> Change:
    return {"id": name, "who": who, "removed": dict(removed), "undoes": ""}


def _undo(
    name: str,
    undoes: str,
    who: str = "user",
    removed: Mapping[str, str] | None = None,
) -> Change:
    return {**_change(name, who, removed or {}), "undoes": undoes}
