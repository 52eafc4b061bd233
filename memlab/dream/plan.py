"""A dream's changes and their way into memory: what is made as one change,
and what waits for a person.

Other writers may change the memory while a dream is under way. Therefore the
review is repeated on the memory as it is when no other writer can come between
any more. What waits is kept first, so that a dream stopped in between has lost
nothing, and is taken back if the commit fails. It is reviewed again when it is
accepted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Unpack

from memlab.agent.compaction import as_it_was_said
from memlab.agent.transcript import load_transcript
from memlab.dream.lock import ConsolidationLock, Held
from memlab.dream.receipt import BECAUSE, Receipt, diffs, is_waiting
from memlab.dream.stage import DreamError, Proposal, snapshot
from memlab.errors import MemlabError, MemoryRefusedError, StoreError
from memlab.evidence.attribution import IsMemory, nowhere, whose_words
from memlab.evidence.origin import Source
from memlab.evidence.pending import DREAM, PendingChange
from memlab.evidence.review import DOUBTFUL, Review, review
from memlab.evidence.sentences import text_of
from memlab.evidence.support import Evidence
from memlab.memdir.checks import text_in
from memlab.memdir.journal import content_hash
from memlab.memdir.places import INDEX, INDEXES, TEAM, index_of
from memlab.memdir.scan import conflict_line
from memlab.memdir.store import By, MemoryStore

REASON_CHARACTERS, SUPPORTING_SESSIONS = 2_000, 30
REJECTED = "you rejected it"
CONFLICT = "git has left a conflict in it, which a person has to resolve"
ONLY_PROPOSED = "only a person changes the team's memory"
READ_OTHERS = (
    "a private memory is only removed by you, because the dream has read what"
    " others wrote"
)

Why = Mapping[str, str]
"""Files that stay as they are, each with the reason."""


def is_shared(file: str) -> bool:
    """Tell whether a file belongs to the team."""
    return index_of(file) == index_of(f"{TEAM}/")


def left_to_person(proposal: Proposal) -> dict[str, str]:
    """Give the files that no dream changes while nobody is there to ask, with
    why.

    These are the team's files. Where the team has any, the dream may have read
    a teammate's wish that a private memory goes, so that is left to the person
    as well, unless another private memory takes it in.
    """
    files = {*proposal.before, *proposal.after}
    kept = {name: ONLY_PROPOSED for name in files if is_shared(name)}
    if not any(map(is_shared, proposal.before)):
        return kept
    for name in proposal.before.keys() - proposal.after.keys() - {INDEX}:
        reason = proposal.reasons.get(name, "")
        heir = re.match(r"superseded by `?(.+?\.md)", reason)
        if name not in kept and (heir is None or is_shared(heir[1])):
            kept[name] = READ_OTHERS
    return kept


def counted(number: int, one: str, many: str) -> str:
    """Say a number of things."""
    return f"{number} {one if number == 1 else many}"


@dataclass(kw_only=True)
class Plan:
    """A proposal to be committed; ``evidence`` supports its new sentences.

    ``stamps`` has the origin of sentences that keep theirs, by key. ``check``
    is called just before the commit, and raises where it may no longer be.
    With ``alone`` there is nobody to ask. Then all of a proposal waits if it
    changes too much. Otherwise a file waits if it is ``left_to_person``, if it
    has a new sentence that is doubtful, or if it rests on one that waits.
    """

    proposal: Proposal
    store: MemoryStore
    lock: ConsolidationLock
    evidence: Evidence
    by: By
    stamps: Mapping[str, Any] = field(default_factory=dict)
    alone: bool = False
    check: Callable[[], None] = lambda: None

    def receipt(self, left_alone: Why | None = None) -> Receipt:
        """Review the proposal against the memory as it is now."""
        self._live = snapshot(self.store.directory).files
        out = {
            name: CONFLICT
            for name, data in self._live.items()
            if conflict_line(text_of(data))
        }
        out |= left_alone or {}
        given = *self.proposal, self.evidence
        receipt = Receipt(**vars(review(*given, out, self._live)))
        if self.alone:
            kept = left_to_person(self.proposal)
            rest = review(*given, out | kept, self._live, alone=True)
            receipt = self._without_anybody(receipt, rest, kept)
        return replace(
            receipt,
            settled=self.store.settled(self._files(receipt)),
            diffs=diffs(self.proposal.before, self.proposal.after),
        )

    def commit(self, left_alone: Why) -> Receipt:
        """Commit what the review accepts now, as one change.

        What the store refuses is left out as well. Code puts the index in
        order as part of the change, also where nothing else is accepted,
        unless a person rejects all of it or all of it waits.
        """
        out = dict(left_alone)
        with self.lock.guarded() as mine:
            if not mine:
                raise DreamError("another process has taken its lock over")
            with self.store.journal.guard():
                self.check()
                while True:
                    receipt = self.receipt(out)
                    files = self._files(receipt)
                    self.store.hold(receipt.pending)
                    if not files and (receipt.waits or left_alone):
                        return replace(receipt, settled=None)
                    try:
                        return self._make(receipt, files)
                    except MemlabError as error:
                        with suppress(MemlabError):  # or the disk is full
                            self.store.drop(receipt.pending)
                        refused = isinstance(error, MemoryRefusedError)
                        if not refused or error.where not in files:
                            raise
                        out[error.where] = error.what

    def _files(self, receipt: Receipt) -> dict[str, bytes | None]:
        after = self.proposal.after
        return {one.file: after.get(one.file) for one in receipt.made}

    def _without_anybody(
        self, whole: Receipt, alone: Review, kept: Why
    ) -> Receipt:
        """Let all that a person may accept wait, unless it needs nobody."""
        why = [*self._why_all(whole, kept), *alone.suspicions]
        done = set[str]()
        if not why:
            done = {*INDEXES, *(one.file for one in alone.accepted)}
        waits = {
            one.file: one for one in whole.accepted if one.file not in done
        }
        if not why:
            reasons = {
                one.refused for one in alone.changes if one.file in waits
            }
            reasons &= {DOUBTFUL, ONLY_PROPOSED, READ_OTHERS}
            many = counted(len(waits), "change is", "changes are")
            why = [f"{many} only proposed: {'; '.join(sorted(reasons))}"]
        gains = [one for one in alone.gains if one.file not in waits]
        return Receipt(
            tuple(waits.get(one.file, one) for one in alone.changes),
            (*gains, *(one for one in whole.gains if one.file in waits)),
            pending=self._pending(whole, [*waits], ". ".join(why)),
        )

    def _why_all(self, whole: Receipt, kept: Why) -> list[str]:
        """Say why nothing may be done without a review, if it is too much."""
        settings = self.store.settings
        memories = len(self.proposal.before.keys() - {*INDEXES})
        share = memories * settings.dream_unreviewed_percent // 100
        limit = max(settings.dream_unreviewed_files, share)
        risky = [one for one in whole.accepted if one.needs_person]
        count = sum(one.file not in kept for one in risky)
        if count <= limit:
            return []
        return [
            f"{count} of {memories} memories would be removed, merged or"
            f" rewritten; without a review, the limit is {limit}"
        ]

    def _pending(
        self, whole: Receipt, files: Sequence[str], why: str
    ) -> tuple[PendingChange, ...]:
        """Give the changes of some files as a dream that waits."""
        before, after, reasons = self.proposal
        at, found = self.store.now(), list[PendingChange]()
        for file in files:
            data = after.get(file)
            change = PendingChange(
                file,
                None if data is None else text_in(data),
                content_hash(before.get(file)),
                reasons.get(file, why),
                f"{DREAM} {at}{BECAUSE}{why}",
                DREAM,
                self.by.get("session", ""),
                self.by.get("turn", ""),
                at,
                whole.stamps(file),
            )
            found.append(change)
        return tuple(found)

    def _make(
        self, receipt: Receipt, files: Mapping[str, bytes | None]
    ) -> Receipt:
        """Make the change."""
        # what the changes rest on has to be as it was, too
        rests = {one.into for one in receipt.made} & self._live.keys()
        who = DREAM
        if any(map(is_shared, files)):
            who = "dream, accepted by the person"
        lines = "; ".join(one.line for one in receipt.made)
        why = f"{who}: {lines or 'the index put in order by code'}"
        wanted = {**{name: self._live[name] for name in rests}, **files}
        done = self.store.commit(
            "replace",
            wanted,
            base={name: self._live.get(name) for name in wanted},
            reason=why[:REASON_CHARACTERS],
            stamps={**receipt.stamps(), **self.stamps},
            **self.by,
        )
        if done.kept:
            if done.change:
                self.store.undo(done.change, **self.by)
            what = f"{done.kept[0]} was changed at the moment of its commit"
            raise DreamError(what)
        return replace(receipt, change=done.change, settled=done.settled)


@dataclass
class WaitingReview:
    """The review of the dream that waits in one memory directory, by a person.

    ``sessions`` is the folder of the transcripts, which may support its new
    sentences; ``is_memory`` tells what they read of memory.
    """

    store: MemoryStore
    lock: ConsolidationLock
    sessions: Path | None = None
    is_memory: IsMemory = nowhere

    @property
    def there(self) -> bool:
        """Whether a dream waits; it may be one that cannot be read."""
        return is_waiting(self.store.directory)

    def look(self) -> list[PendingChange]:
        """List the changes of the dream that waits."""
        return [one for one in self.store.waiting() if one.closes_gate]

    def receipt(self) -> Receipt:
        """Review the dream that waits against the memory as it is now."""
        changes = self.look()
        receipt = self._plan(changes, {}).receipt()
        return replace(receipt, pending=tuple(changes))

    def accept(self, wanted: Collection[str], **by: Unpack[By]) -> Receipt:
        """Commit the wanted files' changes as one, and drop the rest of the
        dream.

        The lock is taken for this and given back as it was: accepting an old
        dream reviews no newer session. If the commit fails, the dream still
        waits.
        """
        held = self.lock.try_acquire()
        if not isinstance(held, Held):
            raise DreamError(held.message.removesuffix("."))
        try:
            changes = self.look()
            files = {one.file for one in changes}
            rejected = dict.fromkeys(files.difference(wanted), REJECTED)
            plan = self._plan(changes, by)
            plan.check = lambda: self._same(changes)
            receipt = plan.commit(rejected)
            self.store.drop(changes)
            return receipt
        finally:
            with suppress(MemlabError):  # heal() puts the stamp back then
                self.lock.rollback()

    def reject(self) -> bool:
        """Drop the dream that waits, and say whether there was one."""
        changes = self.look()
        if changes:
            self.store.drop(changes)
        return bool(changes)

    def _same(self, changes: Sequence[PendingChange]) -> None:
        """Raise if what waits was decided on, or erased, in the meantime."""
        if self.look() != changes:
            raise DreamError("it is no longer waiting as it was")

    def _plan(self, changes: Sequence[PendingChange], by: By) -> Plan:
        """Plan it for the memory as it is now; a file that was changed since
        then is in ``before`` as it was, if the history still has that.
        """
        before = snapshot(self.store.directory).files
        after, reasons = dict(before), dict[str, str]()
        stamps = dict[str, Any]()
        for one in changes:
            stamps |= one.stamps
            if one.base != content_hash(before.get(one.file)):
                before.pop(one.file, None)
                if one.base:
                    before[one.file] = b""
                    with suppress(StoreError):
                        before[one.file] = self.store.content(one.base)
            if one.data is None:
                after.pop(one.file, None)
                reasons[one.file] = one.why
            else:
                after[one.file] = one.data
        said = said_in(newest_sessions(self.sessions), self.is_memory)
        return Plan(
            proposal=Proposal(before, after, reasons),
            store=self.store,
            lock=self.lock,
            evidence=self.store.support(said, before),
            by=by,
            stamps=stamps,
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


def said_in(sessions: Sequence[Path], is_memory: IsMemory) -> Iterator[Source]:
    """Give what sessions hold as sources for new sentences; what is off the
    record is none, and neither is a session that cannot be read.
    """
    for path in sessions:
        with suppress(MemlabError, OSError):
            loaded = load_transcript(path)
            said = zip(*as_it_was_said(loaded), strict=True)
            public = [one for one in said if one[1] not in loaded.off_record]
            messages = [message for message, _ in public]
            uuids = [uuid for _, uuid in public]
            yield from whose_words(messages, uuids, is_memory)
