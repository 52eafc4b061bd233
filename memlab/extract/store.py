"""The memory store as the extractor may use it: every memory rests on a message of the person's.

That message's time is the one its dates are counted from, and its uuid stands in the journal. Left
out: the index, which keeps itself, and dropping a memory, which the person asks the agent for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Unpack

from memlab.clock import Clock
from memlab.errors import MemlabError, MemoryRefusedError
from memlab.memdir.attribution import Attribution, closest_message, lint_grounding, sources
from memlab.memdir.index import INDEX
from memlab.memdir.memory import Memory, parse_memory
from memlab.memdir.policy import Finding, lint_memory
from memlab.memdir.store import By, MemoryStore, Written
from memlab.settings import Settings


class WitnessedStore(MemoryStore):
    """A store for one run over what was heard; what it refuses is told to the model.

    ``saved`` names each memory as soon as it is written. No write begins unless ``allowed``.
    """

    def __init__(
        self,
        directory: Path,
        heard: Attribution,
        *,
        instructions: str,
        clock: Clock,
        settings: Settings,
        allowed: Callable[[], bool] = lambda: True,
        saved: dict[str, None] | None = None,
    ) -> None:
        super().__init__(directory, clock=clock, checks=self._check, writer="extractor")
        self._heard, self._instructions, self._settings = heard, instructions, settings
        self._allowed = allowed
        self.saved = {} if saved is None else saved

    def write_text(self, file: str | Path, text: bytes | str, **by: Unpack[By]) -> Written:
        """Write a memory; raises MemoryRefusedError for the index and for a tombstone."""
        if Path(file).name.casefold() == INDEX.casefold():
            what, do = "the index is not changed from here", "Write the memory; its line follows"
            raise MemoryRefusedError(what, rule="index", where=file, do=do)
        memory = parse_memory(text, path=Path(file))
        if memory.is_tombstone:
            what, do = "no memory is dropped from here", "Correct what it says instead"
            raise MemoryRefusedError(what, rule="tombstone", where=file, do=do)
        if said := closest_message(memory, self._heard):
            by["turn"] = said.uuid
            if said.uuid in self.withheld().get(by.get("session", ""), ()):
                what, do = "the person has had this forgotten", "Leave it out"
                raise MemoryRefusedError(what, rule="forgotten", where=file, do=do)
            by["sources"] = [uuid for uuid in sources(memory, self._heard) if uuid != said.uuid]
        written = super().write_text(file, text, **by)
        if written.change:
            self.saved[written.path.relative_to(self.directory).as_posix()] = None
        return written

    def sources(self, text: bytes | str) -> tuple[str, ...]:
        """Name the messages that a memory would come from; of all, where its text is no memory."""
        with suppress(MemlabError):
            return sources(parse_memory(text), self._heard)
        return tuple(said.uuid for said in self._heard.said)

    def _check(
        self, memory: Memory, *, existing: Sequence[Memory], now: datetime
    ) -> tuple[Finding, ...]:
        if not self._allowed():  # asked here because no other writer can come between any more
            what, do = "the person has switched saving off", "Stop here"
            raise MemoryRefusedError(what, rule="off", where=memory.path or "", do=do)
        said, before = closest_message(memory, self._heard), ""
        with suppress(MemlabError):  # a new file has no earlier text
            before = self.read(memory.path or "").text
        found = lint_memory(
            memory,
            now=said.at if said else now,
            existing=existing,
            project_instructions=self._instructions,
            settings=self._settings,
        )
        return (*found, *lint_grounding(memory, self._heard, before))
