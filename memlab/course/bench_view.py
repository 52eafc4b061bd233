"""The prompt bench in a notebook: the prompt on the left, the figures on the
right, the flipped cases below.

It shows answers that were given before, and asks nobody: a changed prompt
needs a model, and the view says how to ask one. The noisy selector is the one
exception, because it ignores the prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from functools import cached_property, partial
from html import escape
from types import ModuleType
from typing import Any

from memlab.bench.answer import Answer
from memlab.bench.compare import Case, Comparison, Row, compare, summary
from memlab.bench.tasks import TASKS
from memlab.bench.variants import load_variants
from memlab.course.bench_figures import (
    bucket_line,
    comparison_table,
    flip_table,
    interval_in_words,
    said_in_words,
)
from memlab.course.display import Table, literal, table
from memlab.course.noisy import ask_noisy
from memlab.course.widgets.widget import (
    Widget,
    chip,
    coloured_diff,
    make_button,
    scrollable,
)
from memlab.evals.labelled import RecallCase

Ask = Callable[[int], Sequence[Answer]]
"""Asks the noisy selector, with a seed."""
MOST_FLIPS = 30
MOST_STATIC = 2
"""Of each kind, in the static version; the page that a run writes has all of them."""
NOISY = "the noisy selector (ignores the prompt)"
_TONES = {"better": "good", "worse": "bad"}


@dataclass(frozen=True)
class Shown:
    """One variant in the view: its name, the text of its prompt, and the
    answers that were recorded with it.
    """

    name: str
    prompt: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class BenchView:
    """Variants of one prompt, the first of which is the base.

    ``prompt_file`` is the name of the prompt's file, and ``task`` the task of
    the bench.
    """

    variants: tuple[Shown, ...]
    task: str
    prompt_file: str

    @property
    def base(self) -> Shown:
        """The variant that the others are compared with."""
        return self.variants[0]

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Each variant against the base."""
        return tuple(
            self.compared(other.answers) for other in self.variants[1:]
        )

    def compared(self, answers: Sequence[Answer]) -> Comparison:
        """Compare some answers of one variant with those of the base."""
        return compare(
            [*self.base.answers, *answers],
            self.base.name,
            answers[0].variant,
            self._reasons,
        )

    @cached_property
    def _reasons(self) -> dict[str, str]:
        return {case.id: case.reason for case in TASKS[self.task].load()}

    @cached_property
    def table(self) -> Table:
        """One row per variant: who answered, how many were correct, and what
        the comparison with the base says.
        """
        words = {each.other: each for each in self.comparisons}
        rows = []
        for each in self.variants:
            row = summary(each.answers)[0]
            compared = words.get(each.name)
            rows.append(
                (
                    each.name,
                    each.answers[0].model,
                    row.cases,
                    f"{100 * row.correct:.1f} %",
                    interval_in_words(compared) if compared else None,
                    (compared.verdict or "too few cases")
                    if compared
                    else None,
                )
            )
        return table(
            rows,
            (
                "variant",
                "answered by",
                "cases",
                "correct",
                "against base, 95 %",
                "verdict",
            ),
        )

    @property
    def markdown(self) -> str:
        """The table of variants, and two flips of each kind."""
        parts = [self.table.markdown]
        for each in self.comparisons:
            parts.append(literal(_title(each)))
            flips = flip_table(each, MOST_STATIC)
            if flips.rows:
                parts.append(flips.markdown)
        return "\n\n".join(parts)

    def __repr__(self) -> str:
        parts = [repr(self.table)]
        for each in self.comparisons:
            parts.append(_title(each))
            flips = flip_table(each, MOST_STATIC)
            if flips.rows:
                parts.append(repr(flips))
        return "\n\n".join(parts)

    def find(self, prompt: str) -> Shown | None:
        """Return the variant that has exactly this text, if one has."""
        for each in self.variants:
            if each.prompt.strip() == prompt.strip():
                return each
        return None

    def shown(self, answers: Sequence[Answer]) -> str:
        """Show figures and bars in HTML, against the base unless the answers
        are the base's own.
        """
        rows = [summary(self.base.answers)[0]]
        compared = None
        if answers[0].variant != self.base.name:
            rows.append(summary(answers)[0])
            compared = self.compared(answers)
        model = chip(f"answered by: {answers[0].model}", "note")
        bars = "".join(map(_bar, rows))
        if compared is None:
            words = "<p>This is the base. Choose another variant.</p>"
        else:
            words = _verdict(compared)
        return f'<p role="status">{model}</p>{bars}{words}'

    def flips(self, answers: Sequence[Answer]) -> str:
        """Show the flipped cases in HTML, with both answers; "" for the
        base.
        """
        if answers[0].variant == self.base.name:
            return ""
        compared = self.compared(answers)
        regressed = "".join(map(_case, compared.regressed[:MOST_FLIPS]))
        fixed = "".join(map(_case, compared.fixed[:MOST_FLIPS]))
        return (
            f"<p>{escape(bucket_line(compared))}</p>"
            f"<h4>Regressed ({len(compared.regressed)})</h4>"
            f"{regressed or '<p>none</p>'}"
            f"<h4>Fixed ({len(compared.fixed)})</h4>"
            f"{fixed or '<p>none</p>'}"
        )

    def needs_a_model(self, prompt: str) -> str:
        """Say in HTML that nobody has answered this prompt, what was changed,
        and how to ask a model.
        """
        diff = "\n".join(
            unified_diff(
                self.base.prompt.splitlines(),
                prompt.splitlines(),
                lineterm="",
                n=1,
            )
        )
        folder = "my/prompts/mine"
        command = (
            f"python3 -m memlab bench {self.task}"
            f" --prompts base,{folder} --model"
        )
        live = scrollable(
            escape(f"{command} live --budget 1.50"), "command: a model"
        )
        return (
            f"<p>{chip('nothing was run', 'bad')} Nobody has answered this"
            " text yet, so there are no figures for it. Save it as"
            f" <code>{folder}/{escape(self.prompt_file)}</code>, and ask a"
            f" model, for at most $1.50:</p>{live}"
            f"{coloured_diff(diff, 'what you changed')}"
        )


