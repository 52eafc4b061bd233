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
import queue
import sys
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from memlab.chat.card import Card
from memlab.chat.screen import Screen
from memlab.chat.views import plain
from memlab.cli.chat.style import Look, Stream, Style
from memlab.models.standin.answer import PLAIN, RULES

T = TypeVar("T")
PROMPT, AGENT = "you> ", "agent> "
POLL_SECONDS = 0.05
LEAVE_SECONDS = 1.0
"""How long the chat waits at its end for a tool that does not return."""


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


class Terminal(Screen):
    """What the person sees and types; ``input`` is replaced where there is an
    editor.

    What a ``Screen`` has may be called in either thread.
    """

    help = (
        "Ctrl-C stops the answer, not the program. /quit, Ctrl-D and Ctrl-C"
        " twice leave it. Tab completes commands and files, and the arrow keys"
        " bring back what you typed.",
    )

    def __init__(self, *, colour: bool = True) -> None:
        self.style = Style(colour=colour)
        self.input: Input = PlainInput()
        self.loop = asyncio.new_event_loop()
        self._queue: queue.SimpleQueue[Callable[[], object]] = (
            queue.SimpleQueue()
        )
        self._notices: deque[tuple[str, Look]] = deque()
        self._typing = False
        self._command = ""
        self._at_margin = True
        self._doing = ""
        self._status = ""
        self._words = Stream(self.style)
        self._agent = threading.Thread(
            target=self.loop.run_forever, name="agent", daemon=True
        )
        self._agent.start()

    def line(self, text: str = "", look: Look = "plain") -> None:
        """Print a line, or several, at the margin; in the person's thread."""
        self._to_margin()
        shown = self.style.wrap(plain(text))
        print(self.style.paint(shown, look), flush=True)

    def stream(self, text: str) -> None:
        """Take a piece of an answer."""
        self._queue.put(lambda: self._piece(plain(text)))

    def tool(self, text: str) -> None:
        """Take a tool's name; tools that follow each other share a line."""
        self._queue.put(lambda: self._used(plain(text)))

    def show(self, text: str) -> None:
        """Take what a command found."""
        self._queue.put(lambda: self.line(text))

    def source(self, label: str) -> None:
        """Take the label of an answer; that rules answer was said at the
        beginning.
        """
        if label not in (RULES, PLAIN):
            self.aside(f"({label})")

    def aside(self, text: str) -> None:
        """Take a remark about the answer."""
        self._queue.put(lambda: self.line(text, "aside"))

    def error(self, text: str) -> None:
        """Take what went wrong."""
        self._queue.put(lambda: self.line(text, "error"))

    def notice(self, text: str) -> None:
        """Take a notice."""
        self._notify(f"• {text}", "notice")

    def card(self, card: Card) -> None:
        """Take a memory that was saved."""
        new = " (new)" * card.new
        self._notify(
            f"╭ Saved to memory: {card.file}{new}\n"
            f"│ {card.name} · {card.type}\n"
            f"│ {card.line}\n"
            f"╰ /memory {card.file} shows the file",
            "card",
        )

    def _notify(self, text: str, look: Look) -> None:
        self._notices.append((text, look))
        if self._typing:
            self.input.print_above(self._show_notices)
        else:
            self._queue.put(self._show_notices)

    async def answer(self, prompt: str, offers: Sequence[str]) -> str | None:
        """Put a question to the person, from the agent's thread, and wait."""
        return await self._put(lambda: self._answer(f"{prompt} "), None)

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
        stand if that has changed.
        """
        self.flush()
        if self.left:
            command, self._command = self._command, ""
            return command
        self._to_margin()
        if status != self._status:
            self.line(status, "aside")
            self._status = status
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

    def _to_margin(self) -> None:
        """End the line that is begun."""
        if not self._at_margin:
            print(self._words.rest())
        self._at_margin = True
        self._doing = ""

    def _piece(self, text: str) -> None:
        if self._doing != AGENT:
            text = text.lstrip("\n")
            if not text:
                return
            self._to_margin()
            print(self.style.paint(AGENT, "agent"), end="")
            self._doing = AGENT
            self._words.begin(len(AGENT))
        print(self._words.feed(text), end="", flush=True)
        self._at_margin = False

    def _used(self, what: str) -> None:
        shown = f"[{what}]"
        if self._doing == "tools":
            shown = f" {shown}"
        else:
            self._to_margin()
            self._words.begin(0)
        print(
            self.style.paint(self._words.feed(f"{shown}"), "aside"),
            end="",
            flush=True,
        )
        self._doing = "tools"
        self._at_margin = False

    def _show_notices(self) -> None:
        with suppress(IndexError):
            while True:
                self.line(*self._notices.popleft())

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
