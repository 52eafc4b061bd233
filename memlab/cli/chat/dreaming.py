"""Dreams in the chat: started, watched and stopped by ``/dream``, and decided on change by change.

A dream runs in the background while the person types. A dream that an earlier session left for a
review is decided on in the same way. Left out: what a dream does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import replace

from memlab.cli.chat.screen import POLL_SECONDS, Screen
from memlab.dream.dream import DreamTask, what_happened
from memlab.dream.receipt import Receipt
from memlab.errors import MemlabError
from memlab.harness import Harness

NO_DREAM = "No dream in this session."
ASKED = (
    "/dream receipt shows it, /dream diff FILE shows one change; "
    "decide with /dream accept or /dream reject"
)


class Dreaming:
    """What the person does with dreams; ``harness`` is set once there is one."""

    harness: Harness

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._by_hand: Future[DreamTask] | None = None
        self._verdict: asyncio.Future[Collection[str] | None] | None = None

    async def decide(self, receipt: Receipt) -> Collection[str] | None:
        """Show that a receipt waits, and wait for the person's word, in the agent's thread."""
        count = len(receipt.accepted)
        self._verdict = asyncio.get_running_loop().create_future()
        self._screen.notice(f"A dream wants to change {count} file{'s' * (count != 1)}: {ASKED}.")
        try:
            return await self._verdict
        finally:
            self._verdict = None

    def command(self, rest: str) -> None:
        """Run ``/dream`` with the words that follow it."""
        word, *files = rest.split() or [""]
        known: Mapping[str, Callable[[], None]] = {
            "": self._start,
            "status": self._status,
            "stop": self.stop,
            "receipt": self._receipt,
        }
        if word in known:
            known[word]()
        elif word == "diff":
            self._diff(files)
        elif word in ("accept", "reject"):
            self._answer(word, files)
        else:
            self._screen.line(
                "The commands are /dream and /dream status, stop, receipt, diff, accept or reject"
            )

    @property
    def task(self) -> DreamTask | None:
        """The dream under way, or the newest."""
        return self.harness.dreams.task

    @property
    def running(self) -> bool:
        """Whether a dream is under way."""
        begun = self._by_hand is not None and not self._by_hand.done()
        return begun or bool(self.task and self.task.pill)

    def stop(self) -> None:
        """End the dream under way, and wait until it has ended."""
        if not self.running:
            self._screen.line("No dream is running.")
            return
        self._screen.wait_for(self._until_it_ends(stop=True), lambda: None)

    async def _until_it_ends(self, *, stop: bool = False) -> None:
        while self.running:
            if stop:
                self.harness.dreams.stop()
            await asyncio.sleep(POLL_SECONDS)

    def _start(self) -> None:
        if self.running:
            self._screen.line("A dream is already running. /dream status shows its progress.")
            return
        loop = self._screen.loop
        before = self.task
        self._by_hand = asyncio.run_coroutine_threadsafe(self.harness.dream_now(), loop)
        self._by_hand.add_done_callback(self._ended)
        self._screen.wait_for(self._until_begun_or_refused(before), lambda: None)
        if self.task is not before:
            self._screen.line("Dreaming. You can go on working; /dream status shows its progress.")

    async def _until_begun_or_refused(self, before: DreamTask | None) -> None:
        while self._by_hand is not None and not self._by_hand.done() and self.task is before:
            await asyncio.sleep(POLL_SECONDS)

    def _ended(self, dream: Future[DreamTask]) -> None:
        with suppress(CancelledError):
            error = dream.exception()
            if isinstance(error, MemlabError):
                self._screen.notice(str(error))
            elif error:
                self._screen.notice(f"The dream failed: {error!r}.")

    def _status(self) -> None:
        task = self.task
        if task is None:
            self._screen.line(self.harness.dreams.reminder() or NO_DREAM)
            return
        used = ", ".join(f"{name} {count}" for name, count in sorted(task.tool_counts.items()))
        self._screen.line(f"{task.phase}: {task.notice or task.last_text}".rstrip(": "))
        self._screen.line(f"  sessions under review: {len(task.sessions)}; tools: {used or 'none'}")
        self._screen.line(f"  files touched: {', '.join(task.files_touched) or 'none'}")
        if task.asking:
            self._screen.line(f"  It is waiting for you: {ASKED}.")

    def _shown_receipt(self) -> Receipt | None:
        """Give the receipt to show: of the dream under way, else of one that waits, else newest."""
        waiting = None if self.running else self.harness.dreams.waiting.look()
        if waiting is not None:
            return replace(self.harness.dreams.waiting.receipt(), waits=waiting.why)
        return self.task.receipt if self.task else None

    def _receipt(self) -> None:
        receipt = self._shown_receipt()
        self._screen.line(NO_DREAM if receipt is None else str(receipt))

    def _diff(self, files: list[str]) -> None:
        receipt = self._shown_receipt()
        changes = receipt.changes if receipt else ()
        shown = [one for one in changes if not files or one.file in files]
        self._screen.lines(f"{one.line}\n{one.diff}" for one in shown)
        if not shown:
            self._screen.line("The receipt has no such change.")

    def _answer(self, word: str, files: list[str]) -> None:
        verdict, task = self._verdict, self.task
        if verdict is not None and task is not None:
            wanted = self._wanted(task.receipt, word, files)
            if wanted is not None:
                self._screen.loop.call_soon_threadsafe(_settle, verdict, wanted)
                self._screen.wait_for(self._until_it_ends(), lambda: None)
        elif self.running or not self.harness.dreams.waiting.there:
            self._screen.line("No dream is waiting for a decision.")
        elif word == "reject" and not files:
            self.harness.dreams.waiting.reject()
            self._screen.line("The dream was dropped. The memory is as it was.")
        else:
            waiting = self.harness.dreams.waiting
            wanted = self._wanted(waiting.receipt(), word, files)
            if wanted is not None:
                receipt = waiting.accept(wanted, who="dream", session=self.harness.session)
                self._screen.line(str(receipt))
                self._screen.line(f"The dream {what_happened(receipt)}.")

    def _wanted(self, receipt: Receipt, word: str, files: list[str]) -> Collection[str] | None:
        """Give the files whose change the person accepts; None if a name is not on the receipt."""
        every = {one.file for one in receipt.accepted}
        unknown = sorted(set(files) - every)
        if unknown:
            self._screen.line(f"The receipt has no change to {', '.join(unknown)}.")
            return None
        named = set(files) if files else every
        return named if word == "accept" else every - named


def _settle(verdict: asyncio.Future[Collection[str] | None], wanted: Collection[str]) -> None:
    if not verdict.done():
        verdict.set_result(wanted)
