"""What has changed in an index since the prompt was built, and whether it is
nearly full; the next turn says so.

The index in the system prompt stays as it was, so that the cached prefix keeps
its value.
"""

from __future__ import annotations

from collections.abc import Callable

from memlab.memdir.index import cut, memlab_caps, news
from memlab.memdir.scan import one_line
from memlab.prompts import SHIPPED, Prompts
from memlab.prompts.blocks import block
from memlab.settings import Settings

MOST_LINES = 20


class IndexNews:
    """Compares the index with what the conversation has seen of it so far.

    ``text`` gives the index as it is now, and ``below`` is the folder of its
    files, such as ``team/``.
    """

    def __init__(self, text: Callable[[], str], below: str = "") -> None:
        self._text = text
        self._below = below
        self.known: dict[str, str] = {}
        self.said_nearly_full = False
        self._before = self.known, False

    def start_over(self) -> None:
        """Take the index as known, since a new prompt contains it."""
        self.known = news({}, self._text(), self._below).known
        self._before = self.known, self.said_nearly_full

    def take_back(self) -> None:
        """Treat what the latest ``collect`` has returned, and a reminder after
        it, as never shown.
        """
        self.known, self.said_nearly_full = self._before

    def collect(self, prompts: Prompts = SHIPPED) -> list[str]:
        """Return a reminder of what is new and what is gone, if anything is,
        and take that as known.
        """
        section = prompts.section
        found = news(self.known, self._text(), self._below)
        self._before = self.known, self.said_nearly_full
        self.known = found.known
        new, more = found.new[:MOST_LINES], len(found.new) - MOST_LINES
        said = []
        if new:
            lines = "\n".join(map(one_line, new))
            said += [section("reminders", "index_news_new", pointers=lines)]
        if more > 0:
            count = str(more)
            said += [section("reminders", "index_news_more", count=count)]
        if found.gone:
            files = one_line(", ".join(found.gone))
            said += [section("reminders", "index_news_gone", files=files)]
        if not said:
            return []
        shown = block("index_news", *said)
        return [prompts.reminder("index_news", index_news=shown)]

    def nearly_full(
        self, settings: Settings, prompts: Prompts = SHIPPED
    ) -> list[str]:
        """Return a reminder once when the index comes near a cap, and again
        only after it has been smaller.
        """
        caps = memlab_caps(settings)
        now = cut(self._text(), caps)
        share = settings.index_reminder_percent / 100
        is_near = (
            now.lines >= caps.lines * share or now.size >= caps.size * share
        )
        was_near, self.said_nearly_full = self.said_nearly_full, is_near
        if was_near or not is_near:
            return []
        return [
            prompts.reminder(
                "index_nearly_full",
                lines=f"{now.lines:,}",
                bytes=f"{now.size:,}",
                limits=f"{caps.lines:,} lines and {caps.size:,} {caps.unit}",
            )
        ]
