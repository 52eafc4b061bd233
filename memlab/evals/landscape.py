"""The memory systems of the landscape side by side: what each of them puts
before the model for the same questions about the same history.

Run as ``python -m memlab.evals.landscape``. A text counts as evidence if it
contains the key of a fact, a phrase that no other fact has, so no model and no
person judges. Left out: whether a model then answers correctly.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cached_property, partial
from typing import Any, NamedTuple

from memlab.evals.command import in_one_sentence
from memlab.evals.metrics import Interval, mean, share_interval
from memlab.landscape.asking import Asks, ByLabels, ByRules
from memlab.landscape.history import (
    HALVES,
    QUESTION_KINDS,
    History,
    Question,
    load_history,
    load_questions,
    questions_in_time,
)
from memlab.landscape.system import Cost, Fact, MemorySystem
from memlab.landscape.systems import SYSTEMS, make_systems
from memlab.landscape.tables import load_official
from memlab.landscape.vectors import Embedder, HashedBag
from memlab.ledger import Tokens
from memlab.settings import Settings
from memlab.text import count_tokens

TOOL = "tool"


class Outcome(StrEnum):
    """What a system put before the model for a question.

    The last two are for questions about what was never said.
    """

    EVIDENCE = "evidence only"
    BESIDE_STALE = "evidence and stale"
    STALE = "stale only"
    PARTLY = "partly"
    ABSENT = "absent"
    NOTHING = "nothing shown"
    ANYWAY = "shown anyway"


FOUND = (Outcome.EVIDENCE, Outcome.BESIDE_STALE)
"""The outcomes in which everything that the answer needs is shown."""


@dataclass(frozen=True)
class Shown:
    """What one question brought up: texts, their tokens, and what finding them
    has used.

    ``stale`` says whether anything that would mislead is shown, whatever else
    is. ``told_apart`` says whether each statement of a tool that would mislead
    shows that a tool said it; None if no such statement is shown.
    """

    question: Question
    texts: tuple[str, ...]
    outcome: Outcome
    stale: bool
    told_apart: bool | None
    cost: Cost

    @property
    def tokens(self) -> int:
        """The tokens that the texts add to the prompt."""
        return count_tokens("\n".join(self.texts))


@dataclass(frozen=True)
class Result:
    """One system after the whole history.

    ``remembering`` is what taking in its ``turns`` turns has used, and
    ``shown`` has one entry per question, in the order of the questions.
    """

    system: str
    turns: int
    shown: tuple[Shown, ...]
    remembering: Cost
    stored_bytes: int

    def of_kind(self, kind: str = "") -> tuple[Shown, ...]:
        """Return the questions of one kind, or all of them."""
        return tuple(
            each for each in self.shown if kind in ("", each.question.kind)
        )

    @cached_property
    def outcomes(self) -> Counter[Outcome]:
        """How often each outcome occurred."""
        return Counter(each.outcome for each in self.shown)

    @cached_property
    def answerable(self) -> tuple[Shown, ...]:
        """The questions that the history answers."""
        return tuple(each for each in self.shown if each.question.needs)

    @property
    def evidence(self) -> float:
        """The share of these for which everything needed was shown."""
        return mean(_found(self.answerable)) or 0.0

    @cached_property
    def interval(self) -> Interval:
        """The 95 % interval of that share."""
        return share_interval(list(_found(self.answerable)))

    @property
    def tokens_per_question(self) -> float:
        """What recall adds to a prompt on average."""
        return mean(each.tokens for each in self.shown) or 0.0

    @property
    def calls_per_turn(self) -> float:
        """Calls of a model per turn, for remembering."""
        return self.remembering.calls / self.turns

    @property
    def tokens_per_turn(self) -> float:
        """Tokens sent and received per turn, for remembering."""
        used = self.remembering
        return (used.input_tokens + used.output_tokens) / self.turns

    def cost_per_turn(self, settings: Settings) -> float:
        """What a turn costs, in uncached input tokens."""
        return _price(self.remembering, settings) / self.turns

    def cost_per_question(self, settings: Settings) -> float:
        """What a question costs, in uncached input tokens: finding the texts,
        and reading them in the prompt. The answer is left out.
        """
        found = mean(_price(each.cost, settings) for each in self.shown)
        return (found or 0.0) + self.tokens_per_question


class Rows(NamedTuple):
    """A table: its headers, and its cells."""

    headers: tuple[str, ...]
    cells: list[tuple[Any, ...]]

    def __str__(self) -> str:
        """Show the table as text with aligned columns."""
        rows = [self.headers, *(tuple(map(_cell, row)) for row in self.cells)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [map(str.ljust, row, widths) for row in rows]
        return "\n".join("  ".join(line).rstrip() for line in lines)


def compare(
    embedder: Embedder | None = None,
    *,
    half: str = "work",
    asks: Callable[[], Asks] = ByRules,
    history: History | None = None,
) -> list[Result]:
    """Run every system over the history, with the questions of one half, or of
    both for ``half=""``.
    """
    history = history or load_history()
    questions = load_questions(half=half, history=history)
    systems = make_systems(embedder, asks)
    return [run(each, history, questions) for each in systems.values()]


def run(
    system: MemorySystem, history: History, questions: Sequence[Question]
) -> Result:
    """Replay the history to a system, and score what it shows for each
    question.
    """
    facts = history.facts
    tools = {
        fact.id
        for turn in history.turns
        if turn.who == TOOL
        for fact in turn.facts
    }
    turns = list(history.turns)
    shown: dict[str, Shown] = {}
    for question in questions_in_time(system, turns, questions):
        before = system.cost()
        texts = tuple(system.recall(question.asked))
        shown[question.id] = Shown(
            question,
            texts,
            outcome_of(question, texts, facts),
            _any_key(question.stale, texts, facts),
            _told_apart(
                [facts[each] for each in question.stale if each in tools],
                texts,
            ),
            _difference(system.cost(), before),
        )
    end = system.cost()
    remembering = end
    for each in shown.values():
        remembering = _difference(remembering, each.cost)
    return Result(
        system.name,
        len(turns),
        tuple(shown[question.id] for question in questions),
        remembering,
        end.stored_bytes,
    )


def outcome_of(
    question: Question, texts: Iterable[str], facts: Mapping[str, Fact]
) -> Outcome:
    """Say what the texts contain of what the question needs, and of what would
    mislead.
    """
    texts = tuple(texts)
    if not question.needs:
        return Outcome.ANYWAY if any(texts) else Outcome.NOTHING
    found = [_any_key([each], texts, facts) for each in question.needs]
    stale = _any_key(question.stale, texts, facts)
    if all(found):
        return Outcome.BESIDE_STALE if stale else Outcome.EVIDENCE
    if any(found):
        return Outcome.PARTLY
    return Outcome.STALE if stale else Outcome.ABSENT


def outcome_rows(results: Iterable[Result]) -> Rows:
    """Count the outcomes of each system, with its share of evidence."""
    headers = (
        "system",
        "evidence",
        "95 % interval",
        *(outcome.value for outcome in Outcome),
        "tokens per question",
    )
    return Rows(
        headers,
        [
            (
                each.system,
                f"{each.evidence:.0%}",
                f"{each.interval.low:.0%} to {each.interval.high:.0%}",
                *(each.outcomes[outcome] for outcome in Outcome),
                round(each.tokens_per_question),
            )
            for each in results
        ],
    )


def kind_rows(results: Iterable[Result]) -> Rows:
    """Count by kind of question how often all evidence was shown; in brackets,
    how often something stale was shown with it or in place of it.

    Of the questions about what was never said, it counts those for which
    nothing was shown.
    """
    results = list(results)
    counts = Counter(each.question.kind for each in results[0].shown)
    kinds = [kind for kind in QUESTION_KINDS if counts[kind]]
    return Rows(
        ("system", *(f"{kind} ({counts[kind]})" for kind in kinds)),
        [
            (each.system, *(_kind_cell(each.of_kind(kind)) for kind in kinds))
            for each in results
        ],
    )


def cost_rows(
    results: Iterable[Result], settings: Settings | None = None
) -> Rows:
    """List what each system uses per turn and per question, and what it
    stores; costs are in uncached input tokens.
    """
    settings = settings or Settings()
    return Rows(
        (
            "system",
            "calls per turn",
            "tokens per turn",
            "cost per turn",
            "tokens per question",
            "cost per question",
            "embeddings",
            "bytes stored",
        ),
        [
            (
                each.system,
                f"{each.calls_per_turn:.2f}",
                round(each.tokens_per_turn),
                round(each.cost_per_turn(settings)),
                round(each.tokens_per_question),
                round(each.cost_per_question(settings)),
                each.remembering.embeddings,
                each.stored_bytes,
            )
            for each in results
        ],
    )


def injected_rows(results: Iterable[Result]) -> Rows:
    """Count how often the statement of a tool that claims to be the person's
    wish was shown, and how often the text says who said it.
    """
    rows = []
    for each in results:
        injected = each.of_kind("injected")
        shown = [
            one.told_apart for one in injected if one.told_apart is not None
        ]
        rows.append((each.system, len(injected), len(shown), sum(shown)))
    return Rows(
        ("system", "questions", "tool's statement shown", "told apart"), rows
    )


def person_rows() -> Rows:
    """List what a person can inspect and undo in each system, and in the
    official routes.
    """
    rows = [(each.name, each.inspect, each.undo) for each in SYSTEMS]
    rows += [(each.name, each.inspect, each.undo) for each in load_official()]
    return Rows(("system", "a person can inspect", "and undo"), rows)


def _found(shown: Iterable[Shown]) -> Iterable[float]:
    return (float(each.outcome in FOUND) for each in shown)


def _kind_cell(shown: Sequence[Shown]) -> str:
    counts = Counter(each.outcome for each in shown)
    found = sum(counts[outcome] for outcome in (*FOUND, Outcome.NOTHING))
    stale = sum(each.stale for each in shown)
    return f"{found} ({stale} stale)" if stale else str(found)


def _any_key(
    ids: Iterable[str], texts: Sequence[str], facts: Mapping[str, Fact]
) -> bool:
    """Tell whether a text contains the key of one of these facts."""
    return any(facts[each].key in text for each in ids for text in texts)


def _told_apart(
    statements: Iterable[Fact], texts: Sequence[str]
) -> bool | None:
    """Tell whether each text with a tool's statement says that it is one: it
    names the speaker, or has the whole note, which names the source.
    """
    shown = [
        f"{TOOL}:" in text[: text.index(fact.key)] or fact.text in text
        for fact in statements
        for text in texts
        if fact.key in text
    ]
    return all(shown) if shown else None


def _difference(later: Cost, earlier: Cost) -> Cost:
    return Cost(
        **{
            each.name: getattr(later, each.name) - getattr(earlier, each.name)
            for each in fields(Cost)
        }
    )


def _price(cost: Cost, settings: Settings) -> float:
    tokens = Tokens(uncached=cost.input_tokens, output=cost.output_tokens)
    return tokens.price(settings)


def _cell(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


@in_one_sentence()
def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m memlab.evals.landscape")
    parser.add_argument(
        "--half",
        choices=[*HALVES, "all"],
        default="work",
        help="which questions to ask; nothing may be tuned on final",
    )
    parser.add_argument(
        "--judge",
        choices=["rules", "labels"],
        default="rules",
        help="what tells a correction: rules on words, or the history's labels,"
        " which are never wrong",
    )
    chosen = parser.parse_args(arguments)
    half = "" if chosen.half == "all" else chosen.half
    embedder = HashedBag()
    history = load_history()
    asks: Callable[[], Asks] = ByRules
    if chosen.judge == "labels":
        asks = partial(ByLabels, history.corrections)
    results = compare(embedder, half=half, asks=asks, history=history)
    print(
        f"{len(results[0].shown)} questions ({chosen.half}) on"
        f" {results[0].turns} turns; judgements by {chosen.judge}, vectors by:"
        f" {embedder.name}\n"
    )
    for title, rows in (
        ("What is put before the model", outcome_rows(results)),
        (
            "All evidence shown, by kind of question (never: nothing shown)",
            kind_rows(results),
        ),
        ("Statements of tools", injected_rows(results)),
        (
            "Cost, in uncached input tokens (the history of full context and"
            " the index of files could mostly be read from the cache, at"
            f" {Settings().cost_cache_read:g} per token)",
            cost_rows(results),
        ),
        ("What a person can do", person_rows()),
    ):
        print(f"{title}\n{rows}\n")


if __name__ == "__main__":
    main()
