"""The assembled agent: the loop with its index and recall, and what follows a
turn, in one project.

It decides who may write what, and what the person learns of it; each part does
its own work. It has no user interface: ``memlab.cli.chat`` is one for the
terminal, and the notebooks have another.
"""

from __future__ import annotations

import inspect
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from itertools import count
from pathlib import Path

from memlab.agent.compaction import as_it_was_said
from memlab.agent.loop import Agent, Observer, TurnResult
from memlab.agent.permissions import Ask, main_permissions
from memlab.agent.request import RequestPrefix
from memlab.agent.session import begin_session
from memlab.agent.tool import Access, ToolContext
from memlab.agent.tools import standard_tools
from memlab.bridge import without_request
from memlab.dream.dream import Decide, DreamTask
from memlab.dream.scheduler import Dreams
from memlab.erasing import Eraser
from memlab.errors import MemlabError
from memlab.evidence.attribution import whose_words
from memlab.evidence.pending import PendingChange
from memlab.evidence.requests import asks_to_ignore_memory
from memlab.extract.extractor import Extraction, ExtractionHost, Extractor
from memlab.memdir import rules, telling
from memlab.memdir.checks import EXTRACTOR
from memlab.memdir.dates import age_in_words
from memlab.memdir.folder import MOST_READ
from memlab.memdir.follow import not_in_index_notice
from memlab.memdir.former import moved_notice
from memlab.memdir.instructions import (
    CLAUDE_MD_BYTES,
    index_block,
    index_file,
    memory_section,
    read_index,
    read_prompt_file,
)
from memlab.memdir.journal import LOG
from memlab.memdir.memory import Memory, MemoryType
from memlab.memdir.personal import (
    PREFIX,
)
from memlab.memdir.places import (
    INDEX,
    Where,
    index_of,
    memory_paths,
    personal_folder,
)
from memlab.memdir.rules import LIVE_RULES, Finding, better_read_live
from memlab.memdir.scan import MemoryHeader, find_memory_files, one_line
from memlab.memdir.secrets import find_secrets
from memlab.memdir.store import MemoryStore, Written
from memlab.memdir.toggles import (
    Toggles,
    load_settings,
    load_toggles,
    prompts_folder,
)
from memlab.models.connect import make_runtime
from memlab.modes.daily_log import DailyLog
from memlab.modes.index_news import IndexNews
from memlab.modes.mode import NAMES, Mode
from memlab.modes.personal import PersonalMemory
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
from memlab.text import persons_text, shorten

MODES = ("full", "recall_only", "off")
SAVING = ("tell", "ask")
THINKING_LEFT_OUT = (
    "Resumed: what the model thought before its answers is left out, because"
    " it may only be sent again behind the same system prompt."
)

A_SECRET = "Not saved: it looks like a secret."


class HarnessError(MemlabError):
    """The agent cannot be assembled so, or cannot do what was asked."""


class HarnessObserver:
    """Follows a conversation while it goes on; override what you want to see."""

    def on_text(self, text: str) -> None:
        """Receive each piece of an answer as it comes."""

    def on_notice(self, notice: str) -> None:
        """Receive each notice for the person as it comes, also between two
        turns.
        """

    def on_saved(self, files: Sequence[str]) -> None:
        """Receive the memories that were just saved; unless you override it,
        as a notice.
        """
        self.on_notice(_saved_notice(files))


