"""What the person does with dreams in a chat: start one, look at what it
would change, and decide on it.

A dream that an earlier session left for a review is decided on in the same
way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping

from memlab.chat.screen import Screen
from memlab.dream.dream import DreamTask, what_happened
from memlab.dream.receipt import Receipt
from memlab.errors import MemlabError
from memlab.harness import Harness

POLL_SECONDS = 0.05
DECIDE_HELD = (
    "Accept them with /review accept [NUMBER …], or drop them with /review"
    " reject [NUMBER …]"
)
NO_DREAM = "No dream in this session."
ASKED = (
    "/dream receipt shows it, /dream diff FILE shows one change; "
    "decide with /dream accept or /dream reject"
)


class ChatDreams:
    """What the person does with dreams; ``harness`` is set once there is one."""

    harness: Harness

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._by_hand: asyncio.Future[DreamTask] | None = None
        self._verdict: asyncio.Future[Collection[str] | None] | None = None

    async def decide(self, receipt: Receipt) -> Collection[str] | None:
        """Show that a receipt waits, and wait for the person's word."""
        count = len(receipt.accepted)
        self._verdict = asyncio.get_running_loop().create_future()
        self._screen.notice(
            f"A dream wants to change {count} file{'s' * (count != 1)}:"
            f" {ASKED}."
        )
        try:
            return await self._verdict
        finally:
            self._verdict = None

    async def command(self, rest: str) -> None:
        """Run ``/dream`` with the words that follow it."""
        word, *files = rest.split() or [""]
        actions = self._actions(files)
        if word in actions:
            await actions[word]()
        else:
            *others, last = list(actions)[1:]
            self._screen.show(
                f"The commands are /dream and /dream {', '.join(others)} or"
                f" {last}"
            )

    def offers(self) -> list[str]:
        """Return the words that can follow ``/dream``, and the files that a
        receipt lists.
        """
        receipt = self._shown_receipt()
        files = [change.file for change in receipt.accepted] if receipt else []
        return [*list(self._actions([]))[1:], *files]

    def _actions(
        self, files: list[str]
    ) -> Mapping[str, Callable[[], Awaitable[None]]]:
        return {
            "": self._start,
            "status": self._status,
            "stop": self.stop,
            "receipt": self._receipt,
            "diff": lambda: self._diff(files),
            "accept": lambda: self._answer("accept", files),
            "reject": lambda: self._answer("reject", files),
        }

    @property
    def task(self) -> DreamTask | None:
        """The dream under way, or the newest."""
        return self.harness.dreams.task

    @property
    def running(self) -> bool:
        """Whether a dream is under way."""
        begun = self._by_hand is not None and not self._by_hand.done()
        return begun or bool(self.task and self.task.pill)

    async def stop(self) -> None:
        """End the dream under way, and wait until it has ended."""
        if not self.running:
            self._screen.show("No dream is running.")
            return
        await self._until_it_ends(stop=True)

    async def _until_it_ends(self, *, stop: bool = False) -> None:
        while self.running:
            if stop:
                self.harness.dreams.stop()
            await asyncio.sleep(POLL_SECONDS)

    async def _start(self) -> None:
        if self.running:
            self._screen.show(
                "A dream is already running. /dream status shows its progress."
            )
            return
        before = self.task
        self._by_hand = asyncio.ensure_future(self.harness.dream_now())
        self._by_hand.add_done_callback(self._ended)
        while not self._by_hand.done() and self.task is before:
            await asyncio.sleep(POLL_SECONDS)
        if self.running:
            self._screen.show(
                "Dreaming. You can go on working; /dream status shows its"
                " progress."
            )

    def _ended(self, dream: asyncio.Future[DreamTask]) -> None:
        if dream.cancelled():
            return
        error = dream.exception()
        if isinstance(error, MemlabError):
            self._screen.notice(str(error))
        elif error:
            self._screen.notice(f"The dream failed: {error!r}.")

    async def review(self, rest: str) -> None:
        """Run ``/review``: show what was held back, a dream or single
        sentences, and accept or drop it.
        """
        word, *named = rest.split() or [""]
        store = self.harness.store
        held = [one for one in store.waiting() if not one.closes_gate]
        wrong = [
            one
            for one in named
            if one.isdigit() and not 1 <= int(one) <= len(held)
        ]
        chosen = [
            one
            for number, one in enumerate(held, 1)
            if not named or str(number) in named
        ]
        a_dream = self.running or self.harness.dreams.waiting.there
        if wrong:
            self._screen.show(f"There is no number {', '.join(wrong)}.")
        elif word in ("accept", "reject") and chosen:
            for one in chosen:
                if word == "accept":
                    self.harness.store.accept(
                        [one], who="user", session=self.harness.session
                    )
                else:
                    store.drop([one])
                done = "Accepted" if word == "accept" else "Dropped"
                self._screen.show(f"{done}: {one.line}")
            if a_dream and not named:
                await self.command(rest)
        elif word:
            await self.command(rest)
        else:
            for number, one in enumerate(held, 1):
                self._screen.show(f"{number}  {one.line}")
            if held:
                self._screen.show(DECIDE_HELD)
            if a_dream or not held:
                await self._receipt()

    async def _status(self) -> None:
        task = self.task
        if task is None:
            self._screen.show(self.harness.dreams.reminder() or NO_DREAM)
            return
        used = ", ".join(
            f"{name} {count}"
            for name, count in sorted(task.tool_counts.items())
        )
        self._screen.show(
            f"{task.phase}: {task.notice or task.last_text}".rstrip(": ")
        )
        self._screen.show(
            f"  sessions under review: {len(task.sessions)}; tools:"
            f" {used or 'none'}"
        )
        self._screen.show(
            f"  files touched: {', '.join(task.files_touched) or 'none'}"
        )
        if task.asking:
            self._screen.show(f"  It is waiting for you: {ASKED}.")

    def _shown_receipt(self) -> Receipt | None:
        """Return the receipt to show: of the dream under way, else of one that
        waits, else newest.
        """
        waiting = None if self.running else self.harness.dreams.waiting.look()
        if waiting:
            return self.harness.dreams.waiting.receipt()
        return self.task.receipt if self.task else None

    async def _receipt(self) -> None:
        receipt = self._shown_receipt()
        self._screen.show(NO_DREAM if receipt is None else str(receipt))

    async def _diff(self, files: list[str]) -> None:
        receipt = self._shown_receipt()
        changes = receipt.changes if receipt else ()
        shown = [
            change for change in changes if not files or change.file in files
        ]
        for change in shown:
            diff = receipt.diffs.get(change.file, "") if receipt else ""
            self._screen.show(f"{change.line}\n{diff}")
        if not shown:
            self._screen.show("The receipt has no such change.")

    async def _answer(self, word: str, files: list[str]) -> None:
        verdict, task = self._verdict, self.task
        if verdict is not None and task is not None:
            wanted = self._wanted(task.receipt, word, files)
            if wanted is not None:
                if not verdict.done():
                    verdict.set_result(wanted)
                await self._until_it_ends()
        elif self.running or not self.harness.dreams.waiting.there:
            self._screen.show("No dream is waiting for a decision.")
        elif word == "reject" and not files:
            self.harness.dreams.waiting.reject()
            self._screen.show(
                "The dream was dropped. The memory is as it was."
            )
        else:
            waiting = self.harness.dreams.waiting
            wanted = self._wanted(waiting.receipt(), word, files)
            if wanted is not None:
                receipt = waiting.accept(
                    wanted, who="dream", session=self.harness.session
                )
                self._screen.show(str(receipt))
                self._screen.show(f"The dream {what_happened(receipt)}.")

    def _wanted(
        self, receipt: Receipt, word: str, files: list[str]
    ) -> Collection[str] | None:
        """Return the files whose change the person accepts; None if a name is
        not on the receipt.
        """
        every = {change.file for change in receipt.accepted}
        unknown = sorted(set(files) - every)
        if unknown:
            self._screen.show(
                f"The receipt has no change to {', '.join(unknown)}."
            )
            return None
        named = set(files) if files else every
        return named if word == "accept" else every - named
