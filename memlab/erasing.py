"""Erasing a memory for good, wherever memlab keeps it.

The store erases a memory with its history. Its words are in other places as
well: the search index of recall, the copy that a dream works on, a dream that
waits for the person, the notes of the session it came from. These are erased
first, and once more when the store is done. First, because a process may be
killed at any moment: as long as something is left beside the store, the memory
is still there, and the person can repeat the command. Once more, because
another session may have read the memory before it was gone.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from memlab.dream.scheduler import Dreams
from memlab.dream.stage import staged_copies
from memlab.memdir import telling
from memlab.memdir.daily_log import is_below_logs
from memlab.memdir.erase import erase, messages_behind, to_be_erased
from memlab.memdir.personal import moved_away
from memlab.memdir.store import By, MemoryStore
from memlab.modes.mode import Host
from memlab.recall.first_stage import erase_from_index

DREAM_DROPPED = (
    " A dream that was waiting for your review was dropped too, because it was"
    " made from what was there before."
)


@dataclass
class Eraser:
    """Erases memories of one project, and personal ones, for the person who is
    in one of its sessions; ``personal`` is None while that is switched off.
    """

    host: Host
    personal: MemoryStore | None
    dreams: Dreams
    _dream_dropped: bool = field(default=False, init=False)
    _still_indexed: str = field(default="", init=False)

    def erase(self, store: MemoryStore, file: str) -> str:
        """Erase a memory or a daily log, and say where its words remain.

        The person must have confirmed it. If the memory was moved between the
        project and personal memory, the history of where it was is erased
        too. Raises as the store does.
        """
        context, project = self.host.context, self.host.store
        by = By(who="user", session=context.session)
        name = to_be_erased(store, file)  # a typing error costs nothing
        other = self.personal if store is project else project
        moved: set[str] = set()
        if other is not None and not is_below_logs(file):
            moved = moved_away(other, store, file)
        in_project = {file} if store is project else moved
        self.host.record.take_off_record(
            messages_behind(store.history(), name, by)
        )
        self._erase_beside(in_project)

        def places() -> list[Path]:
            self._erase_beside(in_project)
            return self._places()

        if other is not None:
            for copy in moved:
                erase(other, copy, places=tuple, by=by)
        notice = telling.erase(
            store,
            file,
            session=context.session,
            places=places,
            show=context.show,
        )
        if self._dream_dropped:
            notice += DREAM_DROPPED
        if self._still_indexed:
            problem = context.hide(self._still_indexed)
            notice += (
                " The search index of recall may still contain its words."
                f" {problem}"
            )
        return notice

    def _erase_beside(self, in_project: Collection[str]) -> None:
        """Erase what is not in the store; ``in_project`` are the names that the
        memory has, or had, in the project.
        """
        self.dreams.heal()  # a copy that a killed dream has left goes too
        self.host.record.transcript.sweep()
        self._dream_dropped |= self.dreams.waiting.reject()
        self.host.withheld()  # the messages it came from go off the record
        if in_project:
            self._still_indexed = erase_from_index(
                self.host.store.directory,
                self.host.runtime.settings,
                in_project,
            )

    def _places(self) -> list[Path]:
        """Name the files and folders to search for the words."""
        tape = self.host.runtime.tape
        return [
            self.host.paths.conversations_dir.parent,
            self.host.store.directory,
            *([tape] if tape else []),
            *staged_copies(self.dreams.memory),
            self.host.context.project / "CLAUDE.md",
        ]
