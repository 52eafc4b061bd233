"""What a dream may do when nobody reviews it.

A dream that goes beyond this waits for a person as a whole: half of a consolidation that somebody
meant to harm is no better than all of it. Left out: where it waits (``waiting``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from memlab.dream.receipt import REMOVALS, Change, Receipt
from memlab.memdir.coverage import content
from memlab.settings import Settings

ALIKE = 0.8


def unreviewed_limit(memories: int, settings: Settings) -> int:
    """Give how many memories of a store a dream may remove, merge or rewrite without a review."""
    share = memories * settings.dream_unreviewed_percent // 100
    return max(settings.dream_unreviewed_files, share)


def reasons_to_wait(receipt: Receipt, *, memories: int, settings: Settings) -> tuple[str, ...]:
    """Say why a person has to see a dream first; empty if it may be committed without one.

    ``memories`` is the size of the store before the dream.
    """
    why = []
    counted = [change for change in receipt.accepted if change.needs_person]
    limit = unreviewed_limit(memories, settings)
    if len(counted) > limit:
        why.append(
            f"{len(counted)} of {memories} memories would be removed, merged or rewritten;"
            f" without a review, the limit is {limit}"
        )
    why += receipt.suspicions
    for change in receipt.accepted:
        why += [
            f"{change.file} has a sentence without a source: {text}" for text in change.unsupported
        ]
    return tuple(why)


def find_shared_reasons(
    changes: Sequence[Change], by_code: Collection[str] = ()
) -> tuple[str, ...]:
    """Say where one reason is given for the removal of several memories.

    A model that drops many files for one reason has not looked at each of them. ``by_code`` names
    the removals whose reason code gave, to which this does not apply. Reasons that differ only in
    numbers and in the names of the files are one reason.
    """
    groups: list[tuple[set[str], list[Change]]] = []
    for change in changes:
        if change.kind not in REMOVALS or change.file in by_code:
            continue
        words = _reason_words(change)
        group = next((members for known, members in groups if _alike(known, words)), None)
        if group is None:
            groups.append((words, [change]))
        else:
            group.append(change)
    return tuple(
        f"The same reason is given for {len(members)} memories"
        f" ({', '.join(one.file for one in members)}): {members[0].reason or 'none'}"
        for _, members in groups
        if len(members) > 1
    )


def tally(changes: Sequence[Change]) -> str:
    """Count what happened to the memories: "dropped 2 memories, merged 3"; "" for none."""
    counts = Counter(_verb(change) for change in changes)
    parts: list[str] = []
    for verb in _ORDER:
        if counts[verb] and not parts:
            parts.append(f"{verb} {counts[verb]} {'memory' if counts[verb] == 1 else 'memories'}")
        elif counts[verb]:
            parts.append(f"{verb} {counts[verb]}")
    return ", ".join(parts)


_ORDER = ("dropped", "merged", "rewrote", "changed", "added")
_VERBS: Mapping[str, str] = {"merged": "merged", "created": "added", "changed": "changed"}


def _verb(change: Change) -> str:
    if change.kind in REMOVALS:
        return "dropped"
    if change.kind == "changed" and change.rewritten:
        return "rewrote"
    return _VERBS.get(change.kind, "changed")


def _reason_words(change: Change) -> set[str]:
    """Give what a reason says besides the name of the file it is for."""
    told = re.sub(r"^(stale|never to be stored) because\b", "", change.reason)
    own = content(change.file.removesuffix(".md")) if change.kind != "contradicted" else set()
    return {word for word in content(told) - own - {"md"} if not word.isdigit()}


def _alike(one: set[str], other: set[str]) -> bool:
    if not one or not other:
        return one == other
    return len(one & other) / len(one | other) >= ALIKE
