"""The log of the bench: a file to which one line is added per answer.

Resuming, budgets and repeats all come from this file: what it contains is not
asked again, and what was paid before an interruption still counts. Each line
is a JSON object: first the file's version, then for each start of a run a
``run`` line, its answers, what was paid for answers that were never finished
(``lost``), and an ``end`` line unless the run was killed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from io import FileIO
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memlab.bench.answer import Answer, Key
from memlab.errors import MemlabError
from memlab.ledger import Tokens
from memlab.memdir.folder import append_durably
from memlab.text import escape_hidden

VERSION = 1
_HEAD = {"log": VERSION}
_BEGINNING = json.dumps(_HEAD).encode()


class LogError(MemlabError):
    """A log cannot be read, or is being written by another run."""


class Run(BaseModel):
    """One start of the bench.

    ``number`` counts the runs of a log from 1. A start that continues a run
    that had not finished keeps its number, and with it its budget.
    ``variants`` has the prompt version of each name, and ``planned`` is how
    many answers the run is to have in the end.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    at: datetime
    task: str
    half: str
    model: str
    mode: str
    variants: Mapping[str, str]
    repeats: int
    planned: int
    dollars: float | None = None
    tokens: int | None = None
    memlab: str = ""


class Lost(BaseModel):
    """What was paid for an answer that was not finished, such as one whose
    third call failed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: datetime
    case: str
    why: str
    tokens: Tokens = Field(default_factory=Tokens)
    dollars: float | None = None


@dataclass
class Part:
    """One start of the bench, and what was written until it ended.

    ``ended`` says how it ended; it is empty for a start that was killed.
    """

    run: Run
    answers: list[Answer] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)
    ended: str = ""

    @property
    def costs(self) -> list[Answer | Lost]:
        """Everything that was paid for."""
        return [*self.answers, *self.lost]


@dataclass(frozen=True)
class Spent:
    """What a run has cost so far."""

    tokens: int = 0
    dollars: float = 0.0


@dataclass
class Log:
    """What a log contains; ``notice`` says what was wrong with its end."""

    path: Path
    parts: list[Part] = field(default_factory=list)
    notice: str = ""

    @property
    def answers(self) -> dict[Key, Answer]:
        """The answers by the question that they answer."""
        return {
            answer.key: answer
            for part in self.parts
            for answer in part.answers
        }

    def number(self, run: Run) -> int:
        """Return the number of a run that is about to start: that of the
        unfinished run that it continues, or else a new one.
        """
        for part in reversed(self.parts):
            if _same_experiment(part.run, run):
                if part.ended == "finished":
                    break
                return part.run.number
        return max((part.run.number for part in self.parts), default=0) + 1

    def spent(self, number: int) -> Spent:
        """Add up what a run has cost, over all of its starts."""
        parts = [part for part in self.parts if part.run.number == number]
        costs = [
            (cost.tokens, cost.dollars)
            for part in parts
            for cost in part.costs
        ]
        return Spent(
            sum(tokens.input + tokens.output for tokens, _ in costs),
            sum(dollars or 0.0 for _, dollars in costs),
        )

    def final_runs(self) -> dict[str, int]:
        """Count, by prompt version, the runs on the half *final* that asked
        something of that version.

        A run that was interrupted and continued counts once.
        """
        numbers: dict[str, set[int]] = {}
        for part in self.parts:
            for answer in part.answers:
                if answer.half == "final":
                    known = numbers.setdefault(answer.version, set())
                    known.add(part.run.number)
        return {version: len(known) for version, known in numbers.items()}


def final_runs_in(folder: Path, task: str, mode: str) -> Counter[str]:
    """Count the runs on the half *final* of a task as ``Log.final_runs``
    does, over the logs in a folder and those of their runs with this mode.

    A file that cannot be read as a log is passed over.
    """
    counts: Counter[str] = Counter()
    for path in sorted(folder.glob(f"{task}-*.jsonl")):
        try:
            log = read_log(path)
        except LogError:
            continue
        log.parts = [
            part
            for part in log.parts
            if part.run.task == task and part.run.mode == mode
        ]
        counts.update(log.final_runs())
    return counts


class LogWriter:
    """Adds lines to a log; each is on disk when the call returns."""

    def __init__(self, log: Log, file: FileIO) -> None:
        self.log = log
        self._file = file

    def begin(self, run: Run) -> None:
        """Record that a run starts, or goes on."""
        self._add("run", run)
        self.log.parts.append(Part(run))

    def append(self, answer: Answer) -> None:
        """Record an answer."""
        self._write(answer.model_dump_json())
        self.log.parts[-1].answers.append(answer)

    def lose(self, lost: Lost) -> None:
        """Record what an unfinished answer has cost."""
        self._add("lost", lost)
        self.log.parts[-1].lost.append(lost)

    def end(self, how: str) -> None:
        """Record how this start of the run has ended."""
        self._write(json.dumps({"end": how}))
        self.log.parts[-1].ended = how

    def _add(self, kind: str, record: BaseModel) -> None:
        self._write(f'{{"{kind}": {record.model_dump_json()}}}')

    def _write(self, line: str) -> None:
        data = escape_hidden(line).encode() + b"\n"
        try:
            append_durably(self._file.fileno(), data)
        except OSError as error:
            raise LogError(
                f"this log cannot be written: {error.strerror}",
                where=self.log.path,
                do="Make room, and give the same command again",
            ) from error


def read_log(path: Path) -> Log:
    """Read a log; one that does not exist yet is empty.

    A last line that a killed process left unfinished is ignored, with a
    notice. Raises LogError for any other line that cannot be read.
    """
    log, _ = _read(path)
    return log


@contextmanager
def open_log(path: Path, *, empty: bool = False) -> Iterator[LogWriter]:
    """Open a log for adding to it, with its unfinished last line cut off;
    with ``empty``, what it contained is removed first.

    Raises LogError if it cannot be read, or while another run writes to it.
    """
    from filelock import FileLock, Timeout

    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path.with_name(f".{path.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise LogError(
            "another run is writing this log",
            where=path,
            do="Wait until it has ended, or give another folder with --out",
        ) from None
    try:
        log, size = (Log(path), 0) if empty else _read(path)
        with path.open("ab", buffering=0) as file:
            file.truncate(size)
            writer = LogWriter(log, file)
            if not size:
                writer._write(json.dumps(_HEAD))
            yield writer
    finally:
        lock.release()


def _read(path: Path) -> tuple[Log, int]:
    """Read a log, and say how many of its bytes are whole lines."""
    log = Log(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return log, 0
    except OSError as error:
        raise LogError(
            f"this log cannot be read: {error.strerror}", where=path
        ) from error
    lines = data.splitlines(keepends=True)
    size = 0
    for number, line in enumerate(lines, 1):
        finished = line.endswith(b"\n")
        if not finished and (number > 1 or _BEGINNING.startswith(line)):
            log.notice = (
                f"{path.name}: the last line was cut off, because it is not"
                " finished (a run was killed while it wrote)."
            )
            break
        problem = _take(log, line, number)
        if problem:
            raise LogError(
                f"this line cannot be read: {problem}",
                where=f"{path}:{number}",
                do="Remove the line, or move the file away and start again",
            )
        size += len(line)
    return log, size


def _take(log: Log, line: bytes, number: int) -> str:
    """Add one line to what is known; return what is wrong with it."""
    if not line.strip() and number > 1:
        return ""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return "it is not JSON"
    if not isinstance(record, dict):
        return "it is not a JSON object"
    if number == 1:
        return "" if record == _HEAD else "it is not the head of a log"
    try:
        if "run" in record:
            log.parts.append(Part(Run.model_validate(record["run"])))
        elif not log.parts:
            return "it comes before the first run"
        elif "lost" in record:
            log.parts[-1].lost.append(Lost.model_validate(record["lost"]))
        elif "end" in record:
            log.parts[-1].ended = str(record["end"])
        else:
            log.parts[-1].answers.append(Answer.model_validate(record))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        return f"{key}: {first['msg']}"
    return ""


def _same_experiment(one: Run, other: Run) -> bool:
    """Tell whether a start asks about the same prompts, half and model."""
    return (
        one.task == other.task
        and one.half == other.half
        and one.model == other.model
        and dict(one.variants) == dict(other.variants)
    )
