"""Memory systems on long dialogues by others: does a system show the turns
that answer a question?

Every turn of a dialogue is one fact here, word for word, because the data sets
have no list of facts that all systems could share. So the extraction, which is
half of what these systems do, is not measured. Left out too: answering the
questions, which is what the data sets are usually measured by and takes a
model.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from memlab.errors import MemlabError
from memlab.evals.command import at_least_one
from memlab.evals.landscape import Rows
from memlab.evals.metrics import mean
from memlab.landscape.asking import ByRules
from memlab.landscape.system import Asked, Fact, MemorySystem, Turn
from memlab.landscape.systems import SYSTEMS
from memlab.landscape.vectors import Embedder, HashedBag, Remembered
from memlab.memdir.dates import find_relative_times
from memlab.text import count_tokens

TOP = (5, 10)
"""How many of the first turns that are shown are looked at."""

SYSTEM_NAMES = tuple(row.name for row in SYSTEMS)

# A capital letter inside a sentence begins a name.
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+")


@dataclass(frozen=True)
class DialogueQuestion:
    """A question with its category, and the ids of the turns that answer it."""

    asked: Asked
    category: str
    evidence: frozenset[str]


@dataclass(frozen=True)
class Dialogue:
    """Everything that was said, oldest first, and what is asked afterwards."""

    turns: tuple[Turn, ...]
    questions: tuple[DialogueQuestion, ...]


@dataclass(frozen=True)
class Found:
    """What a system showed for one question: the share of the evidence among
    the first turns shown, for each number in ``TOP``, and among all of them;
    and the tokens of all that is shown.
    """

    category: str
    among_first: tuple[float, ...]
    among_all: float
    tokens: int


def spoken(
    name: str, session: str, number: int, at: datetime, who: str, text: str
) -> Turn:
    """Make a turn that is its own only fact; ``name`` is its id.

    A session's turns are a minute apart. The fact is about the names in the
    text.
    """
    said_at = at + timedelta(minutes=number)
    about = tuple(dict.fromkeys(_NAME.findall(f", {text}")))
    fact = Fact(name, _key(text, said_at), text, "experience", about, said_at)
    return Turn(session, number, said_at, who, text, (fact,))


def measure(system: MemorySystem, dialogue: Dialogue) -> Iterator[Found]:
    """Give a system a dialogue, and then ask it all questions."""
    for turn in dialogue.turns:
        system.remember(turn)
    finder = _Finder(dialogue.turns)
    for question in dialogue.questions:
        texts = system.recall(question.asked)
        found = finder.turns_in(texts)
        evidence = question.evidence
        yield Found(
            question.category,
            tuple(
                len(evidence.intersection(found[:top])) / len(evidence)
                for top in TOP
            ),
            len(evidence.intersection(found)) / len(evidence),
            count_tokens("\n".join(texts)),
        )


def make_system(name: str, embedder: Embedder) -> MemorySystem:
    """Return a new system by its name in the comparison."""
    for row in SYSTEMS:
        if row.name == name:
            return row.make(ByRules(), embedder)
    raise MemlabError(
        f"there is no system {name!r}",
        where="dialogues",
        do=f"Choose from: {', '.join(SYSTEM_NAMES)}",
    )


def recall_rows(found: Iterable[Found]) -> Rows:
    """Average by category, and over all questions."""
    found = list(found)
    groups = {
        category: [each for each in found if each.category == category]
        for category in sorted({each.category for each in found})
    }
    groups["all"] = found
    return Rows(
        (
            "category",
            "questions",
            *(f"recall@{top}" for top in TOP),
            "all shown",
            "tokens",
        ),
        [
            (
                category,
                len(group),
                *(
                    f"{mean(each.among_first[place] for each in group):.3f}"
                    for place in range(len(TOP))
                ),
                f"{mean(each.among_all for each in group):.3f}",
                round(mean(each.tokens for each in group) or 0),
            )
            for category, group in groups.items()
        ],
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the commands on dialogues have in common."""
    parser.add_argument(
        "--system",
        choices=SYSTEM_NAMES,
        help="the memory system that is asked",
    )
    parser.add_argument(
        "--most",
        type=at_least_one,
        metavar="N",
        help="take the first N dialogues only",
    )


def print_recall(
    dialogues: Sequence[Dialogue], chosen: argparse.Namespace
) -> None:
    """Run the chosen system on each dialogue, and print the table."""
    embedder = Remembered(HashedBag())
    taken = list(islice(dialogues, chosen.most))
    found = [
        each
        for dialogue in taken
        for each in measure(make_system(chosen.system, embedder), dialogue)
    ]
    if not found:
        raise MemlabError(
            "no question has a turn that answers it",
            where="the dialogues",
            do="Give a file with such questions, or a larger --most",
        )
    print(
        f"{chosen.system}, dialogues: {len(taken)}; each turn is one fact;"
        f" judgements by rules, vectors by: {embedder.name}"
    )
    print(recall_rows(found))


class _Finder:
    """Finds the turns whose words are in texts."""

    def __init__(self, turns: Iterable[Turn]) -> None:
        self._keys = {
            fact.id: fact.key for turn in turns for fact in turn.facts
        }
        self._known: dict[str, list[str]] = {}

    def turns_in(self, texts: Iterable[str]) -> list[str]:
        """Return the ids in the order in which the turns are shown."""
        found: dict[str, None] = {}
        for text in texts:
            if text not in self._known:
                places = {
                    name: text.index(key)
                    for name, key in self._keys.items()
                    if key in text
                }
                self._known[text] = sorted(places, key=lambda n: places[n])
            found |= dict.fromkeys(self._known[text])
        return list(found)


def _key(text: str, at: datetime) -> str:
    """Return the longest part of a text without times such as "yesterday":
    systems may write the date in their place.
    """
    parts = []
    start = 0
    for phrase in find_relative_times(text, at):
        parts.append(text[start : phrase.offset])
        start = phrase.offset + len(phrase.words)
    parts.append(text[start:])
    return max(parts, key=len).strip()
