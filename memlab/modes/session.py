"""Session memory: notes of one session, kept while it goes on, which a
compaction uses instead of a summary.

A summary is written at the last moment, in one go, and of everything. Notes
are brought up to date after each turn, when the details are still there. They
do within one session what memory files do across sessions, and they end with
the session. A fork writes them, in the same runs as an extraction: each
message once, one run at a time. It can change this one file and nothing else.

The notes are written only from messages that are on the record. When some of
these are taken off it, the notes are removed, because they may repeat the
words, and the next run writes them anew from what is left. Left out: what a
compaction does with the notes (``agent.compaction``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar

from memlab import events
from memlab.agent.compaction import SessionNotes, is_notes
from memlab.agent.fork import ForkResult, fork_context, run_forked_agent
from memlab.agent.permissions import Decision, Permission, memory_permissions
from memlab.agent.request import RequestPrefix
from memlab.agent.session import without_exchanges
from memlab.agent.tool import CheckedCall, Tool, ToolContext
from memlab.agent.tools_files import read
from memlab.clock import wait_within
from memlab.extract.extractor import (
    Extraction,
    ExtractionHost,
    Extractor,
    Message,
)
from memlab.memdir.folder import Folder
from memlab.memdir.places import notes_file
from memlab.memdir.secrets import find_secrets
from memlab.modes.mode import Host, Mode
from memlab.prompts.blocks import block
from memlab.text import as_blocks, block_text, clip_bytes

WRITER = "session memory"
_CHANGING = ("Edit", "Write")


class SessionMemory(Mode, ExtractionHost):
    """Keeps the notes of one session, and gives them to its compactions.

    It is also what their writer asks about the conversation.
    """

    toggle = "session_memory"

    def __init__(self, host: Host, tools: Sequence[Tool]) -> None:
        super().__init__(host)
        transcript = host.record.transcript
        self.file = notes_file(transcript.path.parent, transcript.session)
        self.writer = NotesWriter(
            runtime=host.runtime,
            tools=tools,
            context=host.context,
            host=self,
            cursor=transcript.state.notes_cursor,
            project=Folder(self.file.parents[2]),
            name=self.file.relative_to(self.file.parents[2]).as_posix(),
        )

    def begin(self) -> None:
        """Remove what a write that was killed has left beside the notes."""
        with suppress(OSError):
            Folder(self.file.parent).sweep()

    async def after_turn(self, prefix: RequestPrefix) -> None:
        """Bring the notes up to date after a turn that ended well."""
        if self.enabled():
            await self.writer(prefix)

    async def notes(self) -> SessionNotes:
        """Return the notes, after a run under way has had some time to end.

        There are none while the mode or memory is switched off. Messages that
        are off the record count as not noted, wherever they are.
        """
        conversation = self.host.context.conversation
        if not self.active or conversation is None:
            return SessionNotes()
        await asyncio.sleep(0)  # the run of the last turn may not have begun
        if self.writer.running:
            run = asyncio.ensure_future(self.writer.drain())
            seconds = self.host.runtime.settings.session_wait_seconds
            await wait_within([run], seconds, self.host.runtime.clock)
            run.cancel()
        return self.writer.notes(conversation())

    def enabled(self) -> bool:
        """Tell whether notes may be written now."""
        return self.active and self.host.mode == "full"

    def withheld(self) -> frozenset[str]:
        """Name the messages from which nothing may be noted."""
        return self.host.withheld()

    def time_of(self, uuid: str) -> datetime | None:
        """Say when a message was written."""
        return self.host.record.transcript.times.get(uuid)

    def on_end(self, run: Extraction) -> None:
        """Tell the person why a run failed."""
        if run.stopped == "error":
            self.host.notice_once(
                f"The notes of this session were not written: {run.error}"
            )

    def on_cursor(self, cursor: str) -> None:
        """Keep the cursor with the session."""
        transcript = self.host.record.transcript
        transcript.save_state(replace(transcript.state, notes_cursor=cursor))


@dataclass(kw_only=True, eq=False)
class NotesWriter(Extractor):
    """An extractor whose forks write one file of notes instead of memories.

    A run whose last change was refused, or that was switched off, leaves the
    cursor where it was: what is not in the notes may not count as noted.
    """

    stashed: ClassVar[type[events.RunStashed]] = events.NotesStashed
    skipped: ClassVar[type[events.RunSkipped]] = events.NotesSkipped
    started: ClassVar[type[events.RunStarted]] = events.NotesStarted
    completed: ClassVar[type[events.RunCompleted]] = events.NotesWritten
    failed: ClassVar[type[events.RunFailed]] = events.NotesFailed
    final: ClassVar[tuple[str, ...]] = ("done",)

    project: Folder
    name: str  # of the file, from the folder of the project on

    def notes(self, conversation: RequestPrefix) -> SessionNotes:
        """Return the notes, and which messages of a conversation they are
        from.
        """
        self._place_cursor(conversation)
        uuids = conversation.uuids
        if self.cursor not in uuids:
            return SessionNotes(self._text())
        kept = without_exchanges(conversation, self.host.withheld()).uuids
        noted = {*uuids[: uuids.index(self.cursor) + 1]}.intersection(kept)
        return SessionNotes(self._text(), frozenset(noted))

    async def _extract(
        self, prefix: RequestPrefix, *, trailing: bool = False
    ) -> None:
        self._place_cursor(prefix)
        await super()._extract(prefix, trailing=trailing)

    def _place_cursor(self, conversation: RequestPrefix) -> None:
        """Find where the new messages begin if the cursor does not say so.

        Without notes, everything is new. If a compaction has removed the
        cursor's message, everything before its notes was noted.
        """
        uuids, messages = conversation.uuids, conversation.messages
        if not self._text():
            self.cursor = ""
            return
        is_compacted = bool(uuids) and is_notes(messages[0])
        if self.cursor and self.cursor not in uuids and is_compacted:
            self.cursor = uuids[0]

    def _reason_to_skip(
        self, new: list[str], heard: list[Message], trailing: bool
    ) -> str:
        if not self.host.enabled():
            return "off"
        if not heard:
            return "withheld"
        return "" if any(one.text for one in heard) else "nothing said"

    async def _run_fork(
        self, prefix: RequestPrefix, heard: list[Message], run: Extraction
    ) -> ForkResult:
        """Have a fork bring the notes up to date."""
        settings = self.runtime.settings
        context = fork_context(replace(self.context, store=None), who=WRITER)
        file = self.project.path / self.name
        text = self._text()
        if text:
            # the prompt shows it, so the fork need not read it again
            read({"file_path": str(file)}, context)
        lines = self._lines(heard)
        limit = settings.session_notes_max_bytes
        prompt = self.runtime.prompts.load(
            "session_memory",
            new_messages=block("new_messages", *lines, count=str(len(lines))),
            notes_file=block("notes_file", context.show(file)),
            session_notes=block("session_notes", text, limit=str(limit)),
            bytes=f"{limit:,}",
            turns=str(settings.session_max_turns),
        )
        try:
            fork = await run_forked_agent(
                prefix,
                prompt,
                self.runtime,
                tools=self.tools,
                context=context,
                permission=self._permission(context),
                purpose="session",
                max_turns=settings.session_max_turns,
            )
        finally:  # so that a cut-off run has it too
            if self._text() != text:
                run.files[file.name] = None
        failed = [
            block_text(one)
            for message in fork.messages
            for one in as_blocks(message["content"])
            if one.get("is_error")
        ]
        if fork.stopped == "done" and failed and not run.files:
            error = self.context.hide(failed[-1])
            return replace(fork, stopped="error", error=error)
        return fork

    def _permission(self, context: ToolContext) -> Permission:
        """Allow what ``memory_permissions`` does, except to write: the fork may
        change this one file, if the notes may become what it would be.

        A path that leads to the file by a link, or a file that is a link, is
        another file.
        """
        others, withheld = memory_permissions(context), self.host.withheld()
        notes = self.project.real / self.name

        def permission(name: str, given: Mapping[str, Any]) -> Decision:
            if name not in _CHANGING:
                return others(name, given)
            path = context.path(given["file_path"])
            real = context.real_path(path)
            if real != notes or path.name != notes.name:
                shown = context.show(self.project.path / self.name)
                only = f"Only {shown}, the notes of this session, can change"
                return Decision(False, only)
            text = given.get("content")
            if text is None:
                old, new = given["old_string"], given["new_string"]
                text = self._text().replace(old, new)
            refusal = self._refusal(str(text), withheld)
            if not refusal:
                Folder(real.parent).make()
            return Decision(not refusal, refusal, CheckedCall({path: real}))

        return permission

    def _refusal(self, text: str, withheld: Collection[str]) -> str:
        """Say why the notes may not become this text, written without the
        messages that were withheld when the run began.
        """
        if not self.host.enabled():
            return "The person has switched saving off. Stop here"
        if set(self.host.withheld()) - set(withheld):
            return "The person has just had something forgotten. Stop here"
        for secret in find_secrets(text):
            return (
                f"Line {secret.line_in(text)} looks like a {secret.kind}."
                " Leave the value out, and write where it is kept"
            )
        limit = self.runtime.settings.session_notes_max_bytes
        size = len(text.encode("utf-8", "replace"))
        if size > limit:
            return (
                f"The notes would have {size:,} bytes, and {limit:,} are"
                " allowed. Shorten what is finished, and write the file again"
            )
        return ""

    def _text(self) -> str:
        """Read the notes; "" where there are none, or something else than a
        plain file.
        """
        limit = self.runtime.settings.session_notes_max_bytes
        with suppress(OSError):
            data = self.project.read(self.name, limit + 1).data or b""
            return clip_bytes(data.decode("utf-8", "replace"), limit).strip()
        return ""
