"""Have a model answer test cases with two or more versions of the prompts, and see what changed.

A version, or variant, is `base` (memlab's own prompts), the name of a recorded one such as
`without_unsure`, or a folder with only the prompt files that you changed. Every answer is kept in
a log, so after Ctrl-C, a failure or a reached budget, the same command continues where it ended.
The cases are in two halves: "work", which is asked unless you say otherwise, and "final"
(--final). Keep "final" for the end, and ask it once for each version of your prompts.

exit status: 0 finished; 1 fewer are correct than --fail-below wants; 2 wrong usage, a file that
cannot be used, no answer from the model, or a reached budget; 130 interrupted

examples:
  python3 -m memlab bench select --model replay     what a Claude model answered; asks nobody
  python3 -m memlab bench select --prompts base,my/prompts/mine --model live --budget 2000000
  python3 -m memlab bench extract --model live --base-url http://127.0.0.1:8080 --model-name qwen
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from math import inf
from pathlib import Path
from urllib.parse import urlsplit

from memlab.bench import replay
from memlab.bench.compare import Answers, report
from memlab.bench.recorded import LABEL, PATIENCE, Recorded, append, recorded
from memlab.bench.run import RULES, Endpoint, plan, run
from memlab.bench.tasks import TASKS, Judged, Task
from memlab.bench.variants import BASE, RECORDED, load_variant
from memlab.cli.commands import command_parser
from memlab.errors import MemlabError
from memlab.models.connect import choose_model, is_local, live_options
from memlab.settings import Settings

LOGS = Path(__file__).parents[2] / "my" / "bench"
SECONDS = 300.0  # how long a call to a live model may take


def main(argv: Sequence[str]) -> int:
    """Run the bench; gives the exit status. Raises MemlabError."""
    args = _parser().parse_args(argv)
    task, who = TASKS[args.task], LABEL
    if args.model == "replay":
        names = args.prompts.split(",") if args.prompts != BASE else ()
        answers = replay.chosen(task, args.half, names)
    else:
        endpoint = _endpoint(args, task)
        if not os.environ.get("MEMLAB_RECORD"):
            who = _who(endpoint)
        answers = _asked(args, task, endpoint)
    if not answers:
        raise MemlabError("no case was answered", do="Ask again")
    base = BASE if BASE in answers else next(iter(answers))
    title = f"{task.name}, {args.half}: {who}"
    print(*report(task, title, answers, base), sep="\n")
    last = [*answers.values()][-1].values()
    right = [judged.correct for repeats in last for judged in repeats]
    return int(100 * sum(right) < args.fail_below * len(right))


def _endpoint(args: Namespace, task: Task) -> Endpoint:
    """Say who is asked; raises MemlabError."""
    if handed := os.environ.get("MEMLAB_RECORD"):
        return Endpoint(_patient(Settings(), PATIENCE), handed)
    if args.model == "offline":
        if task.needs_model:
            raise MemlabError(
                f"the fallback rules cannot answer the task {task.name}",
                do="Use --model live or replay",
            )
        return RULES
    options = live_options(args.base_url)
    if not is_local(options["base_url"]) and args.budget == inf:
        raise MemlabError(
            f"you pay for each call to {options['base_url']}",
            do="Say how many tokens may be used, with --budget",
        )
    choice = choose_model("live", model_name=args.model_name)
    settings = _patient(choice.settings(Settings()), SECONDS)
    return Endpoint(settings, options["base_url"], options["api_key"])


def _patient(settings: Settings, seconds: float) -> Settings:
    """Give the settings with which a program waits so long for an answer."""
    who = ("main", "select", "extract", "dream")
    limits = {f"{name}_timeout_seconds": seconds for name in who}
    return settings.with_changes(**limits, dream_max_minutes=seconds / 60)


def _who(endpoint: Endpoint) -> str:
    where = urlsplit(endpoint.url).hostname
    names = (endpoint.settings.select_model, endpoint.settings.main_model)
    models = " and ".join(dict.fromkeys(names))
    return f"{models} at {where}" if where else "fallback rules"


def _asked(args: Namespace, task: Task, endpoint: Endpoint) -> Answers:
    """Ask what the log has no answer to, and give all the answers."""
    variants = [load_variant(name) for name in args.prompts.split(",")]
    questions = plan(task, variants, args.half, args.repeat)
    name = re.sub(r"[^\w.]+", "-", f"{task.name} {_who(endpoint)}")
    folder = LOGS
    if os.environ.get("MEMLAB_RECORD"):
        folder, name = RECORDED, task.name
    keys = {line.key for _, _, line in questions}
    log = {one.key: one for one in recorded(name, folder) if one.key in keys}
    left = [one for one in questions if one[2].key not in log]
    tokens = args.budget - sum(one.tokens for one in log.values())

    def keep(one: Recorded) -> None:
        append(name, one, folder)
        log[one.key] = one
        line = f"{len(log)} of {len(keys)}: {one.case}, {one.tokens:,} tokens"
        print(line, file=sys.stderr, flush=True)

    asyncio.run(run(task, left, endpoint, keep, jobs=args.jobs, tokens=tokens))
    answers: dict[str, dict[str, list[Judged]]] = {}
    for label, variant, line in questions:
        if one := log.get(line.key):
            cases = answers.setdefault(variant.name, {})
            judged = task.judge(label, one.stored, one.error)
            cases.setdefault(one.case, []).append(judged)
    return answers


def _parser() -> ArgumentParser:
    parser = command_parser("bench", __doc__)
    add = parser.add_argument
    add("task", choices=TASKS)
    add("--prompts", default=BASE, metavar="NAME,…", help="first is the base")
    add("--model", choices=("live", "replay", "offline"), default="offline")
    add("--repeat", type=int, choices=range(1, 10), default=1, metavar="N")
    add("--final", dest="half", action="store_const", const="final")
    parser.set_defaults(half="work")
    add("--budget", type=int, default=inf, metavar="TOKENS", help="at most")
    add("--jobs", type=int, default=4, metavar="N", help="calls at once")
    add("--base-url", default="", metavar="URL", help="a Messages endpoint")
    add("--model-name", default="", metavar="NAME", help="the model to ask")
    add("--fail-below", type=float, default=0.0, metavar="PERCENT")
    return parser
