"""What a model answers from what each memory system shows it: right, wrong or
invented.

Run as ``python -m memlab.evals.landscape_answers``, it prints the tables of
the recorded answers. With ``--record`` it asks the model that ``MEMLAB_MODEL``
names, each question once per system, and writes data/landscape/answers.yaml.
The system ``nothing`` is the floor, and one row more is the ceiling: exactly
the facts that the answer needs.

Rules judge the answers, by phrases that were written with the questions. Left
out: a judge that understands an answer in other words.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from memlab.bridge import SyncClient
from memlab.errors import MemlabError
from memlab.evals.command import in_one_sentence
from memlab.evals.landscape import Rows, compare
from memlab.landscape.history import (
    DATA,
    HALVES,
    QUESTION_KINDS,
    History,
    Question,
    load_history,
    load_questions,
)
from memlab.models.connect import ModelChoice, choose_model, make_runtime
from memlab.settings import Settings

ANSWERS = DATA / "answers.yaml"
CEILING = "evidence alone"
ANSWER_TOKENS = 20

MOST_TOKENS = 600
"""Systems that show more per question on average are not asked: the small
model of the recorded answers does not read so much.
"""

INSTRUCTIONS = (
    "Answer the question from the notes, in a few words. If the notes do not"
    " say it, answer: not known."
)


class Example(NamedTuple):
    """One question with notes and the right answer."""

    notes: str
    question: str
    answer: str


EXAMPLES = (
    Example(
        "2026-01-09: Flour comes on Tuesdays.\n"
        "2026-01-10: The shop opens at six.",
        "What does a loaf cost?",
        "not known",
    ),
    Example(
        "2026-01-04: The oven was built by Hallgren.\n"
        "2026-01-09: Flour comes on Tuesdays.",
        "Who built the oven?",
        "Hallgren.",
    ),
    Example(
        "2026-01-11: Spelt has to be ordered four days ahead.\n"
        "2026-01-04: The oven was built by Hallgren.",
        "How early must I order spelt?",
        "Four days ahead.",
    ),
)
"""Chosen on the half *work*, with the evidence alone."""

REFUSALS = (
    "not known",
    "unknown",
    "not mentioned",
    "not specified",
    "not stated",
    "not provided",
    "no information",
    "don't know",
    "do not know",
    "do not say",
    "does not say",
    "don't say",
    "doesn't say",
    "not in the notes",
    "cannot answer",
    "can't answer",
)
"""Phrases that decline to answer."""

HEAD = """\
# Made by `python -m memlab.evals.landscape_answers --record`; do not edit.
"""


class Verdict(StrEnum):
    """What an answer is, by rules.

    An answer is invented if it answers what was never said, and wrong if it
    has a phrase of a wrong answer, such as an old price or an order that a
    tool's text gives. It is other if it has no phrase that the rules know.
    """

    RIGHT = "right"
    WRONG = "wrong"
    INVENTED = "invented"
    DECLINED = "declined"
    OTHER = "other"


@dataclass(frozen=True)
class Answers:
    """Recorded answers by system and question, and who gave them."""

    model: str
    made: date
    half: str
    settings: Mapping[str, Any]
    answers: Mapping[str, Mapping[str, str]]

    @property
    def label(self) -> str:
        """Who answered, and when."""
        return f"{self.model}, recorded {self.made}"

    def verdicts(
        self, system: str, questions: Iterable[Question]
    ) -> list[tuple[Question, Verdict]]:
        """Judge a system's answers to these questions."""
        given = self.answers[system]
        return [
            (question, judge(question, given[question.id]))
            for question in questions
            if question.id in given
        ]


def judge(question: Question, answer: str) -> Verdict:
    """Judge one answer; whether it declines is looked at first."""
    text = answer.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").lower()
    declines = any(_occurs(phrase, text) for phrase in REFUSALS)
    if not question.needs:
        return Verdict.RIGHT if declines else Verdict.INVENTED
    if declines:
        return Verdict.DECLINED
    if any(_occurs(phrase.lower(), text) for phrase in question.forbidden):
        return Verdict.WRONG
    if any(_occurs(phrase.lower(), text) for phrase in question.answer_any):
        return Verdict.RIGHT
    return Verdict.OTHER


def load_answers(path: Path = ANSWERS) -> Answers:
    """Read the recorded answers; raises MemlabError if they are not there."""
    try:
        data = yaml.safe_load(path.read_text("utf-8"))
        return Answers(**data)
    except (OSError, TypeError, yaml.YAMLError) as error:
        raise MemlabError(
            f"the recorded answers cannot be read ({error})",
            where=path,
            do="Check out data/landscape again",
        ) from error


def answer_rows(answers: Answers, questions: Sequence[Question]) -> Rows:
    """Count the verdicts of each system."""
    rows = []
    for system in answers.answers:
        verdicts = answers.verdicts(system, questions)
        counts = Counter(verdict for _, verdict in verdicts)
        rows.append((system, *(counts[each] for each in Verdict)))
    return Rows(("system", *(each.value for each in Verdict)), rows)


def answer_kind_rows(answers: Answers, questions: Sequence[Question]) -> Rows:
    """Count the right answers by kind of question."""
    counts = Counter(question.kind for question in questions)
    kinds = [kind for kind in QUESTION_KINDS if counts[kind]]
    rows = []
    for system in answers.answers:
        right = Counter(
            question.kind
            for question, verdict in answers.verdicts(system, questions)
            if verdict is Verdict.RIGHT
        )
        rows.append((system, *(right[kind] for kind in kinds)))
    return Rows(
        ("system", *(f"{kind} ({counts[kind]})" for kind in kinds)), rows
    )


