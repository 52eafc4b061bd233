"""Have a model answer test cases with two or more versions of the prompts, and see what changed.

A version, or variant, is `base` (memlab's own prompts) or a folder with only the prompt files that
you changed (`python3 -m memlab prompts list` names all prompts). Every answer is kept in a log, so
after Ctrl-C, a failure of the endpoint or a reached budget, the same command continues where it
ended. The results are a report and the log. The cases are in two halves: "work", which is asked
unless you say otherwise, and "final" (--final). Keep "final" for the end, and ask it once for each
version of your prompts.

tasks:
  select    which memories are chosen for a message
  pick      which of two notes helps with a message (for very small models)
  extract   what is stored after a dialogue
  dream     what a dream changes
  follow    whether an answer follows a memory (one version: with the memory and without it)

exit status: 0 finished, or you declined; 1 fewer are correct than --fail-below wants; 2 wrong
usage, or a file cannot be used; 3 the budget was reached; 4 the endpoint failed; 5 the tape has no
answer; 130 interrupted

examples:
  python3 -m memlab bench select --prompts base,mine --model live --repeat 3 --budget 1.50
  python3 -m memlab bench extract --model live --base-url http://127.0.0.1:8080 --model-name qwen
  python3 -m memlab bench select --model replay     what a Claude model answered; asks nobody
  python3 -m memlab bench select --model replay --tape FILE --fail-below 70     for a CI job
"""

from __future__ import annotations

import argparse
import asyncio
import re
import shlex
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from memlab.bench.answer import Answer
from memlab.bench.budget import BenchLedger, Budget
from memlab.bench.compare import FEWEST_CASES, NO_VERDICT, Row
from memlab.bench.endpoint import Endpoint
from memlab.bench.estimate import Estimate, estimate
from memlab.bench.log import Log, LogWriter, final_runs_in, open_log
from memlab.bench.plan import Plan, plan, some_cases
from memlab.bench.replay import replay_text
from memlab.bench.report import (
    Report,
    counted,
    make_report,
    percent,
    report_text,
)
from memlab.bench.run import Outcome, Progress, Stop, run
from memlab.bench.tasks import TASKS
from memlab.bench.tasks.task import Task
from memlab.bench.variants import Variant, load_variants
from memlab.cli.bootstrap import COMMAND, ROOT
from memlab.errors import MemlabError
from memlab.evals.metrics import smallest_detectable
from memlab.models.connect import (
    SERVICE,
    ModelChoice,
    choose_model,
    is_local,
    live_address,
    make_runtime,
    shown_address,
)
from memlab.models.meter import price_table
from memlab.models.tape import Tape
from memlab.settings import Settings
from memlab.text import shorten

RULES = "fallback rules"
STATUSES = {
    "finished": 0,
    "budget": 3,
    "endpoint": 4,
    "tape": 5,
    "interrupted": 130,
}
BELONGS = {
    "tape": ("replay",),
    "record": ("live",),
    "base_url": ("live",),
    "model_name": ("live",),
}
"""Options that mean nothing unless one of these answers."""
PROBE_SECONDS = 2.0
FLIPS = (0.1, 0.2, 0.3)
STEPS = 20
"""Where nobody watches, progress is printed so many times."""


class UsageError(MemlabError):
    """The command cannot do what was typed."""


class EndpointError(MemlabError):
    """No model can be reached."""


@dataclass(frozen=True)
class Files:
    """Where the results go."""

    log: Path
    text: Path


def main(argv: Sequence[str] | None = None) -> int:
    """Run the bench; gives the exit status."""
    try:
        return _bench(_parser().parse_args(argv))
    except EndpointError as error:
        _tell(f"{error}. Nothing was asked.")
        return STATUSES["endpoint"]
    except MemlabError as error:
        _tell(str(error))
        return 2
    except OSError as error:
        # a closed output is dealt with where the program begins
        if error.filename is None:
            raise
        _tell(f"{error.filename}: {error.strerror}")
        return 2


