"""The estimate: how many calls and tokens the rest of a plan would take, how
long, and for how much money.
"""

from __future__ import annotations

from dataclasses import dataclass

from memlab.bench.endpoint import Endpoint
from memlab.bench.log import Log
from memlab.bench.plan import Plan
from memlab.bench.tasks.task import ask_case
from memlab.ledger import Ledger, Tokens
from memlab.models.connect import make_runtime
from memlab.runtime import Runtime

REHEARSED = 40
"""So many questions are answered by rules where no answer is known."""


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
    how long the requests are; what they say is thrown away. A tape asks
    nobody, so nothing is estimated for it.
    """
    todo = planned.todo
    known = [
        answer
        for answer in log.answers.values()
        if answer.task == planned.task.name and answer.model == planned.model
    ]
    if not todo:
        return Estimate(0, 0, 0, 0, 0.0, 0.0)
    if planned.mode == "replay":
        return Estimate(len(todo), 0, 0, 0, None, None)
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
    price = endpoint.ledger.price(model, tokens)
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
