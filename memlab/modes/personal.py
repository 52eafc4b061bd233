"""Personal memory: memories about the person, in the prompt and in the recall
of every project.

What they are, which of them count in a project, and how a memory gets there is
in ``memlab.memdir.personal``. A session only reads them. The person's commands
change them: promote, demote, and undo, which takes back both halves of a move.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from memlab.errors import MemlabError, MemoryRefusedError, StoreError
from memlab.memdir.memory import Memory
from memlab.memdir.personal import (
    PREFIX,
    Hidden,
    PersonalMemories,
    PersonalStore,
    came_from,
    first_change,
    hidden_files,
    lint_personal,
    move_memory,
    other_half,
    personal_store,
    read_personal,
    read_personal_index,
    went_to,
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
    def store(self) -> PersonalStore:
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
        hidden = self.memories().hidden
        self._report_team(hidden)
        index = read_personal_index(
            self.folder, hidden, runtime.settings, prompts
        )
        if index.notice:
            self.host.notice(f"Personal memory: {index.notice}")
        self._news.start_over()
        empty = prompts.section("reminders", "empty_index")
        return prompts.load(
            "memory_personal",
            personal_directory=block("personal_directory", show(self.folder)),
            personal_index=block(
                "personal_index", index.prompt.strip() or empty
            ),
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

    def _report_team(self, hidden: Sequence[Hidden]) -> None:
        """Tell the person once where a memory of the team takes the place of
        their own, since others can write that.
        """
        for one in hidden:
            if one.by.startswith(f"{TEAM}/") and one.by not in self._reported:
                self._reported.add(one.by)
                self.host.notice(
                    f"{one_line(one.header.filename)} does not count in this"
                    f" project, because the team has {one_line(one.by)}."
                )

    def _hidden_files(self) -> set[str]:
        return hidden_files(self.memories().hidden)

    def required_store(self) -> PersonalStore:
        """Give the store for a command of the person; raises StoreError where
        personal memory is switched off, and as the store does.
        """
        if not self.host.reads():
            raise StoreError(
                "memory is switched off", do="Switch it on with /memory on"
            )
        if not self.active:
            raise StoreError(
                "personal memory is switched off",
                do="Switch it on with /modes personal on",
            )
        return self.store

    def check_promotion(self, project: MemoryStore, file: str) -> Memory:
        """Read a memory of the project that is to be promoted; raises
        MemlabError if it cannot be.
        """
        self.required_store()
        in_project = (project.directory / file).is_file()
        if file.startswith(PREFIX) and not in_project:
            raise StoreError(
                f"{file} is personal already",
                do="Name a memory of the project",
            )
        memory = project.read(file)
        for finding in lint_personal(memory):
            raise MemoryRefusedError(
                finding.message,
                rule=finding.rule,
                where=file,
                do=finding.suggestion,
            )
        return memory

    def promote(self, project: MemoryStore, file: str) -> str:
        """Move a memory of the project here, and say so; raises as
        ``move_memory`` does.
        """
        self.check_promotion(project, file)
        moved = move_memory(
            file,
            project,
            self.required_store(),
            place=self.host.context.show(project.directory / file),
            session=self.host.context.session,
        )
        name = f"{PREFIX}{moved.file}"
        if not moved.removed:
            return (
                f"{name} holds in every project now. {file} was edited by"
                " somebody else meanwhile, so it stays in this project too."
            )
        return (
            f"Promoted {file}: it holds in every project now, as {name}. To"
            f" move it back: /memory demote {name}"
        )

    def demote(self, project: MemoryStore, file: str) -> str:
        """Move a personal memory into the project's memory, and say so; raises
        as ``move_memory`` does.
        """
        file = file.removeprefix(PREFIX)
        personal = self.required_store()
        moved = move_memory(
            file,
            personal,
            project,
            place=self.host.context.show(personal.directory / file),
            session=self.host.context.session,
        )
        stays = (
            ""
            if moved.removed
            else " It was edited meanwhile, so it stays personal too."
        )
        return (
            f"{PREFIX}{file} belongs to this project only now, as"
            f" {moved.file}.{stays} To promote it again: /memory promote"
            f" {moved.file}"
        )

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
        both halves of the move are taken back: it comes back where it was, and
        then it goes where it came to. An undoing of that is taken back as a
        whole, too.
        """
        if change.endswith(".md"):
            change = _newest_change(store, change)
        entry = store.next_to_undo()
        if change:
            entry = next(
                (one for one in store.history() if one.id == change), None
            )
        halves = [(store, entry.id if entry else change)]
        first, again = first_change(entry, store) if entry else (None, False)
        place = came_from(first) if first else ""
        target = went_to(first, store) if first else ""
        other = self._other_store(project, store)
        half = other_half(entry, store, other) if entry and other else None
        if other and half:
            # where it comes to goes first, so that it is never in neither
            first_place = 0 if (target if again else place) else 1
            halves.insert(first_place, (other, half.id))
        if again and target and len(halves) == 1:
            self._require_memory(project, target)
        said = []
        session = self.host.context.session
        for each, which in halves:
            said.append(undo(each, which, session=session))
            undone = {one.undoes for one in each.history()}
            if which not in undone:
                # what did not come back here stays where it is
                break
        if place and not again and len(halves) == 1:
            said.append(f"It came from {place}, and was not restored there")
        return ". ".join(said)

    def _other_store(
        self, project: MemoryStore, store: MemoryStore
    ) -> MemoryStore | None:
        """Give the store to which a memory of this one can have moved."""
        if store is not project:
            return project
        return self.store if self.folder.is_dir() else None

    def _require_memory(self, project: MemoryStore, file: str) -> None:
        """Raise StoreError unless a memory is where it was moved to."""
        folder = project.directory
        if file.startswith(PREFIX):
            folder = self.folder
        if not (folder / file.removeprefix(PREFIX)).is_file():
            raise StoreError(
                f"{file} is not there, so the memory would be in neither place",
                do="Leave it here, or move it with /memory promote or demote",
            )


def _newest_change(store: MemoryStore, file: str) -> str:
    """Find the newest change of a file that was not taken back yet."""
    undone = {entry.undoes for entry in store.history()}
    for entry in reversed(store.history(file)):
        if not entry.undoes and entry.id not in undone:
            return entry.id
    raise StoreError(
        f"{store.prefix}{file} has no change to undo", do="Name another file"
    )
