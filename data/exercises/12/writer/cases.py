"""Journals with writes, removals, undos, and undos of undos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from memlab.course import Case, case

NEWEST = "Of the changes that count, the newest one decides"
FILE = "Only changes that name the file decide"
EXACT = "The name of the file has to be equal"
GONE = 'A file that was removed does not exist, so the result is ""'
NONE = 'A file that nobody wrote does not exist, so the result is ""'
BACK = "A change doesn't count if an undo that counts takes it back"
AGAIN = "An undo that is taken back doesn't count, so it takes nothing back"
PLACE = "A change that counts again keeps its place in the journal"
TWO = "If two undos take back a change, taking one of them back is not enough"
ASKED = "An undo writes and removes nothing itself"
NAMED = "An undo takes back the change that it names, not the newest one"
ALL = "An undo takes back all files of a change"

WRITERS = ("main agent", "extractor", "dream", "user")
FILES = ("a.md", "b.md", "aa.md")


def cases(random: Random) -> list[Case]:
    """Make the fixed journals, and some at random."""
    first = _change("c1", "extractor", wrote=["a.md"])
    second = _change("c2", "dream", wrote=["a.md"])
    removed = _change("c2", "main agent", removed=["a.md"])
    other = _change("c3", "main agent", wrote=["b.md"])
    undo = _change("c4", "user", wrote=["a.md"], undoes="c2")
    undo_first = _change("c4", "user", removed=["a.md"], undoes="c1")
    undo_second = _change("c5", "user", wrote=["a.md"], undoes="c2")
    undo_undo = _change("c5", "user", wrote=["a.md"], undoes="c4")
    both = _change("c2", "dream", wrote=["b.md"], removed=["a.md"])
    two = _change("c2", "dream", wrote=["b.md", "a.md"])
    again = _change("c5", "user", removed=["a.md"], undoes="c1")
    undo_again = _change("c6", "user", wrote=["a.md"], undoes="c5")
    late = _change("c6", "extractor", wrote=["a.md"])
    fixed = [
        ([], NONE),
        ([first], NEWEST),
        ([other], f"{FILE}; {NONE}"),
        ([first, other], FILE),
        ([first, second], NEWEST),
        ([first, two, other], f"{FILE}; {NEWEST}"),
        ([_change("c1", "dream", wrote=["aa.md"])], EXACT),
        ([first, _change("c2", "dream", wrote=["aa.md"])], EXACT),
        ([first, removed], GONE),
        ([first, both], GONE),
        ([first, removed, late], NEWEST),
        (
            [
                first,
                other,
                _change("c4", "user", removed=["a.md"], undoes="c3"),
            ],
            ASKED,
        ),
        ([first, removed, undo], BACK),
        ([first, second, undo], f"{BACK}; {ASKED}"),
        ([first, second, other, undo], NAMED),
        ([first, both, undo], f"{BACK}; {ALL}"),
        ([first, undo_first], f"{BACK}; {NONE}"),
        ([first, second, undo_first], NAMED),
        ([first, second, undo_first, undo_second], f"{BACK}; {NONE}"),
        ([first, undo_first, undo_undo], f"{AGAIN}; {ASKED}"),
        ([first, second, undo, undo_undo], AGAIN),
        ([first, removed, undo, undo_undo], f"{AGAIN}; {GONE}"),
        ([first, second, undo, late], NEWEST),
        (
            [
                first,
                second,
                undo,
                undo_undo,
                _change("c6", "user", wrote=["a.md"], undoes="c5"),
            ],
            AGAIN,
        ),
        ([_change("c1", "user", wrote=["a.md"])], NEWEST),
        ([first, second, undo_first, undo_undo], PLACE),
        ([first, undo_first, again], BACK),
        ([first, undo_first, again, undo_again], TWO),
    ]
    for _ in range(25):
        journal = _random_journal(random)
        fixed.append((journal, f"{NEWEST}; {BACK}; {AGAIN}; {NAMED}; {GONE}"))
    return [
        case(
            (journal, "a.md"),
            _writer(journal, "a.md"),
            slip,
            call=_in_words(journal),
        )
        for journal, slip in fixed
    ]


def _in_words(journal: Sequence[Mapping[str, Any]]) -> str:
    """Write the journal with one line per change."""
    lines = []
    for change in journal:
        parts = [f"{change['id']}: {change['who']}"]
        if change["undoes"]:
            parts.append(f"undoes {change['undoes']}")
        for what in ("wrote", "removed"):
            if change[what]:
                parts.append(f"{what} {', '.join(change[what])}")
        lines.append("  " + ", ".join(parts))
    head = "a.md, with this journal:" if lines else "a.md, with no journal"
    return "\n".join([head, *lines])


def _writer(journal: Sequence[Mapping[str, Any]], file: str) -> str:
    """Decide for each change whether it counts, and then look from the front."""
    counts = {change["id"]: True for change in journal}
    for number in range(len(journal) - 1, -1, -1):
        change = journal[number]
        if change["undoes"] and counts[change["id"]]:
            counts[change["undoes"]] = False
    holder = ""
    for change in journal:
        if change["undoes"] or not counts[change["id"]]:
            continue
        if file in change["wrote"]:
            holder = change["who"]
        if file in change["removed"]:
            holder = ""
    return holder


def _random_journal(random: Random) -> list[dict[str, Any]]:
    journal: list[dict[str, Any]] = []
    earlier: list[str] = []
    for number in range(random.randint(3, 10)):
        name = f"c{number + 1}"
        who = random.choice(WRITERS)
        if earlier and random.random() < 0.4:
            taken = random.choice(earlier)
            journal.append(_change(name, who, wrote=["a.md"], undoes=taken))
        else:
            touched = random.sample(FILES, random.randint(1, 2))
            removed = [file for file in touched if random.random() < 0.3]
            wrote = [file for file in touched if file not in removed]
            journal.append(_change(name, who, wrote=wrote, removed=removed))
        earlier.append(name)
    return journal


def _change(
    name: str,
    who: str,
    *,
    wrote: Sequence[str] = (),
    removed: Sequence[str] = (),
    undoes: str = "",
) -> dict[str, Any]:
    return {
        "id": name,
        "who": who,
        "wrote": list(wrote),
        "removed": list(removed),
        "undoes": undoes,
    }
