"""Personal memory: memories about the person, in the prompt and in the recall
of every project.

What they are, which of them count in a project, and how a memory gets there is
in ``memlab.memdir.personal``. A session only reads them. The person's commands
change them: promote, demote, and undo, which takes back both halves of a move.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path

from memlab.errors import MemlabError, MemoryRefusedError, StoreError
from memlab.memdir.instructions import index_block
from memlab.memdir.memory import Memory, MemoryType
from memlab.memdir.personal import (
    PREFIX,
    PersonalMemories,
    move_behind,
    move_memory,
    other_half,
    personal_store,
    read_personal,
    read_personal_index,
)
from memlab.memdir.places import INDEX, TEAM, personal_folder
from memlab.memdir.scan import one_line, scan_memory_files
from memlab.memdir.store import MemoryStore
from memlab.memdir.telling import undo
from memlab.modes.index_news import IndexNews
from memlab.modes.mode import Mode, ModeHost
from memlab.prompts.blocks import block
from memlab.recall.attach import Provenance


class PersonalMemory(Mode):
    """The personal memories as one session of a project sees them."""

    toggle = "personal"

    def __init__(self, host: ModeHost) -> None:
        super().__init__(host)
        self.folder: Path = personal_folder(host.base)
        self._news = IndexNews(self.folder, PREFIX, self._hidden_files)
        self._reported: set[str] = set()

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
        if not self.folder.is_dir():
            return {}
        try:
            return self.store.withheld()
        except MemlabError:
            return {}

    def memories(self) -> PersonalMemories:
        """Read the personal memories, and see which of them count here."""
        settings = self.host.runtime.settings
        project = scan_memory_files(
            self.host.paths.memory_dir,
            settings,
            hides=self.host.context.hides,
        )
        return read_personal(self.folder, project, settings)

    def begin(self) -> None:
        """Give every personal memory a line in the index, if one is missing."""
        if not self.host.saves() or not self.folder.is_dir():
            return
        try:
            store = self.store
            there = store.folder.read(INDEX).data or b""
            if store.settled().text.encode() != there:
                session = self.host.context.session
                store.commit("index", {}, who="user", session=session)
        except MemlabError as error:
            said = one_line(self.host.context.hide(str(error)))
            self.host.notice(f"The personal index was left as it is: {said}")

    def section(self) -> str:
        """Say what personal memories are, and show their index."""
        runtime, show = self.host.runtime, self.host.context.show
        prompts = runtime.prompts
        memories = self.memories()
        self._report_team(memories.hidden)
        index = read_personal_index(
            self.folder, memories.hidden, runtime.settings, prompts
        )
        if index.notice:
            self.host.notice(f"Personal memory: {index.notice}")
        self._news.start_over()
        return prompts.load(
            "memory_personal",
            personal_directory=block("personal_directory", show(self.folder)),
            personal_index=index_block("personal_index", index, prompts),
        )

    def reminders(self) -> list[str]:
        """Say what has changed in the personal index since the prompt was
        built.
        """
        return self._news.collect(self.host.runtime.prompts)

    def provenance(self, file: str) -> Provenance | None:
        """Say of a personal memory that it is one."""
        if not file.startswith(PREFIX) or not self.active:
            return None
        note = self.host.runtime.prompts.section("reminders", "from_personal")
        return Provenance("personal memory", note)

    def take_back(self) -> None:
        """Say it again next time."""
        self._news.take_back()

    def _report_team(self, hidden: Mapping[str, str]) -> None:
        """Tell the person once where a memory of the team takes the place of
        their own, since others can write that.
        """
        for file, by in hidden.items():
            if by.startswith(f"{TEAM}/") and by not in self._reported:
                self._reported.add(by)
                self.host.notice(
                    f"{one_line(file)} does not count in this project, because"
                    f" the team has {one_line(by)}."
                )

    def _hidden_files(self) -> set[str]:
        """Name the files as the personal index does, without their prefix."""
        hidden = self.memories().hidden
        return {file.removeprefix(PREFIX) for file in hidden}

    def required_store(self) -> MemoryStore:
        """Give the store for a command of the person; raises StoreError where
        memory or personal memory is switched off, and as the store does.
        """
        if self.active:
            return self.store
        what, command = "personal memory", "/modes personal on"
        if not self.host.reads():
            what, command = "memory", "/memory on"
        do = f"Switch it on with {command}"
        raise StoreError(f"{what} is switched off", do=do)

    def check_promotion(self, project: MemoryStore, file: str) -> Memory:
        """Read a memory of the project that is to be promoted; raises
        MemlabError if it cannot be.
        """
        self.required_store()
        memory = project.read(file)
        if memory.type is not MemoryType.user:
            kind = memory.type or memory.raw_type or "none"
            raise MemoryRefusedError(
                f"its type is {kind}, and a personal memory has the type user",
                rule="personal-type",
                where=file,
                do="Leave it in its project. If it is true of the person"
                " wherever they work, change its type first",
            )
        return memory

    def promote(self, project: MemoryStore, file: str) -> str:
        """Move a memory of the project here, and say so; raises as
        ``move_memory`` does.
        """
        self.check_promotion(project, file)
        stays = self._move(file, project, self.required_store())
        name = f"{PREFIX}{Path(file).name}"
        return (
            f"Promoted {file}: it holds in every project now, as {name}. To"
            f" move it back: /memory demote {name}{stays}"
        )

    def demote(self, project: MemoryStore, file: str) -> str:
        """Move a personal memory into the project's memory, and say so; raises
        as ``move_memory`` does.
        """
        file = file.removeprefix(PREFIX)
        stays = self._move(file, self.required_store(), project)
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
        place = context.show(source.directory / file)
        if move_memory(
            file, source, target, place=place, session=context.session
        ):
            return ""
        return ". It was edited meanwhile, so the old file stays too"

    def undo(
        self,
        project: MemoryStore,
        store: MemoryStore,
        change: str,
    ) -> str:
        """Take back a change of ``store``, by default the newest one, and say
        so; raises as the store does.

        ``change`` is an id, or the file that the newest change is taken back
        of. Of a memory that was moved between the project and personal memory,
        both halves of the move are taken back, and so are both halves of an
        undoing. Raises StoreError where it would be in neither place.
        """
        session = self.host.context.session
        if change.endswith(".md"):
            change = _newest_change(store, change)
        entry = store.next_to_undo()
        if change:
            by_id = {one.id: one for one in store.history()}
            entry = by_id.get(change)
        if entry is None or not move_behind(entry, store):
            return undo(store, change, session=session)
        is_removal = any(not one.after for one in entry.changes)
        halves = [(store, entry.id)]
        other = project
        if store is project:
            other = self.store
        half = other_half(entry, other)
        if half:
            # where it comes back goes first, so that it is never in neither
            halves.insert(len(halves) if is_removal else 0, (other, half.id))
        elif not is_removal:
            raise StoreError(
                "this memory was moved, and would be in neither place",
                where=f"{store.prefix}{entry.id}",
                do="Undo it in the project it came from, or forget it",
            )
        said = []
        for each, which in halves:
            said.append(undo(each, which, session=session))
            if which not in {one.undoes for one in each.history()}:
                break  # what did not come back here stays where it is
        return ". ".join(said)


def _newest_change(store: MemoryStore, file: str) -> str:
    """Find the newest change of a file that was not taken back yet."""
    undone = {entry.undoes for entry in store.history()}
    for entry in reversed(store.history(file)):
        if not entry.undoes and entry.id not in undone:
            return entry.id
    raise StoreError(
        f"{store.prefix}{file} has no change to undo", do="Name another file"
    )
