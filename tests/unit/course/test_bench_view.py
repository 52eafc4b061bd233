"""The bench in a notebook: what it shows, and that it never shows figures that nobody measured."""

from __future__ import annotations

import asyncio
from html import escape
from typing import Any

import pytest

from memlab.bench.answer import Answer
from memlab.bench.compare import compare
from memlab.course import (
    Shown,
    answer_table,
    ask_noisy,
    draw_differences,
    draw_intervals,
    flip_table,
    prompt_bench,
    run_prices,
    selection_cases,
)
from memlab.course.bench_view import NOISY
from memlab.course.seams import install_seams, remove_seams
from memlab.course.widgets.widget import Widget

pytestmark = pytest.mark.usefixtures("rough_figures")

CASES = selection_cases()[:30]


def asked(name: str, seed: int, wrong: float = 0.2) -> list[Answer]:
    answers = ask_noisy(CASES, name, seed=seed, wrong=wrong)
    return [answer.model_copy(update={"model": "a model"}) for answer in answers]


def made() -> Widget:
    variants = [
        Shown("base", "Choose.\nBe <careful>.\n", tuple(asked("base", 1))),
        Shown("mine", "Choose.\n", tuple(asked("mine", 2, 0.9))),
    ]
    return prompt_bench(
        variants,
        task="select",
        prompt_file="select.md",
        noisy_cases=CASES,
    )


def parts(widget: Widget) -> tuple[Any, Any, Any, Any, Any]:
    """Give the list, the text, the button, the figures and the flips."""
    row, below = widget.box.children
    left, right = row.children
    choice, text, button = left.children
    return choice, text, button, right.children[0], below


def test_a_recorded_variant_is_shown_with_its_figures_and_flips() -> None:
    choice, text, button, figures, below = parts(made())
    assert text.value == "Choose.\nBe <careful>.\n"
    choice.value = "mine"
    assert text.value == "Choose.\n"
    button.click()
    assert "answered by: a model" in figures.value
    assert ">worse<" in figures.value
    compared = compare([*asked("base", 1), *asked("mine", 2, 0.9)], "base", "mine")
    assert f"<h4>Regressed ({len(compared.regressed)})</h4>" in below.value
    assert compared.regressed[0].id in below.value
    for case in compared.regressed:
        reason = next(label.reason for label in CASES if label.id == case.id)
        assert escape(reason) in below.value


def test_a_changed_prompt_gets_no_figures_but_the_command_that_asks_a_model() -> None:
    choice, text, button, figures, below = parts(made())
    choice.value = "mine"
    button.click()
    text.value = "Choose <b>well</b>.\n"
    button.click()
    assert "nothing was run" in figures.value
    assert "--model live --budget 1.50" in figures.value
    assert "% correct" not in figures.value
    assert "+Choose &lt;b&gt;well&lt;/b&gt;." in figures.value
    assert below.value == ""


def test_the_noisy_selector_is_asked_with_a_new_seed_each_time_and_reads_no_prompt() -> None:
    choice, text, button, figures, _ = parts(made())
    choice.value = NOISY
    assert text.disabled
    button.click()
    assert "Seed 1 against seed 0" in figures.value
    button.click()
    assert "Seed 2 against seed 0" in figures.value
    choice.value = "base"
    assert not text.disabled


def test_the_static_version_has_every_variant_and_counts_its_flips() -> None:
    shown = repr(made())
    assert "base" in shown
    assert "mine" in shown
    compared = compare([*asked("base", 1), *asked("mine", 2, 0.9)], "base", "mine")
    assert f"{len(compared.regressed)} regressed, {len(compared.fixed)} fixed" in shown
    for case in (*compared.regressed[:2], *compared.fixed[:2]):
        assert case.id in shown
    assert "&lt;" not in shown


def test_the_comparison_calls_the_learners_functions() -> None:
    calls = []

    def mcnemar(regressed: int, fixed: int) -> float:
        calls.append((regressed, fixed))
        return 0.01

    answers = [*asked("base", 1), *asked("again", 2)]
    try:
        install_seams({"mcnemar": mcnemar})
        assert compare(answers, "base", "again").verdict in ("better", "worse")
    finally:
        remove_seams()
    assert len(calls) == 1
    assert compare(answers, "base", "again").verdict == "no difference shown"


def test_tables_and_pictures_say_what_they_show() -> None:
    answers = [*asked("base", 1), *asked("mine", 2, 0.9)]
    compared = compare(answers, "base", "mine")
    assert len(flip_table(compared, most=2).rows) <= 4
    assert answer_table(answers[:3], "recall@5").rows[0][4] in ("0.00", "1.00")
    picture = draw_intervals({"thirty cases": compared})
    assert "thirty cases" in picture.alt
    assert "worse" in picture.alt
    assert "−3: 1, 0: 2, +5: 1" in draw_differences([0.2, -0.3, 4.6, -3.0], "runs", 4.6).alt


def test_prices_are_estimated_and_an_unknown_model_has_none() -> None:
    table = asyncio.run(run_prices("select", ["claude-haiku-5-5", "of my own"], repeats=2))
    cheap, unknown = table.rows
    assert cheap[1] == "150 × 2 × 2"
    assert cheap[2] == "600"
    assert cheap[5].startswith("$0.")
    assert unknown[5] == ""
