"""The project's own memory: its section of the system prompt, the news of its
index, and an index that cannot be used, which is built again.
"""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path

from memlab.errors import MemlabError, StoreError
from memlab.memdir.folder import Folder
from memlab.memdir.instructions import (
    ShownIndex,
    index_block,
    index_file,
    memory_section,
    read_index,
)
from memlab.memdir.places import INDEX, index_of
from memlab.memdir.scan import find_memory_files, one_line
from memlab.modes.daily_log import DailyLog
from memlab.modes.index_news import IndexNews
from memlab.modes.mode import Host, Mode
from memlab.modes.team import TeamMemory


class PrivateMemory(Mode):
    """A project's memory as one session shows it to the agent."""

    toggle = "auto_memory"

    def __init__(
        self, host: Host, team: TeamMemory, daily_log: DailyLog
    ) -> None:
        super().__init__(host)
        self._team, self._daily_log = team, daily_log
        self._memory = host.paths.memory_dir
        self._index = ShownIndex("", "", (), "")
        self.news = IndexNews(lambda: index_file(self._memory).text)

    def begin(self) -> None:
        """Make an index that cannot be used from the memories, and say so."""
        trouble = index_trouble(self._memory)
        if not trouble:
            return
        try:
            said = self._build_again(trouble)
        except (MemlabError, OSError) as error:
            why = self.host.context.hide(str(error))
            said = f"{INDEX} {trouble}. It was not built again: {why}"
        if said:
            self.host.notice(one_line(said))

    def _build_again(self, trouble: str) -> str:
        """Build the index again: of a text, the lines that can be read stay,
        and anything else gets another name. Gives "" if there is nothing to
        write.
        """
        store = self.host.context.store
        if store is None:
            raise StoreError("saving is switched off")
        path, files, aside, back = self._memory / INDEX, {}, "", ""
        if _is_plain(path):
            lines = (store.folder.read(INDEX).data or b"").splitlines(True)
            files[INDEX] = b"".join(line for line in lines if _is_text(line))
        elif os.path.lexists(path):
            names = (f"{INDEX}.set-aside-{number}" for number in count(1))
            aside = next(
                name
                for name in names
                if not os.path.lexists(self._memory / name)
            )
            store.folder.rename(INDEX, aside)
            back = f" What was there is now called {aside}."
        try:
            done = store.commit(
                "index",
                files,
                reason=f"{INDEX} {trouble}",
                who="user",
                session=self.host.context.session,
            )
        except (MemlabError, OSError):
            if aside:
                store.folder.rename(aside, INDEX)
            raise
        if files:
            back = f" To bring the old one back: /undo {done.change}"
        if not done.change and not back:
            return ""  # no memory can have a line
        return f"{INDEX} {trouble}, so it was built again from the memories.{back}"

    def section(self) -> str:
        """Return the rules of memory, with the index as it is now."""
        host, team = self.host, self._team
        prompts = host.runtime.prompts
        self.news.start_over()
        self._index = read_index(self._memory, host.runtime.settings, prompts)
        host.notice_once(self._index.notice)
        return memory_section(
            self._memory,
            show=host.context.show,
            index=self._index,
            prompts=prompts,
            index_elsewhere=host.toggles.index_in_reminder,
            team=team.path if team.usable else None,
            team_index=team.index() if team.usable else None,
            daily_log=self._daily_log.active,
        )

    def opening(self) -> tuple[str, ...]:
        """Return what every request begins with: the index, where a setting
        keeps it out of the system prompt.
        """
        if not self.active or not self.host.toggles.index_in_reminder:
            return ()
        prompts = self.host.runtime.prompts
        shown = index_block("index", self._index, prompts)
        return (prompts.reminder("index", index=shown),)

    def reminders(self) -> list[str]:
        """Return what has changed in the index, and whether it is nearly
        full.
        """
        runtime = self.host.runtime
        return [
            *self.news.collect(runtime.prompts),
            *self.news.nearly_full(runtime.settings, runtime.prompts),
        ]

    def start_over(self) -> None:
        """Say again that the index is nearly full."""
        self.news.said_nearly_full = False

    def take_back(self) -> None:
        """Take the latest news as never shown."""
        self.news.take_back()


def index_trouble(memory: Path) -> str:
    """Say why no session can use the index as it is; "" if it can.

    A directory without memories needs no index.
    """
    path = memory / INDEX
    if not os.path.lexists(path):
        found, _ = find_memory_files(str(memory))
        own = any(index_of(name) == INDEX for _, name in found)
        return "is missing" if own else ""
    if not _is_plain(path):
        return "is not a plain file"
    try:
        data = Folder(memory).read(INDEX).data or b""
    except OSError:
        return ""  # what reads it says so
    return "" if _is_text(data) else "cannot be decoded as text"


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False
