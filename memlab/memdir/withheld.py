"""Which messages nothing may be learned from any more: those that forgotten memories came from.

The journal names them by session and id, without their words. Left out: keeping agents away from
them, which those who start agents do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from memlab.memdir.journal import Entry

Sources = defaultdict[str, dict[str, list[str]]]


def messages_to_withhold(
    entries: Iterable[Entry],
    file: str,
    *,
    who: str = "",
    session: str = "",
    turn: str = "",
    sources: Sequence[str] = (),
) -> dict[str, list[str]]:
    """Give, by session, the messages that a memory came from, and the one that asked to forget it.

    What a dream merged into the memory counts as well, and so does an earlier memory of the name.
    """
    found = _sources(entries)[file]
    if session and turn:
        _add(found, session, [turn, *sources])
    return found


def withheld_messages(entries: Sequence[Entry]) -> dict[str, frozenset[str]]:
    """Give, by session, what the journal withholds; what was undone withholds nothing."""
    undone: set[str] = set()
    found: dict[str, set[str]] = {}
    for entry in reversed(entries):
        if entry.id in undone:
            continue
        undone.add(entry.undoes)
        for session, messages in entry.withheld.items():
            found.setdefault(session, set()).update(messages)
    return {session: frozenset(messages) for session, messages in found.items()}


def _sources(entries: Iterable[Entry]) -> Sources:
    """Give, by file and session, the messages that its memory came from."""
    found: Sources = defaultdict(dict)
    for entry in entries:
        written = [change.file for change in entry.changes if change.after]
        if entry.who != "dream":
            for file in written:
                if entry.session and entry.turn:
                    _add(found[file], entry.session, [entry.turn, *entry.sources])
            continue
        removed = [change.file for change in entry.changes if not change.after]
        for file in written:  # a dream says nothing new, so its sources are those it worked from
            for other in removed:
                for session, messages in found[other].items():
                    _add(found[file], session, messages)
    return found


def _add(found: dict[str, list[str]], session: str, messages: Iterable[str]) -> None:
    known = found.setdefault(session, [])
    known.extend(message for message in messages if message not in known)
