"""The assembled agent: the loop with its index and recall, and what follows a
turn, in one project.

It decides who may write what, and what the person learns of it; each part does
its own work. It has no user interface: ``memlab.cli.chat`` is one for the
terminal, and the notebooks have another.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path

from memlab.agent.compaction import as_it_was_said
from memlab.agent.loop import Agent, Observer, TurnResult
from memlab.agent.permissions import Ask, main_permissions
from memlab.agent.request import RequestPrefix
from memlab.agent.session import begin_session
from memlab.agent.tool import Access, ToolContext
from memlab.agent.tools import standard_tools
from memlab.dream.dream import Decide, DreamTask
from memlab.dream.scheduler import Dreams
from memlab.erasing import Eraser
from memlab.errors import MemlabError
from memlab.evidence.attribution import whose_words
from memlab.evidence.requests import asks_to_ignore_memory, without_request
from memlab.extract.extractor import Extraction, ExtractionHost, Extractor
from memlab.memdir import telling
from memlab.memdir.checks import EXTRACTOR
from memlab.memdir.follow import not_in_index_notice
from memlab.memdir.former import moved_notice
from memlab.memdir.instructions import CLAUDE_MD_BYTES, read_prompt_file
from memlab.memdir.personal import PREFIX
from memlab.memdir.places import Where, memory_paths, personal_folder
from memlab.memdir.rules import better_read_live
from memlab.memdir.scan import one_line
from memlab.memdir.secrets import find_secrets
from memlab.memdir.store import MAIN_AGENT, MemoryStore
from memlab.memdir.toggles import (
    Toggles,
    load_settings,
    load_toggles,
    prompts_folder,
)
from memlab.models.connect import make_runtime
from memlab.modes.daily_log import DailyLog
from memlab.modes.mode import NAMES, Mode
from memlab.modes.personal import PersonalMemory
from memlab.modes.present import Present
from memlab.modes.private import PrivateMemory
from memlab.modes.session import SessionMemory
from memlab.modes.team import TeamMemory
from memlab.prompts import Prompts
from memlab.prompts.blocks import block
from memlab.recall.attach import Attachment, Provenance, Surfaced
from memlab.recall.first_stage import open_first_stage
from memlab.recall.pipeline import RecallReport, recall
from memlab.recall.prefetch import Prefetch
from memlab.recall.selection import Rank
from memlab.runtime import Runtime

MODES = ("full", "recall_only", "off")
SAVING = ("tell", "ask")


class HarnessError(MemlabError):
    """The agent cannot be assembled so, or cannot do what was asked."""


class HarnessObserver(Observer):
    """Follows a conversation while it goes on; override what you want to see."""

    def on_notice(self, notice: str) -> None:
        """Receive each notice for the person as it comes, also between two
        turns.
        """

    def on_saved(self, files: Sequence[str]) -> None:
        """Receive the memories that were just saved; unless you override it,
        as a notice.
        """
        self.on_notice(saved_notice(files))


def saved_notice(files: Sequence[str]) -> str:
    """Say which memories were saved."""
    return f"Saved to memory: {', '.join(files)}"


@dataclass(frozen=True, kw_only=True)
class HarnessOptions:
    """All that can vary between two conversations; the defaults suit a person
    in a project.

    ``runtime``: client, clock, settings and event log; without it, those of
    ``make_runtime``, with what the settings files change. ``mode``: ``full``,
    ``recall_only`` (nobody but the person changes memory) or ``off``; left
    empty, it is that of the session. What is said in another mode than
    ``full`` is off the record. ``saving``: ``tell`` what was saved, or ``ask``
    before. ``toggles``: what is switched on; without it, what the settings
    files say. ``session``, ``resume``: the name of a new session, or the
    session to continue. ``ask``: puts a yes-or-no question to the person.
    ``decide``: has them decide on a dream. ``run_shell``: runs a command that
    the person allowed; without it, only reading commands run. ``rank``:
    chooses memories by words where no model answers. ``rebuild_each_turn``:
    build the index into the system prompt anew on every turn. ``prompts``: a
    folder with the person's own prompts; without it, the one that a setting
    names. ``base``: where memlab keeps all it knows. ``where``: which home
    ``~`` means. ``environ``: the environment variables to go by, instead of
    the process's own.
    """

    runtime: Runtime | None = None
    mode: str = ""
    saving: str = "tell"
    toggles: Toggles | None = None
    session: str = ""
    resume: str = ""
    ask: Ask | None = None
    decide: Decide | None = None
    run_shell: Callable[[str], str] | None = None
    rank: Rank | None = None
    rebuild_each_turn: bool = False
    prompts: Path | str | None = None
    base: Path | str | None = None
    where: Where = field(default_factory=Where)
    environ: Mapping[str, str] | None = None
    observer: HarnessObserver = field(default_factory=HarnessObserver)

    def __post_init__(self) -> None:
        for value, known in (
            (self.mode or "full", MODES),
            (self.saving, SAVING),
        ):
            if value not in known:
                raise HarnessError(
                    f"{value!r} is not known", do=f"Choose {', '.join(known)}"
                )


@dataclass(frozen=True)
class Said:
    """The answer to the person's words; ``error`` and ``notices`` are for the
    person.

    ``notices`` has what came up since the turn before, ``recalled`` the
    memories that joined in.
    """

    text: str
    error: str
    notices: tuple[str, ...]
    recalled: tuple[str, ...]
    turn: TurnResult


class Harness(ExtractionHost):
    """One conversation in one project, with memory.

    It is also what the extractor asks about the conversation. Raises
    MemlabError if the project, its memory or its settings cannot be used.
    """

    def __init__(
        self, project: Path | str, options: HarnessOptions | None = None
    ) -> None:
        if not Path(project).is_dir():
            raise HarnessError(
                "this is not a folder",
                where=project,
                do="Name the project's folder",
            )
        self.options = options or HarnessOptions()
        self.observer = self.options.observer
        self.notices: list[str] = []
        self.recall_report: RecallReport | None = None
        self._notices_returned = 0
        self._surfaced = Surfaced()

        self._open_memory(project)
        self._begin_session()
        self._assemble()
        for mode in self.modes:
            self._begin(mode)
        self._start_over()
        self.agent.drop_stale_thinking()
        self._say_what_was_left()

    def _open_memory(self, project: Path | str) -> None:
        """Find what belongs to the project, and open its memory."""
        options = self.options
        environ = dict(
            os.environ if options.environ is None else options.environ
        )
        if options.base:
            environ["MEMLAB_HOME"] = str(options.base)
        self.paths = memory_paths(
            project, environ=environ, where=options.where
        )
        self.memory = self.paths.memory_dir
        self.folder = self.paths.project_dir
        self.base = self.paths.conversations_dir.parent
        self.toggles = options.toggles or load_toggles(
            self.folder, base=self.base, environ=environ
        )
        runtime = options.runtime or make_runtime(
            settings=load_settings(
                self.folder, base=self.base, environ=environ
            ),
        )
        prompts = Prompts(
            options.prompts
            or prompts_folder(self.folder, base=self.base, environ=environ)
        )
        prompts.check()
        self.runtime = runtime.with_changes(prompts=prompts)
        self.store = MemoryStore(
            self.memory,
            clock=self.runtime.clock,
            settings=self.runtime.settings,
        )
        self.store.said_at = self._now()
        self.first_stage = open_first_stage(
            self.memory, self.runtime.settings, self.notice_once
        )

    def _begin_session(self) -> None:
        """Begin a session or resume one: in its own mode, unless another one
        is wanted now.
        """
        self.record = begin_session(
            self.paths,
            self.options.where,
            clock=self.runtime.clock,
            session=self.options.session,
            resume=self.options.resume,
        )
        self.transcript = self.record.transcript
        self.session = self.transcript.session
        wanted = self.options.mode or self.transcript.state.mode
        self.mode = (
            wanted if wanted in MODES and self.toggles.auto_memory else "off"
        )
        self.transcript.save_state(replace(self.transcript.state, mode=wanted))
        self.transcript.off_record = self.mode != "full"
        if self.record.history is None:
            return
        for note in self.record.history.notes:
            self.notice(f"Resumed: {note}.")
        if self.mode != "full":
            mode = self.mode.replace("_", " ")
            self.notice(
                f"Resumed: memory is switched to {mode} in this session."
            )

    def _assemble(self) -> None:
        """Put the parts together, with the loop around them."""
        options = self.options
        tools = standard_tools(self.runtime.prompts)
        context = ToolContext(
            project=self.paths.project.top,
            home=options.where.home or Path.home(),
            clock=self.runtime.clock,
            memory=self.memory,
            store=self.store,
            sessions=self.folder,
            session=self.session,
            personal=personal_folder(self.base),
            access=_Access(self),
            reads_anywhere=self.toggles.fork_reads_anywhere,
        )
        self.context = replace(
            context,
            store=self.store if self.mode == "full" else None,
            run_shell=options.run_shell,
            reads_anywhere=False,
        )
        self.extractor = Extractor(
            runtime=self.runtime,
            tools=tools,
            context=context,
            host=self,
            cursor=self.transcript.state.cursor,
        )
        self.dreams = Dreams(
            runtime=self.runtime,
            tools=tools,
            context=context,
            toggles=lambda: replace(
                self.toggles, auto_memory=self.mode == "full"
            ),
            decide=options.decide,
            withheld=self.withheld,
            on_end=lambda task: self.notice(task.notice),
        )
        self.agent = Agent(
            runtime=self.runtime,
            model=self.runtime.settings.main_model,
            system="",
            tools=tools,
            context=self.context,
            permission=main_permissions(
                self.context, options.ask, shell=bool(options.run_shell)
            ),
            transcript=self.transcript,
            history=self.record.history,
            prefetch=Prefetch(
                self._recall,
                self.runtime,
                self.context.read_files,
                self._surfaced,
            ),
            stop_hooks=[self.after_turn, self._keep_notes],
            after_summary=self._after_compaction,
        )
        self.context.conversation = self.agent.prefix
        self.session_memory = SessionMemory(self, tools)
        self.agent.notes = self.session_memory.notes
        self.personal = PersonalMemory(self)
        self.team = TeamMemory(self)
        self.daily_log = DailyLog(self)
        self.private = PrivateMemory(self, self.team, self.daily_log)
        self.present = Present(self)
        if self.mode == "recall_only":
            # no model is to promise to save
            self.present.switched_to = self.mode
        self.modes: tuple[Mode, ...] = (
            self.present,
            self.private,
            self.session_memory,
            self.personal,
            self.team,
            self.daily_log,
        )

    def _say_what_was_left(self) -> None:
        """Tell the person what earlier sessions have left to decide."""
        if self.mode == "off":
            return
        if self.first_stage:
            self.first_stage.check()
        notices = [self.dreams.heal() if self.mode == "full" else ""]
        # the paths of a course's home are only shown, so none was left
        if not self.options.where.shown_home:
            notices.append(one_line(moved_notice(self.paths)))
        notices.append(self.dreams.reminder())
        for notice in filter(None, notices):
            self.notice(notice)

    def _now(self) -> datetime:
        """Return the present as the person sees it: in their own time zone."""
        clock = self.runtime.clock
        return clock.local(clock.now())

    def _active_modes(self) -> list[Mode]:
        return [mode for mode in self.modes if mode.active]

    def _begin(self, mode: Mode) -> None:
        """Have a mode look after its files, if it is switched on; a session
        goes on without that.
        """
        try:
            if mode.active:
                mode.begin()
        except (MemlabError, OSError) as error:
            said = one_line(self.context.hide(str(error)))
            name = NAMES.get(mode.toggle, "memory").capitalize()
            self.notice_once(f"{name}: {said}")

    async def say(self, text: str) -> Said:
        """Pass the person's words to the agent and wait for its answer; raises
        as ``run_turn``.
        """
        if self.mode != "off" and asks_to_ignore_memory(text):
            self.ignore_memory()
        self.store.said_at = self._now()
        self.store.instructions = self.project_instructions()
        self.transcript.off_record = self.mode != "full"
        self.agent.observer = self.observer
        if self.options.rebuild_each_turn:
            self._set_prompt()

        surfaced = self._surfaced.files
        surfaced_before = dict(surfaced)
        turn = await self.agent.run_turn(text, self._reminders())
        # what was attached is taken out again
        if turn.stop_reason in ("refusal", "too_long"):
            compacted = self._surfaced.files is not surfaced
            self._surfaced.files = {} if compacted else surfaced_before
            for mode in self._active_modes():
                mode.take_back()

        for file in turn.memory_files:
            if file in turn.saved:
                self._notice_saved([file])
            else:
                self.notice(f"Dropped from memory: {file}")
                self._keep_forgotten_off_record()
        for note in self.store.notes:
            self.notice(note)
        self.store.notes.clear()
        if turn.saved:
            self._report_full_index()
        elif self.mode == "full":
            self._report_declined(text)
        recalled = self._recalled_in(turn)
        notices = tuple(self.notices[self._notices_returned :])
        self._notices_returned = len(self.notices)
        return Said(turn.text, turn.error, notices, recalled, turn)

    def _reminders(self) -> list[str]:
        """Return what the agent should know before the person's words."""
        return [
            reminder
            for mode in self._active_modes()
            for reminder in mode.reminders()
        ]

    def _after_compaction(self) -> list[str]:
        """Build the system prompt anew, and return what the turn under way was
        given before, and has lost.
        """
        self._start_over()
        return self._reminders()

    def _recalled_in(self, turn: TurnResult) -> tuple[str, ...]:
        """Note in the report when its recall came, and name the memories that
        joined the turn.
        """
        if not turn.recalled or self.recall_report is None:
            return ()
        newest = turn.recalled[-1]
        self.recall_report = replace(self.recall_report, when=newest.when)
        if newest.when == "late":
            return ()
        return tuple(one.filename for one in newest.attachments)

    def interrupt(self) -> None:
        """End the turn under way, if there is one: its ``say`` returns what
        there is.
        """
        self.agent.interrupt()

    def switch(self, mode: str) -> None:
        """Switch memory on, to reading only, or off; the agent learns of it
        with the next turn.

        Switched off, or to reading only, an extraction or a dream under way
        ends before its next write. May be called from any thread.
        """
        if mode not in MODES:
            raise HarnessError(
                f"there is no mode {mode!r}", do=f"Choose {', '.join(MODES)}"
            )
        if not self.toggles.auto_memory:
            raise HarnessError(
                "memory is off by a setting", do="Set auto_memory first"
            )
        appears_or_disappears = (self.mode == "off") != (mode == "off")
        self.mode = self.present.switched_to = mode
        self.context.store = self.store if mode == "full" else None
        if appears_or_disappears:
            self._set_prompt()
        if mode != "full":
            self.transcript.off_record = True
            self.extractor.stop()
            self.dreams.stop()
            self.session_memory.writer.stop()
        self.transcript.save_state(replace(self.transcript.state, mode=mode))
        if self.agent.messages:
            self.transcript.save_document(
                self.agent.messages, self.agent.model
            )

    def ignore_memory(self) -> str:
        """Treat memory as empty for the whole session, and say so.

        Besides being switched off, memory never learns of this session: it is
        none that a dream counts or reads, unless memory is switched on again.
        """
        self.switch("off")
        self.transcript.hide()
        return self.notice(
            "Memory is off for the rest of this session. /memory on"
            " switches it back on."
        )

    async def drain(self, limit: float | None = None) -> tuple[str, ...]:
        """Wait for what runs in the background; returns what ``limit`` seconds
        cut off.
        """
        return await self.agent.drain(limit)

    async def after_turn(self, prefix: RequestPrefix) -> None:
        """Do what follows a turn that ended well: extraction, then the dream
        check.
        """
        await self.extractor(prefix)
        if not self.extractor.running:
            await self.dreams.check(prefix)

    async def _keep_notes(self, prefix: RequestPrefix) -> None:
        await self.session_memory.after_turn(prefix)

    async def dream_now(self, *, policy: str = "") -> DreamTask:
        """Put memory in order because the person wants it; as ``Dreams.now``."""
        return await self.dreams.now(self.agent.prefix(), policy=policy)

    def forget(self, file: str, *, for_good: bool = False) -> str:
        """Drop a memory and say so; ``for_good``, which a person must confirm,
        leaves no copy: if it was promoted from this project, or demoted to it,
        the history of where it was has one.
        """
        store, file = self.store_of(file)
        if for_good:
            personal = None
            if self.personal.active and self.personal.folder.is_dir():
                personal = self.personal.store
            notice = Eraser(self, personal, self.dreams).erase(store, file)
            self._set_prompt()
            return self.notice(notice)
        notice = telling.forget(store, file, session=self.session)
        self._keep_forgotten_off_record()
        return self.notice(notice)

    def undo(self, change: str = "") -> str:
        """Take back the newest change to memory, or a certain one, and say
        what that was.

        ``change`` is an id, or the file that the newest change is taken back
        of. Text that somebody edited by hand since is left alone.
        """
        store, change = self.store_of(change)
        said = telling.undo(store, change, session=self.session)
        return self.notice(said)

    def why(self, file: str) -> str:
        """Say of each sentence of a memory where it came from."""
        return telling.why(*self.store_of(file))

    def confirm(self, file: str) -> str:
        """Record that the person confirms a memory's text of unknown origin,
        and say so.
        """
        store, file = self.store_of(file)
        said = telling.confirm(store, file, session=self.session)
        return self.notice(said)

    def store_of(self, file: str) -> tuple[MemoryStore, str]:
        """Find which store a person means by the name of a file or a change,
        and what it is called there: ``personal/FILE`` is a personal memory,
        unless the project has a file of that path.
        """
        is_personal = file.startswith(PREFIX)
        if not is_personal or (self.memory / file).is_file():
            return self.store, file
        return self.personal.required_store(), file.removeprefix(PREFIX)

    def promote(self, file: str) -> str:
        """Move a memory of the project to personal memory, because the person
        said yes to it, and say so; raises as ``move_memory`` does.
        """
        return self.notice(self.personal.promote(file))

    def demote(self, file: str) -> str:
        """Move a personal memory into this project's memory, and say so;
        raises as ``move_memory`` does.
        """
        return self.notice(self.personal.demote(file))

    def _report_declined(self, text: str) -> None:
        """Say why something that the person wanted to be remembered is not
        stored.
        """
        wanted = without_request(text)
        found = next(better_read_live(wanted), None)
        if find_secrets(text):
            self.notice("Not saved: it looks like a secret.")
        elif found is not None and wanted != text.strip():
            why = found.message.removeprefix("never stored: ")
            self.notice(
                f"Not saved: {why}. A copy in memory would go stale. Say what"
                " was surprising about it, and that can be saved."
            )

    def withheld(self) -> frozenset[str]:
        """Return the messages of this session from which nothing may be
        learned.
        """
        self._keep_forgotten_off_record()
        return frozenset(self.transcript.off_record_ids)

    def _keep_forgotten_off_record(self) -> None:
        """Take the messages off the record that forgotten memories came from,
        in every session.
        """
        self.record.take_off_record(self.store.withheld())
        if self.personal.active:
            self.record.take_off_record(self.personal.withheld())

    async def _recall(
        self, text: str, recent_tools: Sequence[str]
    ) -> Sequence[Attachment]:
        self.recall_report = await recall(
            text,
            self.memory,
            self.runtime,
            surfaced=self._surfaced,
            recent_tools=recent_tools,
            rank=self.options.rank,
            show=self.context.show,
            enabled=self.mode != "off" and self.toggles.recall,
            personal=self.personal.folder if self.personal.active else None,
            hides=self.context.access.hides,
            provenance=self._provenance,
            first_stage=self.first_stage,
        )
        error = self.recall_report.selection.error
        if error.startswith("BadRequestError"):
            self.notice_once(f"Recall chose by keywords: {error}")
        return self.recall_report.attachments

    def _provenance(self, file: str) -> Provenance | None:
        """Say where a memory comes from, if a mode knows."""
        return self.team.provenance(file) or self.personal.provenance(file)

    def _start_over(self) -> None:
        """Build the system prompt: when a session begins, and when compaction
        ends the old one.
        """
        self._surfaced.files = {}
        for mode in self.modes:
            mode.start_over()
        self._set_prompt()

    def _set_prompt(self) -> None:
        """Build the system prompt and what every request begins with.

        Memory switched off is in neither.
        """
        self.store.instructions = self.project_instructions()
        prompt = self.runtime.prompts.load(
            "agent",
            project=self.context.show(self.context.project),
            instructions=block("instructions", self.store.instructions),
        )
        sections = [mode.section() for mode in self._active_modes()]
        self.agent.system = "\n\n".join(filter(None, [prompt, *sections]))
        self.agent.opening = self.private.opening()

    def project_instructions(self) -> str:
        """Return what CLAUDE.md says, so that memory does not repeat it."""
        project = self.context.project
        file = read_prompt_file(
            project / "CLAUDE.md", inside=project, most=CLAUDE_MD_BYTES
        )
        self.notice_once(file.notice)
        text = file.text.strip()
        if text and file.notice:
            return f"{text}\n\n[{file.notice}]"
        return text

    def enabled(self) -> bool:
        """Tell whether an extraction may save something now."""
        toggles = self.toggles
        saves = self.mode == "full" and toggles.extraction
        return saves and not toggles.daily_log

    def keeps_log(self) -> bool:
        """Tell whether the agent notes things down in a daily log."""
        return self.context.access.log_day() is not None

    def time_of(self, uuid: str) -> datetime | None:
        """Return when a message was written, None if that is not known."""
        return self.transcript.times.get(uuid)

    def on_cursor(self, cursor: str) -> None:
        """Keep the extractor's cursor with the session."""
        state = replace(self.transcript.state, cursor=cursor)
        self.transcript.save_state(state)

    def on_end(self, run: Extraction) -> None:
        """Tell the person what an extraction has saved, or why it failed."""
        if run.files:
            self._notice_saved([*run.files])
        for note in run.notes:
            self.notice(note)
        self._report_full_index()
        if run.stopped == "error":
            self.notice_once(f"Saving to memory failed: {run.error}")

    def _report_full_index(self) -> None:
        """Say how many memories have no line because the index is full."""
        with suppress(MemlabError):
            count = len(self.store.settled().unlisted)
            if count:
                self.notice_once(not_in_index_notice(count))

    def _notice_saved(self, files: Sequence[str]) -> None:
        self.notices.append(saved_notice(files))
        self.observer.on_saved(files)

    def notice_once(self, text: str) -> None:
        """Tell the person about a file that was cut or left out, but not at
        every reading.
        """
        shown = self.context.hide(text)
        if shown and shown not in self.notices:
            self.notice(shown)

    def notice(self, text: str) -> str:
        """Tell the person something, and give it back."""
        self.notices.append(text)
        self.observer.on_notice(text)
        return text


