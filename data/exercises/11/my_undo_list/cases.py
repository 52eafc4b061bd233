from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from memlab.course import Case, case

Texts = Mapping[str, str]
_UNDONE = "a change that a later line undoes needs no second undo"
_WHO = "only a dream's removals count, and only those without a reason"
_ORDER = "the newest first: an older one may rest on what a newer one changed"
FILES = (
    "tabs",
    "harbour",
    "freeze",
    "reviews",
    "keys",
    "boards",
    "prices",
    "backups",
    "errors",
)


def to_undo(journal: Sequence[Mapping[str, Any]]) -> list[str]:
    """List the changes in which a dream removed files without a reason, newest first."""
    undone = {line["undoes"] for line in journal}
    return [
        line["id"]
        for line in reversed(journal)
        if line["who"] == "dream"
        and line["id"] not in undone
        and any(not reason for reason in line["removed"].values())
    ]


def cases(random: Random) -> list[Case]:
    """Give journals: quiet nights, a night that took 23 files, and some that were put right."""
    many = {f"note-{n:02}.md": "" for n in range(1, 24)}
    why = "superseded by tabs.md"
    fixed: list[tuple[list[dict[str, Any]], str]] = [
        ([], _WHO),
        ([_line("c1", "main agent", {})], _WHO),
        ([_line("c1", "dream", {"a.md": why})], _WHO),
        ([_line("c1", "user", {"a.md": ""})], _WHO),
        ([_line("c1", "dream", many)], _WHO),
        ([_line("c1", "dream", {"a.md": why, "b.md": ""})], _WHO),
        (
            [_line("c1", "dream", many), _line("c2", "user", {}, undoes="c1")],
            _UNDONE,
        ),
        (
            [
                _line("c1", "dream", {"a.md": ""}),
                _line("c2", "dream", {"b.md": ""}),
            ],
            _ORDER,
        ),
    ]
    for _ in range(12):
        journal: list[dict[str, Any]] = []
        for number in range(1, random.randint(4, 8)):
            who = random.choice(
                ("dream", "dream", "user", "extractor", "main agent")
            )
            names = random.sample(FILES, random.randint(0, 3))
            removed = {
                f"{name}.md": random.choice(("", "", why)) for name in names
            }
            earlier = [
                line["id"] for line in journal if line["who"] == "dream"
            ]
            undoes = (
                random.choice(earlier) if who == "user" and earlier else ""
            )
            journal.append(
                _line(f"c{number}", who, {} if undoes else removed, undoes)
            )
        fixed.append((journal, f"{_WHO}; {_UNDONE}; {_ORDER}"))
    return [
        case((journal,), to_undo(journal), slip) for journal, slip in fixed
    ]


def _line(
    name: str, who: str, removed: Texts, undoes: str = ""
) -> dict[str, Any]:
    return {"id": name, "who": who, "removed": dict(removed), "undoes": undoes}
