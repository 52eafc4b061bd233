"""A dream as the person sees it: what it is doing, how to stop it, and one notice at the end.

Left out: how it is shown. A chat and a widget read these attributes.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from memlab.agent.loop import Observer
from memlab.agent.tool import ToolOutcome
from memlab.dream.receipt import Receipt
from memlab.text import as_blocks

RUNNING = ("starting", "updating")


class DreamTask(Observer):
    """The live state of one dream.

    ``phase`` is starting, from the first write on updating, then done, failed or stopped.
    ``asking`` is true while a person looks at the receipt, ``notice`` is what to tell at the end.
    """

    def __init__(self, sessions: Sequence[Path] = (), started: datetime | None = None) -> None:
        self.phase, self.notice, self.last_text = "starting", "", ""
        self.sessions, self.started = tuple(sessions), started
        self.tool_counts: Counter[str] = Counter()
        self.files_touched: tuple[str, ...] = ()
        self.receipt = Receipt()
        self.asking = False
        self.stopping = False
        self._running: asyncio.Task[Any] | None = None

    @property
    def pill(self) -> str:
        """What a status line shows: ``dreaming`` while it runs, else nothing."""
        return "dreaming" if self._running and self.phase in RUNNING else ""

    def stop(self) -> bool:
        """End the dream and leave the memory as it was; False if there is nothing to stop.

        May be called from any thread.
        """
        if not (self._running and self.phase in RUNNING):
            return False
        self.stopping = True
        self._running.get_loop().call_soon_threadsafe(self._cancel, self._running)
        return True

    def _cancel(self, running: asyncio.Task[Any]) -> None:
        if self._running is running:
            running.cancel()

    def begin(self) -> None:
        """Note that the task of asyncio which calls this is the dream."""
        self._running = asyncio.current_task()

    def on_message(self, message: Mapping[str, Any]) -> None:
        """Note what the dream says and which tools it calls."""
        for block in as_blocks(message["content"]):
            if block["type"] == "tool_use":
                self.tool_counts[str(block["name"])] += 1
            elif block["type"] == "text" and message["role"] == "assistant":
                self.last_text = str(block["text"])

    def on_tool(self, outcome: ToolOutcome) -> None:
        """Note which memory file a tool has changed."""
        if outcome.memory is None:
            return
        self.phase = "updating"
        if outcome.memory.file not in self.files_touched:
            self.files_touched = (*self.files_touched, outcome.memory.file)

    def end(self, phase: str, notice: str) -> None:
        """Note how it ended; only the first end counts."""
        if self.phase in RUNNING:
            self.phase, self.notice, self.asking = phase, notice, False
        self._running = None
