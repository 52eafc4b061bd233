"""Thousands of memories made from a seed, and how well and how fast recall
finds the right one among them.

Run as ``python -m memlab.evals.many``. The templates, the values of their
slots and the questions are written by hand (``data/landscape/many.yaml``). A
question is in other words than its memory, and exactly one memory answers it.

Three ways to find it are compared: keyword ranking over the newest 200 files,
which is what a scan shows, over what the first stage proposes, and over all
files. Left out: the side-query, whose choice depends on the model.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from memlab.clock import STORY_START, to_nanoseconds
from memlab.errors import MemlabError
from memlab.evals.command import at_least_one, in_one_sentence
from memlab.memdir.memory import Memory, MemoryType, format_memory
from memlab.memdir.scan import MemoryHeader, scan_memory_files
from memlab.recall.first_stage import FirstStage, best_first, count_containing
from memlab.recall.keyword import KeywordIndex, rank_among
from memlab.settings import Settings
from memlab.text import terms_of

TEMPLATES = Path(__file__).parents[2] / "data" / "landscape" / "many.yaml"
SEED = 25
SIZES = (200, 2_000, 20_000, 100_000)
QUESTIONS = 200
MOST_TERMS = 10
_DEFAULTS = Settings()
TOP = _DEFAULTS.select_max_memories
_SLOT = re.compile(r"\{(\w+)\}")


class TemplatesError(MemlabError):
    """The file of templates cannot be used."""


@dataclass(frozen=True)
class Template:
    """One kind of memory. ``identified_by`` names the slots that tell a memory
    from all others of the template; ``questions`` ask for one, the last of
    them with nothing in common but the values of these slots.
    """

    id: str
    type: MemoryType
    name: str
    description: str
    body: str
    identified_by: tuple[str, ...]
    questions: tuple[str, ...]

    @property
    def slots(self) -> set[str]:
        """All slots of the memory's text."""
        whole = self.name + self.description + self.body
        return {*_SLOT.findall(whole), *self.identified_by}


@dataclass(frozen=True)
class Templates:
    """The templates, and the values of each slot."""

    all: tuple[Template, ...]
    slots: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class MadeMemory:
    """One memory, with the values it was made from."""

    file: str
    memory: Memory
    mtime_ns: int
    template: Template
    values: Mapping[str, str]


@dataclass(frozen=True)
class MadeQuestion:
    """A question, and the file of the one memory that answers it."""

    text: str
    file: str


@dataclass(frozen=True)
class Found:
    """The share of questions whose memory is among the first five, for the
    three ways to find it.
    """

    memories: int
    questions: int
    newest: float
    first_stage: float
    all_files: float


def load_templates(path: Path = TEMPLATES) -> Templates:
    """Read the templates; raises TemplatesError, which says what is wrong."""
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
        slots = {
            name: [str(value) for value in values]
            for name, values in raw["slots"].items()
        }
        for name, (least, most) in raw["numbers"].items():
            slots[name] = [str(number) for number in range(least, most + 1)]
        templates = tuple(map(_template, raw["templates"]))
    except OSError as error:
        raise TemplatesError(
            error.strerror or "it cannot be read",
            where=path,
            do="Take the file of a clone of memlab",
        ) from error
    except (yaml.YAMLError, LookupError, TypeError, ValueError) as error:
        raise TemplatesError(
            f"this is no file of templates ({error})",
            where=path,
            do="Compare it with data/landscape/many.yaml in the repository",
        ) from error
    for template in templates:
        unknown = sorted(template.slots - slots.keys())
        if unknown:
            raise TemplatesError(
                f"template {template.id} has an unknown slot {unknown[0]!r}",
                where=path,
                do="Add it to slots",
            )
    return Templates(templates, slots)


def _template(raw: Mapping[str, Any]) -> Template:
    return Template(
        raw["id"],
        MemoryType(raw["type"]),
        raw["name"],
        raw["description"],
        raw["body"],
        tuple(raw["identified_by"]),
        (*raw["questions"], raw["slots_only"]),
    )


def make_memories(
    count: int, templates: Templates, seed: int = SEED
) -> list[MadeMemory]:
    """Make so many memories, newest first; the same ones for the same seed.

    They are an hour apart, and no two of a template have the same
    identifying values.
    """
    chance = random.Random(f"{seed} {count}")
    taken: set[tuple[str, ...]] = set()
    names: dict[str, int] = {}
    made: list[MadeMemory] = []
    moment = STORY_START
    while len(made) < count:
        template = chance.choice(templates.all)
        values = _draw(template, templates.slots, chance)
        key = (template.id, *(values[slot] for slot in template.identified_by))
        if key in taken:
            continue
        taken.add(key)
        memory = Memory(
            _filled(template.name, values),
            _filled(template.description, values),
            template.type,
            f"{_filled(template.body, values).strip()}\n",
        )
        slug = "-".join(re.findall(r"[a-z0-9]+", memory.name.lower()))
        names[slug] = names.get(slug, 0) + 1
        file = f"{slug}-{names[slug]}.md" if names[slug] > 1 else f"{slug}.md"
        stamp = to_nanoseconds(moment)
        made.append(MadeMemory(file, memory, stamp, template, values))
        moment -= timedelta(hours=1)
    return made


