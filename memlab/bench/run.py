"""Running a plan: an endpoint is asked, and every way in which a run ends.

An answer is written to the log when it is complete. So a run can end at any
moment, for whatever reason, and the same command goes on from there. What
really failed is read from the calls below the SDK, because recall, extraction
and dreams turn a failed call into an ordinary result.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from memlab.bench.answer import Answer
from memlab.bench.budget import (
    Asked,
    Budget,
    BudgetBusy,
    BudgetReached,
    answer_under_way,
)
from memlab.bench.endpoint import Endpoint
from memlab.bench.log import LogWriter, Lost, Run, Spent
from memlab.bench.plan import Plan, Question
from memlab.bench.tasks.task import Judged, ask_case
from memlab.clock import SystemClock
from memlab.errors import MemlabError, TapeMiss
from memlab.ledger import Tokens
from memlab.models.meter import NO_CREDIT, NO_MESSAGE
from memlab.models.tape import Redactor
from memlab.runtime import Runtime

MOST_FAILURES = 5
"""After so many answers in a row whose call was refused or timed out, a run
stops and keeps none of them.
"""

How = Literal["finished", "budget", "interrupted", "endpoint", "tape"]


@dataclass(frozen=True)
class Progress:
    """Where a run is: answers there and planned, those asked now and their
    fallbacks, and what all of it has cost.
    """

    done: int
    planned: int
    asked: int
    fallbacks: int
    spent: Spent
    seconds: float


@dataclass(frozen=True)
class Outcome:
    """How a run ended, in a word and in a sentence, and what it asked."""

    how: How
    message: str
    asked: int
    left: int


class Stop:
    """Ends a run early: the first request lets the answers under way end, the
    second one cuts them off.

    ``request`` may be called from a signal handler. ``on_request`` gets the
    number of requests, and is called when the handler is over, because a
    handler that prints could interrupt another print.
    """

    def __init__(
        self, on_request: Callable[[int], object] = lambda requests: None
    ) -> None:
        self.requests = 0
        self._on_request = on_request
        self._run: _Run | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def request(self) -> None:
        """Ask the run to end."""
        self.requests += 1
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._pass_on, self.requests)

    def attach(self, run: _Run) -> None:
        """Connect this with the run that it may end."""
        self._run = run
        self._loop = asyncio.get_running_loop()
        if self.requests:
            self._pass_on(self.requests)

    def _pass_on(self, requests: int) -> None:
        self._on_request(requests)
        if self._run is not None:
            self._run.stop(requests)


async def run(
    planned: Plan,
    endpoint: Endpoint,
    writer: LogWriter,
    *,
    budget: Budget | None = None,
    jobs: int = 4,
    on_progress: Callable[[Progress], object] = lambda progress: None,
    stop: Stop | None = None,
) -> Outcome:
    """Ask what is left of a plan, and write each answer to the log.

    It ends early, and keeps what is there, if the budget does not allow
    another call, if the endpoint fails, if the tape has no answer, or if
    ``stop`` says so.
    """
    started = Run(
        number=0,
        at=datetime.now(UTC),
        task=planned.task.name,
        half=planned.half,
        model=planned.model,
        mode=planned.mode,
        variants=planned.versions,
        repeats=planned.repeats,
        planned=len(planned.questions),
        dollars=budget.dollars if budget else None,
        tokens=budget.tokens if budget else None,
        memlab=str(sys.modules["memlab"].__version__),
    )
    number = writer.log.number(started)
    ledger = endpoint.ledger
    ledger.budget = budget or Budget()
    ledger.spent = writer.log.spent(number)
    if not planned.todo:
        return Outcome("finished", "There is nothing left to ask.", 0, 0)
    writer.begin(started.model_copy(update={"number": number}))
    work = _Run(planned, endpoint, writer, on_progress)
    if stop is not None:
        stop.attach(work)
    try:
        await work.all(jobs)
    except BaseException as error:
        # the reason for the error may be that nothing can be written
        cancelled = isinstance(error, asyncio.CancelledError)
        with suppress(MemlabError):
            writer.end("interrupted" if cancelled else "failed")
        raise
    outcome = work.outcome()
    writer.end(outcome.how)
    return outcome


@dataclass(frozen=True)
class _Failed:
    """An answer whose call was refused or timed out, until it is known
    whether the endpoint or only the case is to blame.
    """

    question: Question
    asked: Asked
    judged: Judged


class _Run:
    """One run under way."""

    def __init__(
        self,
        planned: Plan,
        endpoint: Endpoint,
        writer: LogWriter,
        on_progress: Callable[[Progress], object],
    ) -> None:
        self._plan = planned
        self._endpoint = endpoint
        self._writer = writer
        self._on_progress = on_progress
        self._waiting = list(reversed(planned.todo))
        self._workers: list[asyncio.Task[None]] = []
        self._clients: dict[int, Any] = {}
        self._began = SystemClock().now()
        self._asked = 0
        self._fallbacks = 0
        self._failed: list[_Failed] = []
        self._answered = any(
            answer.by == "model" for answer in planned.there.values()
        )
        self._how: How = "finished"
        self._why = ""
        self._redactor = Redactor()

    async def all(self, jobs: int) -> None:
        """Ask everything, so many at a time."""
        count = max(1, min(jobs, len(self._waiting)))
        self._workers = [
            asyncio.create_task(self._work()) for _ in range(count)
        ]
        try:
            results = await asyncio.gather(
                *self._workers, return_exceptions=True
            )
        finally:
            for worker in self._workers:
                worker.cancel()
            await asyncio.wait(self._workers)
        for result in results:
            if isinstance(result, asyncio.CancelledError):
                self._end("interrupted", "A call was cancelled.")
            elif isinstance(result, BaseException):
                raise result
        self._keep_failed()

    def stop(self, requests: int) -> None:
        """End because the person wants it."""
        self._end("interrupted", "The run was interrupted.")
        if requests > 1:
            for worker in self._workers:
                worker.cancel()

    def outcome(self) -> Outcome:
        """Say how it ended."""
        left = len(self._plan.todo) - self._asked
        how: How = self._how if left else "finished"
        return Outcome(how, self._why if left else "", self._asked, left)

    def _end(self, how: How, why: str) -> None:
        if self._how == "finished":
            self._how = how
            self._why = self._redactor.text(why)
        self._waiting.clear()

    async def _work(self) -> None:
        self._report()
        while self._waiting:
            await self._ask(self._waiting.pop())

    async def _ask(self, question: Question) -> None:
        asked = answer_under_way()
        runtime = self._endpoint.repeat(
            question.repeat, self._clients
        ).with_changes(prompts=question.variant.prompts)
        try:
            judged = await self._judged(question, asked, runtime)
        except BudgetReached:
            self._lose(question, asked, "the budget was reached")
            self._end("budget", self._budget_message())
            return
        except TapeMiss as error:
            self._lose(question, asked, "the tape has no answer")
            self._end("tape", str(error))
            return
        except asyncio.CancelledError:
            self._lose(question, asked, "it was interrupted")
            raise
        except BaseException:
            self._waiting.clear()
            raise
        finally:
            self._endpoint.ledger.release(asked)
        failed = asked.calls[-1].status if asked.calls else "ok"
        if judged.by == "fallback" and not asked.calls:
            self._end("endpoint", f"No call was made: {judged.error}.")
        elif failed == "ok":
            self._answered = True
            self._keep_failed()
            self._keep(question, asked, judged)
        elif self._is_dead(failed):
            self._lose(question, asked, failed)
            self._end("endpoint", self._endpoint_message(failed))
        else:
            self._failed.append(_Failed(question, asked, judged))
            if len(self._failed) >= MOST_FAILURES:
                self._drop_failed()

    async def _judged(
        self, question: Question, asked: Asked, runtime: Runtime
    ) -> Judged:
        """Ask one case, as soon as the budget has room for its first call."""
        while True:
            try:
                return await ask_case(
                    self._plan.task,
                    question.case,
                    runtime,
                    question.variant.memory,
                )
            except BudgetBusy as busy:
                await self._endpoint.ledger.reserve(
                    asked, busy.model, busy.most
                )

    def _keep_failed(self) -> None:
        """Write the answers whose call was refused or timed out, if the
        endpoint answers otherwise: then it is the case that failed.
        """
        if self._failed and not self._answered:
            self._drop_failed()
        for each in self._failed:
            self._keep(each.question, each.asked, each.judged)
        self._failed.clear()

    def _drop_failed(self) -> None:
        """End the run, because it is the endpoint that failed; the cases are
        asked again next time.
        """
        count = len(self._failed)
        answers = (
            "The only answer" if count == 1 else f"{count} answers in a row"
        )
        error = self._failed[-1].judged.error.rstrip(".")
        for each in self._failed:
            self._lose(each.question, each.asked, "a row of calls failed")
        self._failed.clear()
        said = "The error was" if count == 1 else "The last error was"
        self._end("endpoint", f"{answers} failed. {said}: {error}.")

    def _keep(self, question: Question, asked: Asked, judged: Judged) -> None:
        """Write an answer to the log."""

        def clean(text: str) -> str:
            # half a character, which no file can hold
            whole = text.encode("utf-8", "replace").decode()
            return self._redactor.text(whole)

        answer = Answer(
            task=self._plan.task.name,
            variant=question.variant.name,
            version=question.version,
            case=question.case.id,
            case_version=question.case.version,
            half=self._plan.half,
            repeat=question.repeat,
            model=self._plan.model,
            mode=self._plan.mode,
            at=datetime.now(UTC),
            correct=judged.correct,
            score=judged.score,
            metrics=dict(judged.metrics),
            said=clean(judged.said),
            wanted=clean(judged.wanted),
            why=clean(judged.why),
            by=judged.by,
            error=clean(judged.error),
            seconds=round(sum(call.seconds for call in asked.calls), 3),
            calls=len(asked.calls),
            tokens=Tokens.total(asked.calls),
            dollars=self._endpoint.ledger.dollars(asked.calls),
        )
        self._writer.append(answer)
        self._asked += 1
        self._fallbacks += judged.by == "fallback"
        self._report()

    def _lose(self, question: Question, asked: Asked, why: str) -> None:
        """Note what an answer has cost that did not come to its end."""
        tokens = Tokens.total(asked.calls)
        if tokens == Tokens():
            return
        self._writer.lose(
            Lost(
                at=datetime.now(UTC),
                case=question.case.id,
                why=why,
                tokens=tokens,
                dollars=self._endpoint.ledger.dollars(asked.calls),
            )
        )

    def _report(self) -> None:
        now = SystemClock().now()
        self._on_progress(
            Progress(
                done=len(self._plan.there) + self._asked,
                planned=len(self._plan.questions),
                asked=self._asked,
                fallbacks=self._fallbacks,
                spent=self._endpoint.ledger.spent,
                seconds=(now - self._began).total_seconds(),
            )
        )

    def _is_dead(self, status: str) -> bool:
        """Tell whether a call failed so that the next one would, too.

        A request that the service finds wrong may be that of one case only,
        and so may one that takes too long.
        """
        if status.isdecimal():
            return int(status) not in (400, 413, 422)
        if status == NO_MESSAGE:
            return not self._answered
        return "Timeout" not in status and status != "CancelledError"

    def _budget_message(self) -> str:
        spent = self._endpoint.ledger.spent
        budget = self._endpoint.ledger.budget
        if budget.dollars is not None:
            return (
                f"The budget is reached: of ${budget.dollars:.2f},"
                f" ${spent.dollars:.4f} is spent, and the next call could"
                " cost more than the rest."
            )
        return (
            f"The budget is reached: of {budget.tokens:,} tokens,"
            f" {spent.tokens:,} are spent, and the next call could need more"
            " than the rest."
        )

    def _endpoint_message(self, status: str) -> str:
        where = self._endpoint.where or "the endpoint"
        if status in ("401", "403"):
            return f"{where} does not accept the key ({status})."
        if status == NO_CREDIT:
            return (
                f"{where} wants to be paid: the account has no credit left."
                " Add some, and give the same command again."
            )
        if status == "404":
            name = self._endpoint.asked or self._endpoint.model
            return (
                f"{where} has no model {name!r}, or is not a Messages"
                " endpoint (404)."
            )
        if status == "429":
            return (
                f"{where} limits the number of calls (429). Wait a while, and"
                " use --jobs 1."
            )
        if status in ("503", "529"):
            return f"{where} is overloaded ({status}). Try again later."
        if status.startswith("3"):
            return (
                f"{where} redirects to another address ({status}). Give that"
                " address instead."
            )
        if status.isdecimal():
            return f"{where} failed ({status})."
        if status == NO_MESSAGE:
            return (
                f"{where} answers, but not with a message, so it is not a"
                " Messages endpoint."
            )
        if status == "ModelError":
            return (
                "The answer could not be recorded: the tape was removed, or"
                " another process records another model on it."
            )
        if status == "OSError":
            return "The answer could not be recorded: is the disk full?"
        if "Connect" in status:
            return f"Nothing answers at {where} ({status})."
        return f"{where} broke off the connection ({status})."