def _bench(args: argparse.Namespace) -> int:
    task = _task(args)
    if args.model == "replay" and args.tape is None:
        for part in replay_text(task, args.prompts, final=args.final):
            print(part, flush=True)
        return 0
    _check_options(args)
    variants = _variants(args, task)
    half = "final" if args.final else "work"
    cases = some_cases(task.cases(half), args.cases, args.limit)
    endpoint = _endpoint(args, task)
    if task.needs_model and endpoint.mode == "offline":
        raise UsageError(
            f"the fallback rules cannot answer the task {task.name}",
            do="Use --model live or replay",
        )
    if args.record:
        _check_recording(args.record, endpoint)
    if args.budget is not None and endpoint.ledger.prices is None:
        raise UsageError(
            f"the price of {endpoint.model} is not known, so a budget in"
            " dollars has no effect",
            where="--budget",
            do="Use --budget-tokens",
        )
    budget = Budget(args.budget, args.budget_tokens)
    files = _files(args.out, task, endpoint, half)
    # what answers is the tape, and another one may have had its name
    on_tape = bool(args.tape or args.record)

    with open_log(files.log, empty=on_tape) as writer:
        if writer.log.notice:
            _tell(writer.log.notice)
        planned = plan(
            task,
            variants,
            half=half,
            repeats=args.repeat,
            model=endpoint.model,
            mode=endpoint.mode,
            log=writer.log,
            cases=cases,
        )
        outcome = _ask(args, planned, endpoint, writer, budget)
        if outcome is None:
            print("Nothing was asked.")
            return 0
        log = writer.log

    rows: Sequence[Row] = ()
    if planned.answers(log):
        report = _report(planned, log, outcome, files, endpoint)
        rows = report.rows
        text = report_text(report)
        files.text.write_text(text, encoding="utf-8")
        print(text, end="")
        print(f"\nThe report: {files.text}")
        print(f"Every answer: {files.log}")
    if outcome.how != "finished":
        _tell(_how_to_go_on(outcome, planned, files))
        return STATUSES[outcome.how]
    return _judge(rows, args.fail_below)


def _judge(rows: Sequence[Row], least: float) -> int:
    """Give the exit status of a run that has finished: the versions that the
    first one is compared with, or the only one, have to be good enough.
    """
    low = [row for row in rows[1:] or rows if 100 * row.correct < least]
    for row in low:
        _tell(
            f"{row.variant}: {percent(row.correct)} correct, and at least"
            f" {least:g} % is wanted"
        )
    return 1 if low else 0


def _ask(
    args: argparse.Namespace,
    planned: Plan,
    endpoint: Endpoint,
    writer: LogWriter,
    budget: Budget,
) -> Outcome | None:
    """Say what will be asked, let the person agree, and ask it; None if the
    person does not agree.
    """
    known = asyncio.run(estimate(planned, endpoint, writer.log, args.jobs))
    for line in _announcement(planned, endpoint, known, budget):
        print(line, flush=True)
    if args.record and args.record.exists():
        print(f"What is on {args.record} already is not asked again.")
    if not planned.todo:
        return Outcome("finished", "There is nothing left to ask.", 0, 0)
    if not args.yes and _costs(endpoint, known):
        if not sys.stdin.isatty():
            raise UsageError(
                "there is no terminal to ask you whether to go ahead",
                do="To agree in advance, use --yes",
            )
        if input("Start? [y/N] ").strip().lower() not in ("y", "yes"):
            return None
    stop = Stop(_say_stopping)
    with _ctrl_c(stop.request):
        return asyncio.run(
            _run(planned, endpoint, writer, budget, args.jobs, stop)
        )


async def _run(
    planned: Plan,
    endpoint: Endpoint,
    writer: LogWriter,
    budget: Budget,
    jobs: int,
    stop: Stop,
) -> Outcome:
    bar = Bar(planned.task.name, endpoint.ledger.prices is not None)
    try:
        return await run(
            planned,
            endpoint,
            writer,
            budget=budget,
            jobs=jobs,
            on_progress=bar.show,
            stop=stop,
        )
    finally:
        bar.end()
        await endpoint.runtime.client.close()


