"""Running a plan: what is asked, in which order, within which budget, and how
a run ends.

An answer is written to the log when it is complete. So a run can end at any
moment, for whatever reason, and the same command goes on from there. What
really failed is read from the calls below the SDK, because recall, extraction
and dreams turn a failed call into an ordinary result.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from memlab.bench.answer import Answer, Key
from memlab.bench.log import Log, LogWriter, Lost, Run, Spent
from memlab.bench.tasks.task import Case, Judged, Task, ask_case
from memlab.bench.variants import Variant
from memlab.clock import SystemClock
from memlab.errors import MemlabError, TapeMiss
from memlab.events import EventLog
from memlab.ledger import Call, Ledger, Tokens
from memlab.models.connect import make_runtime
from memlab.models.meter import NO_MESSAGE
from memlab.models.prices import PriceTable
from memlab.models.redact import Redactor
from memlab.runtime import Runtime

REPEAT_HEADER = "x-memlab-repeat"
PATIENCE = 300.0
"""Seconds that a choice of memories may take: the bench measures what a model
answers, and shows how long that took.
"""
MOST_FAILURES = 5
"""After so many answers in a row whose call was refused or timed out, a run
stops and keeps none of them.
"""
BYTES_PER_TOKEN = 2
"""No tokenizer in use makes more tokens of ordinary text."""
REHEARSED = 40

How = Literal["finished", "budget", "interrupted", "endpoint", "tape"]


# The plan


@dataclass(frozen=True)
class Question:
    """One case to be asked under one variant.

    ``repeat`` is the number that the log has. ``shown`` is the one in the
    report, which differs for a prompt that is compared with itself.
    """

    variant: Variant
    version: str
    case: Case
    repeat: int
    shown: int
    key: Key


@dataclass(frozen=True)
class Plan:
    """What a run is to ask, and what the log has of it already."""

    task: Task
    half: str
    variants: tuple[Variant, ...]
    repeats: int
    model: str
    mode: str
    cases: tuple[Case, ...]
    questions: tuple[Question, ...]
    there: Mapping[Key, Answer]

    @property
    def todo(self) -> tuple[Question, ...]:
        """What has not been answered yet."""
        return tuple(
            question
            for question in self.questions
            if question.key not in self.there
        )

    @property
    def versions(self) -> dict[str, str]:
        """The prompt version of each variant, by its name."""
        return {
            variant.name: variant.version(self.task.prompts)
            for variant in self.variants
        }

    @property
    def reasons(self) -> dict[str, str]:
        """The reason of each label, by the case's id."""
        return {case.id: case.reason for case in self.cases}

    def answers(self, log: Log) -> list[Answer]:
        """Return the answers that belong to the plan, under the names and
        numbers of its own variants.
        """
        known = log.answers
        return [
            known[question.key].model_copy(
                update={
                    "variant": question.variant.name,
                    "repeat": question.shown,
                }
            )
            for question in self.questions
            if question.key in known
        ]


def plan(
    task: Task,
    variants: Sequence[Variant],
    *,
    half: str,
    repeats: int,
    model: str,
    mode: str,
    log: Log,
    cases: Sequence[Case] | None = None,
) -> Plan:
    """Plan a run: every case under every variant, so many times.

    The variants of a case are asked one after the other, so that an
    interrupted run can compare what it has. A local model gets one variant
    after the other, and the cases of a memory directory together, because it
    reads the beginning that two requests share only once.
    """
    chosen = tuple(task.cases(half) if cases is None else cases)
    seen: Counter[str] = Counter()
    numbered: list[tuple[Variant, str, int]] = []
    for variant in variants:
        version = variant.version(task.prompts)
        numbered.append((variant, version, seen[version] * repeats))
        seen[version] += 1
    questions = tuple(
        Question(
            variant,
            version,
            case,
            before + number,
            number,
            Key(
                task.name,
                version,
                case.id,
                case.version,
                before + number,
                model,
            ),
        )
        for case in chosen
        for number in range(1, repeats + 1)
        for variant, version, before in numbered
    )
    if mode == "local":
        order = {variant.name: place for place, variant in enumerate(variants)}
        groups = {case.group: place for place, case in enumerate(chosen)}
        questions = tuple(
            sorted(
                questions,
                key=lambda question: (
                    order[question.variant.name],
                    groups[question.case.group],
                ),
            )
        )
    known = log.answers
    return Plan(
        task=task,
        half=half,
        variants=tuple(variants),
        repeats=repeats,
        model=model,
        mode=mode,
        cases=chosen,
        questions=questions,
        there={
            question.key: known[question.key]
            for question in questions
            if question.key in known
        },
    )


