"""The assembled agent: the loop with its index and recall, and what follows a turn, in one project.

It decides who may write what, and what the person is told; each part does its own work. Left out:
a face. ``memlab.cli.chat`` has one for the terminal, the notebooks have another.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memlab.agent.consent import Consent, asking_tools
from memlab.agent.fork import carried_out_writes, fork_context
from memlab.agent.loop import Agent, TurnResult
from memlab.agent.off_record import take_off_record
from memlab.agent.permissions import Ask, main_permissions
from memlab.agent.request import RequestPrefix
from memlab.agent.resume import Loaded, TranscriptError, find_transcript
from memlab.agent.session import SessionPlace, begin_session
from memlab.agent.tool import ToolContext
from memlab.agent.tools import standard_tools
from memlab.agent.transcript import SessionState, Transcript
from memlab.clock import Clock
from memlab.dream.dream import Decide
from memlab.dream.scheduler import Dreams
from memlab.dream.task import DreamTask
from memlab.errors import MemlabError
from memlab.events import EventLog
from memlab.extract import Extractor, TranscriptTimes
from memlab.extract.store import WitnessedStore
from memlab.memdir.ignore import asks_to_ignore_memory
from memlab.memdir.index_delta import IndexNews, reminder
from memlab.memdir.instructions import CLAUDE_MD_BYTES, memory_section, read_index, read_prompt_file
from memlab.memdir.memory import Memory
from memlab.memdir.paths import Where, memory_paths
from memlab.memdir.policy import Finding, lint_memory
from memlab.memdir.store import MemoryStore, erase, forget, set_aside_notice, undo
from memlab.memdir.toggles import Toggles, load_toggles
from memlab.prompts import load_prompt
from memlab.recall import Prefetch, RecallReport, Surfaced, keyword_rank, recall
from memlab.recall.choose import Rank
from memlab.settings import Settings

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

MODES, SAVING = ("full", "recall_only", "off"), ("tell", "ask")
_SWITCHED = {
    "full": "The person has switched memory on: read it and save to it again.",
    "recall_only": "The person has switched saving off: memory can be read, and nothing is saved.",
    "off": "The person has switched memory off: go on as if its directory were empty.",
}

_DREAM_DROPPED = (
    "A dream that was waiting for your review contained the words too, so it was dropped."
)


class HarnessError(MemlabError):
    """The agent cannot be assembled so, or cannot do what was asked."""


@dataclass(frozen=True)
class Said:
    """What came of the person's words; ``error`` and ``notices`` are for the person.

    ``notices`` has what came up since the turn before, ``recalled`` the memories that joined in.
    """

    text: str
    error: str
    notices: tuple[str, ...]
    recalled: tuple[str, ...]
    turn: TurnResult


@dataclass
class Harness:
    """One conversation in one project, with memory.

    ``mode`` is ``full``, ``recall_only`` (nobody but the person changes memory) or ``off``; left
    empty, it is that of the session. What is said in another mode than ``full`` is off the record.
    ``saving`` tells what was saved, or asks before. ``ask`` puts a yes-or-no question to the
    person. ``run_shell`` runs a command that the person allowed; without it only those that read
    may run. ``base`` is where memlab keeps all it knows, ``resume`` a session to go on with.
    Raises MemlabError if the project, its memory or its settings cannot be used.
    """

    project: Path | str
    _: KW_ONLY
    client: AsyncAnthropic
    clock: Clock
    settings: Settings
    events: EventLog
    base: Path | str | None = None
    where: Where = field(default_factory=Where)
    environ: Mapping[str, str] | None = None
    mode: str = ""
    saving: str = "tell"
    toggles: Toggles | None = None
    ask: Ask | None = None
    run_shell: Callable[[str], str] | None = None
    session: str = ""
    resume: str = ""
    decide: Decide | None = None
    rank: Rank = keyword_rank
    rebuild_each_turn: bool = False
    on_text: Callable[[str], object] = lambda text: None
    on_notice: Callable[[str], object] = lambda notice: None

    def __post_init__(self) -> None:
        for value, known in ((self.mode or "full", MODES), (self.saving, SAVING)):
            if value not in known:
                raise HarnessError(f"{value!r} is not known", do=f"Choose {', '.join(known)}")
        if not Path(self.project).is_dir():
            raise HarnessError(
                "this is not a folder", where=self.project, do="Name the project's folder"
            )
        self.notices, self._fresh = list[str](), list[Mapping[str, Any]]()
        self.recall_report: RecallReport | None = None
        self._surfaced, self._said_at = Surfaced(), self.clock.now()
        self._told, self._switched = 0, list[str]()
        self._kept_off: set[tuple[str, str]] = set()
        self._consent = Consent(self.ask, self._declined)
        self._open()
        self._assemble()
        if told := set_aside_notice(self.store, show=self.context.show):
            self._notice(told)
        self._start_over()
        if self.mode == "full" and (told := self.dreams.heal()):
            self._notice(told)
        if self.mode != "off" and (waits := self.dreams.reminder()):
            self._notice(waits)

    def _open(self) -> None:
        """Find what belongs to the project, and open its memory."""
        environ = dict(os.environ if self.environ is None else self.environ)
        environ |= {"MEMLAB_HOME": str(self.base)} if self.base else {}
        self.paths = memory_paths(self.project, environ=environ, where=self.where)
        self.memory, self.folder = self.paths.memory_dir, self.paths.project_dir
        self.home = self.where.home or Path.home()
        self.root = self.paths.conversations_dir.parent
        self.on = self.toggles or load_toggles(self.folder, base=self.root, environ=environ)
        self._news = IndexNews(self.memory)
        self.store = MemoryStore(self.memory, clock=self.clock, checks=self._check)

    def _assemble(self) -> None:
        """Put the parts together, with the loop around them."""
        top = self.paths.project.top
        transcript, history = self._begin_session()
        self.transcript = transcript
        timed: dict[str, Any] = {"clock": self.clock, "settings": self.settings}
        self._given = timed | {"client": self.client, "events": self.events}
        tools = standard_tools()
        tools = asking_tools(tools, self._consent) if self.saving == "ask" else tools
        context = ToolContext(
            project=top,
            home=self.home,
            memory=self.memory,
            store=self.store,
            sessions=self.folder,
            session=self.session,
            **timed,
        )
        store = self.store if self.mode == "full" else None
        self.context = fork_context(
            context, who="main agent", store=store, run_shell=self.run_shell
        )
        self.extractor = Extractor(
            tools=tools,
            context=context,
            project_instructions=self._instructions,
            enabled=self._extracts,
            on_saved=lambda run: self._notice(f"Saved to memory: {', '.join(run.files)}"),
            on_failed=lambda run: self._notice_once(f"Saving to memory failed: {run.error}"),
            on_cursor=lambda cursor: self._save_state(cursor=cursor),
            withheld=self._withheld,
            cursor=history.cursor if history else "",
            times=TranscriptTimes(transcript.path),
            **self._given,
        )
        self.dreams = Dreams(
            tools=standard_tools(),
            context=context,
            toggles=lambda: replace(self.on, auto_memory=self.mode == "full"),
            checks=self._check,
            decide=self.decide,
            withheld=self._withheld,
            on_end=lambda task: self._notice(task.notice),
            **self._given,
        )
        self.agent = Agent(
            model=self.settings.main_model,
            system="",
            tools=tools,
            context=self.context,
            permission=main_permissions(self.context, self.ask, shell=bool(self.run_shell)),
            transcript=transcript,
            history=history,
            prefetch=Prefetch(self._recall, events=self.events, **timed),
            stop_hooks=[self.after_turn],
            on_text=self.on_text,
            on_message=self._fresh.append,
            on_compact=lambda summary: self._start_over(),
            **self._given,
        )

    def _begin_session(self) -> tuple[Transcript, Loaded | None]:
        """Begin a session or resume one: with its mode, unless another one is wanted now."""

        def state(history: Loaded | None) -> SessionState:
            before = (history and history.state) or SessionState()
            mode = self.mode or before.mode
            self.mode = mode if mode in MODES and self.on.auto_memory else "off"
            return replace(before, mode=mode)

        place = SessionPlace(self.paths.project, self.folder, self.root, self.where)
        transcript, history = begin_session(
            place, clock=self.clock, state=state, session=self.session, resume=self.resume
        )
        self.session = transcript.session
        if history:
            for note in history.notes:
                self._notice(f"Resumed: {note}.")
            if self.mode != "full":
                how = self.mode.replace("_", " ")
                self._notice(f"Resumed: memory is switched to {how} in this session.")
            declined = transcript.state.declined if transcript.state else ()
            transcript.take_off_record(set(declined) - transcript.off_record_ids)
        transcript.off_record = self.mode != "full"
        return transcript, history

    async def say(self, text: str) -> Said:
        """Give the person's words to the agent and wait for its answer; raises as ``run_turn``."""
        if self.mode != "off" and asks_to_ignore_memory(text):
            self.switch("off")
            self._notice(
                "Memory is off for the rest of this session. /memory on switches it back on."
            )
        self._said_at, looked_up = self.clock.now(), len(self.events.named("prefetch"))
        known, surfaced = dict(self._news.known), dict(self._surfaced.files)
        if self.rebuild_each_turn:
            self.agent.system = self._system()
        news, self._switched = (
            [*self._switched, *(self._news.collect() if self.mode != "off" else ())],
            [],
        )
        self._fresh.clear()
        self.transcript.off_record = self.mode != "full"
        turn = await self.agent.run_turn(text, [reminder(news)] if news else ())
        if turn.stop_reason in ("refusal", "too_long"):  # what was attached is taken out again
            self._news.known, self._surfaced.files = known, surfaced
        for file in carried_out_writes(self._fresh, self.context):
            kept = (self.memory / file).exists()
            self._notice(f"Saved to memory: {file}" if kept else f"Dropped from memory: {file}")
            if not kept:
                self._keep_forgotten_off_record()
        when = [event.data["when"] for event in self.events.named("prefetch")[looked_up:]]
        recalled: tuple[str, ...] = ()
        if self.recall_report and when:
            self.recall_report = replace(self.recall_report, when=when[-1])
            if when[-1] in ("in time", "after tools"):
                recalled = tuple(one.filename for one in self.recall_report.attachments)
        new, self._told = tuple(self.notices[self._told :]), len(self.notices)
        return Said(turn.text, turn.error, new, recalled, turn)

    def interrupt(self) -> None:
        """End the turn under way, if there is one: its ``say`` gives what there is."""
        self.agent.interrupt()

    def switch(self, mode: str) -> None:
        """Switch memory on, to reading only, or off, and have the agent told with the next turn.

        Switched off, or to reading only, an extraction or a dream under way ends before its next
        write. May be called from any thread.
        """
        if mode not in MODES or not self.on.auto_memory:
            what = "memory is off by a setting" if mode in MODES else f"there is no mode {mode!r}"
            raise HarnessError(what, do=f"Set auto_memory, and choose {', '.join(MODES)}")
        appears_or_goes = (self.mode == "off") != (mode == "off")
        self.mode, self.context.store = mode, self.store if mode == "full" else None
        if appears_or_goes:
            self.agent.system = self._system()
        self._switched = [_SWITCHED[mode]]
        if mode != "full":
            self.transcript.off_record = True
            self.extractor.stop()
            self.dreams.stop()
        self._save_state(mode=mode)
        if self.agent.messages:
            self.transcript.save_document(self.agent.messages, self.agent.model)

    async def drain(self, limit: float | None = None) -> tuple[str, ...]:
        """Wait for what runs in the background; gives what was cut off after ``limit`` seconds."""
        return await self.agent.drain(limit)

    async def after_turn(self, prefix: RequestPrefix) -> None:
        """Do what follows a turn that ended well: extraction, then the dream check."""
        await self.extractor(prefix)
        if not self.extractor.running:
            await self.dreams.check(prefix)

    async def dream_now(self, *, policy: str = "") -> DreamTask:
        """Put memory in order because the person wants it; as ``Dreams.now``."""
        return await self.dreams.now(self.agent.prefix(), policy=policy)

    def forget(self, file: str, *, for_good: bool = False) -> str:
        """Drop a memory and say so; ``for_good``, which a person must confirm, leaves no copy."""
        if not for_good:
            done = forget(self.store, file, session=self.session)
            self._keep_forgotten_off_record()
            return self._notice(done)
        dropped = False

        def places() -> list[Path]:
            nonlocal dropped
            self.dreams.heal()  # a copy that a killed dream has left goes too
            dropped = self.dreams.waiting.reject()
            self._keep_forgotten_off_record()
            return [self.root, *self.dreams.copies(), self.context.project / "CLAUDE.md"]

        done = erase(self.store, file, session=self.session, places=places, show=self.context.show)
        return self._notice(f"{done} {_DREAM_DROPPED}" if dropped else done)

    def undo(self, change: str = "", *, force: bool = False) -> str:
        """Take back the newest change to memory, or a certain one, and say what that was.

        Text that somebody edited by hand since is left alone, unless ``force`` is set.
        """
        return self._notice(undo(self.store, change, force=force, session=self.session))

    def _extracts(self) -> bool:
        return self.mode == "full" and self.on.extraction

    def _save_state(self, **changes: Any) -> None:
        """Record with the session what has changed of its state."""
        self.transcript.save_state(replace(self.transcript.state or SessionState(), **changes))

    def _declined(self, context: ToolContext, text: str) -> None:
        """Take the messages off the record of which the person did not want something saved."""
        if self.ask is None:
            return
        messages: Sequence[str] = (context.turn,)
        if isinstance(context.store, WitnessedStore):
            messages = context.store.sources(text)
        else:
            self.transcript.off_record = True  # for the rest of the turn
        declined = self.transcript.state.declined if self.transcript.state else ()
        self._save_state(declined=tuple(dict.fromkeys((*declined, *messages))))
        self.transcript.take_off_record(messages)

    def _withheld(self) -> frozenset[str]:
        """Give the messages of this session from which nothing may be learned."""
        self._keep_forgotten_off_record()
        return frozenset(self.transcript.off_record_ids)

    def _keep_forgotten_off_record(self) -> None:
        """Take the messages off the record that forgotten memories came from, in every session."""
        for session, messages in self.store.withheld().items():
            fresh = {uuid for uuid in messages if (session, uuid) not in self._kept_off}
            if not fresh:
                continue
            if session == self.session:
                self.transcript.take_off_record(fresh)
            else:
                try:
                    take_off_record(find_transcript(self.root, session), fresh)
                except TranscriptError:
                    pass  # a session that is gone has no words left
                except OSError:
                    continue  # tried again before the next extraction or dream
            self._kept_off |= {(session, uuid) for uuid in fresh}

    async def _recall(self, text: str, recent_tools: Sequence[str]) -> Sequence[str]:
        given = self._given | {"surfaced": self._surfaced, "recent_tools": recent_tools}
        given |= {"rank": self.rank, "show": self.context.show}
        enabled = self.mode != "off" and self.on.recall
        self.recall_report = await recall(text, directory=self.memory, enabled=enabled, **given)
        error = self.recall_report.selection.error
        if error.startswith("BadRequestError"):
            self._notice_once(f"Recall chose by keywords: {error}")
        return self.recall_report.texts

    def _start_over(self) -> None:
        """Build the system prompt: when a session begins, and when compaction ends the old one."""
        self._surfaced.start_over()
        self.agent.system = self._system()

    def _system(self) -> str:
        instructions = self._instructions() or "(There is none.)"
        project = self.context.show(self.context.project)
        told = load_prompt("agent", project=project, claude_md=instructions)
        if self.mode == "off":
            return told
        self._news.start_over()
        index = read_index(self.memory, self.settings)
        self._notice_once(index.notice)
        section = memory_section(self.memory, show=self.context.show, index=index)
        return f"{told}\n\n{section}"

    def _instructions(self) -> str:
        project = self.context.project
        file = read_prompt_file(project / "CLAUDE.md", inside=project, most=CLAUDE_MD_BYTES)
        self._notice_once(file.notice)
        text = file.text.strip()
        return f"{text}\n\n[{file.notice}]" if text and file.notice else text

    def _check(self, memory: Memory, *, now: datetime, **known: Any) -> Sequence[Finding]:
        """Judge a memory by the time of the message behind it, and by what CLAUDE.md says."""
        rules = self._instructions()
        known |= {"now": min(self._said_at, now), "settings": self.settings}
        return lint_memory(memory, project_instructions=rules, **known)

    def _notice_once(self, text: str) -> None:
        """Tell the person about a file that was cut or left out, but not at every reading."""
        shown = self.context.hide(text)
        if shown and shown not in self.notices:
            self._notice(shown)

    def _notice(self, text: str) -> str:
        self.notices.append(text)
        self.on_notice(text)
        return text
