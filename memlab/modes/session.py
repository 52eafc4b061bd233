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
import inspect
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

from memlab.agent.compaction import SessionNotes, is_notes
from memlab.agent.fork import ForkResult, fork_context, run_forked_agent
from memlab.agent.off_record import drop_unfinished, without_exchanges
from memlab.agent.permissions import Decision, Permission, memory_permissions
from memlab.agent.request import RequestPrefix
from memlab.agent.tool import (
    CheckedCall,
    Output,
    Tool,
    ToolContext,
    ToolError,
)
from memlab.agent.tools_files import read
from memlab.agent.transcript import TranscriptTimes
from memlab.bridge import open_real
from memlab.clock import wait_within
from memlab.errors import MemlabError
from memlab.events import (
    NotesFailed,
    NotesSkipped,
    NotesStarted,
    NotesStashed,
    NotesWritten,
    RunCompleted,
    RunFailed,
    RunSkipped,
    RunStarted,
    RunStashed,
)
from memlab.extract.extractor import (
    Extraction,
    ExtractionHost,
    Extractor,
    Message,
)
from memlab.memdir.folder import Folder
from memlab.memdir.places import notes_file
from memlab.memdir.secrets import find_secrets
from memlab.modes.mode import Mode, ModeHost
from memlab.prompts.blocks import block
from memlab.text import clip_bytes

WRITER = "session memory"
_CHANGING = ("Edit", "Write")


class SessionMemory(Mode):
    """Keeps the notes of one session, and gives them to its compactions."""

    toggle = "session_memory"
    # the system prompt says nothing of it
    in_prompt = False

    def __init__(self, host: ModeHost) -> None:
        super().__init__(host)
        transcript = host.record.transcript
        self.file = notes_file(transcript.path.parent, transcript.session)
        self.writer = NotesWriter(
            runtime=host.runtime,
            tools=host.tools,
            context=host.context,
            host=_NotesHost(host),
            cursor=host.record.state.notes_cursor,
            file=self.file,
        )

    def begin(self) -> None:
        """Remove what a write that was killed has left beside the notes."""
        with suppress(OSError):
            drop_unfinished(self.file)

    async def after_turn(self, prefix: RequestPrefix) -> None:
        """Bring the notes up to date."""
        if self.host.saves():
            await self.writer(prefix)

    def stop(self) -> None:
        """End the run under way, if there is one."""
        self.writer.stop()

    async def notes(self) -> SessionNotes:
        """Return the notes, after a run under way has had some time to end.

        There are none while the mode or memory is switched off. Messages that
        are off the record count as not noted, wherever they are.
        """
        if not self.active:
            return SessionNotes()
        await self._wait_for_run()
        return self.writer.notes(self._conversation())

    async def _wait_for_run(self) -> None:
        # a run that the last turn has started may not have begun
        await asyncio.sleep(0)
        if not self.writer.running:
            return
        ended = asyncio.ensure_future(self.writer.drain())
        seconds = self.host.runtime.settings.session_wait_seconds
        await wait_within([ended], seconds, self.host.runtime.clock)
        ended.cancel()

    def _conversation(self) -> RequestPrefix:
        given = self.host.context.conversation
        return given() if given else RequestPrefix("", "", (), ())


@dataclass(kw_only=True, eq=False)
class NotesWriter(Extractor):
    """An extractor whose forks write one file of notes instead of memories.

    A run that was refused its last change, or was switched off, leaves the
    cursor where it was: what is not in the notes may not count as noted.
    """

    stashed: ClassVar[type[RunStashed]] = NotesStashed
    skipped: ClassVar[type[RunSkipped]] = NotesSkipped
    started: ClassVar[type[RunStarted]] = NotesStarted
    completed: ClassVar[type[RunCompleted]] = NotesWritten
    failed: ClassVar[type[RunFailed]] = NotesFailed
    final: ClassVar[tuple[str, ...]] = ("done",)

    file: Path

    def notes(self, conversation: RequestPrefix) -> SessionNotes:
        """Return the notes, and which messages of a conversation they are
        from.
        """
        self._place_cursor(conversation)
        if self.cursor not in conversation.uuids:
            return SessionNotes(self._text())
        end = conversation.uuids.index(self.cursor) + 1
        kept = without_exchanges(conversation, self.host.withheld()).uuids
        noted = set(conversation.uuids[:end]).intersection(kept)
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
        if not self._text():
            self.cursor = ""
        elif (
            self.cursor
            and self.cursor not in conversation.uuids
            and conversation.uuids
            and is_notes(conversation.messages[0])
        ):
            self.cursor = conversation.uuids[0]

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
        real = _real(self.file)
        roots = (*(context.read_roots or ()), real.parent)
        context = replace(context, read_roots=roots)
        text = self._text()
        if text:
            # the prompt shows it, so the fork need not read it again
            read({"file_path": str(self.file)}, context)
        writing = _Writing(
            self, frozenset(self.host.withheld()), text, run.files
        )
        lines = self._lines(heard)
        limit = settings.session_notes_max_bytes
        prompt = self.runtime.prompts.load(
            "session_memory",
            new_messages=block("new_messages", *lines, count=str(len(lines))),
            notes_file=block("notes_file", context.show(self.file)),
            session_notes=block("session_notes", text, limit=str(limit)),
            bytes=f"{limit:,}",
            turns=str(settings.session_max_turns),
        )
        fork = await run_forked_agent(
            prefix,
            prompt,
            self.runtime,
            tools=writing.tools(self.tools),
            context=context,
            permission=notes_permission(context, self.file),
            purpose="session",
            max_turns=settings.session_max_turns,
        )
        if fork.stopped == "done" and writing.refused:
            return replace(fork, stopped="error", error=writing.refused)
        return fork

    def _text(self) -> str:
        return read_notes(
            self.file, self.runtime.settings.session_notes_max_bytes
        )


