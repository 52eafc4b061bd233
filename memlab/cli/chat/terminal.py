"""The terminal: lines, an answer as it streams, questions, and notices that
come in between.

The agent works in a thread of its own, so that Ctrl-C reaches the prompt and
the turn alike. What that thread has to show comes here through a queue. Only a
notice that finds the person at the prompt is printed at once, above it.
``PlainInput`` reads lines from a pipe; ``editor`` has the line editor for a
person.
"""

from __future__ import annotations

import asyncio
import os
import queue
import sys
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from memlab.views import plain

T = TypeVar("T")
PROMPT = "you> "
POLL_SECONDS = 0.05
LEAVE_SECONDS = 1.0
"""How long the chat waits at its end for a tool that does not return."""
_DIM, _UNDIM = "\x1b[2m", "\x1b[0m"


class Input(Protocol):
    """Where lines come from; EOFError and KeyboardInterrupt are raised as by
    ``input``.
    """

    def read(self, on_start: Callable[[], None]) -> str:
        """Let the person type; ``on_start`` is called when ``print_above`` can
        be used.
        """
        ...

    def ask(self, question: str) -> str:
        """Let the person answer a question in one line."""
        ...

    def print_above(self, write: Callable[[], None]) -> None:
        """Call ``write``, which prints lines, so that they are above what is
        being typed.

        May be called from any thread. If the person has just finished typing,
        it does nothing.
        """
        ...


class PlainInput:
    """Lines from a pipe, or from a terminal that cannot move its cursor."""

    def __init__(self) -> None:
        self._prompt = PROMPT if sys.stdin.isatty() else ""

    def read(self, on_start: Callable[[], None]) -> str:
        """Read one line, after the prompt if it is a terminal."""
        on_start()
        return input(self._prompt)

    def ask(self, question: str) -> str:
        """Read one line after the question."""
        return input(question)

    def print_above(self, write: Callable[[], None]) -> None:
        """Print below what is being typed, which this terminal cannot move,
        and prompt again.
        """
        if self._prompt:
            print()
            write()
            print(self._prompt, end="", flush=True)


class Terminal:
    """What the person sees and types; ``input`` is replaced where there is an
    editor.
    """

    def __init__(self) -> None:
        self.input: Input = PlainInput()
        self.loop = asyncio.new_event_loop()
        self._queue: queue.SimpleQueue[Callable[[], object]] = (
            queue.SimpleQueue()
        )
        self._notices: deque[str] = deque()
        self._typing = False
        self._command = ""
        self._at_margin = True
        self._dims = can_edit() and not os.environ.get("NO_COLOR")
        self._agent = threading.Thread(
            target=self.loop.run_forever, name="agent", daemon=True
        )
        self._agent.start()

    def line(self, text: str = "", *, dim: bool = False) -> None:
        """Print a line, or several, at the margin."""
        if not self._at_margin:
            print()
        shown = plain(text)
        if dim and self._dims and shown:
            shown = f"{_DIM}{shown}{_UNDIM}"
        print(shown, flush=True)
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
        self._notices.append(text)
        if self._typing:
            self.input.print_above(self._show_notices)
        else:
            self._queue.put(self._show_notices)

    async def ask(self, question: str) -> bool:
        """Put a yes-or-no question to the person, from the agent's thread, and
        wait.
        """
        return await self._put(lambda: self.confirm(question), unless=False)

    async def choose_later(self, count: int) -> list[int]:
        """Let the person choose as ``choose`` does, from the agent's thread,
        and wait.
        """
        return await self._put(lambda: self.choose(count), unless=[])

    def confirm(self, question: str) -> bool:
        """Ask here and now; only a clear yes is one."""
        if self.left:
            return False
        self.line(question)
        answer = self._answer("[y/N] ")
        return answer is not None and answer.lower() in ("y", "yes")

    def choose(self, count: int) -> list[int]:
        """Let the person choose among so many numbered lines: some, ``all``,
        or none.

        Any other answer is asked about again, so that a slip decides nothing.
        """
        while True:
            answer = self._answer("which? (numbers, all, or Enter for none) ")
            if answer is None:
                return []
            words = answer.replace(",", " ").split()
            if words == ["all"]:
                return list(range(1, count + 1))
            if words in ([], ["none"], ["no"]):
                return []
            numbers = [int(word) if word.isdecimal() else 0 for word in words]
            if all(1 <= number <= count for number in numbers):
                return list(dict.fromkeys(numbers))
            self.line(f"Type numbers from 1 to {count}, all, or only Enter.")

    @property
    def left(self) -> bool:
        """Whether the person left a question by typing a command, which is
        what ``read`` returns next.
        """
        return bool(self._command)

    def _answer(self, prompt: str) -> str | None:
        """Read an answer; None if the person leaves the question."""
        if self.left:
            return None
        try:
            answer = self.input.ask(prompt).strip()
        except EOFError:
            return None
        if answer.startswith("/"):
            self._command = answer
            return None
        return answer

    def read(self, status: str) -> str:
        """Let the person type a message, below a line that says how things
        stand.
        """
        self.flush()
        if self.left:
            command, self._command = self._command, ""
            return command
        self.line(status, dim=True)
        self._typing = True
        try:
            return self.input.read(self._show_waiting_notices)
        finally:
            self._typing = False

    def wait_for(
        self, work: Coroutine[Any, Any, T], stop: Callable[[], object]
    ) -> T:
        """Have the agent's thread do some work, and show what comes of it
        meanwhile.

        Ctrl-C calls ``stop`` and waits on; a second one cancels the work,
        which raises KeyboardInterrupt.
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
            # wherever it falls, the work is not left to itself
            except KeyboardInterrupt:
                pressed += 1
            except CancelledError:
                break
        raise KeyboardInterrupt

    def flush(self) -> None:
        """Show everything that waits to be shown."""
        with suppress(queue.Empty):
            while True:
                self._queue.get_nowait()()
        self._show_notices()

    def close(self) -> None:
        """End the agent's loop."""
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.loop.stop)
            self._agent.join(LEAVE_SECONDS)
            if not self._agent.is_alive():
                self.loop.close()

    def _next(self, seconds: float) -> None:
        with suppress(queue.Empty):
            self._queue.get(timeout=seconds)()

    def _piece(self, text: str) -> None:
        print(text, end="", flush=True)
        if text:
            self._at_margin = text.endswith("\n")

    def _show_notices(self) -> None:
        with suppress(IndexError):
            while True:
                self.line(f"• {self._notices.popleft()}", dim=True)

    def _show_waiting_notices(self) -> None:
        """Show the notices that came while the prompt was being made ready."""
        if self._notices:
            self.input.print_above(self._show_notices)

    async def _put(self, ask: Callable[[], T], unless: T) -> T:
        """Ask in the person's thread, and wait for the answer; after Ctrl-C it
        is ``unless``.
        """
        answer: asyncio.Future[T] = self.loop.create_future()

        def settle(said: T) -> None:
            if not answer.done():
                answer.set_result(said)

        def ask_here() -> None:
            said = unless
            try:
                said = ask()
            finally:
                self.loop.call_soon_threadsafe(settle, said)

        self._queue.put(ask_here)
        return await answer


def can_edit() -> bool:
    """Tell whether a person is at a terminal that can move its cursor."""
    tty = sys.stdin.isatty() and sys.stdout.isatty()
    return tty and os.environ.get("TERM", "").lower() not in (
        "dumb",
        "unknown",
    )
