"""What became of a memory that several processes shared, against what everybody was told.

Each function gives what is wrong, in words; nothing is wrong where it gives nothing. Left out: the
processes (``neighbours``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from memlab.dream.lock import LOCK
from memlab.memdir.index import parse_pointers
from memlab.memdir.journal import Entry
from memlab.memdir.places import INDEX
from memlab.memdir.store import MemoryStore
from memlab.text import words
from tests.faults.neighbours import Street, Told

COMMON = {"remember", "because"}


def dreams_at_once(told: Iterable[Told]) -> list[str]:
    """Name each pair that had the lock at the same time; a holder that was killed has no end."""
    holder, found = "", []
    for line in told:
        if line["what"] == "held":
            found += [f"{holder} and {line['by']} at {line['at']}"] if holder else []
            holder = line["by"]
        elif line["what"] in ("free", "killed") and line["by"] == holder:
            holder = ""
    return found


def saved(told: Iterable[Told]) -> Iterator[tuple[str, str]]:
    """Give session and file of each memory that somebody was told is saved."""
    for line in told:
        if line["what"] in ("extracted", "extract_failed") and line["files"]:
            yield from ((line["by"], file) for file in line["files"].split(", "))
        elif line["what"] == "notice" and line["text"].startswith("Saved to memory: "):
            files = line["text"].removeprefix("Saved to memory: ").split(", ")
            yield from ((line["by"], file) for file in files)


def forgotten(street: Street, said: Iterable[str]) -> list[str]:
    """Name what was said and stands in no memory any more, whoever has merged it with what."""
    now = [path.read_text(encoding="utf-8") for path in street.memory.glob("*.md")]
    texts = [set(words(text)) for text in now]
    return [
        text
        for text in said
        if not any(one >= {word for word in words(text) if len(word) > 5} - COMMON for one in texts)
    ]


def losses(street: Street) -> list[str]:
    """Say what is not in order in the memory, and what was saved and is not accounted for."""
    store = MemoryStore(street.memory)
    history = store.history()
    return [
        *_unaccounted(street, history),
        *_broken_chain(street, store, history),
        *_crooked(street, history),
    ]


def _unaccounted(street: Street, history: list[Entry]) -> Iterator[str]:
    told = street.told()
    wrote = {
        (entry.session, one.file)
        for entry in history
        for one in entry.changes
        if entry.who in ("main agent", "extractor") and one.after
    }
    for session, file in sorted(set(saved(told)) - wrote):
        yield f"{session} was told that {file} is saved, and the journal does not know"
    receipts = {file for line in told for file in line.get("gone", ())}
    for entry in history:
        gone = {one.file for one in entry.changes if not one.after} - receipts
        if unsaid := sorted(file for file in gone if file not in entry.reason):
            yield f"{entry.id} took {unsaid} away, and nobody was told why"


def _broken_chain(street: Street, store: MemoryStore, history: list[Entry]) -> Iterator[str]:
    """Each change starts where the one before it ended, and the files are as the last one left."""
    last, at = dict[str, str](), ""
    for number, entry in enumerate(history, 1):
        if entry.id != f"change-{number:04d}" or entry.at < at:
            yield f"{entry.id} of {entry.at} is out of order"
        at = entry.at
        for one in entry.changes:
            if one.before != last.get(one.file, ""):
                yield f"{entry.id} by {entry.who} did not see the version of {one.file} before it"
            last[one.file] = one.after
        if entry.kept:
            yield f"{entry.id} met an unknown hand at {entry.kept}"
        for sha in entry.hashes:
            if not store.content(sha):
                yield f"{entry.id}: a version is empty"
    now = {path.name: path.read_bytes() for path in street.memory.glob("*.md")}
    left = {file: store.content(sha) for file, sha in last.items() if sha}
    for file in sorted({*now, *left}):
        if now.get(file) != left.get(file):
            yield f"{file} is not what the journal says"


def _crooked(street: Street, history: list[Entry]) -> Iterator[str]:
    """No leftovers, no line of the journal torn or left open, one pointer for each memory."""
    records = street.memory / ".memlab"
    lines = (records / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    done = [line for line in map(json.loads, lines) if "applied" in line]
    if len(lines) != 2 * len(history) + 1 or len(done) != len(history):
        yield f"{len(lines)} lines in the journal for {len(history)} changes and the version"
    images = {path.name for path in (records / "images").iterdir()}
    if odd := images ^ {sha for entry in history for sha in entry.hashes}:
        yield f"images too many or too few: {sorted(odd)}"
    names = {path.name for path in street.memory.iterdir()}
    if odd := {name for name in names if not name.endswith(".md")} - {".memlab", LOCK}:
        yield f"left behind: {sorted(odd)}"
    text = (street.memory / INDEX).read_text(encoding="utf-8")
    pointed = sorted(one.file for one in parse_pointers(text))
    memories = sorted(name for name in names if name.endswith(".md") and name != INDEX)
    if pointed != memories:
        yield f"the index points to {sorted(set(pointed) ^ set(memories))} or twice to one"
