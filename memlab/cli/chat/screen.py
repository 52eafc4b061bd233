"""The terminal: a prompt with history, an answer as it streams, questions, and lines beside them.

The agent works in a thread of its own, so that Ctrl-C reaches the prompt and the turn alike. What
that thread has to show comes here through a queue; only a notice that finds the person at the
prompt is printed at once, above it. Left out: what is typed, which ``commands`` and the chat read.
"""

from __future__ import annotations

import asyncio
import os
import queue
import sys
import threading
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from memlab.cli.chat.views import plain
from memlab.memdir.files import make_private

T = TypeVar("T")
HISTORY_LINES, POLL_SECONDS = 1_000, 0.05
LEAVE_SECONDS = 1.0
"""How long the chat waits at its end for a tool that does not return."""
_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"


class Screen:
    """What the person sees and types."""

    def __init__(self, history: Path | None = None) -> None:
        self._queue: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self._typing, self._at_margin = False, True
        self._tty = sys.stdin.isatty() and sys.stdout.isatty()
        self._colour = self._tty and "NO_COLOR" not in os.environ
        self._history, self._readline = history, _readline()
        self.loop = asyncio.new_event_loop()
        self._agent = threading.Thread(target=self.loop.run_forever, name="agent", daemon=True)
        self._agent.start()
        if self._readline and history:
            with suppress(OSError):
                self._readline.read_history_file(history)

    def line(self, text: str = "", *, dim: bool = False) -> None:
        """Print a line, or several, at the margin."""
        if not self._at_margin:
            print()
        shown = plain(text)
        print(self._dimmed(shown) if dim else shown, flush=True)
        self._at_margin = True

    def lines(self, texts: Iterable[str]) -> None:
        """Print some lines."""
        for text in texts:
            self.line(text)

    def stream(self, text: str) -> None:
        """Take a piece of an answer, in the agent's thread."""
        self._queue.put(lambda: self._piece(plain(text)))

    def notice(self, text: str) -> None:
        """Take a notice, in either thread."""
        if self._typing and self._tty and threading.current_thread().name == "agent":
            typed = self._readline.get_line_buffer() if self._readline else ""
            print(
                f"\r\x1b[K{self._dimmed(f'• {plain(text)}')}\n{PROMPT}{typed}", end="", flush=True
            )
        else:
            self._queue.put(lambda: self.line(f"• {text}", dim=True))

    async def ask(self, question: str) -> bool:
        """Put a yes-or-no question to the person, from the agent's thread, and wait."""
        answer: asyncio.Future[bool] = self.loop.create_future()
        self._queue.put(lambda: self._settle_from(lambda: self.confirm(question), False, answer))
        return await answer

    async def choose_later(self, count: int) -> list[int]:
        """Let the person choose as ``choose`` does, from the agent's thread, and wait."""
        chosen: asyncio.Future[list[int]] = self.loop.create_future()
        self._queue.put(lambda: self._settle_from(lambda: self.choose(count), [], chosen))
        return await chosen

    def confirm(self, question: str) -> bool:
        """Ask here and now; only a clear yes is one."""
        self.line(question)
        try:
            return input("yes or no? ").strip().lower() in ("y", "yes")
        except EOFError:
            return False

    def choose(self, count: int) -> list[int]:
        """Let the person choose among so many numbered lines: some, ``all``, or none.

        Whatever is neither is asked about again, so that a slip decides nothing.
        """
        while True:
            try:
                typed = input("which? (numbers, all, or Enter for none) ").replace(",", " ").split()
            except EOFError:
                return []
            if typed == ["all"]:
                return list(range(1, count + 1))
            if typed in ([], ["none"], ["no"]):
                return []
            numbers = [int(one) if one.isdecimal() else 0 for one in typed]
            if all(1 <= number <= count for number in numbers):
                return list(dict.fromkeys(numbers))
            self.line(f"Type numbers from 1 to {count}, all, or only Enter.")

    def read(self, status: str) -> str:
        """Let the person type a line; raises EOFError and KeyboardInterrupt as ``input`` does."""
        self.flush()
        self.line(status, dim=True)
        self._typing = True
        try:
            return input(PROMPT if sys.stdin.isatty() else "")
        finally:
            self._typing = False

    def wait_for(self, work: Coroutine[Any, Any, T], stop: Callable[[], object]) -> T:
        """Have the agent's thread do some work, and show what comes of it meanwhile.

        Ctrl-C calls ``stop`` and waits on; a second one cancels the work, which raises
        KeyboardInterrupt.
        """
        future: Future[T] = asyncio.run_coroutine_threadsafe(work, self.loop)
        future.add_done_callback(lambda _: self._queue.put(lambda: None))
        pressed = heeded = 0
        while True:
            try:
                if pressed > heeded:
                    heeded = pressed
                    if pressed > 1:
                        future.cancel()
                    stop()
                while not future.done():
                    self._next(POLL_SECONDS)
                self.flush()
                return future.result()
            except KeyboardInterrupt:  # wherever it falls, the work is not left to itself
                pressed += 1
            except CancelledError:
                break
        raise KeyboardInterrupt

    def flush(self) -> None:
        """Show all that waits to be shown."""
        with suppress(queue.Empty):
            while True:
                self._queue.get_nowait()()

    def close(self) -> None:
        """End the agent's loop, and keep what was typed, readable by this person alone."""
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.loop.stop)
            self._agent.join(LEAVE_SECONDS)
            if not self._agent.is_alive():
                self.loop.close()
        if self._readline and self._history:
            with suppress(OSError):
                make_private(self._history.parent)
                self._history.touch(mode=0o600)
                self._readline.set_history_length(HISTORY_LINES)
                self._readline.write_history_file(self._history)

    def _dimmed(self, text: str) -> str:
        return f"{_DIM}{text}{_PLAIN}" if self._colour and text else text

    def _next(self, seconds: float) -> None:
        with suppress(queue.Empty):
            self._queue.get(timeout=seconds)()

    def _piece(self, text: str) -> None:
        print(text, end="", flush=True)
        self._at_margin = text.endswith("\n") if text else self._at_margin

    def _settle_from(self, ask: Callable[[], T], unless: T, answer: asyncio.Future[T]) -> None:
        """Ask here, and hand the answer to the agent's thread; after Ctrl-C it is ``unless``."""
        try:
            said = ask()
        except KeyboardInterrupt:
            self.loop.call_soon_threadsafe(_settle, answer, unless)
            raise
        self.loop.call_soon_threadsafe(_settle, answer, said)


PROMPT = "you> "


def _settle(answer: asyncio.Future[T], said: T) -> None:
    if not answer.done():
        answer.set_result(said)


def _readline() -> ModuleType | None:
    """Give Python's line editor where the platform has one and a person types."""
    if not sys.stdin.isatty():
        return None
    try:
        import readline
    except ImportError:
        return None
    return readline
