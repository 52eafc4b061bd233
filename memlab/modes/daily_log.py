"""Daily-log mode: the agent notes down in the log of the day what a later
conversation will need, and a dream makes memories of the log at night.

Until then, no memory says what was noted down. So a new session is shown the
end of today's log, and so is a conversation that was just compacted. The date,
which names the log, is a reminder of the harness. The rule for a log is in
``memlab.memdir.daily_log``.
"""

from __future__ import annotations

from contextlib import suppress

from memlab.memdir import daily_log
from memlab.memdir.daily_log import is_below_logs, log_path, plain_log
from memlab.memdir.folder import Folder
from memlab.memdir.store import MAIN_AGENT
from memlab.modes.mode import Mode
from memlab.prompts.blocks import block
from memlab.text import text_lines


class DailyLog(Mode):
    """Shows today's log where a conversation begins."""

    toggle = "daily_log"
    _shown = False
    _shown_before = False

    def refuses(self, file: str, who: str) -> str:
        """Say why the main agent may not write anything but the log."""
        day = self.host.context.access.log_day()
        if day is None or who != MAIN_AGENT or is_below_logs(file):
            return ""
        return (
            f"In daily-log mode, {file} is not changed in a conversation:"
            " tonight's dream makes memories of the log. Add a line to"
            f" {log_path(day)} in the memory directory"
        )

    def start_over(self) -> None:
        """Show the log again."""
        self._shown = self._shown_before = False

    def take_back(self) -> None:
        """Show the log again if it was attached to the latest turn."""
        self._shown = self._shown_before

    def reminders(self) -> list[str]:
        """Return the end of today's log, once in a conversation."""
        self._shown_before = self._shown
        if self._shown:
            return []
        self._shown = True
        settings = self.host.runtime.settings
        file = log_path(self.host.store.said_at.date())
        text = ""
        with suppress(OSError):
            found = Folder(self.host.paths.memory_dir).read(file)
            text = plain_log(found.data or b"")
        if not text.strip():
            return []
        tail = daily_log.log_tail(text, settings.daily_log_shown_bytes)
        prompts, cut = self.host.runtime.prompts, ""
        count = len(text_lines(text)) - len(text_lines(tail))
        if count:
            cut = prompts.section(
                "reminders", "daily_log_cut", count=f"{count}"
            )
        shown = block("daily_log", tail.rstrip(), file=file)
        return [prompts.reminder("daily_log", daily_log=shown, cut=cut)]
