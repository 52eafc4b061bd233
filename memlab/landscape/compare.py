"""All systems side by side: the same history, the same questions.

Nobody answers and nobody judges. A fact is shown if its key, a phrase that no
other fact has, is in the texts that a system puts before the model.
"""

from __future__ import annotations

from typing import NamedTuple

from memlab.landscape.cognee import Cognee
from memlab.landscape.files import Files
from memlab.landscape.graph import Mem0Graph
from memlab.landscape.hindsight import Hindsight
from memlab.landscape.history import Question, Turn, facts_of
from memlab.landscape.letta import Letta
from memlab.landscape.mem0 import Mem0
from memlab.landscape.system import Judge, MemorySystem
from memlab.text import count_tokens


class Shown(NamedTuple):
    """What a system showed for a question: whether everything that an answer
    needs is there (``evidence``), and whether anything misleading is
    (``stale``).
    """

    question: Question
    texts: list[str]
    evidence: bool
    stale: bool


def all_systems(judge: Judge) -> list[MemorySystem]:
    """Return a new instance of each system."""
    asking = (Files, Mem0, Mem0Graph, Letta, Hindsight)
    return [*(system(judge) for system in asking), Cognee()]


def ask_questions(
    system: MemorySystem, turns: list[Turn], questions: list[Question]
) -> list[Shown]:
    """Tell a system the history, and ask each question when its time comes."""
    facts = facts_of(turns)
    waiting = list(turns)
    shown = []
    for question in sorted(questions, key=lambda each: each.at):
        while waiting and waiting[0].at <= question.at:
            system.remember(waiting.pop(0))
        texts = system.recall(question.text)
        joined = "\n".join(texts)
        needed = [facts[each].key in joined for each in question.needs]
        stale = any(facts[each].key in joined for each in question.stale)
        shown.append(
            Shown(question, texts, bool(needed) and all(needed), stale)
        )
    return shown


def score(shown: list[Shown]) -> tuple[int, int, int]:
    """Count evidence and stale, and the tokens of an average question."""
    tokens = [count_tokens("\n".join(each.texts)) for each in shown]
    evidence = sum(each.evidence for each in shown)
    stale = sum(each.stale for each in shown)
    return evidence, stale, round(sum(tokens) / len(tokens))
