"""A run of the bench: a model is asked what a log has no answer to yet.

An answer is written to the log when it is complete. So a run can end at any
moment, for whatever reason, and the same command goes on from there. A call
that fails gives no answer, and the case is asked again next time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from memlab.bench.recorded import (
    Budget,
    BudgetReached,
    Keeping,
    Recorded,
    patient_client,
    with_contexts,
)
from memlab.bench.tasks import Judged, Task, ask_case
from memlab.bench.variants import Variant, variant_table
from memlab.clock import SystemClock
from memlab.errors import ModelError
from memlab.evals.labelled import Label
from memlab.events import EventLog
from memlab.models.offline import OfflineModel
from memlab.runtime import Runtime
from memlab.settings import Settings

MOST_FAILURES = 3
"""After so many calls in a row without an answer, a run ends."""


@dataclass(frozen=True)
class Endpoint:
    """Who is asked. Without an address, the fallback rules answer."""

    settings: Settings
    url: str = ""
    key: str = ""


RULES = Endpoint(Settings())


@dataclass(frozen=True)
class Question:
    """A case to be asked with a variant, whose texts have the version
    ``prompts``; ``run`` is a letter per repeat.
    """

    label: Label
    variant: Variant
    run: str
    prompts: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What an answer in a log has to agree with."""
        return self.label.id, self.run, self.prompts


def plan(
    task: Task, variants: Sequence[Variant], half: str, repeats: int = 1
) -> list[Question]:
    """List what is to be asked. A recorded variant is asked only the cases
    that it can affect.
    """
    return [
        Question(label, variant, ascii_lowercase[repeat], version)
        for variant in variants
        for version in [variant.version(task.prompts)]
        for label in _affected(task.cases(half), variant.name)
        for repeat in range(repeats)
    ]


def _affected(labels: Sequence[Label], variant: str) -> Sequence[Label]:
    row = variant_table().get(variant, {})
    if kinds := row.get("kinds"):
        labels = [one for one in labels if one.get("kind") in kinds]
    most = row.get("most", len(labels))
    step = max(len(labels) / most, 1)
    return [labels[int(n * step)] for n in range(min(most, len(labels)))]


def connect(
    endpoint: Endpoint, budget: Budget | None = None
) -> tuple[Runtime, Keeping]:
    """Connect with an endpoint; what keeps the answers sits below the SDK."""
    rules = OfflineModel(clock=SystemClock(), chat=True)
    kept = Keeping(None if endpoint.url else rules, budget)
    client = patient_client(endpoint.url, kept, endpoint.key)
    clock = SystemClock()
    return Runtime(client, clock, endpoint.settings, EventLog(clock)), kept


async def ask_variant(
    task: Task, label: Label, variant: Variant, runtime: Runtime
) -> Judged:
    """Ask one case with a variant of the prompts."""
    runtime = runtime.with_changes(prompts=variant.prompts)
    return await ask_case(task, label, runtime, variant.memory)


async def run(
    task: Task,
    questions: Sequence[Question],
    endpoint: Endpoint,
    keep: Callable[[Recorded], object],
    *,
    jobs: int = 4,
    budget: int | None = None,
) -> None:
    """Ask questions, so many at a time, and ``keep`` each answer.

    Raises ModelError if the next call could exceed the budget in tokens, or
    if too many calls in a row give no answer.
    """
    waiting = list(reversed(questions))
    left = Budget(budget)
    failures: list[str] = []

    async def work() -> None:
        runtime, kept = connect(endpoint, left)
        while waiting:
            one = waiting.pop()
            kept.forget()
            judged = await ask_variant(task, one.label, one.variant, runtime)
            if kept.calls and not kept.failed:
                failures.clear()
                answer = Recorded(
                    one.label.id,
                    one.label.half,
                    one.variant.name,
                    one.run,
                    prompts=one.prompts,
                    calls=kept.calls,
                    stored=judged.stored,
                    error=judged.error,
                    tokens=kept.tokens,
                )
                keep(with_contexts(answer))
                continue
            failures.append(kept.failed or judged.error)
            if len(failures) >= MOST_FAILURES:
                raise ModelError(
                    f"{len(failures)} calls in a row gave no answer:"
                    f" {failures[-1]}",
                    where=endpoint.url,
                    do="Check the address, the key and the model's name, and"
                    " give the same command again",
                )
        await runtime.client.close()

    workers = [asyncio.create_task(work()) for _ in range(jobs)]
    try:
        await asyncio.gather(*workers)
    except BudgetReached:
        raise ModelError(
            "the next call could need more tokens than the budget has left",
            do="To go on, give the same command with a larger budget",
        ) from None
    finally:
        for worker in workers:
            worker.cancel()
