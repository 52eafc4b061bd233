"""Team memory: a second directory of memories, which everybody who works on the
project shares through git.

The directory ``team/`` below the private memory is a clone that the person has
made. memlab never commits, pulls or pushes, and asks git nothing: whose name
is on a commit is no proof, since git takes the one that the writer has set. So
whoever wrote a team memory, it is shown as information from others, and no
permission follows from it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from memlab.clock import from_nanoseconds, to_nanoseconds
from memlab.errors import MemlabError
from memlab.memdir.folder import Folder
from memlab.memdir.frontmatter import MAX_BYTES
from memlab.memdir.instructions import (
    ShownIndex,
    index_file,
    index_for_prompt,
)
from memlab.memdir.memory import parse_memory
from memlab.memdir.places import INDEX, INDEXES, TEAM, index_of
from memlab.memdir.scan import (
    conflict_line,
    find_memory_files,
    one_line,
    scan_memory_files,
)
from memlab.memdir.team import (
    merged_index,
    team_index_text,
    team_memory_time,
    unfit,
)
from memlab.modes.index_news import IndexNews
from memlab.modes.mode import Host, Mode
from memlab.recall.attach import Provenance

TEAM_INDEX = INDEXES[1]
SWITCHED_OFF = "team memory is switched off"


class TeamMemory(Mode):
    """The team's directory as one session sees it."""

    toggle = "team"

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.path = host.paths.memory_dir / TEAM
        self._folder = Folder(host.paths.memory_dir)
        self.news = IndexNews(self._index_text, f"{TEAM}/")
        self._git_index = 0

    @property
    def usable(self) -> bool:
        """Whether it is switched on, and has a directory of its own."""
        return self.active and not self._trouble()

    def begin(self) -> None:
        """Give the files their times, and put the index in order."""
        self._git_index = self._look_at_git()
        if not self.usable:
            self.host.notice_once(self._trouble())
            return
        self._set_times()
        self._resolve_index()

    def reminders(self) -> list[str]:
        """Return what has changed in the team's index, after looking whether
        git has changed the clone.
        """
        if not self.usable:
            return []
        if self._git_index != self._look_at_git():
            self.begin()
        return self.news.collect(self.host.runtime.prompts)

    def take_back(self) -> None:
        """Take the latest news as never shown."""
        self.news.take_back()

    def hides(self, file: str) -> str:
        """Say why a team memory is in no list and never recalled, whoever
        wrote it; "" for one that may be, and for every other file.
        """
        if index_of(file) != TEAM_INDEX:
            return ""
        return self._unfit(file) if self.active else SWITCHED_OFF

    def closed(self) -> Mapping[str, str]:
        """Keep every tool out of the directory while it is switched off."""
        return {} if self.active else {TEAM: SWITCHED_OFF}

    def refuses(self, file: str, who: str) -> str:
        """Say why no model may write a file of the team."""
        if index_of(file) != TEAM_INDEX:
            return ""
        if not self.active:
            return (
                f"Team memory is switched off, so nothing in {TEAM}/ is"
                " changed. Save it in the private memory"
            )
        folder = (self.host.paths.memory_dir / file).parent
        if self._trouble() or folder.is_dir():
            return self._trouble().removesuffix(".")
        return (
            f"There is no folder {one_line(folder.name)}/ in {TEAM}/, and"
            " only a person may make one. Write the memory to"
            f" {TEAM}/{one_line(Path(file).name)}, or in private if it is"
            " about a person"
        )

    def provenance(self, file: str) -> Provenance | None:
        """Say of a team memory that others may have written it."""
        if index_of(file) != TEAM_INDEX:
            return None
        note = self.host.runtime.prompts.section("reminders", "from_team")
        return Provenance(TEAM, note)

    def index(self) -> ShownIndex:
        """Return the team's index as a prompt shows it, made by code, with
        nothing but lines about memories that may be shown; the conversation
        knows it from now on.
        """
        runtime = self.host.runtime
        notice = index_file(self.path).notice
        if notice:
            self.host.notice_once(f"{TEAM}/{notice}")
        self.news.start_over()
        return index_for_prompt(
            self._index_text(), runtime.settings, runtime.prompts
        )

    def _index_text(self) -> str:
        settings = self.host.runtime.settings
        scan = scan_memory_files(
            self.path,
            settings.with_changes(scan_max_files=1_000_000),
            hides=lambda file: self._unfit(f"{TEAM}/{file}"),
        )
        return team_index_text(index_file(self.path).text, scan, settings)

    def _unfit(self, file: str) -> str:
        """Say why a memory is not fit to be shown, "" if it is."""
        try:
            return unfit(self._folder.read(file, MAX_BYTES + 1).data or b"")
        except OSError as error:
            return error.strerror or str(error)

    def _trouble(self) -> str:
        """Say why the directory cannot be used; "" if it can."""
        if self.path.is_dir() and not self.path.is_symlink():
            return ""
        shown = self.host.context.show(self.path)
        return (
            f"Team memory is on, but there is no {TEAM}/. Clone your team's"
            f" repository: git clone URL {shown}"
        )

    def _look_at_git(self) -> int:
        """Give what is different once git has changed the clone."""
        with suppress(OSError):
            return os.stat(self.path / ".git" / "index").st_mtime_ns
        return 0

    def _set_times(self) -> None:
        """Give each memory the time at which it was written: a pull gives it
        that of the pull.
        """
        now = self.host.runtime.clock.now()
        for _, name in find_memory_files(str(self.path))[0]:
            with suppress(OSError, MemlabError):
                found = self._folder.read(f"{TEAM}/{name}")
                modified = parse_memory(found.data or b"").modified_at
                mtime = from_nanoseconds(found.mtime)
                written = team_memory_time(modified, mtime, now)
                if written != mtime:
                    time = to_nanoseconds(written)
                    self._folder.set_time(f"{TEAM}/{name}", time)

    def _resolve_index(self) -> None:
        """Make the index follow the memories again, after a merge has left a
        conflict in it, or a hand has changed one.
        """
        context = self.host.context
        if context.store is None:
            return
        try:
            data = self._folder.read(TEAM_INDEX).data
            if data is None:
                return  # git would refuse to pull one where there is ours
            text = data.decode("utf-8", "surrogateescape")
            merged = merged_index(text).encode("utf-8", "surrogateescape")
            done = context.store.commit(
                "index",
                {TEAM_INDEX: merged},
                who="user",
                session=context.session,
            )
        except (MemlabError, OSError) as error:
            why = context.hide(str(error))
            self.host.notice_once(f"{TEAM_INDEX} was not put in order: {why}")
            return
        if not done.change:
            return
        why = f"{TEAM_INDEX} no longer matched the memories"
        if conflict_line(text):
            why = f"git left a conflict in {TEAM_INDEX}"
        self.host.notice(
            f"{why}, so memlab put it in order. To restore the old one:"
            f" /undo {done.change}. To tell git that it is solved: git -C"
            f" {context.show(self.path)} add {INDEX}"
        )