@dataclass
class _Writing:
    """The tools of one run: each change to the notes is checked before it is
    made.

    ``withheld`` and ``text`` are how things were when the run began.
    ``refused`` is why the newest change was not made, if it was not.
    """

    writer: NotesWriter
    withheld: frozenset[str]
    text: str
    saved: dict[str, None]
    refused: str = ""

    def tools(self, tools: Sequence[Tool]) -> tuple[Tool, ...]:
        """Return the tools with an Edit and a Write that check; the model sees
        no difference.
        """
        return tuple(
            self._checking(tool) if tool.name in _CHANGING else tool
            for tool in tools
        )

    def _checking(self, tool: Tool) -> Tool:
        async def run(
            given: Mapping[str, Any], context: ToolContext
        ) -> Output:
            try:
                self._check(self._changed(given))
                Folder(self.writer.file.parent).make()
                ran = tool.run(given, context)
                output = await ran if inspect.isawaitable(ran) else ran
            except (MemlabError, OSError) as error:
                self.refused = self.writer.context.hide(str(error))
                raise
            self.refused = ""
            self.saved[self.writer.file.name] = None
            return output

        return replace(tool, run=run)

    def _changed(self, given: Mapping[str, Any]) -> str:
        """Return what the notes would be after a call."""
        if "content" in given:
            return str(given["content"])
        now = self.writer._text()
        return now.replace(given["old_string"], given["new_string"])

    def _check(self, text: str) -> None:
        """Raise ToolError if the notes may not become this text."""
        host = self.writer.host
        if not host.enabled():
            raise ToolError(
                "The person has switched saving off", do="Stop here"
            )
        if set(host.withheld()) - self.withheld:
            raise ToolError(
                "The person has just had something forgotten", do="Stop here"
            )
        known = {secret.fingerprint for secret in find_secrets(self.text)}
        for secret in find_secrets(text):
            if secret.fingerprint not in known:
                line = secret.line_in(text)
                raise ToolError(
                    f"Line {line} looks like a {secret.kind}",
                    do="Leave the value out, and write where it is kept",
                )
        limit = self.writer.runtime.settings.session_notes_max_bytes
        size = len(text.encode("utf-8", "replace"))
        if size > limit:
            raise ToolError(
                f"The notes would have {size:,} bytes, and {limit:,} are"
                " allowed",
                do="Shorten what is finished, and write the file again",
            )


def notes_permission(context: ToolContext, file: Path) -> Permission:
    """Return the permission of a fork that may change one file of notes, and
    else do what ``memory_permissions`` allows, except to write.

    A path that leads to the file by a link, or a file that is a link, is
    another file.
    """
    others = memory_permissions(context)
    real = _real(file)

    def permission(name: str, given: Mapping[str, Any]) -> Decision:
        if name not in _CHANGING:
            return others(name, given)
        try:
            path = context.path(given["file_path"])
        except MemlabError as error:
            return Decision(False, str(error).removesuffix("."))
        if context.real_path(path) != real or path.name != file.name:
            only = context.show(file)
            return Decision(
                False, f"Only {only}, the notes of this session, can change"
            )
        return Decision(True, call=CheckedCall({path: real}))

    return permission


def read_notes(file: Path, limit: int) -> str:
    """Return a session's notes, ``limit`` bytes of them at most; "" where
    there are none, or something else than a plain file.
    """
    try:
        opened = open_real(_real(file), os.O_RDONLY)
    except OSError:
        return ""
    with open(opened, "rb") as source:
        data = source.read(limit + 1)
    return clip_bytes(data.decode("utf-8", "replace"), limit).strip()


def _real(file: Path) -> Path:
    """Return the real path that a file of notes must have: below the folder
    of the project, no link is followed.
    """
    session = file.parent
    project = Path(os.path.realpath(session.parent.parent))
    return project / session.parent.name / session.name / file.name


class _NotesHost(ExtractionHost):
    """Says what the writer of the notes may do in this conversation, and keeps
    its cursor with the session.
    """

    def __init__(self, host: ModeHost) -> None:
        self._host = host
        self._times = TranscriptTimes(host.record.transcript.path)
        self._failed = ""

    def enabled(self) -> bool:
        toggles = self._host.toggles()
        return self._host.saves() and toggles.session_memory

    def withheld(self) -> frozenset[str]:
        return frozenset(self._host.withheld())

    def time_of(self, uuid: str) -> datetime | None:
        return self._times(uuid)

    def on_end(self, run: Extraction) -> None:
        if run.stopped != "error":
            return
        if run.error != self._failed:
            self._host.notice(
                f"The notes of this session were not written: {run.error}"
            )
        self._failed = run.error

    def on_cursor(self, cursor: str) -> None:
        record = self._host.record
        record.save_state(replace(record.state, notes_cursor=cursor))