@contextmanager
def _ctrl_c(request: Callable[[], None]) -> Iterator[None]:
    """Let Ctrl-C end the run and not the program; the same for a closed
    terminal and for what ``kill`` and ``timeout`` send.
    """

    def pressed(*_: object) -> None:
        request()

    names = ("SIGINT", "SIGTERM", "SIGHUP")
    before = {
        number: signal.signal(number, pressed)
        for name in names
        if (number := getattr(signal, name, None)) is not None
        # as under nohup
        and signal.getsignal(number) != signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _say_stopping(presses: int) -> None:
    text = "\nStopping. Unfinished answers are dropped."
    if presses == 1:
        text = (
            "\nStopping as soon as the current answers are complete. To drop"
            " them, press Ctrl-C again."
        )
    # the terminal may be gone
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


class Bar:
    """Shows the progress of a run in one line of a terminal, or now and then
    in a line of its own.
    """

    def __init__(self, name: str, money: bool) -> None:
        self._name = name
        self._money = money
        self._live = sys.stderr.isatty()
        self._step = -1
        self._width = 0

    def show(self, progress: Progress) -> None:
        """Show where a run is."""
        text = self._line(progress)
        if self._live:
            # a line that wraps cannot be written over
            text = shorten(text, shutil.get_terminal_size().columns - 1)
            padded = text.ljust(self._width)
            self._width = len(text)
            self._print(f"\r{padded}", end="")
            return
        step = STEPS * progress.done // progress.planned
        if progress.asked and step != self._step:
            self._step = step
            self._print(text)

    def end(self) -> None:
        """Leave the line."""
        if self._live and self._width:
            self._print("")

    def _print(self, text: str, end: str = "\n") -> None:
        # a run goes on when nobody can see it any more
        with suppress(OSError, ValueError):
            print(text, end=end, file=sys.stderr, flush=True)

    def _line(self, progress: Progress) -> str:
        full = 20 * progress.done // progress.planned
        parts = [
            f"{self._name} [{'#' * full}{'.' * (20 - full)}]"
            f" {progress.done} of {progress.planned}"
        ]
        if progress.fallbacks:
            parts.append(f"{progress.fallbacks} unusable")
        if self._money:
            parts.append(f"${progress.spent.dollars:.4f}")
        left = progress.planned - progress.done
        if progress.asked:
            seconds = progress.seconds / progress.asked * left
            parts.append(f"{_duration(seconds)} left")
        return ", ".join(parts)


def _announcement(
    planned: Plan, endpoint: Endpoint, known: Estimate, budget: Budget
) -> Iterator[str]:
    """Say what a run is about to do, and what it could show at all."""
    names = ", ".join(variant.name for variant in planned.variants)
    where = f" at {endpoint.where}" if endpoint.where else ""
    yield (
        f"{planned.task.name}, half {planned.half}:"
        f" {counted(len(planned.cases), 'case')}, {planned.repeats} × each,"
        f" prompts: {names}; answered by {endpoint.model}{where}"
    )
    there = len(planned.questions) - len(planned.todo)
    if there:
        yield (
            f"In the log already: {there} of"
            f" {counted(len(planned.questions), 'answer')}."
            f" To ask: {len(planned.todo)}."
        )
    if len(planned.variants) > 1 and planned.task.name not in NO_VERDICT:
        yield _detectable(len(planned.cases))
    if not planned.todo:
        return
    if planned.mode == "replay":
        yield "The answers come from the tape, so they cost nothing."
        return
    text = (
        f"Estimate: {known.calls:,} calls, {known.input:,} tokens in,"
        f" {known.output:,} out"
    )
    if known.dollars is not None:
        as_of = price_table().as_of
        text += f", about ${known.dollars:.2f} (prices of {as_of})"
    if known.seconds is not None:
        text += f", {_duration(known.seconds)}"
    yield f"{text}."
    limits = []
    if budget.dollars is not None:
        limits.append(f"${budget.dollars:.2f}")
    if budget.tokens is not None:
        limits.append(f"{budget.tokens:,} tokens")
    if limits:
        yield f"Budget: {' and '.join(limits)}."


def _detectable(cases: int) -> str:
    """Say how small a difference so many cases could show."""
    if cases < FEWEST_CASES:
        return f"With fewer than {FEWEST_CASES} cases there is no verdict."
    found = []
    for share in FLIPS:
        flips = round(cases * share)
        least = smallest_detectable(cases, flips)
        if least is not None:
            points = 100 * least.difference
            found.append(f"{points:.0f} points if {flips} cases flip")
    return (
        f"Smallest difference that the run could show: {', '.join(found)}."
        " A case flips if only one of two variants gets it right."
    )


def _costs(endpoint: Endpoint, known: Estimate) -> bool:
    """Tell whether a person has to agree first."""
    return endpoint.paid or known.dollars is not None


def _report(
    planned: Plan,
    log: Log,
    outcome: Outcome,
    files: Files,
    endpoint: Endpoint,
) -> Report:
    base = planned.variants[0]
    note = ""
    if outcome.how != "finished":
        first = outcome.message.splitlines()[0].rstrip(":.")
        note = f"{first}. Answers missing: {outcome.left}."
    rules: list[Answer] = []
    if planned.model != RULES and not planned.task.needs_model:
        rules = _rules(planned, files.log.parent)
    return make_report(
        planned.answers(log),
        base.name,
        means_correct=planned.task.correct,
        reasons=planned.reasons,
        baseline=rules,
        diffs={
            variant.name: diff
            for variant in planned.variants[1:]
            if (diff := variant.diff(planned.task.prompts, base))
        },
        final_runs=_final_runs(planned, files.log.parent),
        note=note,
        recorded=endpoint.recorded,
    )


def _final_runs(planned: Plan, folder: Path) -> Mapping[str, int]:
    """Count the runs on the half *final*, whichever model was asked.

    The rules answer beside every model, and a replay shows a run again, so
    neither counts as a run of a model.
    """
    if planned.half != "final":
        return {}
    return final_runs_in(folder, planned.task.name, planned.mode)


def _rules(planned: Plan, folder: Path) -> list[Answer]:
    """Let the rules answer the same cases: a fixed baseline, which ignores
    the prompt.
    """
    endpoint = _rules_endpoint()
    files = _files(folder, planned.task, endpoint, planned.half)
    with open_log(files.log) as writer:
        baseline = plan(
            planned.task,
            load_variants(["base"]),
            half=planned.half,
            repeats=1,
            model=RULES,
            mode="offline",
            log=writer.log,
            cases=planned.cases,
        )
        asyncio.run(run(baseline, endpoint, writer))
        return baseline.answers(writer.log)


def _how_to_go_on(outcome: Outcome, planned: Plan, files: Files) -> str:
    there = len(planned.questions) - outcome.left
    text = (
        f"{outcome.message}\nIn {files.log}: {there} of"
        f" {counted(len(planned.questions), 'answer')}."
    )
    if outcome.how == "budget":
        return (
            f"{text} To continue, give the same command with a larger budget."
        )
    if outcome.how == "tape":
        return text
    return f"{text} To continue, give the same command again."


def _tell(text: str) -> None:
    print(f"memlab bench: {text}", file=sys.stderr)


# What was typed


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python3 -m memlab bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("task", metavar="|".join(TASKS), help="the task")
    add(
        "--prompts",
        type=_names,
        default=["base"],
        metavar="NAME,…",
        help="the versions to ask; the first is what the others are compared"
        " with (default: base)",
    )
    add(
        "--model",
        choices=("live", "replay", "offline"),
        default="offline",
        help="who answers (default: offline, which is fixed rules that ignore"
        " the prompts)",
    )
    add(
        "--repeat",
        type=_count,
        default=1,
        help="how often to ask each case (default: 1)",
    )
    add(
        "--final",
        action="store_true",
        help='ask the half "final" instead of "work"',
    )
    add(
        "--budget",
        type=_money,
        metavar="DOLLARS",
        help="stop before the costs exceed this",
    )
    add(
        "--budget-tokens",
        type=_count,
        metavar="N",
        help="stop before the tokens exceed this",
    )
    add(
        "--jobs",
        type=_count,
        default=4,
        help="how many calls run at the same time (default: 4)",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--cases",
        type=_names,
        default=[],
        metavar="ID,…",
        help="ask only these cases",
    )
    which.add_argument(
        "--limit",
        type=_count,
        default=0,
        metavar="N",
        help="ask only N cases, spread over the whole list",
    )
    add(
        "--tape",
        type=Path,
        metavar="FILE",
        help="the tape to replay, instead of the answers of a Claude model in"
        " data/recorded",
    )
    add(
        "--record",
        type=Path,
        metavar="FILE",
        help="also record the answers on this tape",
    )
    add(
        "--base-url",
        default="",
        metavar="URL",
        help="the address of a server with a Messages endpoint",
    )
    add("--model-name", default="", metavar="NAME", help="the model to ask")
    add(
        "--out",
        type=Path,
        metavar="DIR",
        help="where the results go (default: my/bench in the course's folder)",
    )
    add(
        "--fail-below",
        type=_percent,
        default=0.0,
        metavar="PERCENT",
        help="exit with status 1 if fewer cases are correct, with any version"
        " but the first (or with the only one)",
    )
    add("--yes", action="store_true", help="do not ask for confirmation")
    return parser


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise argparse.ArgumentTypeError(f"{text!r} has an empty name")
    return names


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a whole number of at least 1"
        )
    return int(text)


