"""Personal memory: memories about the person, in the prompt and in the recall
of every project.

What they are, which of them count in a project, and how a memory gets there is
in ``memlab.memdir.personal``. A session only reads them. The person's commands
change them: promote, demote, forget and undo.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path

from memlab.errors import MemlabError, MemoryRefusedError, StoreError
from memlab.memdir.instructions import (
    index_block,
    index_file,
    index_for_prompt,
)
from memlab.memdir.memory import Memory, MemoryType
from memlab.memdir.personal import (
    PREFIX,
    PersonalMemories,
    move_memory,
    personal_index,
    personal_store,
    read_personal,
    with_own_cap,
)
from memlab.memdir.places import INDEX, TEAM, personal_folder
from memlab.memdir.scan import MemoryHeader, one_line, scan_memory_files
from memlab.memdir.store import MemoryStore
from memlab.modes.index_news import IndexNews
from memlab.modes.mode import Host, Mode
from memlab.prompts.blocks import block
from memlab.recall.attach import Provenance


class PersonalMemory(Mode):
    """The personal memories as one session of a project sees them."""

    toggle = "personal"

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        base = host.paths.conversations_dir.parent
        self.folder: Path = personal_folder(base)
        self.news = IndexNews(self._index_text)

    @property
    def active(self) -> bool:
        """Whether it is switched on, and memory with it, and the project does
        not keep its own memory in that directory.
        """
        own = Path(os.path.realpath(self.host.paths.memory_dir))
        shared = own.is_relative_to(os.path.realpath(self.folder))
        return super().active and not shared

    @cached_property
    def store(self) -> MemoryStore:
        """The directory's store, opened when it is needed first; raises as the
        store does.
        """
        runtime = self.host.runtime
        return personal_store(
            self.folder, clock=runtime.clock, settings=runtime.settings
        )

    def withheld(self) -> Mapping[str, Collection[str]]:
        """Give, by session, the messages that forgotten personal memories came
        from; none while the store cannot be opened, which ``begin`` reports.

        They went off the record when the memory was forgotten. So a store that
        is damaged keeps no project from saving its own memories.
        """
        try:
            return self.store.withheld() if self.folder.is_dir() else {}
        except MemlabError:
            return {}

    def memories(self) -> PersonalMemories:
        """Read the personal memories, and see which of them count here."""
        settings = self.host.runtime.settings
        project = scan_memory_files(
            self.host.paths.memory_dir,
            settings,
            hides=self.host.context.access.hides,
        )
        return read_personal(self.folder, project, settings)

    def begin(self) -> None:
        """Give every personal memory a line in the index, if one is missing."""
        if self.host.mode == "full" and self.folder.is_dir():
            there = self.store.folder.read(INDEX).data or b""
            if self.store.settled().text.encode() != there:
                session = self.host.context.session
                self.store.commit("index", {}, who="user", session=session)

    def section(self) -> str:
        """Say what personal memories are, and show their index.

        The person is told once where a memory of the team takes the place of
        their own, since others can write that.
        """
        prompts = self.host.runtime.prompts
        for file, by in self.memories().hidden.items():
            if by.startswith(f"{TEAM}/"):
                self.host.notice_once(
                    f"{one_line(file)} does not count in this project, because"
                    f" the team has {one_line(by)}."
                )
        notice = index_file(self.folder).notice
        if notice:
            self.host.notice_once(f"Personal memory: {notice}")
        caps = with_own_cap(self.host.runtime.settings)
        index = index_for_prompt(self._index_text(), caps, prompts)
        self.news.start_over()
        shown = self.host.context.show(self.folder)
        return prompts.load(
            "memory_personal",
            personal_directory=block("personal_directory", shown),
            personal_index=index_block("personal_index", index, prompts),
        )

    def reminders(self) -> list[str]:
        """Say what has changed in the personal index since the prompt was
        built.
        """
        return self.news.collect(self.host.runtime.prompts)

    def take_back(self) -> None:
        """Take the latest news as never shown."""
        self.news.take_back()

    def provenance(self, file: str) -> Provenance | None:
        """Say of a personal memory that it is one."""
        if not file.startswith(PREFIX) or not self.active:
            return None
        note = self.host.runtime.prompts.section("reminders", "from_personal")
        return Provenance("personal memory", note)

    def _index_text(self) -> str:
        return personal_index(self.folder, self.memories().hidden)

    def required_store(self) -> MemoryStore:
        """Give the store for a command of the person; raises StoreError where
        memory or personal memory is switched off, and as the store does.
        """
        if self.active:
            return self.store
        do = "Set MEMLAB_PERSONAL=on, and switch memory on with /memory on"
        raise StoreError("personal memory is switched off", do=do)

    def listed(self) -> list[MemoryHeader]:
        """List the personal memories, also those that do not count here; none
        while they are switched off.
        """
        return list(self.memories().scan) if self.active else []

    def check_promotion(self, file: str) -> Memory:
        """Read a memory of the project that is to be promoted; raises
        MemlabError if it cannot be.
        """
        self.required_store()
        memory = self.host.store.read(file)
        if memory.type is not MemoryType.user:
            kind = memory.type or memory.raw_type or "none"
            what = (
                f"its type is {kind}, and a personal memory has the type user"
            )
            do = (
                "Leave it in its project. If it is true of the person wherever"
                " they work, change its type first"
            )
            raise MemoryRefusedError(
                what, rule="personal-type", where=file, do=do
            )
        return memory

    def promote(self, file: str) -> str:
        """Move a memory of the project here, and say so; raises as
        ``move_memory`` does.
        """
        self.check_promotion(file)
        stays = self._move(file, self.host.store, self.required_store())
        name = f"{PREFIX}{Path(file).name}"
        return (
            f"Promoted {file}: it holds in every project now, as {name}. To"
            f" move it back: /memory demote {name}{stays}"
        )

    def demote(self, file: str) -> str:
        """Move a personal memory into the project's memory, and say so; raises
        as ``move_memory`` does.
        """
        file = file.removeprefix(PREFIX)
        stays = self._move(file, self.required_store(), self.host.store)
        name = Path(file).name
        return (
            f"{PREFIX}{file} belongs to this project only now, as {name}. To"
            f" promote it again: /memory promote {name}{stays}"
        )

    def _move(
        self, file: str, source: MemoryStore, target: MemoryStore
    ) -> str:
        """Move a memory, and say whether its old file stays."""
        context = self.host.context
        place, session = context.show(source.directory / file), context.session
        if move_memory(file, source, target, place=place, session=session):
            return ""
        return ". It was edited meanwhile, so the old file stays too"
