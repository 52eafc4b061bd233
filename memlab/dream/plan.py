"""The commit of a proposal as one change of the real memory, which others may
change meanwhile.

The review is repeated on the memory as it is at that moment. The change is
made only if the memory is still the same once no other writer can interfere;
otherwise everything is repeated. Who wants which change is decided before
(``dream`` and ``waiting``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Unpack

from memlab.dream.lock import ConsolidationLock
from memlab.dream.receipt import Receipt
from memlab.dream.stage import DreamError, Proposal, snapshot
from memlab.errors import MemoryRefusedError
from memlab.memdir.coverage import text_of
from memlab.memdir.held import (
    HeldSentence,
    held_sentence,
    without_sentences,
)
from memlab.memdir.index import INDEX
from memlab.memdir.places import TEAM, index_of
from memlab.memdir.review import Review, heir_in
from memlab.memdir.scan import conflict_line
from memlab.memdir.store import By, MemoryStore
from memlab.memdir.support import Support, keep_lost

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
        heir = heir_in(proposal.reasons.get(name, ""))
        stays_private = heir != "" and not is_shared(heir)
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


class SwitchedOffError(DreamError):
    """The person switched memory off while the dream was under way."""


class _ChangedError(Exception):
    pass


class Plan:
    """A proposal to be committed; ``review`` judges it.

    ``must_wait`` gets each receipt just before the commit and gives the
    reasons why the proposal waits for a person instead. ``allowed`` is asked
    at the moment of the commit. With ``hold``, the sources for new sentences,
    those that are unsupported or claim too much are left out and kept for
    ``/review``, because there is nobody to ask. With ``only_private``, the
    team's files stay as they are: what other machines do at the same time, no
    lock of this one can tell. ``left_to_person`` says what else does.
    """

    def __init__(
        self,
        proposal: Proposal,
        *,
        store: MemoryStore,
        lock: ConsolidationLock,
        review: Callable[..., Review],
        must_wait: Callable[[Receipt], tuple[str, ...]] = lambda receipt: (),
        allowed: Callable[[], bool] = lambda: True,
        hold: Support | None = None,
        only_private: bool = False,
    ) -> None:
        self._allowed = allowed
        self._only_private = only_private
        self._hold = hold
        self._offered = self._proposal = proposal
        self._store, self._lock, self._review = store, lock, review
        self._must_wait = must_wait

    def receipt(self, held: Mapping[str, str] | None = None) -> Receipt:
        """Review the proposal against the memory as it is now; ``held`` files
        stay as they are.
        """
        proposal = self._proposal = self._offered
        if not proposal.directory.is_dir():
            raise DreamError(
                "the memory directory is gone", where=proposal.directory
            )
        if proposal.attack:
            return Receipt(attack=proposal.attack)
        self._live = snapshot(proposal.directory).files
        left_alone = {**proposal.odd, **self._kept_back(), **(held or {})}
        receipt = self._judge(left_alone)
        # what goes beyond the limit waits as a whole
        if self._hold is not None and not self._must_wait(receipt):
            receipt = self._without_doubtful(receipt, left_alone, self._hold)
        odd = {
            name: why
            for name, why in proposal.odd.items()
            if name not in proposal.after
        }
        problems = [f"{name} is left out: {why}" for name, why in odd.items()]
        return replace(
            receipt,
            problems=(*receipt.problems, *problems),
            tidied=self._store.preview_index(self._wanted(receipt)),
        )

    def _kept_back(self) -> dict[str, str]:
        """Say which files no dream changes, and why."""
        kept = {
            name: CONFLICT
            for name, data in self._live.items()
            if conflict_line(text_of(data))
        }
        if self._only_private:
            kept |= left_to_person(self._proposal)
        return kept

    def _judge(self, left_alone: Mapping[str, str]) -> Receipt:
        proposal = self._proposal
        return Receipt.of(
            self._review(
                proposal.before,
                proposal.after,
                proposal.reasons,
                by_code=proposal.by_code,
                live=self._live,
                held=left_alone,
            )
        )

    def _without_doubtful(
        self,
        receipt: Receipt,
        left_alone: Mapping[str, str],
        witness: Support,
    ) -> Receipt:
        """Leave out the sentences that a person has to see first, and review
        the rest again.

        What they would have replaced stays, and so does a memory that was
        merged into them.
        """
        if not any(change.doubtful for change in receipt.accepted):
            return receipt
        before = self._proposal.before
        after = dict(self._proposal.after)
        out: list[HeldSentence] = []
        for change in receipt.accepted:
            name = change.file
            if not change.doubtful or name == INDEX:
                continue
            old, new = before.get(name), after[name]
            rest = without_sentences(
                name, old, new, [piece for piece, _ in change.doubtful]
            )
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
                after[name] = keep_lost(name, old, rest, others, witness).data
            whole = text_of(new) if rest is None else ""
            out += [
                held_sentence(name, piece, judgement, content=whole)
                for piece, judgement in change.doubtful
            ]
        lost = {one.file: one.loses for one in receipt.accepted}
        self._proposal = replace(self._proposal, after=after)
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
        # its lines repeated what is held back now
        for change in again.accepted:
            if change.file == INDEX and change.doubtful:
                texts = " ".join(piece.text for piece, _ in change.doubtful)
                why = f"no memory supports what it says: {texts}"
                again = self._judge({**left_alone, INDEX: why})
        return replace(again, held=tuple(out))

    def _wanted(self, receipt: Receipt) -> dict[str, bytes | None]:
        return {
            one.file: self._proposal.after.get(one.file)
            for one in receipt.accepted
        }

    def commit(self, held: Mapping[str, str], **by: Unpack[By]) -> Receipt:
        """Commit what the review accepts now, as one change; raises DreamError
        and StoreError.

        What the store refuses, and what others change at this very moment, is
        left out as well. Code puts the index in order as part of the change,
        also where nothing else is accepted, unless a person rejected all of
        it. A receipt that ``waits`` means that nothing was changed. The
        reason of a change to the team's files says that the person has
        decided on it; the words are the dream's.
        """
        out = dict(held)
        for _ in range(TRIES):
            receipt = self.receipt(out)
            if reasons := self._must_wait(receipt):
                return replace(receipt, waits=reasons)
            wanted = self._wanted(receipt)
            if not wanted and REJECTED in held.values():
                return replace(receipt, tidied=None)
            decided = any(map(is_shared, wanted))
            why = f"{ACCEPTED if decided else 'dream'}: " + (
                "; ".join(one.line for one in receipt.accepted)
                or "the index put in order by code"
            )
            try:
                with self._lock.guarded() as mine:
                    if not mine:
                        raise DreamError(
                            "another process has taken its lock over"
                        )
                    done = self._store.replace_many(
                        wanted,
                        base={name: self._live.get(name) for name in wanted},
                        allowed=self._unchanged,
                        reason=why[:REASON_CHARACTERS],
                        tidy=True,
                        hold=receipt.held,
                        **by,
                    )
            except _ChangedError:
                continue
            except MemoryRefusedError as error:
                if error.where not in wanted:
                    raise
                out[error.where] = error.what
                continue
            if not done.kept:
                return replace(receipt, change=done.change, tidied=done.tidied)
            # somebody's own hand was quicker than the store
            self._store.undo(done.change, **by)
            self._store.drop_held(done.held)
        raise DreamError(
            "others kept changing the memory at the moment of its commit"
        )

    def _unchanged(self) -> None:
        if not self._allowed():
            raise SwitchedOffError("memory was switched off")
        if snapshot(self._proposal.directory).files != self._live:
            raise _ChangedError
