"""A dream: one consolidation of the memory, done as a whole, in part on
demand, or not at all.

It takes the lock, works on a copy, is reviewed by code, asks a person if there
is one, and is committed as one change that can be undone. If it ends in any
other way, memory and lock are as before. A ``DreamTask`` shows all of this to
the person while it happens. Whether a dream is due is decided by the gates.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import Counter
from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from memlab.agent.compaction import as_it_was_said
from memlab.agent.fork import ForkResult, run_forked_agent
from memlab.agent.loop import Observer
from memlab.agent.request import RequestPrefix
from memlab.agent.tool import Tool, ToolContext, ToolOutcome
from memlab.clock import from_nanoseconds, wait_within
from memlab.dream.lock import ConsolidationLock, Held, Span
from memlab.dream.plan import (
    REJECTED,
    Plan,
    counted,
    is_shared,
    newest_sessions,
    said_in,
)
from memlab.dream.receipt import HOW_TO_REVIEW, Receipt, is_waiting, tally
from memlab.dream.stage import DreamError, StagedMemory
from memlab.errors import MemlabError, pass_on_tape_miss
from memlab.events import DreamCompleted, DreamFailed, DreamStarted
from memlab.evidence.attribution import whose_words
from memlab.evidence.pending import DREAM
from memlab.memdir.daily_log import MOST_LOGS, find_logs
from memlab.memdir.follow import not_in_index_notice
from memlab.memdir.places import INDEX, LOGS
from memlab.memdir.scan import format_manifest, one_line, scan_memory_files
from memlab.memdir.store import By, MemoryStore
from memlab.prompts.blocks import Rendered, block
from memlab.runtime import Runtime
from memlab.text import as_blocks

AS_BEFORE = "The memory is as it was."
MOST_SESSIONS = 100
Decide = Callable[
    [Receipt], Collection[str] | Awaitable[Collection[str] | None] | None
]


class DreamTask(Observer):
    """The live state of one dream, which a chat or a widget shows: what it
    does, and how it ended.

    ``phase`` is starting, updating from the first write on, and then done,
    waiting, failed or stopped. ``refused`` says why calls were refused.
    ``notice`` is the message to show at the end.
    """

    def __init__(self) -> None:
        self.phase, self.notice, self.last_text = "starting", "", ""
        self.sessions: tuple[Path, ...] = ()
        self.started: datetime | None = None
        self.tool_counts: Counter[str] = Counter()
        self.files_touched: tuple[str, ...] = ()
        self.refused: list[str] = []
        self.receipt = Receipt()
        self.stopping = False
        self.job: asyncio.Task[ForkResult] | None = None

    @property
    def pill(self) -> str:
        """What a status line shows: ``dreaming`` while it runs, else nothing."""
        return "dreaming" if self.job and not self.notice else ""

    def stop(self) -> bool:
        """End the dream and leave the memory as it was; False if there is
        nothing to stop.

        May be called from any thread.
        """
        if self.job is None or self.notice:
            return False
        self.stopping = True
        self.job.get_loop().call_soon_threadsafe(self.job.cancel)
        return True

    def on_message(self, message: Mapping[str, Any]) -> None:
        """Record what the dream says and which tools it calls."""
        for part in as_blocks(message["content"]):
            if part["type"] == "tool_use":
                self.tool_counts[str(part["name"])] += 1
            elif part["type"] == "text" and message["role"] == "assistant":
                self.last_text = str(part["text"])

    def on_tool(self, outcome: ToolOutcome) -> None:
        """Record which memory file a tool has changed, or why it may not."""
        if outcome.status == "denied":
            self.refused.append(outcome.reason)
        if outcome.memory is not None:
            self.phase = "updating"
            touched = dict.fromkeys((*self.files_touched, outcome.memory.file))
            self.files_touched = tuple(touched)


@dataclass(kw_only=True)
class Dream:
    """All that a dream needs; ``context`` is the main agent's, with its store.

    ``policy`` is ``ask``: ``decide`` gets the receipt and gives the files
    whose change is wanted, or None for no answer, which ends the dream; the
    time limit goes on, since the lock's does. ``apply``: nobody is asked, and
    what needs a person waits for one. Or ``dry_run``, which takes no lock.
    ``room`` is where the copy is kept. Nothing is committed unless
    ``allowed``, which is asked when no other writer can come between any more.
    """

    runtime: Runtime
    tools: Sequence[Tool]
    context: ToolContext
    lock: ConsolidationLock
    policy: str = "ask"
    decide: Decide | None = None
    allowed: Callable[[], bool] = lambda: True
    room: Path | None = None

    async def run(
        self,
        prefix: RequestPrefix,
        *,
        sessions: Sequence[Path] = (),
        hours_since: float | None = None,
        task: DreamTask | None = None,
    ) -> DreamTask:
        """Dream once, and give the task with its notice and receipt; what
        fails is told there. ``sessions`` are the oldest first.

        Stopped by ``task.stop()`` it returns; cancelled from outside it raises
        CancelledError, and it raises TapeMiss where a tape is replayed. In all
        three cases the memory is as it was.
        """
        task = task or DreamTask()
        task.started = self.runtime.clock.now()
        # a dry run changes nothing at all, so it takes no lock either
        is_dry = self.policy == "dry_run"
        held = self.lock.foresee() if is_dry else self.lock.try_acquire()
        if not isinstance(held, Held):
            return self._failed(task, held.message)
        if not is_dry and is_waiting(self.lock.directory):
            why = "another one is waiting for your review"
            said = f"No dream was started: {why}. {HOW_TO_REVIEW}."
            return self._failed(task, said)
        task.sessions, rest = that_fit(sessions, held.due)
        self.runtime.events.emit(
            DreamStarted(hours_since=hours_since, sessions_since=len(sessions))
        )
        work = self._dream(prefix, held, task)
        job = task.job = asyncio.create_task(work)
        minutes = self.runtime.settings.dream_max_minutes
        late: object = ()
        try:
            late = await wait_within([job], minutes * 60, self.runtime.clock)
        finally:  # when this is cancelled, too
            job.cancel()
            await asyncio.wait([job])
            error = None if job.cancelled() else job.exception()
            if late and job.cancelled():
                error = DreamError(f"it took longer than {minutes:g} minutes")
            if error:
                is_known = isinstance(error, MemlabError | OSError)
                why = str(error) if is_known else repr(error)
                self._failed(task, f"The dream failed: {why}.")
                pass_on_tape_miss(error)
            elif job.cancelled():
                self._failed(task, "The dream was stopped.", "stopped")
            else:
                self._completed(task, job.result(), rest)
        return task

    async def _dream(
        self, prefix: RequestPrefix, held: Held, task: DreamTask
    ) -> ForkResult:
        # the context loses its store when saving is switched off
        store, settings = self.context.store, self.runtime.settings
        assert store
        erased = _erasures(store)
        with StagedMemory(
            store.directory,
            clock=self.runtime.clock,
            room=self.room,
            sweep=self.policy != "dry_run",
        ) as staged:
            context = staged.context(self.context)
            done = await run_forked_agent(
                prefix,
                dream_prompt(context, task.sessions, held.last, self.runtime),
                self.runtime,
                tools=self.tools,
                context=context,
                permission=context.permission(),
                purpose=DREAM,
                max_turns=settings.dream_max_turns,
                observer=task,
            )
            if done.stopped != "done":
                why = done.error.removesuffix(".") or "it did not finish"
                raise DreamError(why)
            proposal = staged.proposal()

        def check() -> None:
            if _erasures(store) != erased:
                what = "in the meantime, a memory was erased for good"
                raise DreamError(what)
            if task.stopping or not self.allowed():
                raise asyncio.CancelledError

        is_memory = self.context.is_memory
        newest = newest_sessions(self.context.sessions)
        sessions = [*dict.fromkeys((*newest, *task.sessions))]
        said = [
            *said_in(sessions, is_memory),
            *whose_words(*as_it_was_said(prefix), is_memory),
        ]
        alone = self.policy == "apply"
        # nobody sees it if a teammate's sentence becomes a private one
        known = {
            name: data
            for name, data in proposal.before.items()
            if not (alone and is_shared(name))
        }
        session, turn = self.context.session, self.context.turn
        plan = Plan(
            proposal=proposal,
            store=store,
            lock=self.lock,
            evidence=store.support(said, known),
            by=By(who=DREAM, session=session, turn=turn),
            alone=alone,
            check=check,
        )
        task.receipt = plan.receipt()
        if self.policy != "dry_run":
            task.receipt = plan.commit(await self._unwanted(task.receipt))
        return done

    async def _unwanted(self, receipt: Receipt) -> Mapping[str, str]:
        """Ask which changes are wanted, and say of the others why not."""
        if self.policy == "apply" or not receipt.accepted:
            return {}
        if self.decide is None:
            raise DreamError("there is nobody to ask about its changes")
        answer = self.decide(receipt)
        wanted = await answer if inspect.isawaitable(answer) else answer
        if wanted is None:
            raise DreamError("nobody decided on its changes")
        # what was refused stays refused: nobody has agreed to it
        return {
            change.file: change.refused or REJECTED
            for change in receipt.changes
            if change.refused or change.file not in wanted
        }

    def _completed(
        self, task: DreamTask, done: ForkResult, rest: Sequence[Path]
    ) -> None:
        """Release the lock, log the end, and say what happened.

        A dream that waits for a review counts as a consolidation, too: its
        sessions have been reviewed, and its result is kept. If the lock went
        back to what it was before, the next turn would pay for the same dream
        once more.
        """
        receipt = task.receipt
        # if this fails, the change stands; the lock's next holder sees a crash
        with suppress(MemlabError):
            if self.policy != "dry_run":
                self.lock.finish(_span(rest))
        made = receipt.memories if receipt.change else ()
        self.runtime.events.emit(
            DreamCompleted(
                cache_read=done.tokens.read,
                cache_created=done.tokens.created,
                output=done.tokens.output,
                sessions_reviewed=len(task.sessions),
                files=", ".join(change.file for change in made),
            )
        )
        task.phase = "waiting" if receipt.waits else "done"
        task.notice = " ".join(self._notice(task, rest))

    def _notice(self, task: DreamTask, rest: Sequence[Path]) -> Iterator[str]:
        receipt, settled = task.receipt, task.receipt.settled
        if self.policy == "dry_run":
            changed = {one.file for one in receipt.accepted}
            if settled and any(settled[1:5]):
                changed.add(INDEX)
            files = counted(len(changed), "file", "files")
            yield f"The dream would change {files}. {AS_BEFORE}"
        else:
            yield f"The dream {what_happened(receipt)}."
        if settled and settled.unlisted:
            yield not_in_index_notice(len(settled.unlisted))
        left = len(receipt.changes) - len(receipt.accepted)
        if left:
            were = counted(left, "change was", "changes were")
            yield f"{were} left out; the receipt says why."
        if receipt.waits:
            yield f"It is waiting for your review: {receipt.waits}."
            yield f"{HOW_TO_REVIEW}."
        if rest:
            yield (
                f"It has looked at {len(task.sessions)} sessions; the other"
                f" {len(rest)} are due next time."
            )
        if task.refused:
            calls = counted(len(task.refused), "call was", "calls were")
            yield f"{calls} refused: {task.refused[0]}."

    def _failed(
        self, task: DreamTask, why: str, phase: str = "failed"
    ) -> DreamTask:
        with suppress(MemlabError):  # then heal() puts the stamp back
            self.lock.rollback()
        self.runtime.events.emit(DreamFailed(reason=why))
        task.phase = phase
        task.notice = f"{why} {AS_BEFORE}" if task.job else why
        return task


def what_happened(receipt: Receipt) -> str:
    """Say what a receipt that was acted upon did: "dropped 2 memories, merged
    3".
    """
    if not receipt.change:
        return f"changed nothing. {AS_BEFORE.removesuffix('.')}"
    return tally(receipt.memories) or "put the index in order"


def that_fit(
    sessions: Sequence[Path], due: Span | None
) -> tuple[tuple[Path, ...], Sequence[Path]]:
    """Choose the sessions for one dream, and give the others, which stay due.

    The newest are chosen, unless older ones did not fit into the last dream:
    then these come first.
    """
    cut = MOST_SESSIONS if due else max(len(sessions) - MOST_SESSIONS, 0)
    old, new = sessions[:cut], sessions[cut:]
    return (tuple(old), new) if due else (tuple(new), old)


def _span(sessions: Sequence[Path]) -> Span | None:
    """Give the times of the oldest and the newest of some sessions."""
    with suppress(OSError):
        times = [one.stat().st_mtime_ns for one in sessions]
        return (min(times), max(times)) if times else None
    return None


def dream_prompt(
    context: ToolContext,
    sessions: Sequence[Path],
    last: datetime | None,
    runtime: Runtime,
) -> str:
    """Write the message that starts a dream, with the memories and sessions
    there are.
    """
    assert context.memory
    settings, show = runtime.settings, context.show
    scan = scan_memory_files(
        context.memory, settings, hides=context.access.hides
    )
    lines = []
    for path in sessions:
        with suppress(OSError):  # one that has gone meanwhile
            when = _iso(from_nanoseconds(path.stat().st_mtime_ns))
            lines.append(f"- {one_line(show(path))} ({when})")
    folder = show(context.sessions or context.project)
    return runtime.prompts.load(
        "dream",
        memory_directory=block("memory_directory", show(context.memory)),
        sessions=block("sessions", *lines, folder=folder),
        manifest=block("manifest", format_manifest(scan, settings)),
        logs=_logs_block(context, last),
        now=_iso(context.clock.now()),
        last=_iso(last) if last else "never",
        index_lines=f"{settings.index_max_lines}",
        index_bytes=f"{settings.index_max_bytes}",
        line_characters=f"{settings.index_line_characters}",
        turns=f"{settings.dream_max_turns}",
    )


def _logs_block(context: ToolContext, last: datetime | None) -> Rendered:
    """List the daily logs that were added to since the last consolidation; ""
    where there are none, so that the prompt is as if there were no logs.
    """
    assert context.memory
    lines = []
    # a staged copy has no logs, and its paths lead to the real ones
    directory = context.path(context.show(context.memory / LOGS)).parent
    for path, found in islice(find_logs(directory), MOST_LOGS):
        written = from_nanoseconds(found.mtime)
        if last is None or written > last:
            shown = one_line(context.show(directory / path))
            size = len(found.data or b"")
            lines.append(f"- {shown} ({size} bytes, {_iso(written)})")
    if not lines:
        return Rendered("")
    return Rendered(f"\n\n{block('logs', *reversed(lines))}")


def _iso(moment: datetime) -> str:
    """Write a moment in UTC to the second."""
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def _erasures(store: MemoryStore) -> set[str]:
    """Name the changes that erased a memory for good; the journal no longer
    names its file.
    """
    return {entry.id for entry in store.history() if entry.forgets}
