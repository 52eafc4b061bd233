"""A dream that waits for a person's review: how it is kept, shown, accepted
and dropped.

A dream that would change more than is allowed without a review changes
nothing. Its whole proposal is kept in one file, ``.memlab/pending/dream.json``
in the memory directory. When it is accepted, it is reviewed again against the
memory as it is by then, so a memory that was changed or forgotten in the
meantime stays as it is. While a dream waits, no other dream is started, so
there is never more than one. A dream that goes beyond the limit waits as a
whole: half of a consolidation that somebody meant to harm is no better than
all of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from memlab.agent.compaction import as_it_was_said
from memlab.agent.resume import load_transcript
from memlab.bridge import RealFiles
from memlab.dream.lock import ConsolidationLock, Held
from memlab.dream.plan import Plan, rejected
from memlab.dream.receipt import Receipt
from memlab.dream.stage import DreamError, Proposal
from memlab.errors import MemlabError
from memlab.memdir.origin import stamps_of
from memlab.memdir.places import STORE_FOLDER
from memlab.memdir.review import Review, review
from memlab.memdir.store import By, MemoryStore
from memlab.memdir.support import (
    Contents,
    Source,
    Support,
    conversation_sources,
    log_sources,
    memory_sources,
)
from memlab.memdir.wal import store_errors
from memlab.settings import Settings

FORMAT = 1
HOW_TO_REVIEW = (
    "Type /dream receipt in the chat, or run `python3 -m memlab dream` in a"
    " terminal"
)
_PRIVATE_DIRECTORY, _PRIVATE_FILE = 0o700, 0o600


@dataclass(frozen=True)
class WaitingDream:
    """A dream that waits: when and in which session it ran, why it waits, and
    what it proposes.

    ``sessions`` are the transcripts that may support its new sentences.
    """

    at: datetime
    session: str
    why: tuple[str, ...]
    proposal: Proposal
    sessions: tuple[Path, ...] = ()

    @property
    def line(self) -> str:
        """Say in one sentence that it waits, and how to review it."""
        reasons = ". ".join(self.why)
        return (
            f"The dream of {_day(self.at)} is waiting for your review:"
            f" {reasons}. {HOW_TO_REVIEW}."
        )


def is_waiting(directory: Path) -> bool:
    """Say whether a dream of this memory directory waits; costs one stat."""
    return os.path.lexists(_path(directory))


def save_waiting(waiting: WaitingDream) -> None:
    """Keep a dream for a review, completely or not at all; raises StoreError
    if the disk fails.
    """
    path = _path(waiting.proposal.directory)
    temporary = path.with_name(f"{path.name}.tmp")
    files = RealFiles(waiting.proposal.directory)
    with store_errors(waiting.proposal.directory):
        files.make_directory(path.parent.parent, _PRIVATE_DIRECTORY)
        files.make_directory(path.parent, _PRIVATE_DIRECTORY)
        try:
            files.write(temporary, _encode(waiting), _PRIVATE_FILE)
            files.sync(temporary)
            files.replace(temporary, path)
            files.sync_directory(path.parent)
        except BaseException:
            with suppress(OSError):
                files.remove(temporary)
            raise


def load_waiting(directory: Path) -> WaitingDream | None:
    """Read the dream that waits, if one does; raises DreamError if it cannot
    be read.
    """
    path = _path(directory)
    try:
        data = RealFiles(directory).read(path).data
        return None if data is None else _decode(json.loads(data), directory)
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
    ) as error:
        do = "Drop it with /dream reject; the memory itself is unchanged"
        raise DreamError(
            "the dream that is waiting for a review cannot be read",
            where=path,
            do=do,
        ) from error


def drop_waiting(directory: Path) -> bool:
    """Remove the dream that waits, and say whether there was one."""
    path = _path(directory)
    was_waiting = is_waiting(directory)
    files = RealFiles(directory)
    with store_errors(directory):
        files.remove(path)
        files.remove(path.with_name(f"{path.name}.tmp"))
    return was_waiting


class WaitingReview:
    """The review of the dream that waits in one memory directory, by a person.

    ``check`` judges a memory as it does in a dream. All methods raise
    DreamError, and those that change something raise StoreError too.
    """

    def __init__(
        self,
        directory: Path,
        *,
        store: MemoryStore,
        lock: ConsolidationLock,
        review: Callable[..., Review] = review,
    ) -> None:
        self._directory = directory
        self._store, self._lock, self._review = store, lock, review

    @property
    def there(self) -> bool:
        """Whether a dream waits; it may be one that cannot be read."""
        return is_waiting(self._directory)

    def look(self) -> WaitingDream | None:
        """Give the dream that waits, if one does."""
        return load_waiting(self._directory)

    def receipt(self) -> Receipt:
        """Review the dream that waits against the memory as it is now."""
        return self._plan(self._required()).receipt()

    def accept(self, wanted: Collection[str], **by: Unpack[By]) -> Receipt:
        """Commit the wanted files' changes as one, and drop the rest of the
        dream.

        The lock is taken for this and given back as it was: accepting an old
        dream reviews no newer session, so the time of the last consolidation
        stays the time of that dream. If the commit fails, the dream still
        waits.
        """
        held = self._lock.try_acquire()
        if not isinstance(held, Held):
            raise DreamError(held.message.removesuffix("."))
        try:
            waiting = self._required()
            plan = self._plan(waiting)
            offered = plan.receipt()
            by["witness"] = self._witness(waiting)
            receipt = plan.commit(rejected(offered, wanted), **by)
            drop_waiting(self._directory)
            return receipt
        finally:
            with suppress(MemlabError):  # heal() puts the stamp back then
                self._lock.rollback()

    def reject(self) -> bool:
        """Drop the dream that waits, and say whether there was one."""
        return drop_waiting(self._directory)

    def _required(self) -> WaitingDream:
        waiting = self.look()
        if waiting is None:
            raise DreamError(
                "no dream is waiting for a review",
                do="Type /dream to start one",
            )
        return waiting

    def _plan(self, waiting: WaitingDream) -> Plan:
        return Plan(
            waiting.proposal,
            store=self._store,
            lock=self._lock,
            review=partial(self._review, witness=self._witness(waiting)),
        )

    def _witness(self, waiting: WaitingDream) -> Support:
        before = waiting.proposal.before
        return dream_support(self._store, before, waiting.sessions)


def dream_support(
    store: MemoryStore,
    before: Contents,
    sessions: Sequence[Path],
    conversation: Iterable[Source] = (),
) -> Support:
    """Collect what may support the new sentences of a dream: the memory before
    it, the daily logs, the sessions it reviewed, and the conversation it was
    started from.
    """
    stamps = stamps_of(store.history())
    return Support(
        [
            *memory_sources(before, stamps),
            *log_sources(store.directory, stamps, store.withheld()),
            *session_sources(sessions),
            *conversation,
        ]
    )


def session_sources(sessions: Sequence[Path]) -> Iterator[Source]:
    """Give what sessions hold as sources for new sentences; what is off the
    record is none, and neither is a session that cannot be read.
    """
    for path in sessions:
        with suppress(MemlabError, OSError):
            loaded = load_transcript(path)
            said = zip(*as_it_was_said(loaded), strict=True)
            on_record = [
                (message, uuid)
                for message, uuid in said
                if uuid not in loaded.off_record
            ]
            yield from conversation_sources(
                [message for message, _ in on_record],
                [uuid for _, uuid in on_record],
            )


def _path(directory: Path) -> Path:
    return directory / STORE_FOLDER / "pending" / "dream.json"


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"


def _encode(waiting: WaitingDream) -> bytes:
    proposal = waiting.proposal
    changed = {
        name: data
        for name, data in proposal.after.items()
        if proposal.before.get(name) != data
    }
    document = {
        "format": FORMAT,
        "at": waiting.at.isoformat(),
        "session": waiting.session,
        "why": list(waiting.why),
        "before": _as_text(proposal.before),
        "changed": _as_text(changed),
        "removed": sorted(proposal.before.keys() - proposal.after.keys()),
        "reasons": dict(proposal.reasons),
        "by_code": sorted(proposal.by_code),
        "odd": dict(proposal.odd),
        "sessions": [str(path) for path in waiting.sessions],
    }
    return json.dumps(document, indent=1).encode("ascii")


def _decode(document: Mapping[str, Any], directory: Path) -> WaitingDream:
    if document["format"] != FORMAT:
        raise ValueError(f"format {document['format']!r} is not known")
    before = _as_bytes(document["before"])
    removed = set(document["removed"])
    kept = {name: data for name, data in before.items() if name not in removed}
    proposal = Proposal(
        directory,
        before=before,
        after=kept | _as_bytes(document["changed"]),
        reasons={
            str(name): str(why) for name, why in document["reasons"].items()
        },
        by_code=frozenset(map(str, document["by_code"])),
        odd={str(name): str(why) for name, why in document["odd"].items()},
    )
    at = datetime.fromisoformat(document["at"])
    why = tuple(map(str, document["why"]))
    # one that an older memlab has kept names none
    sessions = tuple(map(Path, document.get("sessions", ())))
    return WaitingDream(at, str(document["session"]), why, proposal, sessions)


def _as_text(contents: Mapping[str, bytes]) -> dict[str, str]:
    return {
        name: data.decode("utf-8", "surrogateescape")
        for name, data in contents.items()
    }


def _as_bytes(texts: Mapping[str, str]) -> dict[str, bytes]:
    return {
        str(name): text.encode("utf-8", "surrogateescape")
        for name, text in texts.items()
    }


def unreviewed_limit(memories: int, settings: Settings) -> int:
    """Give how many memories of a store a dream may remove, merge or rewrite
    without a review.
    """
    share = memories * settings.dream_unreviewed_percent // 100
    return max(settings.dream_unreviewed_files, share)


def reasons_to_wait(
    receipt: Receipt, *, memories: int, settings: Settings
) -> tuple[str, ...]:
    """Say why a person has to see a dream first; empty if it may be committed
    without one.

    ``memories`` is the size of the store before the dream.
    """
    why = []
    counted = [change for change in receipt.accepted if change.needs_person]
    limit = unreviewed_limit(memories, settings)
    if len(counted) > limit:
        why.append(
            f"{len(counted)} of {memories} memories would be removed, merged"
            f" or rewritten; without a review, the limit is {limit}"
        )
    why += receipt.suspicions
    return tuple(why)
