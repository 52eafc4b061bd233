"""The cases of notebook 10's exercises: memories before and after dreams, and a journal's nights.

Left out: what the exercises say, which stands in ``nb10``.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from memlab.course.exercise import Case, case
from memlab.text import words

Texts = Mapping[str, str]

KEPT = 0.7
"""The share of a line's words that has to stand in one text."""

_GONE = "a file that is gone is a loss only if one of its lines stands nowhere in after"
_SPREAD = "a line is kept if most of its words stand in one text, and not spread over several"
_CLAIM = 'a "superseded by" is a claim: look whether the content is there'
_REWRITE = "a reason accounts for a file that is gone, and not for one that was rewritten"
_QUIET = "the naive check counts files and characters, and reads no word"
_SAME = "keep the other memories as they are, so that nobody looks twice"
_UNDONE = "a change that a later line undoes needs no second undo"
_WHO = "only a dream's removals count, and only those without a reason"
_ORDER = "the newest first: an older one may rest on what a newer one changed"

LINES = (
    "Robin indents Python with tabs and never with spaces",
    "The harbour office answers on channel twelve after eight",
    "No release goes out between the storm and Easter Monday",
    "Reviews stay below two hundred lines because of the ferry",
    "The spare key hangs behind the chart of the western bay",
    "Grafana shows returned boats under the board named lantern",
    "Maren approves prices before anything is printed on paper",
    "Backups run at night on the old laptop under the stairs",
    "Errors are told in plain words and the traceback stands below",
    "The beach counts everybody back before the lamp is lit",
)
FILES = ("tabs", "harbour", "freeze", "reviews", "keys", "boards", "prices", "backups", "errors")


def unaccounted(before: Texts, after: Texts, reasons: Texts) -> list[str]:
    """List the files of which a line is lost for which no reason accounts, sorted by name."""
    had = [set(words(text)) for text in after.values()]

    def kept(line: str) -> bool:
        told = words(line)
        return any(sum(word in one for word in told) >= KEPT * len(told) for one in had)

    lost = []
    for file, text in before.items():
        reason = reasons.get(file, "")
        excused = file not in after and reason and not reason.startswith("superseded by")
        if not excused and not all(map(kept, text.splitlines())):
            lost.append(file)
    return sorted(lost)


def review_cases(chance: random.Random) -> Sequence[Case]:
    """Give dreams that merge, drop with and without a reason, hollow out and lie."""
    a, b, c, d = LINES[:4]
    purse = {"a.md": a, "b.md": f"{b}\n{c}"}
    merged = {"a.md": f"{a}\n{b}\n{c}"}
    stale = "stale because the season is over"
    fixed: list[tuple[Texts, Texts, Texts, str]] = [
        ({}, {}, {}, _GONE),
        (purse, purse, {}, _GONE),
        (purse, merged, {}, _GONE),
        (purse, merged, {"b.md": "superseded by a.md"}, _CLAIM),
        (purse, {"a.md": a}, {"b.md": "superseded by a.md"}, _CLAIM),
        (purse, {"a.md": a}, {}, _GONE),
        (purse, {"a.md": f"{a}\n{b}"}, {}, _GONE),
        (purse, {"a.md": a}, {"b.md": stale}, _REWRITE),
        (purse, {"a.md": a, "b.md": d}, {"b.md": stale}, _REWRITE),
        (purse, {"a.md": a, "b.md": ""}, {}, _REWRITE),
        ({"a.md": f"{a}\n\n{b}\n"}, {"x.md": f"{b}.\n{a}."}, {}, _GONE),
        (
            {"a.md": a},
            {"x.md": "Robin indents Python", "y.md": "with tabs and never with spaces"},
            {},
            _SPREAD,
        ),
        ({"a.md": a}, {"a.md": a.replace("never with", "no longer")}, {}, _SPREAD),
        (purse, {}, {"a.md": stale}, f"{_GONE}; {_REWRITE}"),
    ]
    for _ in range(14):
        lines = chance.sample(LINES, 7)
        names = chance.sample(FILES, 3)
        sizes = zip(names, (lines[:2], lines[2:3], lines[3:5]), strict=True)
        before = {f"{name}.md": "\n".join(held) for name, held in sizes}
        after, reasons = _dreamt(chance, before, lines[5:])
        fixed.append((before, after, reasons, f"{_GONE}; {_CLAIM}; {_REWRITE}"))
    return [
        case((before, after, reasons), unaccounted(before, after, reasons), slip)
        for before, after, reasons, slip in fixed
    ]


def _dreamt(
    chance: random.Random, before: Texts, others: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    after, reasons = dict(before), dict[str, str]()
    for file in list(before):
        what = chance.choice(("stays", "merged", "dropped", "lie", "reason", "rewritten"))
        if what == "rewritten":
            after[file] = chance.choice((others[0], f"{before[file]}\n{others[1]}"))
        elif what != "stays":
            text = after.pop(file)
            heir = chance.choice(sorted(after) or ["new.md"])
            if what == "merged":
                after[heir] = f"{after.get(heir, '')}\n{text}".strip()
            if what in ("merged", "lie"):
                reasons[file] = f"superseded by {heir}"
            if what == "reason":
                reasons[file] = "contradicted by what was decided later"
    return after, reasons


def naive_check(before: Texts, after: Texts) -> bool:
    """Pass a dream after which every file is still there, and none is shorter."""
    return set(before) <= set(after) and all(len(after[f]) >= len(t) for f, t in before.items())


def quiet_cases(chance: random.Random) -> Sequence[Case]:
    """Give memories, and the one whose content has to go unseen."""
    cases = []
    for _ in range(5):
        names, lines = chance.sample(FILES, 4), chance.sample(LINES, 4)
        memories = {f"{name}.md": line for name, line in zip(names, lines, strict=True)}
        file = chance.choice(sorted(memories))
        told = f"a dict that passes the naive check, with nothing lost but {file}"
        fits = partial(_is_quiet, memories, file)
        cases.append(Case((memories, file), told, fits, f"{_QUIET}; {_SAME}"))
    return cases


def _is_quiet(memories: Texts, file: str, after: Any) -> bool:
    whole = all(isinstance(part, str) for pair in after.items() for part in pair)
    return whole and naive_check(memories, after) and unaccounted(memories, after, {}) == [file]


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


def night_cases(chance: random.Random) -> Sequence[Case]:
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
        ([_line("c1", "dream", many), _line("c2", "user", {}, undoes="c1")], _UNDONE),
        ([_line("c1", "dream", {"a.md": ""}), _line("c2", "dream", {"b.md": ""})], _ORDER),
    ]
    for _ in range(12):
        journal: list[dict[str, Any]] = []
        for number in range(1, chance.randint(4, 8)):
            who = chance.choice(("dream", "dream", "user", "extractor", "main agent"))
            names = chance.sample(FILES, chance.randint(0, 3))
            removed = {f"{name}.md": chance.choice(("", "", why)) for name in names}
            earlier = [line["id"] for line in journal if line["who"] == "dream"]
            undoes = chance.choice(earlier) if who == "user" and earlier else ""
            journal.append(_line(f"c{number}", who, {} if undoes else removed, undoes))
        fixed.append((journal, f"{_WHO}; {_UNDONE}; {_ORDER}"))
    return [case((journal,), to_undo(journal), slip) for journal, slip in fixed]


def _line(name: str, who: str, removed: Texts, undoes: str = "") -> dict[str, Any]:
    return {"id": name, "who": who, "removed": dict(removed), "undoes": undoes}
