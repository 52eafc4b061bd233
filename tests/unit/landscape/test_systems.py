"""The one idea of each memory system, on a few facts and on the history."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from memlab.landscape.cognee import Cognee
from memlab.landscape.compare import all_systems, ask_questions, score
from memlab.landscape.files import Files
from memlab.landscape.graph import Mem0Graph
from memlab.landscape.hindsight import Hindsight
from memlab.landscape.history import DATA, Fact, Turn, facts_of, load_history, load_questions
from memlab.landscape.letta import Letta
from memlab.landscape.mem0 import Mem0
from memlab.landscape.system import MemorySystem, by_labels

MARCH, APRIL = datetime(2026, 3, 2, tzinfo=UTC), datetime(2026, 4, 2, tzinfo=UTC)
OLD, NEW = "The deposit is 20 crowns.", "The deposit is 30 crowns now."


def told(system: Any, *facts: tuple[str, str], kind: str = "world") -> Any:
    """Tell a system facts with what they are about, one a month; the second replaces the first."""
    for number, (text, about) in enumerate(facts):
        at = APRIL if number else MARCH
        replaces = "f0" if number == 1 else ""
        fact = Fact(f"f{number}", text, text, kind, tuple(about.split()), replaces, at)
        system.remember(Turn(at, "robin", text, (fact,)))
    return system


def shown(system: MemorySystem, question: str) -> str:
    return "\n".join(system.recall(question))


@pytest.mark.behaviour("N1", "N3", "N5")
@pytest.mark.parametrize(
    ("system", "now", "then"),
    [
        (Mem0, False, False),
        (Mem0Graph, False, True),
        (Hindsight, True, True),
        (Files, False, False),
    ],
)
def test_what_is_left_of_a_fact_that_was_replaced(system: Any, now: bool, then: bool) -> None:
    after = told(system(by_labels), (OLD, "deposit"), (NEW, "deposit"), kind="opinion")
    assert NEW in shown(after, "What is the deposit?")
    assert (OLD in shown(after, "What is the deposit?")) is now
    assert (OLD in shown(after, "What was the deposit in March?")) is then


@pytest.mark.behaviour("N1", "N4")
@pytest.mark.parametrize("system", [Mem0Graph(by_labels), Cognee()])
def test_a_graph_finds_what_shares_no_word_with_the_question(system: MemorySystem) -> None:
    facts = [(f"Boat {n} is blue.", f"boat{n}") for n in range(12)]
    facts += [("Iggy owns Puffin.", "Puffin Iggy"), ("Iggy wants Tuva there.", "Iggy Tuva")]
    assert "wants Tuva" in shown(told(system, *facts), "May a guest take Puffin?")


@pytest.mark.behaviour("N2")
def test_letta_always_shows_core_memory_and_pages_out_the_oldest() -> None:
    rules = [(f"Robin wants rule {n}: {'x' * 180}.", "Robin") for n in range(30)]
    letta = told(Letta(by_labels), *rules, kind="opinion")
    assert sum(len(line) + 1 for line in letta.core["human"]) <= 2_000
    assert "rule 29" in letta.core["human"][-1]
    assert "rule 1:" in letta.archive[0]
    assert "rule 29" in shown(letta, "boats")
    assert len({*letta.core["human"], *letta.archive}) == 29  # one was corrected


@pytest.mark.behaviour("N1", "N2", "N3", "N4", "N6")
def test_all_systems_get_the_same_history_and_are_scored_alike() -> None:
    turns, questions = load_history(), load_questions()
    work = [question for question in questions if question.half == "work"]
    found = {
        system.name: score(ask_questions(system, turns, work)) for system in all_systems(by_labels)
    }
    assert found["files"][0] > found["Cognee"][0] > found["Mem0"][0]  # evidence
    assert found["files"][2] > found["Letta"][2] > found["Mem0"][2]  # tokens


def test_every_key_is_in_its_own_fact_and_turn_alone_and_questions_name_facts() -> None:
    turns = load_history()
    facts = facts_of(turns)
    texts = "\n".join(fact.text for fact in facts.values())
    for turn in turns:
        for fact in turn.facts:
            assert fact.key in turn.text, fact.id
            assert fact.key in fact.text, fact.id
            assert texts.count(fact.key) == fact.text.count(fact.key), fact.id
            assert not fact.replaces or facts[fact.replaces].at <= fact.at, fact.id
    for question in load_questions():
        assert {*question.needs, *question.stale} <= facts.keys(), question.id


@pytest.mark.behaviour("N7")
def test_every_row_about_a_product_has_a_source_and_a_date() -> None:
    page = DATA.parents[1] / "notebooks" / "products.md"
    rows = re.findall(r"^\| \*\*.*$", page.read_text("utf-8"), re.MULTILINE)
    assert len(rows) > 20
    assert [row for row in rows if not re.search(r"\]\(https://.+\), .*\w\)? \|$", row)] == []
