"""What has changed in the index since the prompt was built, and whether it is
nearly full; the next turn says so.

The index in the system prompt stays as it was, so that the cached prefix keeps
its value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from memlab.memdir.index import cut, memlab_caps, news
from memlab.memdir.instructions import INDEX_BYTES, read_prompt_file
from memlab.memdir.places import INDEX
from memlab.memdir.scan import one_line
from memlab.prompts import SHIPPED, Prompts
from memlab.prompts.blocks import block
from memlab.settings import Settings

MOST_LINES = 20


class IndexNews:
    """Compares the index with what the conversation has seen of it so far.

    ``below`` is the folder of the index, such as ``team/``: the files in its
    news are named with it. The pointers to files in ``hidden`` do not count.
    ``text`` gives the index as it is shown, if that is not the whole file.
    """

    def __init__(
        self,
        directory: Path,
        below: str = "",
        hidden: Callable[[], Collection[str]] = tuple,
        text: Callable[[], str] | None = None,
    ) -> None:
        self._directory = directory
        self._below = below
        self._hidden = hidden
        self._shown = text
        self.known: dict[str, str] = {}
        self.said_nearly_full = False
        self._before: tuple[dict[str, str], bool] = ({}, False)

    def start_over(self) -> None:
        """Take the index as known, since a new prompt contains it."""
        self._compare({})
        self._before = (self.known, self.said_nearly_full)

    def take_back(self) -> None:
        """Treat what the latest ``collect`` has returned, and a reminder after
        it, as never shown.
        """
        self.known, self.said_nearly_full = self._before

    def collect(self, prompts: Prompts = SHIPPED) -> list[str]:
        """Return a reminder of what is new and what is gone, if anything is,
        and take that as known.
        """
        self._before = (self.known, self.said_nearly_full)
        new, gone = self._compare(self.known)
        values = {
            "new": {"pointers": "\n".join(map(one_line, new[:MOST_LINES]))},
            "more": {"count": str(len(new) - MOST_LINES)},
            "gone": {"files": one_line(", ".join(gone))},
        }
        said = {"new": new, "more": new[MOST_LINES:], "gone": gone}
        parts = [
            prompts.section("reminders", f"index_news_{kind}", **value)
            for kind, value in values.items()
            if said[kind]
        ]
        if not parts:
            return []
        shown = block("index_news", *parts)
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
        is_news = is_near and not self.said_nearly_full
        self.said_nearly_full = is_near
        if not is_news:
            return []
        return [
            prompts.reminder(
                "index_nearly_full",
                lines=f"{now.lines:,}",
                bytes=f"{now.size:,}",
                limits=f"{caps.lines:,} lines and {caps.size:,} {caps.unit}",
            )
        ]

    def _compare(self, known: dict[str, str]) -> tuple[list[str], list[str]]:
        """Give the lines that are new, and the files that are gone."""
        found = news(known, self._text(), self._below)
        hidden = {f"{self._below}{file}" for file in self._hidden()}
        self.known = {
            file: line
            for file, line in found.known.items()
            if file not in hidden
        }
        new = [
            line
            for file, line in self.known.items()
            if known.get(file) != line
        ]
        return new, [file for file in known if file not in self.known]

    def _text(self) -> str:
        if self._shown is not None:
            return self._shown()
        path = self._directory / INDEX
        return read_prompt_file(
            path, inside=self._directory, most=INDEX_BYTES
        ).text
