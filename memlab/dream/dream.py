"""A dream: one consolidation of the memory, done as a whole, in part on
demand, or not at all.

It takes the lock, works on a copy, is reviewed by code, asks a person if there
is one, and is committed as one change that can be undone. A dream that nobody
reviews and that would change too much is kept for a review instead. If it ends
in any other way, memory and lock are as before. A ``DreamTask`` shows all of
this to the person while it happens. Whether a dream is due is decided by the
gates.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import Counter
from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Coroutine,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import suppress
from dataclasses import dataclass, replace
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
from memlab.dream.lock import ConsolidationLock, Held
from memlab.dream.plan import (
    Plan,
    SwitchedOffError,
    is_shared,
    left_to_person,
    rejected,
)
from memlab.dream.receipt import Receipt, tally
from memlab.dream.stage import (
    DREAM,
    DreamError,
    Proposal,
    StagedMemory,
    snapshot,
)
from memlab.dream.waiting import (
    HOW_TO_REVIEW,
    is_waiting,
    keep_waiting,
    load_waiting,
    newest_sessions,
    session_sources,
)
from memlab.errors import MemlabError, pass_on_tape_miss
from memlab.events import DreamCompleted, DreamFailed, DreamStarted, DreamWaits
from memlab.evidence.attribution import whose_words
from memlab.evidence.origin import Source
from memlab.memdir.daily_log import MOST_LOGS, find_logs
from memlab.memdir.follow import not_in_index_notice
from memlab.memdir.places import INDEXES, LOGS
from memlab.memdir.scan import format_manifest, one_line, scan_memory_files
from memlab.memdir.store import By, MemoryStore
from memlab.prompts import SHIPPED, Prompts
from memlab.prompts.blocks import Rendered, block
from memlab.runtime import Runtime
from memlab.settings import Settings
from memlab.text import as_blocks

AS_BEFORE = "The memory is as it was."
LEFT_OUT = (
    "{} change was left out; the receipt says why.",
    "{} changes were left out; the receipt says why.",
)
PROPOSED = (
    "{} change to the team's memory is only proposed",
    "{} changes to the team's memory are only proposed",
)
REMOVALS = (
    "{} removal of a private memory is only proposed, because the dream has"
    " read what others wrote",
    "{} removals of private memories are only proposed, because the dream has"
    " read what others wrote",
)
HELD = (
    "{} sentence was held back; /review shows it.",
    "{} sentences were held back; /review shows them.",
)
_ALREADY = "No dream was started: another one is waiting for your review."
MOST_SESSIONS = 100
RUNNING = ("starting", "updating")
Decide = Callable[
    [Receipt], Collection[str] | Awaitable[Collection[str] | None] | None
]


class DreamTask(Observer):
    """The live state of one dream, which a chat or a widget shows: what it
    does, and how it ended.

    ``phase`` is starting, updating from the first write on, and then done,
    waiting, failed or stopped. ``asking`` is true while a person looks at the
    receipt. ``notice`` is the message to show at the end.
    """

    def __init__(
        self, sessions: Sequence[Path] = (), started: datetime | None = None
    ) -> None:
        self.phase, self.notice, self.last_text = "starting", "", ""
        self.sessions, self.started = tuple(sessions), started
        self.tool_counts: Counter[str] = Counter()
        self.files_touched: tuple[str, ...] = ()
        self.receipt = Receipt()
        self.asking = False
        self.stopping = False
        self._running: asyncio.Task[Any] | None = None

    @property
    def pill(self) -> str:
        """What a status line shows: ``dreaming`` while it runs, else nothing."""
        return "dreaming" if self._running and self.phase in RUNNING else ""

    def stop(self) -> bool:
        """End the dream and leave the memory as it was; False if there is
        nothing to stop.

        May be called from any thread.
        """
        if not (self._running and self.phase in RUNNING):
            return False
        self.stopping = True
        self._running.get_loop().call_soon_threadsafe(
            self._cancel, self._running
        )
        return True

    def _cancel(self, running: asyncio.Task[Any]) -> None:
        if self._running is running:
            running.cancel()

    def begin(self) -> None:
        """Record that the asyncio task that calls this is the dream."""
        self._running = asyncio.current_task()

    def on_message(self, message: Mapping[str, Any]) -> None:
        """Record what the dream says and which tools it calls."""
        for part in as_blocks(message["content"]):
            if part["type"] == "tool_use":
                self.tool_counts[str(part["name"])] += 1
            elif part["type"] == "text" and message["role"] == "assistant":
                self.last_text = str(part["text"])

    def on_tool(self, outcome: ToolOutcome) -> None:
        """Record which memory file a tool has changed."""
        if outcome.memory is None:
            return
        self.phase = "updating"
        if outcome.memory.file not in self.files_touched:
            self.files_touched = (*self.files_touched, outcome.memory.file)

    def end(self, phase: str, notice: str) -> None:
        """Record how it ended; only the first end counts."""
        if self.phase in RUNNING:
            self.phase, self.notice, self.asking = phase, notice, False
        self._running = None


@dataclass(kw_only=True)
class Dream:
    """All that a dream needs; ``context`` is the main agent's, with its store.

    ``policy`` is ``ask``: ``decide`` gets the receipt and gives the files
    whose change is wanted, or None for no answer, which ends the dream; the
    time limit goes on, since the lock's does. ``apply``: what the review
    accepts is committed if it is small enough (``reasons_to_wait``), and
    otherwise all of it waits for a person (``waiting``). Or ``dry_run``.
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
        fails is told there.

        Stopped by ``task.stop()`` it returns; cancelled from outside it raises
        CancelledError, and it raises TapeMiss where a tape is replayed. In all
        three cases the memory is as it was.
        """
        task, current = task or DreamTask(), asyncio.current_task()
        asked = current.cancelling() if current else 0
        task.sessions, task.started = tuple(sessions), self.runtime.clock.now()
        held = self.lock.try_acquire()
        if not isinstance(held, Held):
            return self._ended(task, "failed", held.message)
        if self.policy != "dry_run" and is_waiting(self.lock.directory):
            return self._ended(task, "failed", f"{_ALREADY} {HOW_TO_REVIEW}.")
        task.begin()
        self.runtime.events.emit(
            DreamStarted(hours_since=hours_since, sessions_since=len(sessions))
        )
        try:
            done = await self._within(self._dream(prefix, held, task))
            self._completed(task, done)
        except (asyncio.CancelledError, SwitchedOffError):
            self._ended(task, "stopped", f"The dream was stopped. {AS_BEFORE}")
        except (MemlabError, OSError) as error:
            self._ended(
                task, "failed", f"The dream failed: {error}. {AS_BEFORE}"
            )
            pass_on_tape_miss(error)
        except BaseException as error:
            self._ended(
                task, "failed", f"The dream failed: {error!r}. {AS_BEFORE}"
            )
            if not isinstance(error, Exception):
                raise
        if current and current.cancelling() > asked:
            if not task.stopping:
                raise asyncio.CancelledError
            current.uncancel()
        return task

    async def _within(
        self, work: Coroutine[Any, Any, ForkResult]
    ) -> ForkResult:
        """Await the work for as long as a dream may take; ends it when this is
        cancelled.
        """
        minutes = self.runtime.settings.dream_max_minutes
        job = asyncio.get_running_loop().create_task(work, name="dream")
        try:
            if await wait_within([job], minutes * 60, self.runtime.clock):
                raise DreamError(f"it took longer than {minutes:g} minutes")
        except asyncio.CancelledError:
            # else it comes too late: what was committed stands
            if not job.done():
                raise
        finally:
            job.cancel()
            await asyncio.wait([job])
        return job.result()

    async def _dream(
        self, prefix: RequestPrefix, held: Held, task: DreamTask
    ) -> ForkResult:
        assert self.context.memory
        # the context loses it when saving is switched off
        store = self.context.store
        assert store
        erased = _erasures(store)
        with StagedMemory(
            self.context.memory,
            clock=self.runtime.clock,
            room=self.room,
        ) as staged:
            context = staged.context(self.context)
            done = await run_forked_agent(
                prefix,
                dream_prompt(
                    context,
                    sessions=task.sessions,
                    last=held.last,
                    settings=self.runtime.settings,
                    prompts=self.runtime.prompts,
                ),
                self.runtime,
                tools=self.tools,
                context=context,
                permission=context.permission(),
                purpose="dream",
                max_turns=self.runtime.settings.dream_max_turns,
                observer=task,
            )
            if done.stopped != "done":
                raise DreamError(
                    done.error.removesuffix(".") or "it did not finish"
                )
            proposal = staged.proposal()
            supporting = self._supporting_sessions(task)
            said = [
                *session_sources(supporting),
                *whose_words(*as_it_was_said(prefix)),
            ]
            known = proposal.before
            alone = self.policy == "apply"
            if alone:
                # nobody sees it if a teammate's sentence becomes a private one
                known = {
                    name: data
                    for name, data in known.items()
                    if not is_shared(name)
                }
            plan = Plan(
                proposal,
                store=store,
                lock=self.lock,
                evidence=store.support(said, known),
                alone=self.runtime.settings if alone else None,
                allowed=lambda: self.allowed() and not task.stopping,
            )
            task.receipt = plan.receipt()
            if task.receipt.attack:
                raise DreamError(
                    f"its copy was tampered with: {task.receipt.attack}"
                )
            if self.policy != "dry_run":
                unwanted = await self._unwanted(task)
                by = By(
                    who=DREAM,
                    session=self.context.session,
                    turn=self.context.turn,
                )
                task.receipt = plan.commit(unwanted, **by)
                if task.receipt.waits:
                    if not self.allowed():
                        raise SwitchedOffError("memory was switched off")
                    self._keep_for_review(
                        task,
                        proposal,
                        task.receipt,
                        task.receipt.waits,
                        erased,
                    )
                elif alone:
                    self._propose_rest(task, proposal, said, erased)
        return done

    def _propose_rest(
        self,
        task: DreamTask,
        proposal: Proposal,
        said: Sequence[Source],
        erased: Collection[str],
    ) -> None:
        """Keep what the dream wants of the team's files for a person, and what
        else it may not do alone, now that the rest is done.

        It is proposed for the memory as it is by now. If that fails, the
        receipt says so: the private part stands.
        """
        store = self.context.store
        part = persons_part(proposal)
        if part is None or store is None or not self.allowed():
            return
        receipt = Plan(
            part,
            store=store,
            lock=self.lock,
            evidence=store.support(said, part.before),
        ).receipt()
        kept = left_to_person(proposal)
        wanted = [
            change.file for change in receipt.accepted if change.file in kept
        ]
        if not wanted:
            return
        # an index follows its memories
        memories = [file for file in wanted if file not in INDEXES]
        files = tuple(memories or wanted)
        why = tuple(_proposed(files))
        try:
            self._keep_for_review(task, part, receipt, why, erased)
        except DreamError as error:
            lost = f"{why[0]}, and the proposal was not kept: {error}"
            problems = (*task.receipt.problems, lost)
            task.receipt = replace(task.receipt, problems=problems)
            return
        task.receipt = replace(task.receipt, proposed=files)

    def _supporting_sessions(self, task: DreamTask) -> tuple[Path, ...]:
        """Name the transcripts that may support a new sentence: those under
        review, and the newest of the others, since what the person said once
        stays said.
        """
        newest = newest_sessions(self.context.sessions)
        return tuple(dict.fromkeys((*newest, *task.sessions[-MOST_SESSIONS:])))

    def _keep_for_review(
        self,
        task: DreamTask,
        proposal: Proposal,
        receipt: Receipt,
        why: tuple[str, ...],
        erased: Collection[str],
    ) -> None:
        """Put the proposal where a person can review it, as long as the lock
        is still ours.

        What was erased for good since the dream began is looked for after the
        proposal was kept: an erasure that comes later finds it there.
        """
        store = self.context.store
        assert task.started
        assert store
        with self.lock.guarded() as mine:
            if not mine:
                raise DreamError("another process has taken its lock over")
            keep_waiting(
                store,
                proposal,
                at=task.started,
                session=self.context.session,
                why=why,
                stamps=receipt.stamps,
            )
        if _erasures(store) != erased:
            waiting = load_waiting(store.directory)
            store.drop(waiting.changes if waiting else ())
            raise DreamError(
                "in the meantime, a memory that it had read was erased for"
                " good"
            )

    async def _unwanted(self, task: DreamTask) -> Mapping[str, str]:
        """Ask which changes are wanted, and say of the others why not."""
        receipt = task.receipt
        if self.policy == "apply" or not receipt.accepted:
            return {}
        if self.decide is None:
            raise DreamError("there is nobody to ask about its changes")
        task.asking = True
        answer = self.decide(receipt)
        wanted = await answer if inspect.isawaitable(answer) else answer
        task.asking = False
        if wanted is None:
            raise DreamError("nobody decided on its changes")
        return rejected(receipt, wanted)

    def _completed(self, task: DreamTask, done: ForkResult) -> None:
        """Release the lock, log the end, and say what happened.

        A dream that waits for a review counts as a consolidation, too: its
        sessions have been reviewed, and its result is kept. If the lock went
        back to what it was before, the next turn would pay for the same dream
        once more.
        """
        receipt = task.receipt
        made = receipt.memories if receipt.change else ()
        # the change stands; the lock's next holder sees the crash
        with suppress(MemlabError):
            if self.policy == "dry_run":
                self.lock.rollback()
            else:
                self.lock.finish()
        self.runtime.events.emit(
            DreamCompleted(
                cache_read=done.tokens.read,
                cache_created=done.tokens.created,
                output=done.tokens.output,
                sessions_reviewed=len(task.sessions),
                files=", ".join(change.file for change in made),
            )
        )
        if receipt.waits:
            why = ". ".join(receipt.waits)
            self.runtime.events.emit(DreamWaits(reason=why))
            notice = (
                f"The dream is waiting for your review: {why}. {AS_BEFORE}"
                f" {HOW_TO_REVIEW}."
            )
            task.end("waiting", notice)
            return
        if self.policy == "dry_run":
            count = len(receipt.accepted)
            notice = (
                f"The dream would change {count} file{'s' * (count != 1)}."
                f" {AS_BEFORE}"
            )
        else:
            notice = f"The dream {what_happened(receipt)}."
        left = receipt.settled.unlisted if receipt.settled else ()
        if left:
            notice += f" {not_in_index_notice(len(left))}"
        if receipt.held:
            notice += (
                f" {HELD[len(receipt.held) > 1].format(len(receipt.held))}"
            )
        refused = sum(
            bool(change.refused)
            and not (receipt.proposed and is_shared(change.file))
            for change in receipt.changes
        )
        if refused:
            notice += f" {LEFT_OUT[refused > 1].format(refused)}"
        if receipt.proposed:
            why = "; ".join(_proposed(receipt.proposed))
            self.runtime.events.emit(DreamWaits(reason=why))
            notice += f" {why}. {HOW_TO_REVIEW}."
        task.end("done", notice)

    def _ended(self, task: DreamTask, phase: str, notice: str) -> DreamTask:
        with suppress(MemlabError):  # then heal() puts the stamp back
            self.lock.rollback()
        self.runtime.events.emit(
            DreamFailed(reason=notice.removesuffix(AS_BEFORE).strip())
        )
        task.end(phase, notice)
        return task


def persons_part(proposal: Proposal) -> Proposal | None:
    """Give what a proposal leaves to a person, for the rest of the memory as it
    is now; None if it leaves nothing.
    """
    kept = left_to_person(proposal)
    now = snapshot(proposal.directory).files
    rest = {name: now[name] for name in now if name not in kept}

    def with_rest(files: Mapping[str, bytes]) -> dict[str, bytes]:
        return rest | {name: files[name] for name in files if name in kept}

    before = with_rest(proposal.before)
    after = with_rest(proposal.after)
    if before == after:
        return None
    reasons = {
        name: why for name, why in proposal.reasons.items() if name in kept
    }
    odd = {name: why for name, why in proposal.odd.items() if name in kept}
    return replace(
        proposal, before=before, after=after, reasons=reasons, odd=odd
    )


def _proposed(files: Collection[str]) -> list[str]:
    """Say how much of the team's memory, and of the private one, is only
    proposed.
    """
    shared = sum(is_shared(file) for file in files)
    lines = []
    for count, words in ((shared, PROPOSED), (len(files) - shared, REMOVALS)):
        if count:
            lines.append(words[count > 1].format(count))
    return lines


def what_happened(receipt: Receipt) -> str:
    """Say what a receipt that was acted upon did: "dropped 2 memories, merged
    3".
    """
    if not receipt.change:
        return f"changed nothing. {AS_BEFORE.removesuffix('.')}"
    return tally(receipt.memories) or "put the index in order"


def dream_prompt(
    context: ToolContext,
    *,
    sessions: Sequence[Path],
    last: datetime | None,
    settings: Settings,
    prompts: Prompts = SHIPPED,
) -> str:
    """Write the message that starts a dream, with the memories and sessions
    there are.
    """
    assert context.memory
    scan = scan_memory_files(context.memory, settings, hides=context.hides)
    return prompts.load(
        "dream",
        memory_directory=block(
            "memory_directory", context.show(context.memory)
        ),
        sessions=block(
            "sessions",
            *_session_lines(context, sessions),
            folder=context.show(context.sessions or context.project),
        ),
        manifest=block("manifest", format_manifest(scan, settings)),
        logs=_logs_block(context, last),
        now=iso(context.clock.now()),
        last=iso(last) if last else "never",
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
            lines.append(f"- {shown} ({size} bytes, {iso(written)})")
    if not lines:
        return Rendered("")
    return Rendered(f"\n\n{block('logs', *reversed(lines))}")


def iso(moment: datetime) -> str:
    """Write a moment in UTC to the second."""
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def _erasures(store: MemoryStore) -> frozenset[str]:
    """Name the changes that erased a memory for good; the journal no longer
    names its file.
    """
    return frozenset(entry.id for entry in store.history() if entry.forgets)


def _session_lines(
    context: ToolContext, sessions: Sequence[Path]
) -> Iterator[str]:
    """Give a line for each of the newest sessions; one that has gone meanwhile
    has none.
    """
    for path in list(sessions)[-MOST_SESSIONS:]:
        with suppress(OSError):
            when = from_nanoseconds(path.stat().st_mtime_ns)
            yield f"- {one_line(context.show(path))} ({iso(when)})"
