"""The memory store as the extractor may use it: every memory has a message of
the person behind it.

That message's time is the one its dates are counted from, and its uuid goes
into the journal, with the origin of each sentence. A sentence that nobody said
is held back for the person. The extractor may not write the index, which follows
the memories, and may not drop a memory, which the person asks the agent for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Unpack

from memlab.clock import Clock
from memlab.errors import MemlabError, MemoryRefusedError
from memlab.evidence.origin import Source
from memlab.extract.grounding import (
    Attribution,
    closest_message,
    lint_grounding,
    sources,
)
from memlab.memdir import rules
from memlab.memdir.memory import Memory, parse_memory
from memlab.memdir.places import INDEX
from memlab.memdir.rules import Finding
from memlab.memdir.store import By, MemoryStore, Written
from memlab.settings import Settings


class WitnessedStore(MemoryStore):
    """A store for one run over some messages; the model reads why it refuses a
    memory.

    ``saved`` names each memory as soon as it is written. No write begins
    unless ``allowed``.
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
        notes: list[str] | None = None,
        conversation: Iterable[Source] = (),
    ) -> None:
        super().__init__(
            directory,
            clock=clock,
            writer="extractor",
            settings=settings,
        )
        self._heard = heard
        self._instructions = instructions
        self._allowed = allowed
        self._conversation = tuple(conversation)
        self.saved = {} if saved is None else saved
        self.notes = [] if notes is None else notes

    def write_text(
        self, file: str | Path, text: bytes | str, **by: Unpack[By]
    ) -> Written:
        """Write a memory; raises MemoryRefusedError for the index and for a
        tombstone.
        """
        if Path(file).name.casefold() == INDEX.casefold():
            raise MemoryRefusedError(
                "the index is not changed from here",
                rule="index",
                where=file,
                do="Write the memory; its line follows",
            )
        memory = parse_memory(text, path=Path(file))
        if memory.is_tombstone:
            raise MemoryRefusedError(
                "no memory is dropped from here",
                rule="tombstone",
                where=file,
                do="Correct what it says instead",
            )
        message = closest_message(memory, self._heard)
        if message is not None:
            by["turn"] = message.uuid
            if message.uuid in self.withheld().get(by.get("session", ""), ()):
                raise MemoryRefusedError(
                    "the person has had this forgotten",
                    rule="forgotten",
                    where=file,
                    do="Leave it out",
                )
            others = [
                uuid
                for uuid in sources(memory, self._heard)
                if uuid != message.uuid
            ]
            by["sources"] = others
        by["evidence"] = self.support(self._conversation)
        written = super().write_text(file, text, **by)
        if written.change:
            self.saved[written.path.relative_to(self.directory).as_posix()] = (
                None
            )
        return written

    def sources(self, text: bytes | str) -> tuple[str, ...]:
        """Name the messages that a memory would come from; all of them if the
        text is no memory.
        """
        with suppress(MemlabError):
            return sources(parse_memory(text), self._heard)
        return tuple(message.uuid for message in self._heard.said)

    def check(
        self, memory: Memory, others: Sequence[Memory], known: str
    ) -> Sequence[Finding]:
        """Say what the rules find, by the time of the message behind it, and
        whether it is in the person's words.
        """
        # asked here because no other writer can come between any more
        if not self._allowed():
            raise MemoryRefusedError(
                "the person has switched saving off",
                rule="off",
                where=memory.path or "",
                do="Stop here",
            )
        message = closest_message(memory, self._heard)
        before = ""
        with suppress(MemlabError):  # a new file has no earlier text
            before = self.read(memory.path or "").text
        return [
            *rules.check(
                memory,
                message.at if message else self._clock.now(),
                others,
                known=known,
                project_instructions=self._instructions,
            ),
            *lint_grounding(memory, self._heard, before),
        ]