@dataclass(frozen=True, kw_only=True)
class HarnessOptions:
    """All that can vary between two conversations; the defaults suit a person
    in a project.

    ``runtime``: client, clock, settings and event log; without it, those of
    ``make_runtime``, with what the settings files change. ``mode``: ``full``,
    ``recall_only`` (nobody but the person changes memory) or ``off``; left
    empty, it is that of the session. What is said in another mode than
    ``full`` is off the record. ``saving``:
    ``tell`` what was saved, or ``ask`` before. ``toggles``: what is switched
    on; without it, what the settings files say. ``session``, ``resume``: the
    name of a new session, or the session to continue. ``ask``: puts a
    yes-or-no question to the person. ``decide``: has them decide on a dream.
    ``run_shell``: runs a command that the person allowed; without it, only
    reading commands run. ``rank``: chooses memories by words where no model
    answers. ``rebuild_each_turn``: build the index into the system prompt anew
    on every turn. ``prompts``: a folder with the person's own prompts; without
    it, the one that a setting names. ``base``: where memlab keeps all it knows. ``where``: which
    home ``~`` means. ``environ``: the environment variables to go by, instead
    of the process's own.
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


class ProjectStore(MemoryStore):
    """A project's memory, judged by what its CLAUDE.md says, and by the date
    that the agent was given with the person's message.

    With ``keeps_live`` the person saves what could be read live.
    """

    project = Path()
    keeps_live = False

    def check(
        self, memory: Memory, others: Sequence[Memory], known: str
    ) -> Sequence[Finding]:
        """Say what the rules find."""
        claude_md = read_prompt_file(
            self.project / "CLAUDE.md",
            inside=self.project,
            most=CLAUDE_MD_BYTES,
        )
        found = rules.check(
            memory,
            min(self.said_at, self._clock.now()),
            others,
            known=known,
            project_instructions=claude_md.text,
        )
        if not self.keeps_live:
            return found
        return [
            replace(one, severity="flag") if one.rule in LIVE_RULES else one
            for one in found
        ]


class Harness:
    """One conversation in one project, with memory.

    Raises MemlabError if the project, its memory or its settings cannot be
    used.
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
        self._switched_to = ""
        self._date_shown = ""
        self._compacted = False

        self._open_memory(project)
        self._begin_session()
        self._assemble()
        self._rebuild_index()
        for mode in self.modes:
            self._begin(mode)
        self._start_over()
        if self.agent.drop_stale_thinking():
            self.notice(THINKING_LEFT_OUT)

        if self.first_stage and self.mode != "off":
            self.first_stage.check()
        kept_aside = telling.unexplained_notice(
            self.store, show=self.context.show
        )
        if kept_aside:
            self.notice(kept_aside)
        # the paths of a course's home are only shown, so none was left
        if self.mode != "off" and not self.options.where.shown_home:
            moved = moved_notice(self.paths)
            if moved:
                self.notice(one_line(moved))
        if self.mode == "full":
            healed = self.dreams.heal()
            if healed:
                self.notice(healed)
        if self.mode != "off":
            waiting = self.dreams.reminder()
            if waiting:
                self.notice(waiting)

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
        self.home = options.where.home or Path.home()
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
        self._index_news = IndexNews(lambda: index_file(self.memory).text)
        self.store = ProjectStore(
            self.memory,
            clock=self.runtime.clock,
            settings=self.runtime.settings,
        )
        self.store.project = self.paths.project.top
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
        if self.mode == "recall_only":
            self._switched_to = self.mode  # no model is to promise to save
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
        asks = options.saving == "ask"
        context = ToolContext(
            project=self.paths.project.top,
            home=self.home,
            clock=self.runtime.clock,
            memory=self.memory,
            store=self.store,
            sessions=self.folder,
            session=self.session,
            personal=personal_folder(self.base),
            access=_Access(self, asks=asks),
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
            host=_ExtractionHost(self),
            cursor=self.transcript.state.cursor,
        )
        self.dreams = Dreams(
            runtime=self.runtime,
            tools=tools,
            context=replace(context, access=_Access(self, asks=False)),
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
                self._recall, self.runtime, self.context.read_files
            ),
            stop_hooks=[self.after_turn, self._keep_notes],
            observer=_AgentObserver(self),
            after_summary=self._reminders_after_compaction,
        )
        self.context.conversation = self.agent.prefix
        self.session_memory = SessionMemory(self, tools)
        self.personal = PersonalMemory(self)
        self.team = TeamMemory(self)
        self.daily_log = DailyLog(self)
        self.modes: tuple[Mode, ...] = (
            self.session_memory,
            self.personal,
            self.team,
            self.daily_log,
        )
        self.agent.notes = self.session_memory.notes
        self._shown_with_turns = (
            self._index_news,
            self.personal.news,
            self.team.news,
            self.daily_log,
        )

    def _now(self) -> datetime:
        """Return the present as the person sees it: in their own time zone."""
        clock = self.runtime.clock
        return clock.local(clock.now())

    def extracts(self) -> bool:
        """Tell whether an extraction may save something now."""
        toggles = self.toggles
        saves = self.mode == "full" and toggles.extraction
        return saves and not toggles.daily_log

    def _provenance(self, file: str) -> Provenance | None:
        """Say where a memory comes from, if a mode knows."""
        return self.team.provenance(file) or self.personal.provenance(file)

    def active_modes(self) -> list[Mode]:
        """List the further ways to remember that are switched on."""
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
            self.notice_once(f"{NAMES[mode.toggle].capitalize()}: {said}")

    async def say(self, text: str) -> Said:
        """Pass the person's words to the agent and wait for its answer; raises
        as ``run_turn``.
        """
        if self.mode != "off" and asks_to_ignore_memory(text):
            self.ignore_memory()
        self.store.said_at = self._now()
        self.transcript.off_record = self.mode != "full"
        if self.options.rebuild_each_turn:
            self._set_prompt()

        surfaced_before = dict(self._surfaced.files)
        date_before = self._date_shown
        self._compacted = False
        turn = await self.agent.run_turn(text, self._reminders())
        # what was attached is taken out again, but what a compaction has put
        # before the turn stays
        if turn.stop_reason in ("refusal", "too_long"):
            self._surfaced.files = {} if self._compacted else surfaced_before
            if not self._compacted:
                self._date_shown = date_before
                for shown in self._shown_with_turns:
                    shown.take_back()

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
        """Return what the agent should know before the person's words: the
        date, if the conversation does not have it yet, and what changed in
        memory.
        """
        prompts = self.runtime.prompts
        reminders = self._date_reminder()
        if self._switched_to:
            news = prompts.section("reminders", f"memory_{self._switched_to}")
            switch = block("memory_switch", news, mode=self._switched_to)
            reminders.append(
                prompts.reminder("memory_switch", memory_switch=switch)
            )
            self._switched_to = ""
        if self.mode != "off":
            reminders += self._index_news.collect(prompts)
            reminders += self._index_news.nearly_full(
                self.runtime.settings, prompts
            )
        for mode in self.active_modes():
            reminders += mode.reminders()
        return reminders

    def _reminders_after_compaction(self) -> list[str]:
        """Return what the turn under way was given before, and has lost."""
        self._compacted = True
        reminders = self._date_reminder()
        for mode in self.active_modes():
            reminders += mode.reminders()
        return reminders

    def _date_reminder(self) -> list[str]:
        """Return the date of the person's message, if the conversation does
        not contain it yet.

        Relative times in a memory are counted from the same moment.
        """
        today = self.store.said_at
        if f"{today:%Y-%m-%d}" == self._date_shown:
            return []
        self._date_shown = f"{today:%Y-%m-%d}"
        date = block("date", self._date_shown, weekday=f"{today:%A}")
        prompts = self.runtime.prompts
        return [prompts.reminder("date", date=date, zone=f"{today:%Z}")]

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
        self.mode = mode
        self.context.store = self.store if mode == "full" else None
        if appears_or_disappears:
            self._set_prompt()
        self._switched_to = mode
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

    def switch_mode(self, toggle: str, on: bool) -> bool:
        """Switch one of the modes on or off for this session, and say whether
        the system prompt was built again, so that its cache is lost once.
        """
        if toggle not in NAMES:
            raise HarnessError(
                f"there is no mode {toggle!r}", do=f"Choose {', '.join(NAMES)}"
            )
        self.toggles = self.toggles.switched(toggle, on, "this session")
        before = self.agent.system, self.agent.opening
        mode = next(one for one in self.modes if one.toggle == toggle)
        self._begin(mode)
        if mode is not self.session_memory:
            self._set_prompt()  # which says nothing of its notes
        elif not on:
            self.session_memory.writer.stop()
        return (self.agent.system, self.agent.opening) != before

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
        if not for_good:
            notice = telling.forget(store, file, session=self.session)
            self._keep_forgotten_off_record()
            if self.first_stage:
                self.first_stage.follow()
            return self.notice(notice)

        personal = None
        if self.personal.active and self.personal.folder.is_dir():
            personal = self.personal.store
        eraser = Eraser(
            project=self.store,
            personal=personal,
            record=self.record,
            keep_off_record=self._keep_forgotten_off_record,
            dreams=self.dreams,
            first_stage=self.first_stage,
            runtime=self.runtime,
            base=self.base,
            claude_md=self.context.project / "CLAUDE.md",
            context=self.context,
        )
        notice = eraser.erase(store, file)
        self._set_prompt()
        return self.notice(notice)

    def undo(self, change: str = "") -> str:
        """Take back the newest change to memory, or a certain one, and say
        what that was.

        ``change`` is an id, or the file that the newest change is taken back
        of. Text that somebody edited by hand since is left alone. Of a memory
        that was moved, both halves of the move are taken back.
        """
        store, change = self.store_of(change)
        said = self.personal.undo(self.store, store, change)
        return self.notice(said)

    def undo_beyond_turn(self) -> str:
        """Say what the next undo would take back if that is not from the last
        turn; "" if it is, or if it is the newest change.

        It is not the newest after an undo, nor after a line of a daily log,
        which cannot be taken back.
        """
        history = self.store.history()
        entry = self.store.next_to_undo()
        if entry is None:
            return ""
        if not history[-1].undoes and history[-1].what != LOG:
            return ""
        newest = self._newest_words()
        of_last_turn = newest is not None and entry.turn == newest[0]
        if of_last_turn and entry.session == self.session:
            return ""
        files = ", ".join(
            one.file for one in entry.changes if one.file != INDEX
        )
        moment = datetime.fromisoformat(entry.at)
        age = age_in_words(moment, self.runtime.clock.now())
        return f"{entry.id} ({entry.what} by {entry.who}, {age}): " + (
            files or INDEX
        )

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

    def personal_memories(self) -> list[MemoryHeader]:
        """List the personal memories, also those that do not count here; none
        while they are switched off.
        """
        mine = self.personal.memories().scan if self.personal.active else []
        return list(mine)

    def check_promotion(self, file: str) -> Memory:
        """Read a memory of the project that is to be promoted; raises
        MemlabError if it cannot be.
        """
        return self.personal.check_promotion(self.store, file)

    def promote(self, file: str) -> str:
        """Move a memory of the project to personal memory, because the person
        said yes to it, and say so; raises as ``move_memory`` does.
        """
        return self.notice(self.personal.promote(self.store, file))

    def demote(self, file: str) -> str:
        """Move a personal memory into this project's memory, and say so;
        raises as ``move_memory`` does.
        """
        return self.notice(self.personal.demote(self.store, file))

    def accept_held(self, one: PendingChange) -> Written:
        """Write a sentence that was held back, which keeps its origin."""
        return self.store.accept([one], who="user", session=self.session)

    def keep(self) -> str:
        """Save the person's newest message in their own words, and say so.

        The rules on what can be read live do not refuse it; all other rules
        may. Raises as the store does.
        """
        if self.mode != "full":
            raise HarnessError(
                "saving is switched off", do="Switch memory on first"
            )
        newest = self._newest_words()
        if newest is None:
            raise HarnessError(
                "there is no message to save", do="Say something first"
            )
        uuid, text = newest
        self.store.keeps_live = True
        try:
            written = self.store.write(
                _in_own_words(text),
                who="user",
                session=self.session,
                turn=uuid,
            )
        finally:
            self.store.keeps_live = False
        return self._notice_saved([written.path.name])

    def _newest_words(self) -> tuple[str, str] | None:
        """Return the uuid and the text of what the person said last."""
        pairs = zip(self.agent.uuids, self.agent.messages, strict=True)
        for uuid, message in reversed(list(pairs)):
            text = persons_text(message)
            if text is not None:
                return uuid, text
        return None

    def _report_declined(self, text: str) -> None:
        """Say why something that the person wanted to be remembered is not
        stored.
        """
        if find_secrets(text):
            self.notice(A_SECRET)
            return
        if without_request(text) == text.strip():
            return
        first = next(better_read_live(_in_own_words(text).body), None)
        if first is not None:
            why = first.message.removeprefix("never stored: ")
            self.notice(
                f"Not saved: {why}. A copy in memory would go stale. Say what"
                " was surprising about it, or save your words anyway:"
                " /memory keep"
            )

    def _declined(self, context: ToolContext, text: str) -> None:
        """Take the messages off the record of which the person did not want
        something saved.
        """
        if self.options.ask is None:
            return
        if context.who == EXTRACTOR and context.store and context.conversation:
            said = whose_words(*as_it_was_said(context.conversation()))
            evidence = context.store.support(said)
            behind = context.store.behind({"": text.encode()}, evidence)
            self.transcript.take_off_record(behind)
        else:
            self.transcript.off_record = True  # for the rest of the turn
            self.transcript.take_off_record([context.turn])

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

    def _start_over(self) -> None:
        """Build the system prompt: when a session begins, and when compaction
        ends the old one.
        """
        self._surfaced.files.clear()
        self._date_shown = ""
        self._index_news.said_nearly_full = False
        self.daily_log.shown = False
        self._set_prompt()

    def _rebuild_index(self) -> None:
        """Make an index that cannot be used from the memories, and say so.

        Where nothing may be written, this is only announced.
        """
        trouble = _index_trouble(self.memory)
        if not trouble:
            return
        if self.mode != "full":
            why = "saving is switched off"
        else:
            try:
                said = self._index_built_again(trouble)
                if said:
                    self.notice(one_line(said))
                return
            except (MemlabError, OSError) as error:
                why = self.context.hide(str(error))
        if self.mode != "off" and read_index(self.memory).notice:
            return  # the system prompt's own notice says so
        said = f"{INDEX} {trouble}. It was not built again, because {why}."
        self.notice(one_line(said))

    def _index_built_again(self, trouble: str) -> str:
        """Build the index again: of a text, the lines that can be read stay,
        and anything else gets another name. Gives "" if there is nothing to
        write.
        """
        folder, aside, files = self.store.folder, "", {}
        if (self.memory / INDEX).is_file() and not (
            self.memory / INDEX
        ).is_symlink():
            data = folder.read(INDEX).data or b""
            files[INDEX] = b"".join(
                line for line in data.splitlines(True) if _is_text(line)
            )
        elif os.path.lexists(self.memory / INDEX):
            names = (f"{INDEX}.set-aside-{number}" for number in count(1))
            aside = next(
                name
                for name in names
                if not os.path.lexists(self.memory / name)
            )
            folder.rename(INDEX, aside)
        try:
            done = self.store.commit(
                "index",
                files,
                reason=f"{INDEX} {trouble}",
                who="user",
                session=self.session,
            )
        except (MemlabError, OSError):
            if aside:
                folder.rename(aside, INDEX)
            raise
        if not done.change and not aside:
            return ""  # no memory can have a line
        said = f"{INDEX} {trouble}, so it was built again from the memories."
        if aside:
            return f"{said} What was there is now called {aside}."
        if files:
            return f"{said} To bring the old one back: /undo {done.change}"
        return said

    def _report_full_index(self) -> None:
        """Say how many memories have no line because the index is full."""
        with suppress(MemlabError):
            count = len(self.store.settled().unlisted)
            if count:
                self.notice_once(not_in_index_notice(count))

    def _set_prompt(self) -> None:
        """Build the system prompt and what every request begins with.

        Memory switched off is in neither.
        """
        prompts = self.runtime.prompts
        prompt = prompts.load(
            "agent",
            project=self.context.show(self.context.project),
            instructions=block("instructions", self._instructions()),
        )
        self.agent.system = prompt
        self.agent.opening = ()
        if self.mode == "off":
            return
        self._index_news.start_over()
        index = read_index(self.memory, self.runtime.settings, prompts)
        self.notice_once(index.notice)
        team = self.team.usable
        section = memory_section(
            self.memory,
            show=self.context.show,
            index=index,
            prompts=prompts,
            index_elsewhere=self.toggles.index_in_reminder,
            team=self.team.path if team else None,
            team_index=self.team.index() if team else None,
            daily_log=self.daily_log.active,
        )
        sections = [prompt, section]
        sections += [mode.section() for mode in self.active_modes()]
        self.agent.system = "\n\n".join(filter(None, sections))
        if self.toggles.index_in_reminder:
            shown = index_block("index", index, prompts)
            self.agent.opening = (prompts.reminder("index", index=shown),)

    def _instructions(self) -> str:
        project = self.context.project
        file = read_prompt_file(
            project / "CLAUDE.md", inside=project, most=CLAUDE_MD_BYTES
        )
        self.notice_once(file.notice)
        text = file.text.strip()
        if text and file.notice:
            return f"{text}\n\n[{file.notice}]"
        return text

    def notice_once(self, text: str) -> None:
        """Tell the person about a file that was cut or left out, but not at
        every reading.
        """
        shown = self.context.hide(text)
        if shown and shown not in self.notices:
            self.notice(shown)

    def _notice_saved(self, files: Sequence[str]) -> str:
        notice = _saved_notice(files)
        self.notices.append(notice)
        self.observer.on_saved(files)
        return notice

    def notice(self, text: str) -> str:
        """Tell the person something, and give it back."""
        self.notices.append(text)
        self.observer.on_notice(text)
        return text


