"""A run of the bench: a model is asked what a log has no answer to yet.

An answer is written to the log when it is complete. So a run can end at any
moment, for whatever reason, and the same command goes on from there. A call
that fails gives no answer, and the case is asked again next time.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase
from typing import Any

import httpx2

from memlab.bench.recorded import Recorded, hashes
from memlab.bench.tasks import Task, ask_case
from memlab.bench.variants import Variant, variant_table
from memlab.clock import SystemClock
from memlab.errors import ModelError
from memlab.evals.labelled import Label
from memlab.events import EventLog
from memlab.ledger import Tokens
from memlab.models.offline import OfflineModel
from memlab.models.tape import in_one_piece
from memlab.models.wire import json_object, message_response
from memlab.runtime import Runtime
from memlab.settings import Settings

MOST_FAILURES = 3  # calls in a row without an answer, after which a run ends


@dataclass(frozen=True)
class Endpoint:
    """Who is asked. Without an address, the fallback rules answer."""

    settings: Settings
    url: str = ""
    key: str = "none"


RULES = Endpoint(Settings())


# a case to be asked with a variant, and a line of the log without an answer
Question = tuple[Label, Variant, Recorded]


def plan(
    task: Task, variants: Sequence[Variant], half: str, repeats: int = 1
) -> list[Question]:
    """List what is to be asked. A recorded variant is asked only the cases
    that it can affect.
    """
    questions = []
    for variant in variants:
        version = variant.version(task.prompts)
        row = variant_table().get(variant.name, {})
        for label in _affected(task.cases(half), row):
            for run in ascii_lowercase[:repeats]:
                line = Recorded(
                    label.id, half, variant.name, run, prompts=version
                )
                questions.append((label, variant, line))
    return questions


def _affected(labels: list[Label], row: Mapping[str, Any]) -> list[Label]:
    if "kinds" in row:
        labels = [one for one in labels if one.kind in row["kinds"]]
    count = min(row.get("most", len(labels)), len(labels))
    return [labels[n * len(labels) // count] for n in range(count)]


class BudgetReached(BaseException):
    """The next call could need more tokens than are left.

    It is not an Exception, so that neither the SDK's retries nor recall's
    fallback take it for a failed call.
    """


class Budget:
    """The tokens that are ``left``."""

    def __init__(self, tokens: float) -> None:
        self.left = tokens

    def take(self, tokens: int) -> None:
        """Take what a call needs, or give back what it has not needed; raises
        BudgetReached.
        """
        if tokens > self.left:
            raise BudgetReached
        self.left -= tokens


class Keeping(httpx2.AsyncBaseTransport):
    """Passes requests on, without streaming, and keeps each answer beside the
    hashes of its request.

    ``tokens`` counts those that were needed. ``failed`` says why the last call
    gave no answer. No call starts that could exceed the budget.
    """

    def __init__(
        self, inner: httpx2.AsyncBaseTransport, budget: Budget
    ) -> None:
        self.inner, self.budget = inner, budget
        self.calls: list[dict[str, Any]] = []
        self.tokens = 0
        self.failed = ""

    async def handle_async_request(
        self, request: httpx2.Request
    ) -> httpx2.Response:
        """Pass one request on, and keep its answer."""
        body = json.loads(await request.aread())
        # no tokenizer in use makes more tokens of ordinary text
        most = len(request.content) // 2 + body.get("max_tokens", 0)
        self.budget.take(most)
        self.failed = "the connection broke"
        response = await self.inner.handle_async_request(
            in_one_piece(request, body)
        )
        data = await response.aread()
        await response.aclose()
        message = json_object(data)
        if message.get("type") != "message":
            self.failed = f"status {response.status_code}"
            return httpx2.Response(response.status_code, content=data)
        self.failed = ""
        usage = Tokens.from_usage(message.get("usage"))
        self.tokens += usage.input + usage.output
        self.budget.take(usage.input + usage.output - most)
        self.calls.append({**hashes(body), "answer": message["content"]})
        return message_response(message, body.get("stream", False), {})


def connect(
    endpoint: Endpoint, budget: Budget, http: httpx2.AsyncHTTPTransport
) -> tuple[Runtime, Keeping]:
    """Connect with an endpoint; what keeps the answers sits below the SDK."""
    from anthropic import AsyncAnthropic

    clock = SystemClock()
    inner = OfflineModel(clock=clock, chat=True)
    kept = Keeping(http if endpoint.url else inner, budget)
    client = AsyncAnthropic(
        api_key=endpoint.key,
        base_url=endpoint.url or "http://rules.invalid",
        http_client=httpx2.AsyncClient(transport=kept),
    )
    return Runtime(client, clock, endpoint.settings, EventLog(clock)), kept


async def run(
    task: Task,
    questions: Sequence[Question],
    endpoint: Endpoint,
    keep: Callable[[Recorded], object],
    *,
    jobs: int,
    tokens: float,
) -> None:
    """Ask questions, so many at a time, and ``keep`` each answer.

    Raises ModelError if the next call could exceed the budget in tokens, or
    if too many calls in a row give no answer.
    """
    limit, budget = asyncio.Semaphore(jobs), Budget(tokens)
    failures: list[str] = []

    async def ask(label: Label, variant: Variant, line: Recorded) -> None:
        async with limit:
            runtime, kept = connect(endpoint, budget, http)
            judged = await ask_case(task, label, runtime, variant)
            await runtime.client.close()
        if kept.calls and not kept.failed:
            failures.clear()
            answer = replace(line, stored=judged.stored, error=judged.error)
            keep(replace(answer, calls=kept.calls, tokens=kept.tokens))
            return
        failures.append(kept.failed or judged.error)
        if len(failures) >= MOST_FAILURES:
            raise ModelError(
                f"{MOST_FAILURES} calls in a row gave no answer: {failures[-1]}",
                where=endpoint.url,
                do="Check the address, the key and the model's name, and give"
                " the same command again",
            )

    http = httpx2.AsyncHTTPTransport()
    try:
        await asyncio.gather(*(ask(*question) for question in questions))
        await http.aclose()
    except BudgetReached:
        raise ModelError(
            "the next call could need more tokens than the budget has left",
            do="To go on, give the same command with a larger budget",
        ) from None
