"""The conversation in a notebook: in cells, and in the line below what was said."""

from __future__ import annotations

import asyncio
from typing import Any

from memlab.course import Conversation, Lab, begin, harness_for

COFFEE = "Remember that I take my coffee black."
FILE = "take-my-coffee-black.md"


def talk_in(lab: Lab) -> Conversation:
    return Conversation(lab, lambda **options: harness_for(lab, dreams=False, **options))


def test_what_is_said_in_cells_is_answered_and_shown() -> None:
    async def cells() -> str:
        talk = talk_in(begin(8))
        assert str(talk).startswith("Nothing was said yet. ")
        for line in (COFFEE, "/memry", "/exit", "/memory coffee"):
            await talk.send(line)
        return str(talk)

    said = asyncio.run(cells())
    assert f"you: {COFFEE}\n" in said
    assert "\nagent: Saved: " in said
    assert f"• Saved to memory: {FILE}" in said
    assert "Did you mean /memory?" in said
    assert "ends with the notebook" in said
    assert "I take my coffee black." in said


def test_a_line_is_typed_and_a_question_answered() -> None:
    async def person() -> list[str]:
        talk = talk_in(begin(8))
        bundle = talk._repr_mimebundle_()
        assert bundle["text/plain"] == str(talk)
        box: Any = bundle["application/vnd.jupyter.widget-view+json"]
        said, line = _children(box["model_id"])
        for typed, shown in ((COFFEE, FILE), ("/forget coffee", "[y/N]"), ("y", "Forgot")):
            line.value = typed
            line._handle_string_msg(None, {"event": "submit"}, [])
            while shown not in said.value:
                await asyncio.sleep(0)
        return [path.name for path in talk.harness.memory.glob("take-*.md")]

    assert asyncio.run(person()) == []


def _children(model: str) -> Any:
    from ipywidgets.widgets.widget import _instances

    return _instances[model].children