class _Access(Access):
    """What the session's switches and modes leave open to the tools."""

    def __init__(self, harness: Harness) -> None:
        self._harness = harness

    def hides(self, file: str) -> str:
        return self._harness.team.hides(file)

    def refuses(self, file: str, who: str) -> str:
        harness = self._harness
        if who == EXTRACTOR and not harness.enabled():
            return "The person has switched saving off"
        refusal = harness.team.refuses(file, who)
        return refusal or harness.daily_log.refuses(file, who)

    def closed(self) -> Mapping[str, str]:
        if self._harness.mode == "off":
            off = "memory is switched off in this session and counts as empty"
            return {"": off}
        return self._harness.team.closed()

    def reads_personal(self) -> bool:
        return self._harness.personal.active

    def log_day(self) -> date | None:
        """Give the day of the person's message, as the agent was given it;
        None where daily-log mode is off.
        """
        harness = self._harness
        if harness.mode != "full" or not harness.toggles.daily_log:
            return None
        return harness.store.said_at.date()

    async def agrees(self, context: ToolContext, file: str, text: str) -> bool:
        """Ask the person where they want that; a dream has its own review."""
        options = self._harness.options
        asks = options.saving == "ask" and context.who in (
            MAIN_AGENT,
            EXTRACTOR,
        )
        if not asks:
            return True
        if options.ask is None:
            return False
        shown = context.show(self._harness.memory / file)
        answer = options.ask(f"Save this as {shown}?\n\n{text}\n")
        yes = await answer if inspect.isawaitable(answer) else answer
        if not yes:
            self._take_off_record(context, text)
        return yes

    def _take_off_record(self, context: ToolContext, text: str) -> None:
        """Take the messages off the record of which the person did not want
        something saved.
        """
        transcript = self._harness.transcript
        if context.who == EXTRACTOR and context.store and context.conversation:
            pairs = as_it_was_said(context.conversation())
            said = whose_words(*pairs, context.is_memory)
            evidence = context.store.support(said)
            behind = context.store.behind({"": text.encode()}, evidence)
            transcript.take_off_record(behind)
        else:
            transcript.off_record = True  # for the rest of the turn
            transcript.take_off_record([context.turn])
