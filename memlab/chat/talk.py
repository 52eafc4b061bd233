"""A chat: each line that the person types goes to a command or to the agent,
and what comes of it is shown on a screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memlab.chat.card import card_of
from memlab.chat.commands import Commands
from memlab.chat.dreams import ChatDreams
from memlab.chat.screen import Screen, confirm
from memlab.events import Event, ToolDenied, ToolEvent, ToolFailed
from memlab.harness import Harness, HarnessObserver, Said
from memlab.ledger import Call
from memlab.memdir.scan import MemoryHeader, one_line, scan_memory_files
from memlab.text import shorten

MOST_RECALLED = 5


class Talk(HarnessObserver):
    """A conversation on a screen.

    It is made before the harness, which needs it to ask and to show; ``begin``
    brings the two together. ``calls`` gives the calls to the model that this
    chat has made.
    """

    harness: Harness
    commands: Commands

    def __init__(self, screen: Screen, calls: Iterable[Call]) -> None:
        self._screen = screen
        self._calls = calls
        self._known: set[str] = set()
        self.new: set[str] = set()
        self.dreams = ChatDreams(screen)

    async def ask(self, question: str) -> bool:
        """Put a yes-or-no question of the agent's to the person."""
        return await confirm(self._screen, question)

    def begin(self, harness: Harness) -> None:
        """Talk to this agent from now on."""
        self.harness = self.dreams.harness = harness
        harness.observer = self
        harness.runtime.events.subscribe(self._show_tool)
        self._known = set(self._files())
        self.commands = Commands(
            harness, self._calls, self._screen, self.dreams, self.new
        )

    async def take(self, line: str) -> None:
        """Do what a line says; raises Leave for ``/quit``, and as ``say`` of
        the harness does.
        """
        if line.startswith("/") and "\n" not in line:
            await self.commands.run(line)
        else:
            self._conclude(await self.harness.say(line))

    def _conclude(self, said: Said) -> None:
        if said.error:
            self._screen.error(said.error)
        if said.turn.source:
            self._screen.source(said.turn.source)
        dropped = {*said.turn.memory_files} - {*said.turn.saved}
        recalled = [file for file in said.recalled if file not in dropped]
        if recalled:
            self._screen.aside(f"recalled: {_folded(recalled)}")

    def on_text(self, text: str) -> None:
        """Show a piece of the answer."""
        self._screen.stream(text)

    def on_notice(self, notice: str) -> None:
        """Show a notice."""
        self._screen.notice(notice)

    def on_saved(self, files: Sequence[str]) -> None:
        """Show each memory that was saved as a card."""
        scan = self._files()
        self.new |= {file for file in files if file not in self._known}
        self._known |= {*scan}
        for file in files:
            if file in scan:
                self._screen.card(card_of(scan[file], new=file in self.new))
            else:
                self._screen.notice(f"Saved to memory: {file}")

    def _files(self) -> dict[str, MemoryHeader]:
        scan = scan_memory_files(
            self.harness.memory, self.harness.runtime.settings
        )
        return {memory.filename: memory for memory in scan}

    def _show_tool(self, event: Event) -> None:
        """Show what the main agent's tools do; forks work unseen."""
        if not isinstance(event, ToolEvent) or event.by is not None:
            return
        what = event.tool
        if isinstance(event, ToolDenied):
            what += f" was refused: {shorten(one_line(event.reason), 120)}"
        elif isinstance(event, ToolFailed):
            what += f" failed: {shorten(one_line(event.reason), 120)}"
        self._screen.tool(what)


def _folded(files: Sequence[str]) -> str:
    """Name some files, at most five; the command shows the others."""
    named = ", ".join(files[:MOST_RECALLED])
    more = len(files) - MOST_RECALLED
    return f"{named} and {more} more (/recall)" if more > 0 else named