_OFF = "memory is switched off in this session and counts as empty"


def _index_trouble(memory: Path) -> str:
    """Say why no session can use the index as it is; "" if it can.

    A directory without memories needs no index.
    """
    path = memory / INDEX
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISLNK(mode):
            return f"is a link to {os.readlink(path)}, not a file"
        if stat.S_ISDIR(mode):
            return "is a folder, not a file"
        if not stat.S_ISREG(mode):
            return "is not a regular file"
        with path.open("rb") as file:
            data = file.read(MOST_READ)
        return "" if _is_text(data) else "cannot be decoded as text"
    except FileNotFoundError:
        found, _ = find_memory_files(str(memory))
        own = any(index_of(name) == INDEX for _, name in found)
        return "is missing" if own else ""
    except OSError:
        return ""  # what reads it says so


def _is_text(data: bytes) -> bool:
    with suppress(UnicodeDecodeError):
        return "\0" not in data.decode()
    return False


def _saved_notice(files: Sequence[str]) -> str:
    return f"Saved to memory: {', '.join(files)}"


def _in_own_words(text: str) -> Memory:
    """Make a memory of what the person said, word for word."""
    said = without_request(text).strip()
    title = shorten(one_line(said).rstrip("."), 60)
    return Memory(title, one_line(said), MemoryType.reference, said)