def recorded_variants(
    names: Sequence[str], answers: Sequence[Answer], prompt: str
) -> list[Shown]:
    """Put the text of a prompt beside the answers to it, for each variant."""
    return [
        Shown(
            variant.name,
            variant.prompts.text(prompt),
            tuple(each for each in answers if each.variant == variant.name),
        )
        for variant in load_variants(names)
    ]


def prompt_bench(
    variants: Sequence[Shown],
    *,
    task: str,
    prompt_file: str,
    noisy_cases: Sequence[RecallCase] = (),
) -> Widget:
    """Show variants of a prompt with their recorded answers; the static
    version is a table, with some flips below it.

    With ``noisy_cases``, the noisy selector is in the list of variants too,
    and each click on Run asks it about these cases with a new seed.
    """

    def ask(seed: int) -> Sequence[Answer]:
        return ask_noisy(noisy_cases, f"seed {seed}", seed=seed)

    view = BenchView(tuple(variants), task, prompt_file)
    return Widget(view, partial(_box, view, ask if noisy_cases else None))


def _box(view: BenchView, ask: Ask | None, widgets: ModuleType) -> Any:
    names = [each.name for each in view.variants]
    choice = widgets.Dropdown(
        options=[*names, *([NOISY] if ask else [])],
        value=view.base.name,
        description="Variant",
        layout=widgets.Layout(width="auto"),
    )
    text = widgets.Textarea(
        value=view.base.prompt,
        layout=widgets.Layout(width="auto", height="320px"),
    )
    text.add_class("prompt")
    figures, below = widgets.HTML(), widgets.HTML()
    seeds = iter(range(1, 10_000))

    def choose(_: Any = None) -> None:
        for each in view.variants:
            if each.name == choice.value:
                text.value = each.prompt
        text.disabled = choice.value == NOISY
        if text.disabled:
            text.value = "The noisy selector reads no prompt."

    def run() -> None:
        if choice.value == NOISY and ask is not None:
            show_noisy(next(seeds))
            return
        found = view.find(text.value)
        if found is None:
            figures.value = view.needs_a_model(text.value)
            below.value = ""
            return
        figures.value = view.shown(found.answers)
        below.value = view.flips(found.answers)

    def show_noisy(seed: int) -> None:
        assert ask is not None
        first, again = ask(0), ask(seed)
        noisy = BenchView(
            (
                Shown(first[0].variant, "", tuple(first)),
                Shown(again[0].variant, "", tuple(again)),
            ),
            "select",
            "select.md",
        )
        figures.value = (
            f"<p>Seed {seed} against seed 0. Both are the same selector.</p>"
            f"{noisy.shown(again)}"
        )
        below.value = noisy.flips(again)

    choice.observe(choose, "value")
    button = make_button(widgets, "Run", run, button_style="primary")
    run()
    left = widgets.VBox(
        [choice, text, button],
        layout=widgets.Layout(width="46%", margin="0 16px 0 0"),
    )
    right = widgets.VBox([figures], layout=widgets.Layout(width="54%"))
    return widgets.VBox([widgets.HBox([left, right]), below])


def _title(compared: Comparison) -> str:
    verdict = compared.verdict or "too few cases for a verdict"
    return (
        f"{compared.base} → {compared.other}: {verdict}"
        f" ({bucket_line(compared)})"
    )


def _verdict(compared: Comparison) -> str:
    words = compared.verdict or "too few cases for a verdict"
    tone: Any = _TONES.get(words, "plain")
    figures = comparison_table([compared])
    pairs = zip(figures.headers, figures.rows[0], strict=True)
    listed = "".join(
        f"<li>{escape(name)}: {escape(value)}</li>" for name, value in pairs
    )
    return f"<p>{chip(words, tone)}</p><ul>{listed}</ul>"


def _bar(row: Row) -> str:
    """Draw the share of correct answers as a bar, in HTML."""
    share = f"{100 * row.correct:.1f} % correct"
    low, high = (f"{100 * bound:.0f}" for bound in row.interval)
    words = f"{row.variant}: {share} (95 %: {low} to {high})"
    return (
        f'<div role="img" aria-label="{escape(words)}">{escape(words)}'
        '<div style="border: 1px solid #595959; background: #FFFFFF;'
        ' height: 16px; margin: 2px 0 8px">'
        f'<div style="width: {100 * row.correct:.1f}%; height: 100%;'
        ' background: #CFE3F7"></div></div></div>'
    )


def _case(case: Case) -> str:
    """Show one flipped case with both answers, in HTML."""
    lines = [
        f"wanted: {case.base[0].wanted}",
        f"{case.base[0].variant}: {said_in_words(case.base)}"
        f" ({_why(case.base, case.base_correct)})",
        f"{case.other[0].variant}: {said_in_words(case.other)}"
        f" ({_why(case.other, case.other_correct)})",
    ]
    if case.reason:
        lines.append(f"why the label is right: {case.reason}")
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<p><b>{escape(case.id)}</b></p><ul>{items}</ul>"


def _why(answers: Sequence[Answer], correct: bool) -> str:
    """Return the reason of the first answer on the side of the majority."""
    return next(each.why for each in answers if each.correct is correct)
