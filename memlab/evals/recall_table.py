"""Ways to choose memories by words, measured on the labelled set of recall.

Run as ``python -m memlab.evals.recall_table``. It measures on the half *work*, and with ``--final``
once on the half *final* too. Left out: a language model. The offline stand-in is measured, and
stands apart: it is rules, and its figure says nothing about a model.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle
from pathlib import Path

from memlab.evals.labelled_select import load_select_set
from memlab.evals.metrics import (
    Answer,
    hit_at,
    mrr,
    no_answer_precision,
    no_answer_recall,
    recall_at,
)
from memlab.evals.select_set import SelectCase, SelectSet
from memlab.memdir.scan import MemoryHeader
from memlab.models.request import ModelRequest
from memlab.models.roles.select import answer_select
from memlab.recall.choose import explains_tool_in_use, selection_request
from memlab.recall.keyword import KeywordIndex, searched_text
from memlab.settings import Settings
from memlab.text import STOP_WORDS, terms_of, words

FOLDER = Path(__file__).parents[2] / "data" / "labelled" / "select"
PLACES = Settings().select_max_memories
DRAWS = 100
KEYWORDS = "BM25 + stop words + stemming"

Headers = Sequence[MemoryHeader]
Choose = Callable[[SelectCase], list[list[str]]]
"""Gives the files chosen for a case, best first; several lists where chance is in play."""


@dataclass(frozen=True)
class Measured:
    """One row: a method's figures, None where a figure has no meaning for it."""

    method: str
    recall: float | None
    hit: float | None
    mrr: float | None
    no_answer_precision: float | None
    no_answer_recall: float | None


def by_chance(headers: Headers) -> Choose:
    """Draw any files, many times."""
    names = [header.filename for header in headers]

    def choose(case: SelectCase) -> list[list[str]]:
        chance = random.Random(case.id)
        return [chance.sample(names, min(PLACES, len(names))) for _ in range(DRAWS)]

    return choose


def by_substring(headers: Headers) -> Choose:
    """Count the query's words that stand anywhere in name and description, even inside words."""
    texts = [f"{header.name} {header.description}".lower() for header in headers]

    def choose(case: SelectCase) -> list[list[str]]:
        asked = case.query.lower().split()
        return [_best(headers, [sum(word in text for word in asked) for text in texts])]

    return choose


def by_overlap(headers: Headers) -> Choose:
    """Count the whole words that query and header share."""
    held = [{*words(searched_text(header))} for header in headers]

    def choose(case: SelectCase) -> list[list[str]]:
        asked = {*words(case.query)}
        return [_best(headers, [len(asked & each) for each in held])]

    return choose


def by_index(terms: Callable[[str], list[str]]) -> Callable[[Headers], Choose]:
    """Rank by BM25 over the terms that ``terms`` makes of a text."""

    def make(headers: Headers) -> Choose:
        index = KeywordIndex(headers, terms)
        return lambda case: [[each.filename for each in index.rank(case.query, PLACES)]]

    return make


def by_fallback(headers: Headers) -> Choose:
    """Rank as recall does when no model answers: without notes that explain a tool in use."""

    def choose(case: SelectCase) -> list[list[str]]:
        helpful = [each for each in headers if not explains_tool_in_use(each, case.recent_tools)]
        return [[each.filename for each in KeywordIndex(helpful).rank(case.query, PLACES)]]

    return choose


def by_rules(headers: Headers) -> Choose:
    """Ask the offline stand-in, with the very request that a model would get."""

    def choose(case: SelectCase) -> list[list[str]]:
        body = selection_request(
            case.query, headers, settings=Settings(), recent_tools=case.recent_tools
        )
        reply = answer_select(ModelRequest("select", body))
        return [list(json.loads(reply.blocks[0]["text"])["selected_memories"])]

    return choose


def _without_little_words(text: str) -> list[str]:
    return [word for word in words(text) if word not in STOP_WORDS]


METHODS: Mapping[str, Callable[[Headers], Choose]] = {
    "random": by_chance,
    "substring": by_substring,
    "overlap": by_overlap,
    "BM25": by_index(words),
    "BM25 + stop words": by_index(_without_little_words),
    KEYWORDS: by_index(terms_of),
    "the fallback: the same, and no tool notes": by_fallback,
}


def measure(
    method: str,
    make: Callable[[Headers], Choose],
    cases: Iterable[SelectCase],
    headers: Mapping[str, Headers],
) -> Measured:
    """Measure one method on some cases; ``headers`` by directory."""
    ready = {directory: make(each) for directory, each in headers.items()}
    answers = [
        Answer(tuple(chosen), case.relevant)
        for case in cases
        for chosen in ready[case.directory](case)
    ]
    return Measured(
        method,
        recall_at(answers, PLACES),
        hit_at(answers, PLACES),
        mrr(answers),
        no_answer_precision(answers),
        no_answer_recall(answers),
    )


