from __future__ import annotations

import asyncio
import inspect
import re
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from html import escape
from typing import Any

import pytest
from memlab.course.widgets.dream import dream_widget
from memlab.course.widgets.microscope import microscope
from memlab.course.widgets.time_machine import time_machine

from memlab.course import Page, begin, chat, quiz
from memlab.course.quizzes import Attempt, Option, Quiz, QuizQuestion, find_quiz, quiz_widget
from memlab.course.widgets.widget import VIEW, Widget, coloured_diff, on_main_loop
from memlab.dream import DreamTask
from memlab.recall.pipeline import RecallReport
from memlab.recall.selection import Selection


def test_a_widget_has_its_static_version_in_the_same_output() -> None:
    shown = quiz(14)._repr_mimebundle_()
    assert shown["text/markdown"] == find_quiz(14).page.markdown
    assert shown["text/plain"] == "<page: quiz 14>"
    assert set(shown[VIEW]) == {"version_major", "version_minor", "model_id"}


def test_without_ipywidgets_the_twin_is_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    shown_widget = Widget(Page("title", "**text**"), lambda widgets: widgets.VBox([]))
    assert shown_widget.box is None
    assert shown_widget._repr_mimebundle_() == {
        "text/plain": "<page: title>",
        "text/markdown": "**text**",
    }


def test_a_click_on_an_option_shows_its_verdict() -> None:
    shown_widget = quiz(14)
    question = shown_widget.box.children[0]
    title, options, verdict = question.children
    assert escape(find_quiz(14).questions[0].question) in title.value
    assert verdict.value == ""
    assert options.value is None
    options.value = "b"
    assert "✓ right</span> b: " in verdict.value
    assert ">a: " in verdict.value
    assert 'role="status"' in verdict.value
    options.value = "a"
    assert "✗ not quite</span> a: " in verdict.value
    *questions, closing = shown_widget.box.children
    assert closing.value == ""
    for question in questions:
        if question.children[1].value is None:
            question.children[1].value = "b"
    assert re.search(r"\d of 6 right at the first try\.", closing.value)
    assert 'role="status"' in closing.value


def test_options_show_a_letter_and_their_texts_in_order() -> None:
    first: Any = quiz(14).box.children[0].children[1]
    asked = find_quiz(14).questions[0]
    assert [text for text, _ in first.options] == [
        f"{letter} · {option.text}" for letter, option in zip("abc", asked.options, strict=True)
    ]


def test_what_stands_in_a_question_is_shown_and_not_run() -> None:
    right = Option(text="y", right=True, why="<i>z</i>.")
    sharp = QuizQuestion(question="<b>x</b>?", options=(right, Option(text="n", why="n.")))
    title, options, verdict = (
        quiz_widget(Attempt(Quiz(notebook=9, questions=(sharp,)))).box.children[0].children
    )
    options.value = "a"
    assert "&lt;b&gt;x" in title.value
    assert "a: &lt;i&gt;z&lt;/i&gt;." in verdict.value


def test_a_callback_runs_on_the_loop_it_was_made_on_whatever_thread_calls() -> None:
    async def kernel() -> list[int]:
        threads: list[int] = []
        woken = asyncio.Event()

        def act(value: int) -> None:
            threads.append(value)
            threads.append(threading.get_ident())
            woken.set()

        callback = on_main_loop(act)
        await asyncio.to_thread(callback, 1)
        await asyncio.wait_for(woken.wait(), 30)
        callback(2)
        return threads

    here = threading.get_ident()
    assert asyncio.run(kernel()) == [1, here, 2, here]
    called: list[int] = []
    on_main_loop(called.append)(3)  # in a script no loop runs
    assert called == [3]


WIDGETS: dict[str, Callable[[], Widget]] = {
    "chat": lambda: chat(begin(8)),
    "dream": lambda: dream_widget(begin(11), DreamTask()),
    "microscope": lambda: microscope(RecallReport("boats", Selection()), begin(4)),
    "time machine": time_machine,
}


@pytest.mark.parametrize("name", WIDGETS)
def test_every_callback_of_every_widget_goes_to_the_main_loop(name: str) -> None:
    """JupyterLab may call on another thread, where a dream or a turn must not begin or go on."""

    async def kernel() -> list[Any]:
        return [handler for part in parts(WIDGETS[name]().box) for handler in handlers(part)]

    found = asyncio.run(kernel())
    assert found
    assert {handler.__qualname__ for handler in found} == {"on_main_loop.<locals>.callback"}


def parts(box: Any) -> Iterator[Any]:
    yield box
    for child in getattr(box, "children", ()):
        yield from parts(child)


def handlers(part: Any) -> Iterator[Any]:
    """The callbacks of ours; ipywidgets' own are bound methods and partials of its modules."""
    for attribute in ("_click_handlers", "_submission_callbacks"):
        if registered := getattr(part, attribute, None):
            yield from registered.callbacks
    for handler in part._trait_notifiers.get("value", {}).get("change", []):
        if inspect.isfunction(handler) and not isinstance(handler, partial):
            yield handler


def test_a_diff_has_signs_as_well_as_colours_and_is_not_run() -> None:
    diff = "--- before/a.md\n+++ after/a.md\n@@ -1 +1 @@\n----\n+<b>\n same"
    shown = coloured_diff(diff, "diff of a.md")
    assert '<span class="bad">----</span>' in shown
    assert '<span class="good">+&lt;b&gt;</span>' in shown
    assert "before/a.md" not in shown
    assert 'tabindex="0"' in shown