def _percent(text: str) -> float:
    amount = _money(text.removesuffix("%"))
    if amount > 100:
        raise argparse.ArgumentTypeError(f"{text!r} is more than 100")
    return amount


def _money(text: str) -> float:
    try:
        amount = float(text.removeprefix("$"))
    except ValueError:
        amount = -1.0
    if not 0 <= amount < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not an amount")
    return amount


def _task(args: argparse.Namespace) -> Task:
    if args.task not in TASKS:
        raise UsageError(
            f"there is no task {args.task!r}",
            do=f"Choose from: {', '.join(TASKS)}",
        )
    return TASKS[args.task]


def _check_options(args: argparse.Namespace) -> None:
    """Raise UsageError for an option that would have no effect."""
    for name, modes in BELONGS.items():
        if getattr(args, name) and args.model not in modes:
            raise UsageError(
                f"this has no effect with --model {args.model}",
                where=f"--{name.replace('_', '-')}",
                do=f"Add --model {' or '.join(modes)}, or leave it out",
            )


def _check_recording(path: Path, endpoint: Endpoint) -> None:
    """Raise UsageError if the answers must not be recorded there."""
    if not path.exists() or not path.stat().st_size:
        return
    exchanges = Tape.read(path).exchanges.values()
    asked = {str(each["request"]["model"]) for each in exchanges}
    others = asked - {endpoint.asked}
    if others:
        raise UsageError(
            f"{path} already has requests to {', '.join(sorted(others))},"
            f" but now {endpoint.asked} would answer",
            where="--record",
            do="Choose another file for the new recording",
        )