def contexts(
    history: History, half: str
) -> Iterator[tuple[str, list[tuple[Question, tuple[str, ...]]]]]:
    """Yield, per system, each question with what is put before the model; the
    ceiling comes first. Systems that show too much for a small model are left
    out.
    """
    facts = history.facts
    questions = load_questions(half=half, history=history)
    yield (
        CEILING,
        [
            (
                question,
                tuple(
                    f"{facts[each].at:%Y-%m-%d}: {facts[each].text}"
                    for each in question.needs
                ),
            )
            for question in questions
        ],
    )
    for result in compare(half=half, history=history):
        if result.tokens_per_question <= MOST_TOKENS:
            yield (
                result.system,
                [(shown.question, shown.texts) for shown in result.shown],
            )


def request(question: Question, texts: Sequence[str]) -> dict[str, Any]:
    """Build the request: three examples, which show how short an answer is,
    and then the notes and the question.
    """
    messages = []
    for example in EXAMPLES:
        messages += [
            _asked(example.notes, "2026-01-15", example.question),
            {"role": "assistant", "content": example.answer},
        ]
    today = f"{question.asked.at:%Y-%m-%d}"
    messages.append(_asked("\n".join(texts), today, question.asked.text))
    return {
        "max_tokens": ANSWER_TOKENS,
        "system": [
            {
                "type": "text",
                "text": INSTRUCTIONS,
                "cache_control": {"type": "ephemeral"},
            }
        ],
        "messages": messages,
    }


def answer_everything(
    ask: Callable[[dict[str, Any]], str],
    asked: Iterable[tuple[str, list[tuple[Question, tuple[str, ...]]]]],
) -> Iterator[tuple[str, dict[str, str]]]:
    """Ask each question once per system; yield a system's answers."""
    for system, questions in asked:
        yield (
            system,
            {
                question.id: ask(request(question, texts))
                for question, texts in questions
            },
        )


def _asked(notes: str, today: str, question: str) -> dict[str, str]:
    return {
        "role": "user",
        "content": f"Notes:\n{notes or '(none)'}\n\nToday is {today}."
        f" Question: {question}",
    }


def _occurs(phrase: str, text: str) -> bool:
    """Tell whether a phrase begins a word of the text, and whether a number at
    its end ends there.
    """
    begin = r"(?<!\w)" if phrase[0].isalnum() else ""
    end = r"(?!\d)" if phrase[-1].isdigit() else ""
    return re.search(begin + re.escape(phrase) + end, text) is not None


def _asker(
    settings: Settings,
) -> tuple[Callable[[dict[str, Any]], str], ModelChoice]:
    """Return a function that asks the chosen model, and the choice."""
    choice = choose_model()
    if choice.mode == "offline":
        raise MemlabError(
            "offline, rules would answer and not a model",
            where="MEMLAB_MODEL",
            do="Set it to live, and ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL",
        )
    client = SyncClient(make_runtime(choice).client)
    name = choice.settings(settings).main_model

    def ask(wanted: dict[str, Any]) -> str:
        reply = client.messages.create(model=name, **wanted)
        texts = [block.text for block in reply.content if block.type == "text"]
        return " ".join(" ".join(texts).split())

    return ask, choice


@in_one_sentence()
def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables of the recorded answers, or record them."""
    parser = argparse.ArgumentParser(
        prog="python -m memlab.evals.landscape_answers"
    )
    parser.add_argument(
        "--record",
        action="store_true",
        help="ask the model that MEMLAB_MODEL names; it may cost money",
    )
    parser.add_argument(
        "--half",
        choices=HALVES,
        default="work",
        help="which questions to ask while recording",
    )
    chosen = parser.parse_args(arguments)
    history = load_history()
    if chosen.record:
        _record(history, chosen.half)
    answers = load_answers()
    questions = load_questions(half=answers.half, history=history)
    print(
        f"{len(questions)} questions ({answers.half}), answered by"
        f" {answers.label}\n"
    )
    print(f"{answer_rows(answers, questions)}\n")
    print(f"Right, by kind\n{answer_kind_rows(answers, questions)}")


def _record(history: History, half: str) -> None:
    """Write the answers after each system. A recording that was interrupted
    goes on where it stopped, unless anything but the day is different now.
    """
    settings = Settings()
    ask, choice = _asker(settings)
    content: dict[str, Any] = {
        "model": choice.settings(settings).main_model,
        "made": date.today(),
        "half": half,
        "settings": {
            "from": choice.asks,
            "max_tokens": ANSWER_TOKENS,
            "most_tokens_shown": MOST_TOKENS,
        },
    }
    answers = _recorded_before(content)
    content["answers"] = answers
    left = (
        (system, questions)
        for system, questions in contexts(history, half)
        if system not in answers
    )
    for system, given in answer_everything(ask, left):
        print(f"asked: {system}", file=sys.stderr)
        answers[system] = given
        text = yaml.safe_dump(
            content, sort_keys=False, width=100, allow_unicode=True
        )
        ANSWERS.write_text(HEAD + text, "utf-8")


def _recorded_before(content: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return the answers in the file, if it was recorded in the same way."""
    try:
        before = vars(load_answers(ANSWERS))
    except MemlabError:
        return {}
    same = all(
        before[key] == content[key] for key in ("model", "half", "settings")
    )
    return dict(before["answers"]) if same else {}


if __name__ == "__main__":
    main()
