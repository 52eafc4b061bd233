"""What the parts of a session that speak to the agent have in common.

A mode is always made, and it is active while its toggle is on and memory is
not switched off. It contributes texts, for the system prompt and in front of
the person's words; some also say which files are shown or written.
"""

from __future__ import annotations

from typing import Protocol

from memlab.agent.session import SessionRecord
from memlab.agent.tool import ToolContext
from memlab.memdir.places import MemoryPaths
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles
from memlab.runtime import Runtime

NAMES = {
    "session_memory": "session memory",
    "team": "team memory",
    "personal": "personal memory",
    "daily_log": "daily log",
}
"""What a person calls the modes that they can switch, by their toggles."""


class Host(Protocol):
    """What a mode uses of the conversation around it; ``mode`` is ``full``,
    ``recall_only`` or ``off``.
    """

    runtime: Runtime
    paths: MemoryPaths
    context: ToolContext
    record: SessionRecord
    store: MemoryStore
    toggles: Toggles
    mode: str

    def notice(self, text: str) -> str:
        """Tell the person something."""

    def notice_once(self, text: str) -> None:
        """Tell the person something, but not twice in a session."""

    def withheld(self) -> frozenset[str]:
        """Name the messages from which nothing may be learned."""


class Mode:
    """One way to remember; ``toggle`` names the switch that it follows."""

    toggle: str

    def __init__(self, host: Host) -> None:
        self.host = host

    @property
    def active(self) -> bool:
        """Whether it is switched on, and memory with it."""
        is_on: bool = getattr(self.host.toggles, self.toggle)
        return is_on and self.host.mode != "off"

    def begin(self) -> None:
        """Look after its files when a session begins or it is switched on,
        before the system prompt is built; a MemlabError is told to the person.
        """

    def section(self) -> str:
        """Return what follows in the system prompt."""
        return ""

    def reminders(self) -> list[str]:
        """Return what the agent should know before the person's words, and
        does not know yet.
        """
        return []

    def start_over(self) -> None:
        """Take no reminder as known: the conversation begins, or a compaction
        has replaced it.
        """

    def take_back(self) -> None:
        """Take the latest reminders as not known: their turn is taken out of
        the conversation.
        """