def _variants(args: argparse.Namespace, task: Task) -> list[Variant]:
    variants = list(load_variants(args.prompts))
    if task.pair and len(variants) == 1:
        only = variants[0]
        return [
            replace(only, name="without-memory", memory=False),
            replace(only, name="with-memory"),
        ]
    for variant in variants[1:]:
        changed = variant.version(task.prompts)
        if variant.prompts.folder and changed == variants[0].version(
            task.prompts
        ):
            sent = ", ".join(f"{name}.md" for name in task.prompts)
            _tell(
                f"{variant.name} and {variants[0].name} send the same words:"
                f" {task.name} uses only {sent}, and they do not differ"
                " there."
            )
    return variants


def _files(
    out: Path | None, task: Task, endpoint: Endpoint, half: str
) -> Files:
    folder = out or (ROOT / "my") / "bench"
    words = [task.name, endpoint.model, endpoint.mark]
    name = re.sub(r"[^\w.]+", "-", "-".join(words)).strip("-.")
    shown = f"{name}-final" if half == "final" else name
    return Files(
        folder / f"{name}.jsonl",
        folder / f"{shown}.txt",
    )


# Who answers


def _rules_endpoint() -> Endpoint:
    ledger = BenchLedger()
    runtime = make_runtime("offline", ledger=ledger)
    return Endpoint(runtime, ledger, RULES, "offline")


