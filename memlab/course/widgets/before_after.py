"""Each question without and with its memory: is the evidence in the request,
at what cost?

Two requests are compared, and none is sent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from types import ModuleType
from typing import Any

from memlab.course.baselines import nothing, with_its_memory
from memlab.course.display import Table, table
from memlab.course.lab import Lab
from memlab.course.measuring import Hit, Question, measure
from memlab.course.widgets.widget import (
    Widget,
    chip,
    make_button,
    scrollable,
)
from memlab.text import request_text

_SIGNS = {True: "✓", False: "✕"}


@dataclass(frozen=True)
class Pair:
    """One question measured twice: sent alone, and sent with the file that
    answers it. The texts are those of the two requests.
    """

    question: Question
    without: Hit
    with_memory: Hit
    text_without: str
    text_with: str

    @property
    def label(self) -> str:
        """The outcomes as signs: without memory, then with it."""
        return f"{_SIGNS[self.without.found]} {_SIGNS[self.with_memory.found]}"


@dataclass(frozen=True)
class BeforeAfter:
    """All pairs."""

    pairs: tuple[Pair, ...]

    @property
    def table(self) -> Table:
        """One line a question."""
        return table(
            [
                (
                    pair.question.question,
                    ", ".join(f"“{one}”" for one in pair.question.evidence),
                    pair.without.found,
                    pair.without.tokens,
                    pair.with_memory.found,
                    pair.with_memory.tokens,
                )
                for pair in self.pairs
            ],
            (
                "question",
                "evidence",
                "without memory",
                "tokens",
                "with its memory",
                "tokens with it",
            ),
        )

    def shown(self, index: int) -> str:
        """Show the two requests of a pair side by side in HTML, with the
        evidence marked; text from files is escaped.
        """
        pair = self.pairs[index]
        evidence = pair.question.evidence
        needed = " and ".join(f"“{text}”" for text in evidence)
        name = f"With {pair.question.memory}"
        sides = (
            ("Without memory", pair.without, pair.text_without),
            (name, pair.with_memory, pair.text_with),
        )
        shown = "".join(
            f"<div><h4>{escape(title)}</h4><p>{_outcome(hit)}</p>"
            f"{scrollable(marked(text, evidence), f'request: {title}')}</div>"
            for title, hit, text in sides
        )
        return (
            f'<p role="status"><b>{index + 1}.'
            f" {escape(pair.question.question)}</b></p><p>Needed in the"
            f" request: <mark>{escape(needed)}</mark>."
            f" {escape(pair.question.why)}</p>"
            f'<div class="side">{shown}</div>'
        )


def compare(lab: Lab) -> BeforeAfter:
    """Measure every question of a lab without and with its memory."""
    questions: Sequence[Question] = lab.questions
    builders = nothing(lab), with_its_memory(lab)
    hits = [
        measure(f"00 {name}", builder, questions).detail
        for name, builder in zip(("without", "with"), builders, strict=True)
    ]
    texts = [
        [_ending(builder(question)) for question in questions]
        for builder in builders
    ]
    return BeforeAfter(tuple(map(Pair, questions, *hits, *texts)))


def before_after(lab: Lab) -> Widget:
    """Show one question at a time to choose from; its static version is the
    table of all.
    """
    compared = compare(lab)
    return Widget(compared.table, partial(_box, compared))


def marked(text: str, evidence: Sequence[str]) -> str:
    """Escape a text and mark the evidence in it, for HTML."""
    phrases = [
        r"\s+".join(re.escape(word) for word in phrase.split())
        for phrase in evidence
        if phrase.split()
    ]
    if not phrases:
        return escape(text)
    parts = re.split(f"({'|'.join(phrases)})", text, flags=re.IGNORECASE)
    return "".join(
        f"<mark>{escape(part)}</mark>" if number % 2 else escape(part)
        for number, part in enumerate(parts)
    )


def _ending(request: Mapping[str, Any]) -> str:
    """Return the text of a request, the person's message first, since the
    system prompt is the same on both sides.
    """
    said = request_text({"messages": request["messages"]})
    system = request_text({"system": request["system"]})
    return f"{said}\n\n— system prompt, the same on both sides —\n\n{system}"


def _box(compared: BeforeAfter, widgets: ModuleType) -> Any:
    shown = widgets.HTML()
    dots: list[Any] = []

    def choose(index: int) -> None:
        shown.value = compared.shown(index)
        for number, (dot, pair) in enumerate(
            zip(dots, compared.pairs, strict=True)
        ):
            here = number == index
            mark = "▶ " if here else ""
            dot.description = f"{mark}{number + 1}: {pair.label}"
            dot.button_style = "primary" if here else ""

    dots += [
        make_button(
            widgets,
            "",
            partial(choose, number),
            tooltip=pair.question.question,
        )
        for number, pair in enumerate(compared.pairs)
    ]
    choose(0)
    legend = widgets.HTML(
        "<p>Is the evidence in the request? First without memory, then with"
        f" it: {chip('✓ yes', 'good')} {chip('✕ no', 'bad')}</p>"
    )
    row = widgets.HBox(dots, layout=widgets.Layout(flex_flow="row wrap"))
    return widgets.VBox([legend, row, shown])


def _outcome(hit: Hit) -> str:
    tokens = f"{hit.tokens:,} tokens"
    if hit.found:
        return chip(f"✓ it is there, {tokens}", "good")
    return chip(f"✕ it is missing, {tokens}", "bad")
