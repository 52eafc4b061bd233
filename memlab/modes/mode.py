"""What the harness asks of every further way to remember, at fixed moments.

A mode is always made, and it is active while its toggle is on. So a person can
switch it in the middle of a session.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from memlab.agent.request import RequestPrefix
from memlab.agent.session import SessionRecord
from memlab.agent.tool import Tool, ToolContext
from memlab.memdir.instructions import ShownIndex
from memlab.memdir.places import MemoryPaths
from memlab.memdir.toggles import Toggles
from memlab.recall.attach import Provenance
from memlab.runtime import Runtime


@dataclass(frozen=True, kw_only=True)
class ModeHost:
    """What a mode may use of the conversation around it.

    ``base`` is where memlab keeps all it knows, and ``context`` is the main
    agent's. ``reads`` tells whether memory is switched on at all, and
    ``saves`` whether it may be written. ``withheld`` names the messages from
    which nothing may be learned. ``notice`` tells the person something.
    """

    runtime: Runtime
    paths: MemoryPaths
    base: Path
    context: ToolContext
    tools: Sequence[Tool]
    record: SessionRecord
    toggles: Callable[[], Toggles]
    reads: Callable[[], bool]
    saves: Callable[[], bool]
    withheld: Callable[[], Collection[str]]
    notice: Callable[[str], object]


NAMES = {
    "session_memory": "session memory",
    "team": "team memory",
    "personal": "personal memory",
    "daily_log": "daily log",
}
"""What a person calls the modes, by their toggles."""


class SectionValues(TypedDict, total=False):
    """What decides on the variant of the memory section, as arguments of
    ``memory_section``.
    """

    team: Path
    team_index: ShownIndex
    daily_log: bool


class Mode:
    """One way to remember; ``toggle`` names the switch that it follows.

    The defaults do nothing. Only an active mode is asked, except for
    ``hides``, ``refuses``, ``closed`` and ``provenance``: the files of a mode
    that is switched off are still there. ``in_prompt`` says whether the system
    prompt depends on it.
    """

    toggle: str
    in_prompt = True

    def __init__(self, host: ModeHost) -> None:
        self.host = host

    @property
    def active(self) -> bool:
        """Whether it is switched on, and memory with it."""
        return self.host.reads() and getattr(self.host.toggles(), self.toggle)

    def begin(self) -> None:
        """Look after its files when a session begins or it is switched on,
        before the system prompt is built.
        """

    def section_values(self) -> SectionValues:
        """Return what decides on the variant of the memory section, which is
        being built.
        """
        return {}

    def section(self) -> str:
        """Return what follows the memory section of the system prompt."""
        return ""

    def hides(self, file: str) -> str:
        """Say why a memory is in no list and never recalled; "" if nothing is
        against it. A tool that opens the file still reads it.
        """
        return ""

    def refuses(self, file: str, who: str) -> str:
        """Say why ``who`` (main agent, extractor or dream) may not write a
        file of the memory directory; "" if nothing is against it.
        """
        return ""

    def closed(self) -> Mapping[str, str]:
        """Give the folders of the memory directory that no tool opens, each
        with the reason.
        """
        return {}

    def provenance(self, file: str) -> Provenance | None:
        """Say where a memory comes from that others may have written."""
        return None

    def start_over(self) -> None:
        """Forget what the conversation was shown: it begins, or a compaction
        has ended the old one.
        """

    def reminders(self) -> list[str]:
        """Return what the agent should know before the person's words."""
        return []

    def take_back(self) -> None:
        """Treat the latest reminders as never shown: the turn was refused, and
        what was attached is taken out again.
        """

    async def after_turn(self, prefix: RequestPrefix) -> None:
        """Do its work in the background after a turn that ended well."""

    def stop(self) -> None:
        """End what is under way, because saving or the mode was switched
        off.
        """