def _endpoint(args: argparse.Namespace, task: Task) -> Endpoint:
    """Connect with what is to be asked; raises MemlabError."""
    if args.model == "offline":
        return _rules_endpoint()
    choice = _choice(args, task)
    settings = choice.settings(Settings())
    asked = task.model(settings)
    ledger = BenchLedger()
    shown = asked
    where = ""
    recorded = ""
    if choice.mode == "replay":
        tape = Tape.read(choice.tape)
        shown = tape.model
        recorded = tape.header["date"]
    if choice.asks == "live":
        where = _host(live_address(choice.base_url))
        if is_local(where):
            asyncio.run(_check_server(choice, asked))
        if asked in price_table().models:
            ledger.prices = price_table()
    return Endpoint(
        runtime=make_runtime(choice, ledger=ledger, settings=settings),
        ledger=ledger,
        model=shown,
        mode=choice.asks,
        where=where,
        asked=asked,
        paid=choice.costs_money(),
        recorded=recorded,
        mark=_mark(choice, where),
    )


def _mark(choice: ModelChoice, where: str) -> str:
    """Return what tells two endpoints apart whose models have the same name,
    and what is on a tape from what is not.
    """
    words = []
    if choice.asks == "live" and where != _host(SERVICE):
        words.append(f"at-{urlsplit(where).netloc}")
    if choice.mode == "record":
        words.append(f"recorded-on-{Path(choice.tape).stem}")
    if choice.mode == "replay":
        words.append(f"replay-of-{Path(choice.tape).stem}")
    return "-".join(words)


def _choice(args: argparse.Namespace, task: Task) -> ModelChoice:
    """Collect what was typed about the model."""
    mode = "record" if args.record else args.model
    return choose_model(
        mode,
        base_url=args.base_url,
        model_name=args.model_name,
        tape=args.record or args.tape,
        command=_command(args, task),
    )


def _command(args: argparse.Namespace, task: Task) -> str:
    """Write the command that records what is asked now.

    It is written on the tape, so it does not contain an address.
    """
    tape = args.record or args.tape
    if tape is None:
        return ""
    if args.model == "replay":
        header = Tape.read(tape).header
        name = task.model(Settings().with_changes(**header["models"]))
        elsewhere = "--base-url" in header["command"]
    else:
        name = args.model_name
        elsewhere = live_address(args.base_url) != SERVICE
    words = [*COMMAND.split(), "bench", args.task]
    words += ["--prompts", ",".join(args.prompts)]
    words += ["--model", "live", "--repeat", str(args.repeat)]
    if args.final:
        words.append("--final")
    if args.cases:
        words += ["--cases", ",".join(args.cases)]
    if args.limit:
        words += ["--limit", str(args.limit)]
    if name:
        words += ["--model-name", name]
    if elsewhere:
        words += ["--base-url", "URL"]
    words += ["--record", str(tape)]
    return shlex.join(words)


async def _check_server(choice: ModelChoice, name: str) -> None:
    """Raise EndpointError if no server runs on this machine."""
    from anthropic import AnthropicError, APIConnectionError

    client = make_runtime(replace(choice, mode="live")).client
    hasty = client.with_options(max_retries=0, timeout=PROBE_SECONDS)
    try:
        await hasty.models.retrieve(name)
    except APIConnectionError as error:
        where = _host(live_address(choice.base_url))
        raise EndpointError(
            f"Nothing answers at {where}",
            do="Start the server, or correct the address",
        ) from error
    # many servers do not know this question
    except (AnthropicError, ValueError):
        pass
    finally:
        await client.close()


def _host(address: str) -> str:
    """Return an address without its path, which may contain a key."""
    found = urlsplit(shown_address(address))
    return f"{found.scheme}://{found.netloc}"


def _duration(seconds: float) -> str:
    """Write a time as 0:35, or 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes:02}:{rest:02}"
    return f"{minutes}:{rest:02}"
