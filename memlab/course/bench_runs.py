"""The bench in a notebook: what a run would cost, before anything is sent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memlab.bench.log import Log
from memlab.bench.run import BenchLedger, Endpoint, estimate, plan
from memlab.bench.tasks import TASKS
from memlab.bench.variants import Variant
from memlab.course.display import Table, table
from memlab.models.connect import make_runtime
from memlab.models.prices import price_table
from memlab.prompts import SHIPPED
from memlab.settings import Settings


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
