"""A proposal and its way into memory: what of it is made as one change of the
real memory, which others may change meanwhile, and what waits for a person.

The review is repeated on the memory as it is at the moment of the commit. The
change is made only if the files are still the same; otherwise everything is
repeated. What waits is kept first, so that a dream stopped in between has lost
nothing. A dream that waits is reviewed again when it is accepted, so a memory
that was changed or forgotten in the meantime stays as it is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from memlab.agent.compaction import as_it_was_said
from memlab.agent.resume import load_transcript
from memlab.dream.lock import ConsolidationLock, Refused
from memlab.dream.receipt import (
    BECAUSE,
    Receipt,
    WaitingDream,
    diffs,
    is_waiting,
    load_waiting,
)
from memlab.dream.stage import DreamError, Proposal, snapshot
from memlab.errors import MemlabError, MemoryRefusedError, StoreError
from memlab.evidence.attribution import whose_words
from memlab.evidence.hold import held_back
from memlab.evidence.origin import Source
from memlab.evidence.pending import DREAM, PendingChange
from memlab.evidence.review import review
from memlab.evidence.sentences import sentences_of, text_of
from memlab.evidence.support import Evidence
from memlab.memdir.journal import content_hash
from memlab.memdir.places import INDEX, INDEXES, TEAM, index_of
from memlab.memdir.scan import conflict_line
from memlab.memdir.store import By, MemoryStore
from memlab.settings import Settings

TRIES, REASON_CHARACTERS, SUPPORTING_SESSIONS = 5, 2_000, 30
REJECTED = "you rejected it"
HELD_BACK = "what it was merged into says it only in a sentence held back"
CONFLICT = "git has left a conflict in it, which a person has to resolve"
ONLY_PROPOSED = "the team's memory is only changed by a person"
READ_OTHERS = (
    "a private memory is only removed by you, because the dream has read what"
    " others wrote"
)

Why = Mapping[str, str]
"""Files that stay as they are, each with the reason."""


class SwitchedOffError(DreamError):
    """The person switched memory off while the dream was under way."""


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


def rejected(shown: Receipt, wanted: Collection[str]) -> dict[str, str]:
    """Give the files that are not to be changed after a person saw a receipt.

    What was refused on that receipt stays refused: nobody has agreed to it.
    """
    return {
        change.file: change.refused or REJECTED
        for change in shown.changes
        if change.refused or change.file not in wanted
    }


def counted(number: int, one: str, many: str) -> str:
    """Say a number of things."""
    return f"{number} {one if number == 1 else many}"


class Plan:
    """A proposal to be committed; ``evidence`` supports its new sentences.

    ``stamps`` has the origin of sentences that keep theirs, by key.
    ``allowed`` is asked just before the commit. With ``alone``, the settings
    of a dream without anybody to ask, a proposal that changes too much waits
    as a whole, sentences that are unsupported or claim too much are held back,
    and what is ``left_to_person`` is only proposed. ``erased`` names the
    ``erasures`` before the proposal was made.
    """

    def __init__(
        self,
        proposal: Proposal,
        *,
        store: MemoryStore,
        lock: ConsolidationLock,
        evidence: Evidence,
        stamps: Mapping[str, Any] | None = None,
        alone: Settings | None = None,
        allowed: Callable[[], bool] = lambda: True,
        erased: frozenset[str] | None = None,
    ) -> None:
        self._proposal, self._store, self._lock = proposal, store, lock
        self._evidence, self._stamps = evidence, stamps or {}
        self._alone, self._allowed = alone, allowed
        self._at = store.now()
        self._erased = erasures(store) if erased is None else erased

    def receipt(self, left_alone: Why | None = None) -> Receipt:
        """Review the proposal against the memory as it is now."""
        before, directory = self._proposal.before, self._proposal.directory
        if not directory.is_dir():
            raise DreamError("the memory directory is gone", where=directory)
        self._live = snapshot(directory).files
        self._after = dict(self._proposal.after)
        out = {
            name: CONFLICT
            for name, data in self._live.items()
            if conflict_line(text_of(data))
        }
        out |= left_alone or {}
        kept = left_to_person(self._proposal) if self._alone else {}
        found = self._judge(out | kept)
        waits = self._too_much(found)
        held: list[PendingChange] = []
        if waits:
            held = self._group(
                [one.file for one in found.accepted], found, ". ".join(waits)
            )
        elif self._alone:
            whole = self._judge(out)
            wanted = {one.file for one in whole.accepted} & kept.keys()
            wanted -= {*INDEXES}  # they follow their memories
            held = self._group(wanted, whole, _proposed(wanted))
            if found.doubtful:
                found = self._without_doubtful(found, out | kept, held)
        return replace(
            found,
            waits=waits,
            pending=tuple(held),
            settled=self._store.settled(self._wanted(found)),
            diffs=diffs(before, self._after),
        )

    def _judge(self, left_alone: Why) -> Receipt:
        found = review(
            self._proposal.before,
            self._after,
            self._proposal.reasons,
            self._evidence,
            left_alone,
            self._live,
        )
        return Receipt(found.changes, found.gains, found.suspicions)

    def _too_much(self, found: Receipt) -> tuple[str, ...]:
        """Say why a person has to see the dream first."""
        if self._alone is None:
            return ()
        count = sum(one.needs_person for one in found.accepted)
        memories = len(self._proposal.before.keys() - {*INDEXES})
        share = memories * self._alone.dream_unreviewed_percent // 100
        limit = max(self._alone.dream_unreviewed_files, share)
        why = (
            f"{count} of {memories} memories would be removed, merged or"
            f" rewritten; without a review, the limit is {limit}"
        )
        return (*[why] * (count > limit), *found.suspicions)

    def _group(
        self, files: Collection[str], found: Receipt, why: str
    ) -> list[PendingChange]:
        """Give the changes of some files as a dream that waits."""
        group = f"{DREAM} {self._at}{BECAUSE}{why}"
        changes = []
        for file in sorted(files):
            data = self._after.get(file)
            keys = {one.key for one in sentences_of(file, data)}
            changes.append(
                PendingChange(
                    file,
                    data if data is None else _decoded(data),
                    base=content_hash(self._proposal.before.get(file)),
                    why=self._proposal.reasons.get(file, why),
                    group=group,
                    stamps={
                        key: one
                        for key, one in found.stamps.items()
                        if key in keys
                    },
                )
            )
        return changes

    def _without_doubtful(
        self, found: Receipt, left_alone: Why, held: list[PendingChange]
    ) -> Receipt:
        """Hold back the sentences that a person has to see first, and review
        the rest again.

        What they would have replaced stays, and so does a memory that was
        merged into them.
        """
        doubtful: dict[str, dict[Any, Any]] = defaultdict(dict)
        for gain in found.doubtful:
            if gain.file not in INDEXES:
                doubtful[gain.file][gain.sentence] = gain.judgement
        for file, sentences in doubtful.items():
            old, new = self._proposal.before.get(file), self._after.pop(file)
            rest, waits, _ = held_back(
                PendingChange(file, None),
                new,
                old,
                [text_of(data) for data in self._after.values()],
                self._evidence,
                doubtful=sentences,
            )
            held += waits
            rest = old if rest is None else rest
            if rest is not None:
                self._after[file] = rest
        lost = {one.file: len(one.loses) for one in found.accepted}
        again = self._judge(left_alone)
        out = {
            one.file: HELD_BACK
            for one in again.changes
            if one.file not in self._after
            and len(one.loses) > lost.get(one.file, len(one.loses))
        }
        again = self._judge({**left_alone, **out})
        # lines of the index that repeated what is held back now
        said = [one.sentence.text for one in again.doubtful]
        if said:
            out[INDEX] = f"no memory supports what it says: {' '.join(said)}"
            again = self._judge({**left_alone, **out})
        return again

    def _wanted(self, receipt: Receipt) -> dict[str, bytes | None]:
        return {
            one.file: self._after.get(one.file) for one in receipt.accepted
        }

    def commit(self, left_alone: Why, **by: Unpack[By]) -> Receipt:
        """Commit what the review accepts now, as one change.

        What the store refuses, and what others change at this very moment, is
        left out as well. Code puts the index in order as part of the change,
        also where nothing else is accepted, unless a person rejected all of
        it. A receipt that ``waits`` means that nothing was changed. The
        reason of a change to the team's files says that the person has
        decided on it; the words are the dream's.
        """
        out = dict(left_alone)
        for _ in range(TRIES):
            receipt = self.receipt(out)
            wanted = self._wanted(receipt)
            if not wanted and REJECTED in left_alone.values():
                return replace(receipt, settled=None)
            try:
                done = self._commit(receipt, wanted, by)
            except MemoryRefusedError as error:
                if error.where not in wanted:
                    raise
                out[error.where] = error.what
                continue
            if done is not None:
                return done
        raise DreamError(
            "others kept changing the memory at the moment of its commit"
        )

    def _commit(
        self, receipt: Receipt, wanted: Mapping[str, bytes | None], by: By
    ) -> Receipt | None:
        """Keep what waits, and make the change; None if somebody was quicker,
        and all is as it was.
        """
        why = "dream"
        if any(map(is_shared, wanted)):
            why = "dream, accepted by the person"
        lines = [one.line for one in receipt.accepted]
        why += f": {'; '.join(lines) or 'the index put in order by code'}"
        # what the changes rest on has to be as it was, too
        rests = {one.into for one in receipt.accepted} & {*self._live}
        files = {**{name: self._live[name] for name in rests}, **wanted}
        with self._lock.guarded() as mine:
            if not mine:
                raise DreamError("another process has taken its lock over")
            if not self._allowed():
                raise SwitchedOffError("memory was switched off")
            if snapshot(self._proposal.directory).files != self._live:
                return None
            fresh = self._hold(receipt.pending, by)
            if receipt.waits:
                return receipt
            try:
                done = self._store.commit(
                    "replace",
                    files,
                    base={name: self._live.get(name) for name in files},
                    reason=why[:REASON_CHARACTERS],
                    stamps={**receipt.stamps, **self._stamps},
                    **by,
                )
            except BaseException:
                self._store.drop(fresh)
                raise
        if not done.kept:
            return replace(receipt, change=done.change, settled=done.settled)
        if done.change:
            self._store.undo(done.change, **by)
        self._store.drop(fresh)
        return None

    def _hold(
        self, pending: Sequence[PendingChange], by: By
    ) -> list[PendingChange]:
        """Keep what waits and does not wait already.

        What was erased for good meanwhile is looked for afterwards: an erasure
        that comes later finds what was kept.
        """
        known = {one.id for one in self._store.waiting()}
        fresh = [
            replace(
                one,
                who=by.get("who", DREAM),
                session=by.get("session", ""),
                turn=by.get("turn", ""),
                at=self._at,
            )
            for one in pending
            if one.id not in known
        ]
        if fresh:
            self._store.hold(fresh)
            if erasures(self._store) != self._erased:
                self._store.drop(fresh)
                what = "in the meantime, a memory that it had read was erased"
                raise DreamError(f"{what} for good")
        return fresh


class WaitingReview:
    """The review of the dream that waits in one memory directory, by a person.

    ``sessions`` is the folder of the transcripts, which may support its new
    sentences.
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
        dream = self._required()
        return replace(self._plan(dream).receipt(), waits=(dream.why,))

    def accept(self, wanted: Collection[str], **by: Unpack[By]) -> Receipt:
        """Commit the wanted files' changes as one, and drop the rest of the
        dream.

        The lock is taken for this and given back as it was: accepting an old
        dream reviews no newer session. If the commit fails, the dream still
        waits.
        """
        held = self._lock.try_acquire()
        if isinstance(held, Refused):
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
            what = "no dream is waiting for a review"
            raise DreamError(what, do="Type /dream to start one")
        return dream

    def _plan(self, dream: WaitingDream) -> Plan:
        """Plan it for the memory as it is now; a file that was changed since
        then is in ``before`` as it was, if the history still has that.
        """
        before = snapshot(self._store.directory).files
        after, reasons = dict(before), dict[str, str]()
        for one in dream.changes:
            if content_hash(before.get(one.file)) != one.base:
                before.pop(one.file, None)
                if one.base:
                    before[one.file] = b""
                    with suppress(StoreError):
                        before[one.file] = self._store.content(one.base)
            if one.text is None:
                after.pop(one.file, None)
                reasons[one.file] = one.why
            else:
                after[one.file] = one.text.encode("utf-8", "surrogateescape")
        said = said_in(newest_sessions(self._sessions))
        return Plan(
            Proposal(self._store.directory, before, after, reasons),
            store=self._store,
            lock=self._lock,
            evidence=self._store.support(said, before),
            stamps={
                key: stamp
                for one in dream.changes
                for key, stamp in one.stamps.items()
            },
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


def said_in(sessions: Sequence[Path]) -> Iterator[Source]:
    """Give what sessions hold as sources for new sentences; what is off the
    record is none, and neither is a session that cannot be read.
    """
    for path in sessions:
        with suppress(MemlabError, OSError):
            loaded = load_transcript(path)
            said = zip(*as_it_was_said(loaded), strict=True)
            public = [one for one in said if one[1] not in loaded.off_record]
            messages, uuids = zip(*public, strict=True) if public else ((), ())
            yield from whose_words(messages, uuids)


def erasures(store: MemoryStore) -> frozenset[str]:
    """Name the changes that erased a memory for good; the journal no longer
    names its file.
    """
    return frozenset(entry.id for entry in store.history() if entry.forgets)


def _proposed(files: Collection[str]) -> str:
    """Say how much of the team's memory, and of the private one, is only
    proposed.
    """
    shared = sum(map(is_shared, files))
    only, lines = "only proposed", list[str]()
    if shared:
        said = counted(shared, "change", "changes")
        verb = "is" if shared == 1 else "are"
        lines.append(f"{said} to the team's memory {verb} {only}")
    if len(files) > shared:
        what = (
            "removal of a private memory is",
            "removals of private memories are",
        )
        said = counted(len(files) - shared, *what)
        lines.append(
            f"{said} {only}, because the dream has read what others wrote"
        )
    return "; ".join(lines)


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