def _draw(
    template: Template,
    slots: Mapping[str, Sequence[str]],
    chance: random.Random,
) -> dict[str, str]:
    values: dict[str, str] = {}
    for slot in sorted(template.slots):
        value = chance.choice(slots[slot])
        while slot in ("other", "person") and value in values.values():
            value = chance.choice(slots[slot])
        values[slot] = value
    return values


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _SLOT.sub(lambda slot: values[slot[1]], text)


def make_questions(
    memories: Sequence[MadeMemory], count: int = QUESTIONS, seed: int = SEED
) -> list[MadeQuestion]:
    """Ask for some of the memories, each in one of its template's ways."""
    chance = random.Random(f"{seed} questions")
    asked = chance.sample(list(memories), min(count, len(memories)))
    return [
        MadeQuestion(
            _filled(chance.choice(one.template.questions), one.values),
            one.file,
        )
        for one in asked
    ]


def write_memories(memories: Iterable[MadeMemory], folder: Path) -> None:
    """Write the memories as files, with their times."""
    folder.mkdir(parents=True, exist_ok=True)
    for made in memories:
        path = folder / made.file
        path.write_text(format_memory(made.memory), encoding="utf-8")
        os.utime(path, ns=(made.mtime_ns, made.mtime_ns))


Find = Callable[[str], Sequence[MemoryHeader]]


def recall_at_five(find: Find, questions: Sequence[MadeQuestion]) -> float:
    """Give the share of questions whose memory is among the first five."""
    hits = sum(
        question.file in [header.filename for header in find(question.text)]
        for question in questions
    )
    return hits / len(questions)


def by_first_stage(stage: FirstStage) -> Find:
    """Rank by keywords what the first stage proposes."""

    def find(query: str) -> Sequence[MemoryHeader]:
        proposed = stage.propose(query)
        if proposed is None:
            return []
        return rank_among(query, proposed.scan, TOP, proposed.corpus)

    return find


def measure_recall(
    folder: Path,
    questions: Sequence[MadeQuestion],
    stage: FirstStage,
    settings: Settings = _DEFAULTS,
) -> Found:
    """Compare the three ways to find the memories of a folder."""
    newest = scan_memory_files(folder, settings)
    memories = len(newest) + newest.beyond
    everything = Settings(scan_max_files=memories)
    whole = KeywordIndex(scan_memory_files(folder, everything))
    by_newest = partial(_ranked, KeywordIndex(newest))
    staged: Find = by_newest
    if newest.beyond:
        staged = by_first_stage(stage)
    return Found(
        memories,
        len(questions),
        recall_at_five(by_newest, questions),
        recall_at_five(staged, questions),
        recall_at_five(partial(_ranked, whole), questions),
    )


def _ranked(index: KeywordIndex, query: str) -> Sequence[MemoryHeader]:
    return index.rank(query, TOP)


class Seconds(NamedTuple):
    """How long something took, and how much of that a processor worked on
    it.
    """

    wall: float
    cpu: float


@dataclass(frozen=True)
class Milliseconds:
    """How long something took: half of the times are below ``p50``, and 95 of
    100 below ``p95``. The times of the processor hardly depend on what else
    the machine does.
    """

    p50: float
    p95: float
    cpu_p50: float
    cpu_p95: float

    @classmethod
    def of(cls, works: Iterable[Callable[[], object]]) -> Milliseconds:
        """Do some things, and sum up how long each took."""
        times = [seconds_of(work) for work in works]
        wall = sorted(time.wall * 1000 for time in times)
        cpu = sorted(time.cpu * 1000 for time in times)
        middle = len(times) // 2
        high = int(len(times) * 0.95)
        return cls(
            round(wall[middle], 1),
            round(wall[high], 1),
            round(cpu[middle], 1),
            round(cpu[high], 1),
        )


def seconds_of(work: Callable[[], object]) -> Seconds:
    """Say how long something takes."""
    began = time.perf_counter()
    began_cpu = time.process_time()
    work()
    cpu = time.process_time() - began_cpu
    return Seconds(time.perf_counter() - began, cpu)


