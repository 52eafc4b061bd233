"""What memlab 0.2 has left in a memory directory, brought into today's form.

Its journal can be read as it is. This module goes in 0.4: a directory that was
opened once with 0.3 needs it no more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from memlab.errors import StoreError
from memlab.evidence import pending
from memlab.evidence.pending import DREAM, PendingChange
from memlab.evidence.sentences import Sentence
from memlab.memdir.folder import Folder
from memlab.memdir.journal import IMAGES, JOURNAL, Journal, content_hash
from memlab.memdir.places import STORE_FOLDER

# what it was writing when it was stopped, and the list that went with it
PREPARING = f"{STORE_FOLDER}/preparing.json"
_NEW_LIST = f"{STORE_FOLDER}/pending/.memlab-held.tmp"
_SENTENCES = f"{STORE_FOLDER}/pending/sentences.json"
_DREAM = f"{STORE_FOLDER}/pending/dream.json"
# images that its journal did not explain
_SET_ASIDE = f"{STORE_FOLDER}/set-aside"


def convert(journal: Journal, mtime: int) -> None:
    """Convert what is left, if that can be done now; the rest is done at the
    next opening.
    """
    folder = journal.folder
    # a list that cannot be read stays
    with suppress(StoreError, OSError, ValueError, TypeError, LookupError):
        aside = [name for name, _ in folder.walk([], below=_SET_ASIDE)]
        files = PREPARING, _SENTENCES, _DREAM
        there = [one for one in files if folder.read(one).data is not None]
        if not there and not aside:
            return
        with journal.guard():  # what has its line is in place now
            if PREPARING in there:
                _settle_marker(journal)
            old = [*_held_sentences(folder), *_waiting_dream(folder)]
            pending.add(folder, old, mtime)
            for name in aside:
                folder.rename(name, f"{IMAGES}/{name.rpartition('/')[2]}")
            for name in files:
                folder.remove(name)


def _settle_marker(journal: Journal) -> None:
    folder = journal.folder
    marker: dict[str, Any] = {}
    with suppress(ValueError, TypeError):
        marker = {**json.loads(folder.read(PREPARING).data or b"")}
    if marker.get("size") == len(folder.read(JOURNAL).data or b""):
        # the change has no line, so it never happened
        for sha in {*marker.get("images", ())} & {*journal.unexplained()}:
            folder.remove(f"{IMAGES}/{sha}")
    elif folder.read(_NEW_LIST).data is not None:
        folder.rename(_NEW_LIST, _SENTENCES)


def _held_sentences(folder: Folder) -> Iterator[PendingChange]:
    for one in json.loads(folder.read(_SENTENCES).data or b"[]"):
        whole = one.pop("content", "")
        text, stamp = one.pop("text"), one.pop("stamp", {})
        stamps = {Sentence(text).key: stamp}
        base = "" if whole else None
        yield PendingChange(
            text=whole or text, base=base, stamps=stamps, **one
        )


def _waiting_dream(folder: Folder) -> Iterator[PendingChange]:
    data = folder.read(_DREAM).data
    if data is None:
        return
    known = json.loads(data)
    why = ". ".join(known["why"])
    for file in [*known["changed"], *known["removed"]]:
        old = known["before"].get(file)
        yield PendingChange(
            file,
            known["changed"].get(file),
            base=content_hash(old and old.encode("utf-8", "surrogateescape")),
            why=known["reasons"].get(file) or why,
            group=f"{DREAM} {known['at']} because {why}",
            who=DREAM,
            session=known["session"],
            at=known["at"],
        )