def measure_all(select_set: SelectSet, half: str) -> list[Measured]:
    """Measure every method on one half, ``work`` or ``final``."""
    headers = {name: each.headers for name, each in select_set.directories.items()}
    return [measure(name, make, select_set.half(half), headers) for name, make in METHODS.items()]


def measure_descriptions(select_set: SelectSet, half: str) -> list[Measured]:
    """Measure one method on one directory twice: as it is, and with its vague lines rewritten."""
    directory = select_set.better_directory
    cases = [case for case in select_set.half(half) if case.directory == directory]
    lines = {
        "as they were": select_set.directories[directory].headers,
        f"{len(select_set.better)} vague ones rewritten": select_set.better_headers(),
    }
    return [
        measure(name, METHODS[KEYWORDS], cases, {directory: headers})
        for name, headers in lines.items()
    ]


def time_index(headers: Headers, queries: Sequence[str], size: int) -> tuple[float, float, float]:
    """Time an index over so many headers, in ms: to build it, a usual query, the slowest query."""
    many = [
        replace(header, filename=f"{number}-{header.filename}")
        for number, header in zip(range(size), cycle(headers), strict=False)
    ]
    built = _best_time(lambda: KeywordIndex(many))
    index = KeywordIndex(many)
    asked = [_best_time(partial(index.rank, query, PLACES)) for query in queries]
    return built, statistics.median(asked), max(asked)


def _best(headers: Headers, scores: Sequence[int]) -> list[str]:
    order = sorted(
        (-score, -header.mtime.timestamp(), header.filename)
        for score, header in zip(scores, headers, strict=True)
        if score
    )
    return [filename for _, _, filename in order[:PLACES]]


def _best_time(work: Callable[[], object], rounds: int = 7) -> float:
    taken = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        taken.append(1000 * (time.perf_counter() - begun))
    return min(taken)


def _print_rows(title: str, rows: Iterable[Measured]) -> None:
    names = ("recall@5", "hit@5", "MRR", "no-answer precision", "no-answer recall")
    print(f"\n{title:42}" + "".join(f"{name:>{len(name) + 4}}" for name in names))
    for row in rows:
        figures = (row.recall, row.hit, row.mrr, row.no_answer_precision, row.no_answer_recall)
        shown = ["–" if figure is None else f"{figure:.3f}" for figure in figures]
        cells = zip(names, shown, strict=True)
        print(f"{row.method:42}" + "".join(f"{cell:>{len(name) + 4}}" for name, cell in cells))


def _print_half(select_set: SelectSet, half: str) -> None:
    cases = select_set.half(half)
    headers = {name: each.headers for name, each in select_set.directories.items()}
    some = sum(bool(case.relevant) for case in cases)
    print(f"\n== {half}: {len(cases)} cases, {some} with a relevant file")
    _print_rows("method", measure_all(select_set, half))
    rules = measure("offline stand-in", by_rules, cases, headers)
    _print_rows("no method, and not to be compared: rules", [rules])
    _print_rows("keywords by kind of case", _kinds(cases, headers))
    _print_rows(
        f"keywords on {select_set.better_directory}, descriptions",
        measure_descriptions(select_set, half),
    )


def _kinds(cases: Sequence[SelectCase], headers: Mapping[str, Headers]) -> list[Measured]:
    kinds = sorted({case.kind for case in cases})
    by_kind = {kind: [case for case in cases if case.kind == kind] for kind in kinds}
    return [
        measure(f"{kind} ({len(some)})", METHODS[KEYWORDS], some, headers)
        for kind, some in by_kind.items()
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m memlab.evals.recall_table")
    parser.add_argument("--final", action="store_true", help="the half for one figure at the end")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the labelled set lies")
    given = parser.parse_args(arguments)
    select_set = load_select_set(given.folder)
    for half in ("work", "final") if given.final else ("work",):
        _print_half(select_set, half)
    headers = [header for each in select_set.directories.values() for header in each.headers]
    queries = [case.query for case in select_set.half("work")]
    print("\nms, best of 7            build   query, usual   query, slowest")
    for size in (200, 2_000):
        built, usual, slowest = time_index(headers, queries, size)
        print(f"{size:>5,} headers {built:17.2f} {usual:14.3f} {slowest:16.3f}")


if __name__ == "__main__":
    main()