def queries_of(
    terms: int, questions: Sequence[MadeQuestion], count: int, seed: int = SEED
) -> list[str]:
    """Make queries of exactly so many terms out of the words of questions that
    follow each other.
    """
    chance = random.Random(f"{seed} {terms} terms")
    made = []
    for _ in range(count):
        start = chance.randrange(len(questions))
        found: dict[str, str] = {}
        for question in (*questions[start:], *questions):
            for word in question.text.split():
                for term in terms_of(word)[:1]:
                    found.setdefault(term, word)
            if len(found) >= terms:
                break
        made.append(" ".join(list(found.values())[:terms]))
    return made


def measure_times(
    folder: Path,
    stage: FirstStage,
    questions: Sequence[MadeQuestion],
    count: int = 60,
) -> dict[str, Any]:
    """Measure a scan, a full check, and the first stage by the number of
    terms. A proposal is a search, and then the headers of the candidates are
    read.
    """

    def propose(query: str) -> Callable[[], object]:
        return partial(stage.propose, query)

    def find(query: str) -> Callable[[], object]:
        def found() -> None:
            with stage.open() as index:
                terms = count_containing(index, sorted({*terms_of(query)}))
                list(best_first(index, terms))

        return found

    proposing = {}
    searching = {}
    for terms in range(1, MOST_TERMS + 1):
        queries = queries_of(terms, questions, count)
        proposing[terms] = asdict(Milliseconds.of(map(propose, queries)))
        searching[terms] = asdict(Milliseconds.of(map(find, queries)))
    scan = partial(scan_memory_files, folder)
    asked = [question.text for question in questions]
    return {
        "scan": asdict(Milliseconds.of([scan] * 5)),
        "check": asdict(Milliseconds.of([stage.check] * 5)),
        "propose": asdict(Milliseconds.of(map(propose, asked))),
        "propose_by_terms": proposing,
        "search_by_terms": searching,
    }


def measure(
    size: int, folder: Path, templates: Templates, seed: int = SEED
) -> dict[str, Any]:
    """Make so many memories below a folder, and measure all."""
    made = make_memories(size, templates, seed)
    write_memories(made, folder)
    questions = make_questions(made, seed=seed)
    notices: list[str] = []
    stage = FirstStage(folder, Settings(), notices.append)
    build = seconds_of(stage.check)
    found = measure_recall(folder, questions, stage)
    row = asdict(found) | {
        "build_seconds": round(build.wall, 1),
        "build_cpu_seconds": round(build.cpu, 1),
        "index_bytes": stage.path.stat().st_size,
        "milliseconds": measure_times(folder, stage, questions),
    }
    if notices:
        raise MemlabError(
            notices[0], where=folder, do="Measure again with a sound index"
        )
    return row


@in_one_sentence()
def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print a table, and record it if asked to."""
    parser = argparse.ArgumentParser(
        prog="python -m memlab.evals.many", description=__doc__
    )
    parser.add_argument("--sizes", type=at_least_one, nargs="+", default=SIZES)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument(
        "--folder", type=Path, help="where to write the memories meanwhile"
    )
    parser.add_argument("--record", type=Path, help="a YAML file to write")
    parser.add_argument("--note", default="", help="to be recorded with it")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    _check_folders(given.folder, given.record and given.record.parent)
    templates = load_templates()
    rows = []
    for size in given.sizes:
        place = Path(tempfile.mkdtemp(dir=given.folder))
        try:
            row = measure(size, place / "memory", templates, given.seed)
        finally:
            shutil.rmtree(place)
        rows.append(row)
        print(json.dumps(row) if given.json else _line(row), flush=True)
    if given.record:
        about = {
            "date": date.today().isoformat(),
            "machine": f"{os.cpu_count()} cores, {platform.machine()}",
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            "load": round(os.getloadavg()[0], 1),
            "note": given.note,
            "seed": given.seed,
            "sizes": rows,
        }
        given.record.write_text(
            yaml.safe_dump(about, sort_keys=False), encoding="utf-8"
        )


def _check_folders(*folders: Path | None) -> None:
    """Say before a long measurement which folder is not there."""
    for folder in folders:
        if folder is not None and not folder.is_dir():
            raise MemlabError(
                "there is no such folder", where=folder, do="Make it first"
            )


def _line(row: Mapping[str, Any]) -> str:
    times = row["milliseconds"]
    return (
        f"{row['memories']:>7,} memories: recall@5 newest"
        f" {row['newest']:.3f}, first stage {row['first_stage']:.3f}, all"
        f" files {row['all_files']:.3f}; propose p50"
        f" {times['propose']['p50']} ms, p95 {times['propose']['p95']} ms;"
        f" scan {times['scan']['p50']} ms, check {times['check']['p50']} ms,"
        f" build {row['build_seconds']} s,"
        f" {row['index_bytes'] / 1e6:.1f} MB"
    )


if __name__ == "__main__":
    main()
