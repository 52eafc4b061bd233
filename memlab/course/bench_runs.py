"""The bench in a notebook: a run that is replayed from a tape, answers that
were recorded, and what a run with a model would cost.

Nothing is sent by any of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from memlab.bench.answer import Answer
from memlab.bench.budget import BenchLedger
from memlab.bench.endpoint import Endpoint
from memlab.bench.estimate import estimate
from memlab.bench.log import Log, open_log
from memlab.bench.plan import plan, some_cases
from memlab.bench.recorded import LABEL, judged, recorded
from memlab.bench.run import run
from memlab.bench.tasks import TASKS
from memlab.bench.variants import BASE, Variant, load_variants
from memlab.course.data_files import data_folder
from memlab.course.lab import Lab
from memlab.course.show import Table, table
from memlab.errors import CourseError
from memlab.models.connect import choose_model, make_runtime
from memlab.models.meter import price_table
from memlab.models.tape import Tape
from memlab.prompts import SHIPPED
from memlab.settings import Settings


async def replay_run(
    lab: Lab,
    task: str,
    prompts: Sequence[str],
    tape: Path | str,
    *,
    half: str = "work",
    repeats: int = 1,
    cases: Sequence[str] = (),
    limit: int = 0,
) -> list[Answer]:
    """Ask the bench's questions, and let a tape answer.

    ``prompts`` are names of variants, as the command has them. A task that is
    asked in pairs is asked without and with the memory if there is only one.
    ``cases`` are the ids of those to ask, or ``limit`` takes only so many of
    them; otherwise all are asked.
    A tape without a folder is one of the course's. Raises CourseError if the
    tape has no answer; what was changed is in the message.
    """
    place = data_folder("recorded") / tape
    variants = load_variants(prompts)
    if TASKS[task].pair and len(variants) == 1:
        (only,) = variants
        variants = (
            replace(only, name="without-memory", memory=False),
            replace(only, name="with-memory"),
        )
    recorded = Tape.read(place)
    names = ",".join(Path(name).name for name in prompts)
    command = (
        f"python3 -m memlab bench {task} --prompts {names}"
        f" --model live --record data/recorded/{place.name}"
    )
    if half == "final":
        command += " --final"
    choice = choose_model("replay", tape=place, command=command)
    runtime = make_runtime(choice)
    endpoint = Endpoint(runtime, BenchLedger(), recorded.label, "replay")
    path = lab.home / "bench" / f"{place.stem}.jsonl"
    path.unlink(missing_ok=True)
    with open_log(path) as writer:
        planned = plan(
            TASKS[task],
            variants,
            half=half,
            repeats=repeats,
            model=endpoint.model,
            mode="replay",
            log=writer.log,
            cases=some_cases(TASKS[task].cases(half), cases, limit),
        )
        outcome = await run(planned, endpoint, writer)
        await runtime.client.close()
    if outcome.how != "finished":
        message = outcome.message.replace(str(place), place.name)
        raise CourseError(message)
    return planned.answers(writer.log)


async def run_prices(
    task: str,
    models: Sequence[str],
    *,
    variants: int = 2,
    repeats: int = 3,
) -> Table:
    """Estimate what a run on the half *work* would cost with each model.

    Nothing is sent: rules answer a few of the cases, to find out how long the
    requests are. The prices are those of the bench's table.
    """
    prices = price_table()
    cases = len(TASKS[task].cases("work"))
    compared = [
        Variant(f"prompt {number + 1}", SHIPPED) for number in range(variants)
    ]
    rows = []
    for model in models:
        settings = Settings().with_changes(
            main_model=model, select_model=model
        )
        runtime = make_runtime("offline", settings=settings)
        endpoint = Endpoint(runtime, BenchLedger(prices), model, "live")
        log = Log(Path("none.jsonl"))
        planned = plan(
            TASKS[task],
            compared,
            half="work",
            repeats=repeats,
            model=model,
            mode="live",
            log=log,
        )
        found = await estimate(planned, endpoint, log)
        await runtime.client.close()
        rows.append(
            (
                model,
                f"{cases} × {variants} × {repeats}",
                found.calls,
                found.input,
                found.output,
                f"${found.dollars:.2f}" if found.dollars is not None else "",
            )
        )
    return table(
        rows,
        (
            "model",
            "cases × prompts × repeats",
            "calls",
            "tokens in",
            "tokens out",
            f"dollars, prices of {prices.as_of}",
        ),
    )


def recorded_follow(variant: str = BASE) -> list[Answer]:
    """Give what a Claude model answered to the half *work* of the task
    *follow*, without and with each memory; nobody is asked.
    """
    task, found = TASKS["follow"], list[Answer]()
    names = {"without": "without-memory", variant: "with-memory"}
    for one in sorted(recorded(task.name), key=lambda one: one.case):
        if one.half == "work" and one.variant in names:
            judgement = judged(task, one)
            found.append(
                Answer(
                    task=task.name,
                    variant=names[one.variant],
                    version=one.prompts,
                    case=one.case,
                    case_version=one.label,
                    half=one.half,
                    repeat=1,
                    model=LABEL,
                    mode="replay",
                    at=datetime(2026, 12, 1, tzinfo=UTC),
                    correct=judgement.correct,
                    score=judgement.score,
                    metrics=dict(judgement.metrics),
                    said=judgement.said,
                    wanted=judgement.wanted,
                    why=judgement.why,
                )
            )
    return sorted(found, key=lambda one: one.variant, reverse=True)
