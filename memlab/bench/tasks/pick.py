"""The task ``pick``: which of two notes helps with a message?

It is made of the cases of selection, for a model that is too small for the
whole manifest. A model that small has a liking for a place in the list, so
each case is asked in both orders, and only two right answers make it correct.
That does not make 25 % the figure of chance: a model that ignores the message
and always likes the same note is right in half of the cases.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from memlab.bench.tasks.select import select_cases
from memlab.bench.tasks.task import BENCH, Case, Judged, Task, unusable
from memlab.bench.variants import digest
from memlab.errors import pass_on_tape_miss
from memlab.evals.labelled import Labelled, RecallCase, load_cases
from memlab.memdir.scan import MemoryHeader
from memlab.recall.selection import UnusableError, reason, text_in
from memlab.recall.side_query import ask_aside
from memlab.runtime import Runtime

ANSWER_TOKENS = 120
"""How long an answer may be, which is one of the two notes."""


class Example(Labelled):
    """A message with two notes, and the one that helps."""

    message: str
    notes: tuple[str, str]
    answer: str


@dataclass(frozen=True)
class Pair:
    """What is asked: a message, the note that helps, and one that does not."""

    message: str
    right: str
    wrong: str


def make_pair(
    case: RecallCase, headers: Sequence[MemoryHeader]
) -> Pair | None:
    """Put the relevant memory beside another one of the directory.

    The other one is drawn by the case's id. Returns None for a case without a
    relevant memory.
    """
    lines = {header.filename: header.description for header in headers}
    relevant = sorted(case.relevant)
    if not relevant:
        return None
    right = lines[relevant[0]]
    others = sorted(
        {
            line
            for name, line in lines.items()
            if name not in case.relevant and line != right
        }
    )
    wrong = random.Random(f"pick {case.id}").choice(others)
    return Pair(case.query, right, wrong)


@cache
def examples() -> tuple[Example, ...]:
    """Read the examples that are shown before the question."""
    return load_cases(BENCH / "pick_examples.yaml", Example)


@cache
def _cases() -> tuple[Case, ...]:
    shown = [example.model_dump() for example in examples()]
    made = []
    for case in select_cases():
        pair = make_pair(*case.entry)
        if pair is not None:
            version = digest([case.id, case.half, vars(pair), shown])
            made.append(replace(case, version=version, entry=pair))
    return tuple(made)


def pick_request(
    pair: Pair, runtime: Runtime, *, right_first: bool
) -> dict[str, Any]:
    """Build the request for one order of the two notes."""
    notes = [pair.right, pair.wrong]
    if not right_first:
        notes.reverse()
    messages: list[dict[str, Any]] = []
    for example in examples():
        messages += [
            _turn("user", _question(runtime, example.notes, example.message)),
            _turn("assistant", json.dumps({"answer": example.answer})),
        ]
    # what all cases have in common ends here
    messages[-1]["content"] = [
        {
            "type": "text",
            "text": messages[-1]["content"],
            "cache_control": {"type": "ephemeral"},
        }
    ]
    messages.append(_turn("user", _question(runtime, notes, pair.message)))
    schema = {
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": notes}},
        "required": ["answer"],
        "additionalProperties": False,
    }
    request = {
        "model": runtime.settings.select_model,
        "max_tokens": ANSWER_TOKENS,
        "messages": messages,
        "output_config": {"format": {"type": "json_schema", "schema": schema}},
        "extra_headers": {"X-Memlab-Purpose": "pick"},
    }
    instructions = runtime.prompts.section("pick", "instructions")
    return request | ({"system": instructions} if instructions else {})


async def _ask(
    case: Case, runtime: Runtime, home: Path, memory: bool
) -> Judged:
    """Ask in both orders, and judge both answers together."""
    from anthropic import AnthropicError

    pair: Pair = case.entry
    picked = []
    for right_first in (True, False):
        request = pick_request(pair, runtime, right_first=right_first)
        try:
            reply, _ = await ask_aside(
                runtime.client, request, runtime.settings
            )
            picked.append(read_pick(reply, (pair.right, pair.wrong)))
        except (AnthropicError, ValueError) as failure:
            pass_on_tape_miss(failure)
            return unusable("choice", pair.right, reason(failure))
    return judge_picks(pair, picked)


def read_pick(reply: Any, notes: Sequence[str]) -> str:
    """Return the note that a reply names; raises UnusableError."""
    text = text_in(reply)
    try:
        answer = json.loads(text[text.find("{") : text.rfind("}") + 1])
        named = str(answer["answer"]).strip()
    except (ValueError, KeyError):
        raise UnusableError("unparsable") from None
    if named not in notes:
        raise UnusableError("neither of the two notes")
    return named


def judge_picks(pair: Pair, picked: Sequence[str]) -> Judged:
    """Judge the notes that were picked in the two orders."""
    right = sum(note == pair.right for note in picked)
    why = {
        2: "It picked the right note in both orders.",
        1: "It picked the note in the same place both times.",
        0: "It picked the wrong note in both orders.",
    }[right]
    first, second = picked
    said = (
        first
        if first == second
        else f"{first} (first order)\n{second} (second order)"
    )
    return Judged(
        said=said,
        wanted=pair.right,
        why=why,
        correct=right == 2,
        score=right / 2,
    )


def _question(runtime: Runtime, notes: Sequence[str], message: str) -> str:
    return runtime.prompts.section(
        "pick",
        "question",
        notes="\n".join(f"- {note}" for note in notes),
        message=message,
    )


def _turn(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "content": content}


PICK = Task(
    name="pick",
    correct="Of two notes, the right one is picked in both orders.",
    prompts=("pick",),
    load=_cases,
    ask=_ask,
    needs_model=True,
    selects=True,
)