class _AgentObserver(Observer):
    """Passes the agent's words on, and starts over after a compaction."""

    def __init__(self, harness: Harness) -> None:
        self._harness = harness

    def on_text(self, text: str) -> None:
        self._harness.observer.on_text(text)

    def on_compact(self, summary: str) -> None:
        self._harness._start_over()


class _Access(Access):
    """What the session's switches and modes leave open to the tools."""

    def __init__(self, harness: Harness, *, asks: bool) -> None:
        self._harness = harness
        self._asks = asks

    def hides(self, file: str) -> str:
        return self._harness.team.hides(file)

    def refuses(self, file: str, who: str) -> str:
        harness = self._harness
        if who == EXTRACTOR and not harness.extracts():
            return "The person has switched saving off"
        refusal = harness.team.refuses(file, who)
        return refusal or harness.daily_log.refuses(file, who)

    def closed(self) -> Mapping[str, str]:
        if self._harness.mode == "off":
            return {"": _OFF}
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
        if not self._asks:
            return True
        ask = self._harness.options.ask
        if ask is None:
            return False
        shown = context.show(self._harness.memory / file)
        answer = ask(f"Save this as {shown}?\n\n{text}\n")
        yes = await answer if inspect.isawaitable(answer) else answer
        if not yes:
            self._harness._declined(context, text)
        return yes


class _ExtractionHost(ExtractionHost):
    """Says what the extractor may do in this conversation, and tells the
    person what it saved.
    """

    def __init__(self, harness: Harness) -> None:
        self._harness = harness

    def enabled(self) -> bool:
        return self._harness.extracts()

    def keeps_log(self) -> bool:
        return self._harness.context.access.log_day() is not None

    def withheld(self) -> frozenset[str]:
        return self._harness.withheld()

    def project_instructions(self) -> str:
        return self._harness._instructions()

    def time_of(self, uuid: str) -> datetime | None:
        return self._harness.transcript.times.get(uuid)

    def on_end(self, run: Extraction) -> None:
        if run.files:
            self._harness._notice_saved([*run.files])
        for note in run.notes:
            self._harness.notice(note)
        self._harness._report_full_index()
        if run.stopped == "error":
            failed = f"Saving to memory failed: {run.error}"
            self._harness.notice_once(failed)

    def on_cursor(self, cursor: str) -> None:
        transcript = self._harness.transcript
        transcript.save_state(replace(transcript.state, cursor=cursor))
