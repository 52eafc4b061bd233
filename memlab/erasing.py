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

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from memlab.agent.session import SessionRecord
from memlab.agent.tool import ToolContext
from memlab.dream.scheduler import Dreams
from memlab.dream.stage import staged_copies
from memlab.errors import MemlabError
from memlab.memdir import telling
from memlab.memdir.daily_log import is_below_logs
from memlab.memdir.erase import erase as erase_from
from memlab.memdir.erase import messages_behind
from memlab.memdir.personal import moved_away
from memlab.memdir.store import By, MemoryStore
from memlab.recall.first_stage import FirstStage
from memlab.runtime import Runtime

_DREAM_DROPPED = (
    "A dream that was waiting for your review contained the words too, so it"
    " was dropped."
)
_STILL_INDEXED = (
    "The search index of recall may still contain its words. {problem}"
)


@dataclass
class Eraser:
    """Erases memories of one project, and personal ones, for the person who is
    in one of its sessions.

    ``personal`` is None while personal memory is switched off.
    ``keep_off_record`` takes the messages off the record that forgotten
    memories came from.
    """

    project: MemoryStore
    personal: MemoryStore | None
    record: SessionRecord
    keep_off_record: Callable[[], None]
    dreams: Dreams
    first_stage: FirstStage | None
    runtime: Runtime
    base: Path
    claude_md: Path
    context: ToolContext
    _dream_dropped: bool = field(default=False, init=False)
    _still_indexed: str = field(default="", init=False)

    def erase(self, store: MemoryStore, file: str) -> str:
        """Erase a memory or a daily log, and say where its words remain.

        The person must have confirmed it. If the memory was moved between the
        project and personal memory, the history of where it was is erased
        too. Raises as the store does.
        """
        by = By(who="user", session=self.context.session)
        name = store.file(telling.whole_file(store, file))
        waits = any(one.file == name for one in store.waiting())
        if not waits and not store.history(name):
            store.there(name)  # a typing error costs nothing
        messages = messages_behind(store.history(), name, by)
        other, moved = self._moved(store, file)
        in_project = {file} if store is self.project else moved
        self.record.take_off_record(messages)
        self._erase_beside(in_project)

        def places() -> list[Path]:
            self._erase_beside(in_project)
            return self._places(store)

        try:
            for copy in moved:
                erase_from(other, copy, places=tuple, by=by)
            notice = telling.erase(
                store,
                file,
                session=self.context.session,
                places=places,
                show=self.context.show,
            )
        except MemlabError:
            if self.first_stage is not None:
                self.first_stage.check()  # what is still there is found again
            raise
        if self._dream_dropped:
            notice = f"{notice} {_DREAM_DROPPED}"
        if self._still_indexed:
            said = _STILL_INDEXED.format(problem=self._still_indexed)
            notice = f"{notice} {self.context.hide(said)}"
        return notice

    def _moved(
        self, store: MemoryStore, file: str
    ) -> tuple[MemoryStore, set[str]]:
        """Give the other store, and the files there whose history has the
        memory.
        """
        other = self.personal if store is self.project else self.project
        if other is None or is_below_logs(file):
            return store, set()
        return other, moved_away(other, store, file)

    def _erase_beside(self, in_project: Collection[str]) -> None:
        """Erase what is not in the store; ``in_project`` are the names that the
        memory has, or had, in the project.
        """
        self.dreams.heal()  # a copy that a killed dream has left goes too
        self._dream_dropped |= self.dreams.waiting.reject()
        self.keep_off_record()
        if in_project:
            # also from an index that is not in use
            stage = self.first_stage or FirstStage(
                self.project.directory, self.runtime.settings
            )
            self._still_indexed = stage.erase(in_project)

    def _places(self, store: MemoryStore) -> list[Path]:
        """Name the files and folders to search for the words, each once; the
        store searches its own directory itself.
        """
        stores = [one for one in (self.project, self.personal) if one]
        elsewhere = [one.directory for one in stores if one is not store]
        if self.runtime.tape is not None:
            elsewhere.append(self.runtime.tape)
        base = Path(os.path.realpath(self.base))
        return [
            self.base,
            *(
                place
                for place in elsewhere
                if not Path(os.path.realpath(place)).is_relative_to(base)
            ),
            *staged_copies(self.dreams.memory),
            self.claude_md,
        ]
