"""Ways to choose memories by words, measured on the labelled set of recall.

Run as ``python -m memlab.evals.recall``. It measures on the half *work*, and
with ``--final`` on the half *final* too. Left out: a language model. The
offline stand-in is measured in a separate table: it is rules, and its figure
says nothing about a model.
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

from memlab.evals.command import in_one_sentence
from memlab.evals.labelled import (
    LABELLED,
    RecallCase,
    RecallSet,
    load_recall_set,
    newest_first,
)
from memlab.evals.metrics import (
    Answer,
    hit_at,
    mrr,
    no_answer_precision,
    no_answer_recall,
    recall_at,
)
from memlab.memdir.scan import MemoryHeader
from memlab.models.request import ModelRequest
from memlab.models.standin.answer import answer
from memlab.recall.keyword import KeywordIndex, searched_text
from memlab.recall.selection import explains_tool_in_use, selection_request
from memlab.settings import Settings
from memlab.text import STOP_WORDS, terms_of, words

TOP = Settings().select_max_memories
DRAWS = 100
KEYWORDS = "BM25 without stop words, stemmed"

Headers = Sequence[MemoryHeader]
Choose = Callable[[RecallCase], list[list[str]]]
"""Gives the files chosen for a case, best first; several lists for a random
method.
"""


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
    """Draw files at random, many times."""
    names = [header.filename for header in headers]

    def choose(case: RecallCase) -> list[list[str]]:
        chance = random.Random(case.id)
        return [
            chance.sample(names, min(TOP, len(names))) for _ in range(DRAWS)
        ]

    return choose


def by_substring(headers: Headers) -> Choose:
    """Count the query's words that occur in name and description, even inside
    other words.
    """
    texts = [
        f"{header.name} {header.description}".lower() for header in headers
    ]

    def choose(case: RecallCase) -> list[list[str]]:
        query = case.query.lower().split()
        return [
            _best(
                headers,
                [sum(word in text for word in query) for text in texts],
            )
        ]

    return choose


def by_overlap(headers: Headers) -> Choose:
    """Count the whole words that query and header share."""
    word_sets = [set(words(searched_text(header))) for header in headers]

    def choose(case: RecallCase) -> list[list[str]]:
        query = set(words(case.query))
        return [
            _best(headers, [len(query & word_set) for word_set in word_sets])
        ]

    return choose


def by_index(terms: Callable[[str], list[str]]) -> Callable[[Headers], Choose]:
    """Rank by BM25 over the terms that ``terms`` makes of a text."""

    def make(headers: Headers) -> Choose:
        index = KeywordIndex(headers, terms)
        return lambda case: [
            [each.filename for each in index.rank(case.query, TOP)]
        ]

    return make


def by_fallback(headers: Headers) -> Choose:
    """Rank as recall does when no model answers: without notes that explain a
    tool in use.
    """

    def choose(case: RecallCase) -> list[list[str]]:
        helpful = [
            each
            for each in headers
            if not explains_tool_in_use(each, case.recent_tools)
        ]
        return [
            [
                each.filename
                for each in KeywordIndex(helpful).rank(case.query, TOP)
            ]
        ]

    return choose


def by_rules(headers: Headers) -> Choose:
    """Ask the offline stand-in, with the very request that a model would get."""

    def choose(case: RecallCase) -> list[list[str]]:
        body = selection_request(
            case.query,
            headers,
            settings=Settings(),
            recent_tools=case.recent_tools,
        )
        request = ModelRequest("select", body)
        reply = answer(request, (), Settings()).reply
        return [list(json.loads(reply.blocks[0]["text"])["selected_memories"])]

    return choose


def _without_stop_words(text: str) -> list[str]:
    return [word for word in words(text) if word not in STOP_WORDS]


RANKINGS: Mapping[str, Callable[[Headers], Choose]] = {
    "random": by_chance,
    "substring": by_substring,
    "overlap": by_overlap,
    "BM25": by_index(words),
    "BM25 without stop words": by_index(_without_stop_words),
    KEYWORDS: by_index(terms_of),
    "the fallback: the same, and no tool notes": by_fallback,
}


def measure_ranking(
    method: str,
    make: Callable[[Headers], Choose],
    cases: Iterable[RecallCase],
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
        recall_at(answers, TOP),
        hit_at(answers, TOP),
        mrr(answers),
        no_answer_precision(answers),
        no_answer_recall(answers),
    )


def measure_rankings(recall_set: RecallSet, half: str) -> list[Measured]:
    """Measure every method on one half, ``work`` or ``final``."""
    cases = recall_set.half(half)
    return [
        measure_ranking(name, make, cases, recall_set.headers)
        for name, make in RANKINGS.items()
    ]


def measure_descriptions(recall_set: RecallSet, half: str) -> list[Measured]:
    """Measure one method on one directory twice: as it is, and with its vague
    lines rewritten.
    """
    directory = recall_set.better.directory
    cases = [
        case for case in recall_set.half(half) if case.directory == directory
    ]
    lines = {
        "as they were": recall_set.directories[directory].headers,
        f"{len(recall_set.better.descriptions)} vague ones rewritten": (
            recall_set.better_headers()
        ),
    }
    return [
        measure_ranking(name, RANKINGS[KEYWORDS], cases, {directory: headers})
        for name, headers in lines.items()
    ]


def time_index(
    headers: Headers, queries: Sequence[str], size: int
) -> tuple[float, float, float]:
    """Time an index over so many headers, in ms: to build it, a usual query,
    the slowest query.
    """
    many = [
        replace(header, filename=f"{number}-{header.filename}")
        for number, header in zip(range(size), cycle(headers), strict=False)
    ]
    built = _best_time(lambda: KeywordIndex(many))
    index = KeywordIndex(many)
    taken = [_best_time(partial(index.rank, query, TOP)) for query in queries]
    return built, statistics.median(taken), max(taken)


def _best(headers: Headers, scores: Sequence[int]) -> list[str]:
    order = sorted(
        (-score, *newest_first(header))
        for score, header in zip(scores, headers, strict=True)
        if score
    )
    return [filename for _, _, filename in order[:TOP]]


def _best_time(work: Callable[[], object], rounds: int = 7) -> float:
    taken = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        taken.append(1000 * (time.perf_counter() - begun))
    return min(taken)


def _print_rows(title: str, rows: Iterable[Measured]) -> None:
    names = (
        "recall@5",
        "hit@5",
        "MRR",
        "no-answer precision",
        "no-answer recall",
    )
    print(
        f"\n{title:42}" + "".join(f"{name:>{len(name) + 4}}" for name in names)
    )
    for row in rows:
        figures = (
            row.recall,
            row.hit,
            row.mrr,
            row.no_answer_precision,
            row.no_answer_recall,
        )
        shown = [
            "–" if figure is None else f"{figure:.3f}" for figure in figures
        ]
        cells = zip(names, shown, strict=True)
        print(
            f"{row.method:42}"
            + "".join(f"{cell:>{len(name) + 4}}" for name, cell in cells)
        )


def _print_half(recall_set: RecallSet, half: str) -> None:
    cases = recall_set.half(half)
    headers = recall_set.headers
    some = sum(bool(case.relevant) for case in cases)
    print(f"\n== {half}: {len(cases)} cases, {some} with a relevant file")
    _print_rows("method", measure_rankings(recall_set, half))
    rules = measure_ranking("offline stand-in", by_rules, cases, headers)
    _print_rows("no method, and not to be compared: rules", [rules])
    _print_rows("keywords by kind of case", _kinds(cases, headers))
    _print_rows(
        f"keywords on {recall_set.better.directory}, descriptions",
        measure_descriptions(recall_set, half),
    )


def _kinds(
    cases: Sequence[RecallCase], headers: Mapping[str, Headers]
) -> list[Measured]:
    kinds = sorted({case.kind for case in cases})
    by_kind = {
        kind: [case for case in cases if case.kind == kind] for kind in kinds
    }
    return [
        measure_ranking(
            f"{kind} ({len(some)})", RANKINGS[KEYWORDS], some, headers
        )
        for kind, some in by_kind.items()
    ]


@in_one_sentence()
def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m memlab.evals.recall")
    parser.add_argument(
        "--final",
        action="store_true",
        help="the half for one figure at the end",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=LABELLED / "select",
        help="where the labelled set is",
    )
    given = parser.parse_args(arguments)
    recall_set = load_recall_set(given.folder)
    for half in ("work", "final") if given.final else ("work",):
        _print_half(recall_set, half)
    headers = [
        header for some in recall_set.headers.values() for header in some
    ]
    queries = [case.query for case in recall_set.half("work")]
    print("\nms, best of 7            build   query, usual   query, slowest")
    for size in (200, 2_000):
        built, usual, slowest = time_index(headers, queries, size)
        print(
            f"{size:>5,} headers {built:17.2f} {usual:14.3f} {slowest:16.3f}"
        )


if __name__ == "__main__":
    main()
