"""The commit of a proposal as one change of the real memory, which others may
change meanwhile.

The review is repeated on the memory as it is at that moment. The change is
made only if the files are still the same; otherwise everything is repeated.
Who wants which change is decided before (``dream`` and ``waiting``).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Unpack

from memlab.dream.lock import ConsolidationLock
from memlab.dream.receipt import Receipt, diffs
from memlab.dream.stage import DREAM, DreamError, Proposal, snapshot
from memlab.errors import MemoryRefusedError
from memlab.evidence.pending import PendingChange
from memlab.evidence.review import Gain, Review, keep_lost, review, without
from memlab.evidence.sentences import text_of
from memlab.evidence.support import Evidence, Verdict
from memlab.memdir.places import INDEX, INDEXES, TEAM, index_of
from memlab.memdir.scan import conflict_line
from memlab.memdir.store import By, MemoryStore
from memlab.settings import Settings

TRIES, REASON_CHARACTERS = 5, 2_000
REJECTED = "you rejected it"
HELD_BACK = "what it was merged into says it only in a sentence held back"
ACCEPTED = "dream, accepted by the person"
CONFLICT = "git has left a conflict in it, which a person has to resolve"
ONLY_PROPOSED = "the team's memory is only changed by a person"
READ_OTHERS = (
    "a private memory is only removed by you, because the dream has read what"
    " others wrote"
)


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
    if not any(is_shared(name) for name in proposal.before):
        return kept
    for name in proposal.before.keys() - proposal.after.keys():
        reason = proposal.reasons.get(name, "")
        heir = re.match(r"superseded by `?(.+?\.md)", reason)
        stays_private = heir is not None and not is_shared(heir[1])
        if name not in kept and name != INDEX and not stays_private:
            kept[name] = READ_OTHERS
    return kept


def rejected(shown: Receipt, wanted: Collection[str]) -> dict[str, str]:
    """Give the files that are not to be changed after a person saw a receipt,
    with why.

    A change that was refused on that receipt stays refused: nobody has agreed
    to it.
    """
    return {
        change.file: change.refused or REJECTED
        for change in shown.changes
        if change.refused or change.file not in wanted
    }


def reasons_to_wait(
    receipt: Receipt, *, memories: int, settings: Settings
) -> tuple[str, ...]:
    """Say why a person has to see a dream first; empty if it may be committed
    without one.

    ``memories`` is the size of the store before the dream.
    """
    counted = [change for change in receipt.accepted if change.needs_person]
    share = memories * settings.dream_unreviewed_percent // 100
    limit = max(settings.dream_unreviewed_files, share)
    why = (
        f"{len(counted)} of {memories} memories would be removed, merged or"
        f" rewritten; without a review, the limit is {limit}"
    )
    too_many = (why,) if len(counted) > limit else ()
    return (*too_many, *receipt.suspicions)


class SwitchedOffError(DreamError):
    """The person switched memory off while the dream was under way."""


class Plan:
    """A proposal to be committed; ``evidence`` supports its new sentences.

    ``stamps`` has the origin of sentences that keep theirs, by key.
    ``allowed`` is asked just before the commit. With ``alone``, the settings
    of a dream without anybody to ask, a proposal that changes too much waits
    as a whole, sentences that are unsupported or claim too much are left out
    and kept for ``/review``, and the team's files stay as they are: what other
    machines do at the same time, no lock of this one can tell.
    ``left_to_person`` says what else does.
    """

    def __init__(
        self,
        proposal: Proposal,
        *,
        store: MemoryStore,
        lock: ConsolidationLock,
        evidence: Evidence,
        stamps: Mapping[str, Mapping[str, object]] | None = None,
        alone: Settings | None = None,
        allowed: Callable[[], bool] = lambda: True,
    ) -> None:
        self._proposal = proposal
        self._store, self._lock, self._evidence = store, lock, evidence
        self._stamps, self._alone = stamps or {}, alone
        self._allowed = allowed

    def receipt(self, left_alone: Mapping[str, str] | None = None) -> Receipt:
        """Review the proposal against the memory as it is now; files to be
        ``left_alone`` stay as they are.
        """
        proposal = self._proposal
        if not proposal.directory.is_dir():
            raise DreamError(
                "the memory directory is gone", where=proposal.directory
            )
        if proposal.attack:
            return Receipt(attack=proposal.attack)
        self._live = snapshot(proposal.directory).files
        self._after = proposal.after
        out = {**proposal.odd, **self._kept_back(), **(left_alone or {})}
        found, held = self._judge(out), tuple[PendingChange, ...]()
        # what goes beyond the limit waits as a whole
        if self._alone and found.doubtful and not self._must_wait(found):
            found, held = self._without_doubtful(found, out)
        return replace(
            found,
            held=held,
            problems=tuple(
                f"{name} is left out: {why}"
                for name, why in proposal.odd.items()
                if name not in proposal.after
            ),
            settled=self._store.settled(self._wanted(found)),
            diffs=diffs(proposal.before, self._after),
        )

    def _kept_back(self) -> dict[str, str]:
        """Say which files no dream changes, and why."""
        kept = {
            name: CONFLICT
            for name, data in self._live.items()
            if conflict_line(text_of(data))
        }
        if self._alone:
            kept |= left_to_person(self._proposal)
        return kept

    def _judge(self, left_alone: Mapping[str, str]) -> Receipt:
        found: Review = review(
            self._proposal.before,
            self._after,
            self._proposal.reasons,
            self._evidence,
            left_alone,
            self._live,
        )
        return Receipt(found.changes, found.gains, found.suspicions)

    def _must_wait(self, receipt: Receipt) -> tuple[str, ...]:
        if self._alone is None:
            return ()
        before = self._proposal.before.keys() - {*INDEXES}
        return reasons_to_wait(
            receipt, memories=len(before), settings=self._alone
        )

    def _without_doubtful(
        self, receipt: Receipt, left_alone: Mapping[str, str]
    ) -> tuple[Receipt, tuple[PendingChange, ...]]:
        """Leave out the sentences that a person has to see first, and review
        the rest again.

        What they would have replaced stays, and so does a memory that was
        merged into them.
        """
        before, after = self._proposal.before, dict(self._proposal.after)
        doubtful = defaultdict[str, list[Gain]](list)
        for gain in receipt.doubtful:
            if gain.file not in INDEXES:
                doubtful[gain.file].append(gain)
        held: list[PendingChange] = []
        for name, gains in doubtful.items():
            old, new = before.get(name), after[name]
            rest = without(old, new, [one.sentence for one in gains])
            held += _held(gains, new if rest is None else None)
            if rest is None:
                del after[name]
            elif old is None or rest == old:
                after[name] = rest
            else:
                others = [
                    text_of(data)
                    for other, data in after.items()
                    if other != name
                ]
                after[name] = keep_lost(old, rest, others, self._evidence).data
        self._after = after
        lost = {one.file: one.loses for one in receipt.accepted}
        again = self._judge(left_alone)
        unmerged = {
            one.file: HELD_BACK
            for one in again.changes
            if one.file not in after
            and len(one.loses) > len(lost.get(one.file, one.loses))
        }
        left_alone = {**left_alone, **unmerged}
        if unmerged:
            again = self._judge(left_alone)
        # lines of the index that repeated what is held back now
        said = [one.sentence.text for one in again.doubtful]
        if said:
            why = f"no memory supports what it says: {' '.join(said)}"
            again = self._judge({**left_alone, INDEX: why})
        return again, tuple(held)

    def _wanted(self, receipt: Receipt) -> dict[str, bytes | None]:
        return {
            one.file: self._after.get(one.file) for one in receipt.accepted
        }

    def commit(
        self, left_alone: Mapping[str, str], **by: Unpack[By]
    ) -> Receipt:
        """Commit what the review accepts now, as one change; raises DreamError
        and StoreError.

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
            if reasons := self._must_wait(receipt):
                return replace(receipt, waits=reasons)
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
        """Make the change; None if somebody was quicker, and all is as it
        was.
        """
        decided = any(map(is_shared, wanted))
        why = f"{ACCEPTED if decided else 'dream'}: " + (
            "; ".join(one.line for one in receipt.accepted)
            or "the index put in order by code"
        )
        # what the changes rest on has to be as it was, too
        rests = {
            one.into for one in receipt.accepted if one.into in self._live
        }
        files = {name: self._live[name] for name in rests} | {**wanted}
        with self._lock.guarded() as mine:
            if not mine:
                raise DreamError("another process has taken its lock over")
            if not self._allowed():
                raise SwitchedOffError("memory was switched off")
            if snapshot(self._proposal.directory).files != self._live:
                return None
            known = {one.id for one in self._store.waiting()}
            held = [
                replace(
                    one,
                    who=by.get("who", DREAM),
                    session=by.get("session", ""),
                    turn=by.get("turn", ""),
                    at=self._store.now(),
                )
                for one in receipt.held
                if one.id not in known
            ]
            # stopped in between, a sentence waits and its file is as it was
            if held:
                self._store.hold(held)
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
                self._store.drop(held)
                raise
        if not done.kept:
            return replace(receipt, change=done.change, settled=done.settled)
        if done.change:
            self._store.undo(done.change, **by)
        self._store.drop(held)
        return None


def _held(gains: Collection[Gain], whole: bytes | None) -> list[PendingChange]:
    """Give sentences as changes that wait, or the whole new file that nothing
    else is left of; what is off the record does not even wait.
    """
    held = [
        PendingChange(
            one.file,
            one.sentence.text,
            why=one.judgement.why,
            stamps={one.sentence.key: one.judgement.stamp.as_json()},
        )
        for one in gains
        if one.judgement.verdict is not Verdict.OFF_RECORD
    ]
    if whole is None or len(held) < len(gains):
        return held
    stamps = {key: one for each in held for key, one in each.stamps.items()}
    text = whole.decode("utf-8", "surrogateescape")
    return [replace(held[0], text=text, base="", stamps=stamps)]
