"""From a reviewed copy to one change of the real memory, which goes on living meanwhile.

The review is repeated on the memory as it is at that moment, and the change is made only if it
still is so when no other writer can come between. Left out: who wants which change (``dream``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Unpack

from memlab.dream.lock import ConsolidationLock
from memlab.dream.receipt import Receipt
from memlab.dream.stage import DreamError, StagedMemory, snapshot
from memlab.errors import MemoryRefusedError
from memlab.memdir.store import By, MemoryStore

TRIES, REASON_CHARACTERS = 5, 2_000


class SwitchedOffError(DreamError):
    """The person switched memory off while the dream was under way."""


class _ChangedError(Exception):
    pass


class Plan:
    """What a dream has made of its copy, to be carried out; ``review`` judges it.

    ``allowed`` is asked at the moment of the commit.
    """

    def __init__(
        self,
        staged: StagedMemory,
        *,
        store: MemoryStore,
        lock: ConsolidationLock,
        review: Callable[..., Receipt],
        allowed: Callable[[], bool] = lambda: True,
    ) -> None:
        self._allowed = allowed
        self._staged, self._store, self._lock, self._review = staged, store, lock, review
        self._after, self._reasons = staged.after(), staged.reasons()

    def receipt(self, held: Mapping[str, str] | None = None) -> Receipt:
        """Review the copy against the memory as it is now; ``held`` files are left as they are."""
        if not self._staged.directory.is_dir():
            raise DreamError("the memory directory is gone", where=self._staged.directory)
        if self._after.attack:
            return Receipt(attack=self._after.attack)
        self._live = snapshot(self._staged.directory).files
        receipt = self._review(
            self._staged.before.files,
            self._after.files,
            self._reasons,
            live=self._live,
            held={**self._after.odd, **(held or {})},
        )
        odd = {name: why for name, why in self._after.odd.items() if name not in self._after.files}
        problems = [f"{name} is left out: {why}" for name, why in odd.items()]
        return replace(receipt, problems=(*receipt.problems, *problems))

    def commit(self, held: Mapping[str, str], **by: Unpack[By]) -> Receipt:
        """Carry out what the review lets pass now, as one change; raises DreamError, StoreError.

        What the store refuses, and what others change at this very moment, is left out as well.
        """
        out = dict(held)
        for _ in range(TRIES):
            receipt = self.receipt(out)
            wanted = {one.file: self._after.files.get(one.file) for one in receipt.accepted}
            if not wanted:
                return receipt
            why = "dream: " + "; ".join(one.line for one in receipt.accepted)
            try:
                with self._lock.guarded() as mine:
                    if not mine:
                        raise DreamError("another process has taken its lock over")
                    done = self._store.replace_many(
                        wanted,
                        base={name: self._live.get(name) for name in wanted},
                        allowed=self._unchanged,
                        reason=why[:REASON_CHARACTERS],
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
                return replace(receipt, change=done.change)
            self._store.undo(done.change, **by)  # somebody's own hand was quicker than the store
        raise DreamError("others kept changing the memory at the moment of its commit")

    def _unchanged(self) -> None:
        if not self._allowed():
            raise SwitchedOffError("memory was switched off")
        if snapshot(self._staged.directory).files != self._live:
            raise _ChangedError