def some_cases(
    cases: Sequence[Case], ids: Sequence[str] = (), limit: int = 0
) -> tuple[Case, ...]:
    """Return the cases with these ids, or so many from the whole list.

    Raises MemlabError for an id that is not there.
    """
    if ids:
        by_id = {case.id: case for case in cases}
        missing = [id for id in ids if id not in by_id]
        if missing:
            raise MemlabError(
                f"there is no case {', '.join(missing)} in this half",
                where="--cases",
                do=f"The ids look like {', '.join(list(by_id)[:3])}",
            )
        return tuple(by_id[id] for id in dict.fromkeys(ids))
    if not limit or limit >= len(cases):
        return tuple(cases)
    return tuple(cases[n * len(cases) // limit] for n in range(limit))


# Money and tokens


@dataclass(frozen=True)
class Budget:
    """What a run may cost in all; None is no limit."""

    dollars: float | None = None
    tokens: int | None = None

    @property
    def limits(self) -> bool:
        """Whether there is any limit."""
        return self.dollars is not None or self.tokens is not None

    def holds(self, spent: Spent) -> bool:
        """Tell whether so much may be spent."""
        if self.dollars is not None and spent.dollars > self.dollars:
            return False
        return self.tokens is None or spent.tokens <= self.tokens


class BudgetReached(BaseException):
    """The next call could cost more than is left.

    It is not an Exception, so that neither the SDK's retries nor recall's
    fallback take it for a failed call.
    """


@dataclass
class _Asked:
    """One answer under way: its calls so far, and the most that the call
    under way can cost.
    """

    calls: list[Call] = field(default_factory=list)
    reserved: Spent = field(default_factory=Spent)
    reserved_tokens: Tokens = field(default_factory=Tokens)


_asked: ContextVar[_Asked | None] = ContextVar("asked", default=None)


def answer_under_way() -> _Asked:
    """Begin an answer: the calls of this task, and of the tasks that it
    starts, belong to it.
    """
    asked = _Asked()
    _asked.set(asked)
    return asked


class BenchLedger(Ledger):
    """Keeps the calls of each answer apart, and lets no call start that could
    exceed the budget.

    ``prices`` is None where calls cost no money.
    """

    def __init__(self, prices: PriceTable | None = None) -> None:
        super().__init__()
        self.prices = prices
        self.budget = Budget()
        self.spent = Spent()
        self._under_way: list[_Asked] = []
        self._changed = asyncio.Event()

    @property
    def under_way(self) -> int:
        """How many calls have been admitted and have not ended."""
        return len(self._under_way)

    def dollars(self, calls: Iterable[Call]) -> float | None:
        """Return what calls cost; None if their model has no price."""
        if self.prices is None:
            return None
        return self.prices.dollars(calls)

    async def admit(self, model: str, body: bytes) -> None:
        """Wait until the most that a call can cost fits into what is left of
        the budget; raises BudgetReached if it never will.
        """
        asked = _asked.get()
        if asked is None or not self.budget.limits:
            return
        most = _most_tokens(body)
        cost = self._spent_on(model, most)
        while not self.budget.holds(self._with(cost)):
            if not any(each.reserved.tokens for each in self._under_way):
                raise BudgetReached
            changed = self._changed
            await changed.wait()
        asked.reserved = cost
        asked.reserved_tokens = most
        self._under_way.append(asked)

    def record(self, call: Call) -> None:
        """Add a call that has ended to the answer that it belongs to."""
        super().record(call)
        asked = _asked.get()
        if asked is None:
            return
        if call.status != "ok" and asked.reserved.tokens and _was_cut(call):
            # nobody knows what it has cost
            most = asked.reserved_tokens
            call = replace(call, created=most.created, output=most.output)
        asked.calls.append(call)
        self.release(asked)
        self.spent = _sum(self.spent, self._spent_on(call.model, call))

    def release(self, asked: _Asked) -> None:
        """Forget what was reserved for an answer's call."""
        asked.reserved = Spent()
        asked.reserved_tokens = Tokens()
        if asked in self._under_way:
            self._under_way.remove(asked)
        self._changed.set()
        self._changed = asyncio.Event()

    def _with(self, cost: Spent) -> Spent:
        total = _sum(self.spent, cost)
        for asked in self._under_way:
            total = _sum(total, asked.reserved)
        return total

    def _spent_on(self, model: str, tokens: Tokens) -> Spent:
        call = _call(model, tokens)
        return Spent(tokens.input + tokens.output, self.dollars([call]) or 0.0)


def _most_tokens(body: bytes) -> Tokens:
    """Return the most that a request can cost: all of it is written to the
    cache, and the answer has its full length.
    """
    try:
        output = int(json.loads(body).get("max_tokens") or 0)
    except (ValueError, AttributeError, TypeError):
        output = 0
    return Tokens(created=len(body) // BYTES_PER_TOKEN + 1, output=output)


def _call(model: str, tokens: Tokens) -> Call:
    """Make a call to look up its price."""
    now = datetime.now(UTC)
    return Call(
        uncached=tokens.uncached,
        created=tokens.created,
        read=tokens.read,
        output=tokens.output,
        purpose="",
        model=model,
        started=now,
        answered=now,
        ended=now,
    )


def _was_cut(call: Call) -> bool:
    """Tell whether a call may have been billed although it gave no answer."""
    return not call.status.isdecimal() and "Connect" not in call.status


def _sum(one: Spent, other: Spent) -> Spent:
    return Spent(one.tokens + other.tokens, one.dollars + other.dollars)


# The model


@dataclass(frozen=True)
class Endpoint:
    """What is asked: a runtime whose calls go through ``ledger``, what the
    model is called, and where it is. ``asked`` is the name that requests
    have, where that differs; ``paid`` says whether a person has to agree to
    the costs, and ``rules`` whether no model answers at all.
    """

    runtime: Runtime
    ledger: BenchLedger
    model: str
    mode: str
    where: str = ""
    asked: str = ""
    paid: bool = False
    rules: bool = False

    def __post_init__(self) -> None:
        settings = self.runtime.settings.with_changes(
            select_timeout_seconds=PATIENCE
        )
        object.__setattr__(
            self, "runtime", self.runtime.with_changes(settings=settings)
        )

    def repeat(self, number: int, clients: dict[int, Any]) -> Runtime:
        """Return the runtime for one repeat; ``clients`` has those that were
        made already.
        """
        if number not in clients:
            clients[number] = self.runtime.client.with_options(
                default_headers={REPEAT_HEADER: str(number)}
            )
        return self.runtime.with_changes(
            client=clients[number], events=EventLog(self.runtime.clock)
        )


# The estimate


@dataclass(frozen=True)
class Estimate:
    """What is still to be asked would take about this much.

    ``seconds`` is None where nothing of this kind was answered before, and
    ``dollars`` where the model has no price.
    """

    answers: int
    calls: int
    input: int
    output: int
    dollars: float | None
    seconds: float | None


async def estimate(
    planned: Plan, endpoint: Endpoint, log: Log, jobs: int = 1
) -> Estimate:
    """Estimate the rest of a plan.

    Earlier answers of the same task and model give the tokens of an answer,
    if there are any. Otherwise rules answer a few of the cases, which shows
    how long the requests are; what they say is thrown away.
    """
    todo = planned.todo
    known = [
        answer
        for answer in log.answers.values()
        if answer.task == planned.task.name and answer.model == planned.model
    ]
    if not todo:
        return Estimate(0, 0, 0, 0, 0.0, 0.0)
    seconds = None
    if known:
        samples = [(answer.calls, answer.tokens) for answer in known]
        spent = sum(answer.seconds for answer in known) / len(known)
        seconds = spent * len(todo) / max(1, jobs)
    else:
        samples = await _rehearse(planned, endpoint.runtime)
    calls = sum(calls for calls, _ in samples)
    tokens = Tokens.total(tokens for _, tokens in samples)
    factor = len(todo) / len(samples)
    model = planned.task.model(endpoint.runtime.settings)
    price = endpoint.ledger.dollars([_call(model, tokens)])
    return Estimate(
        answers=len(todo),
        calls=round(calls * factor),
        input=round(tokens.input * factor),
        output=round(tokens.output * factor),
        dollars=None if price is None else price * factor,
        seconds=seconds,
    )


async def _rehearse(
    planned: Plan, runtime: Runtime
) -> list[tuple[int, Tokens]]:
    """Let rules answer a few of the questions, and give the calls and tokens
    of each.
    """
    todo = planned.todo
    few = min(REHEARSED, len(todo))
    samples = []
    ledger = Ledger()
    rules = make_runtime("offline", ledger=ledger, settings=runtime.settings)
    for number in range(few):
        question = todo[number * len(todo) // few]
        before = len(ledger)
        await ask_case(
            planned.task,
            question.case,
            rules.with_changes(prompts=question.variant.prompts),
            question.variant.memory,
        )
        calls = list(ledger)[before:]
        samples.append((len(calls), Tokens.total(calls)))
    await rules.client.close()
    return samples


# The run


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
    asked: _Asked
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
        self._redactor = Redactor.in_use()

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
        self._end("interrupted", "Interrupted.")
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
            judged = await ask_case(
                self._plan.task,
                question.case,
                runtime,
                question.variant.memory,
            )
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
        if failed == "ok":
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
        self._end("endpoint", f"{answers} failed: {error}.")

    def _keep(self, question: Question, asked: _Asked, judged: Judged) -> None:
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

    def _lose(self, question: Question, asked: _Asked, why: str) -> None:
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
                "The budget is reached: the next call could exceed"
                f" ${budget.dollars:.2f}, of which ${spent.dollars:.4f} is"
                " spent."
            )
        return (
            "The budget is reached: the next call could exceed"
            f" {budget.tokens:,} tokens, of which {spent.tokens:,} are spent."
        )

    def _endpoint_message(self, status: str) -> str:
        where = self._endpoint.where or "the endpoint"
        if status in ("401", "403"):
            return f"{where} does not accept the key ({status})."
        if status == "404":
            name = self._endpoint.asked or self._endpoint.model
            return (
                f"{where} has no model {name!r}, or is no Messages"
                " endpoint (404)."
            )
        if status == "429":
            return f"{where} wants fewer calls at a time (429). Use --jobs 1."
        if status in ("503", "529"):
            return f"{where} is overloaded ({status}). Try again later."
        if status.startswith("3"):
            return (
                f"{where} leads to another address ({status}). Give that one."
            )
        if status.isdecimal():
            return f"{where} failed ({status})."
        if status == NO_MESSAGE:
            return (
                f"{where} answers, but not with a message, so it is no"
                " Messages endpoint."
            )
        if status == "OSError":
            return "The answer could not be recorded: is the disk full?"
        if "Connect" in status:
            return f"Nothing answers at {where} ({status})."
        return f"{where} broke off ({status})."
