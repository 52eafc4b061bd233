"""A dream that waits for a person's review: how it is kept, shown, accepted
and dropped.

A dream that would change more than is allowed without a review changes
nothing. All that it proposes is kept as one group in the list of what waits
for the person (``evidence.pending``). When it is accepted, it is reviewed
again against the memory as it is by then, so a memory that was changed or
forgotten in the meantime stays as it is. While a dream waits, no other dream
is started, so there is never more than one. A dream that goes beyond the limit
waits as a whole: half of a consolidation that somebody meant to harm is no
better than all of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Unpack

from memlab.agent.compaction import as_it_was_said
from memlab.agent.transcript import load_transcript
from memlab.dream.lock import ConsolidationLock, Held
from memlab.dream.plan import Plan, rejected
from memlab.dream.receipt import Receipt
from memlab.dream.stage import DREAM, DreamError, Proposal, snapshot
from memlab.errors import MemlabError, StoreError
from memlab.evidence.attribution import whose_words
from memlab.evidence.origin import Source
from memlab.evidence.pending import PendingChange, waiting
from memlab.evidence.sentences import sentences_of
from memlab.memdir.folder import Folder
from memlab.memdir.journal import content_hash, store_errors
from memlab.memdir.store import By, MemoryStore

HOW_TO_REVIEW = (
    "Type /dream receipt in the chat, or run `python3 -m memlab dream` in a"
    " terminal"
)
SUPPORTING_SESSIONS = 30
_BECAUSE = " because "


@dataclass(frozen=True)
class WaitingDream:
    """A dream that waits: what it would change, and why it waits."""

    changes: tuple[PendingChange, ...]

    @property
    def why(self) -> tuple[str, ...]:
        """Why it waits."""
        return (self.changes[0].group.partition(_BECAUSE)[2],)

    @property
    def line(self) -> str:
        """Say in one sentence that it waits, and how to review it."""
        at = datetime.fromisoformat(self.changes[0].at)
        return (
            f"The dream of {at:%Y-%m-%d %H:%M} is waiting for your review:"
            f" {'. '.join(self.why)}. {HOW_TO_REVIEW}."
        )

    @property
    def stamps(self) -> dict[str, Any]:
        """Whose words its sentences are, by key."""
        return {
            key: stamp
            for one in self.changes
            for key, stamp in one.stamps.items()
        }

    def proposal(self, store: MemoryStore) -> Proposal:
        """Give what it proposes for the memory as it is now.

        A file that was changed since then is in ``before`` as it was, as far
        as the history still has that.
        """
        before = dict(snapshot(store.directory).files)
        after, reasons = dict(before), {}
        for one in self.changes:
            if content_hash(before.get(one.file)) != one.base:
                before.pop(one.file, None)
                if one.base:
                    before[one.file] = b""
                    with suppress(StoreError):
                        before[one.file] = store.content(one.base)
            after.pop(one.file, None)
            if one.text is None:
                reasons[one.file] = one.why
            else:
                after[one.file] = one.text.encode("utf-8", "surrogateescape")
        return Proposal(
            store.directory, before=before, after=after, reasons=reasons
        )


def is_waiting(directory: Path) -> bool:
    """Say whether a dream of this memory directory waits; one may, if what
    waits cannot be read.
    """
    try:
        return load_waiting(directory) is not None
    except DreamError:
        return True


def load_waiting(directory: Path) -> WaitingDream | None:
    """Read the dream that waits, if one does; raises DreamError if it cannot
    be read.
    """
    try:
        with store_errors(directory):
            found = waiting(Folder(directory))
    except StoreError as error:
        raise DreamError(error.what, where=error.where, do=error.do) from error
    changes = tuple(one for one in found if one.closes_gate)
    return WaitingDream(changes) if changes else None


def keep_waiting(
    store: MemoryStore,
    proposal: Proposal,
    *,
    at: datetime,
    session: str,
    why: Iterable[str],
    stamps: Mapping[str, Mapping[str, Any]],
) -> None:
    """Keep a dream for a review, completely or not at all; raises StoreError
    if the disk fails.

    ``stamps`` says whose words its new sentences are, by key.
    """
    before, after = proposal.before, proposal.after
    because = ". ".join(why)
    changes = []
    for file in sorted({*before, *after} - {*proposal.odd}):
        data = after.get(file)
        if data == before.get(file):
            continue
        keys = {one.key for one in sentences_of(file, data)}
        changes.append(
            PendingChange(
                file,
                None
                if data is None
                else data.decode("utf-8", "surrogateescape"),
                base=content_hash(before.get(file)),
                why=proposal.reasons.get(file, because),
                group=f"{DREAM} {at.isoformat()}{_BECAUSE}{because}",
                who=DREAM,
                session=session,
                at=at.isoformat(),
                stamps={key: stamps[key] for key in keys & stamps.keys()},
            )
        )
    store.hold(changes)


class WaitingReview:
    """The review of the dream that waits in one memory directory, by a person.

    ``sessions`` is the folder of the transcripts, which may support its new
    sentences. All methods raise DreamError, and those that change something
    raise StoreError too.
    """

    def __init__(
        self,
        store: MemoryStore,
        lock: ConsolidationLock,
        sessions: Path | None = None,
    ) -> None:
        self._store, self._lock, self._sessions = store, lock, sessions

    @property
    def there(self) -> bool:
        """Whether a dream waits; it may be one that cannot be read."""
        return is_waiting(self._store.directory)

    def look(self) -> WaitingDream | None:
        """Give the dream that waits, if one does."""
        return load_waiting(self._store.directory)

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
            dream = self._required()
            plan = self._plan(dream)
            receipt = plan.commit(rejected(plan.receipt(), wanted), **by)
            self._store.drop(dream.changes)
            return receipt
        finally:
            with suppress(MemlabError):  # heal() puts the stamp back then
                self._lock.rollback()

    def reject(self) -> bool:
        """Drop the dream that waits, and say whether there was one."""
        dream = self.look()
        if dream is not None:
            self._store.drop(dream.changes)
        return dream is not None

    def _required(self) -> WaitingDream:
        dream = self.look()
        if dream is None:
            raise DreamError(
                "no dream is waiting for a review",
                do="Type /dream to start one",
            )
        return dream

    def _plan(self, dream: WaitingDream) -> Plan:
        proposal = dream.proposal(self._store)
        said = session_sources(newest_sessions(self._sessions))
        return Plan(
            proposal,
            store=self._store,
            lock=self._lock,
            evidence=self._store.support(said, proposal.before),
            stamps=dream.stamps,
        )


def newest_sessions(folder: Path | None) -> list[Path]:
    """Name the newest transcripts, which may support a new sentence: what the
    person said once stays said.
    """
    with suppress(OSError):
        found = [*folder.glob("*.jsonl")] if folder else []
        found.sort(key=lambda path: path.stat().st_mtime_ns)
        return found[-SUPPORTING_SESSIONS:]
    return []


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
            yield from whose_words(
                [message for message, _ in on_record],
                [uuid for _, uuid in on_record],
            )
