"""Daily-log mode: the agent notes down in the log of the day what a later
conversation will need, and a dream makes memories of the log at night.

Until then, no memory says what was noted down. So a new session is shown the
end of today's log, and so is a conversation that was just compacted. What
other sessions add to the log in the meantime is not shown; the agent can read
it. The date, which names the log, is a reminder of the harness: it is sent at
the start, when it changes, and after a compaction. The rule for a log is in
``memlab.memdir.daily_log``.
"""

from __future__ import annotations

from contextlib import suppress

from memlab.bridge import RealFiles
from memlab.errors import MemlabError
from memlab.memdir import daily_log
from memlab.memdir.daily_log import is_below_logs, log_path
from memlab.memdir.store import MAIN_AGENT
from memlab.modes.mode import Mode, ModeHost, SectionValues
from memlab.prompts.blocks import block
from memlab.text import text_lines


class DailyLog(Mode):
    """Shows today's log where a conversation begins."""

    toggle = "daily_log"

    def __init__(self, host: ModeHost) -> None:
        super().__init__(host)
        self._shown = False
        self._shown_before = False

    def section_values(self) -> SectionValues:
        """Return that the prompt is about a log."""
        return {"daily_log": True}

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
        """Show the log again: with the next message, or with what a compaction
        puts in the place of the old ones.
        """
        self._shown = False

    def take_back(self) -> None:
        """Show the log again if it was attached to the turn that is gone."""
        self._shown = self._shown_before

    def reminders(self) -> list[str]:
        """Return the end of today's log, once in a conversation."""
        self._shown_before = self._shown
        if self._shown:
            return []
        self._shown = True
        text = self._todays_log()
        if not text.strip():
            return []
        most = self.host.runtime.settings.daily_log_shown_bytes
        tail = daily_log.log_tail(text, most)
        prompts = self.host.runtime.prompts
        cut = ""
        count = len(text_lines(text[: len(text) - len(tail)]))
        if count:
            cut = prompts.section(
                "reminders", "daily_log_cut", count=f"{count}"
            )
        shown = block("daily_log", tail.rstrip(), file=self._path())
        reminder = prompts.reminder("daily_log", daily_log=shown, cut=cut)
        return [reminder]

    def _path(self) -> str:
        day = self.host.context.access.log_day()
        return log_path(day or self.host.runtime.clock.now().date())

    def _todays_log(self) -> str:
        directory = self.host.paths.memory_dir
        with suppress(OSError, MemlabError):
            data = RealFiles(directory).read(directory / self._path()).data
            return (data or b"").decode("utf-8", "replace")
        return ""
