"""The conversation in a notebook: in cells, and in the line below what was said."""

from __future__ import annotations

import asyncio
from typing import Any

from ipywidgets.widgets.widget import _instances

from memlab.course import Conversation, begin, harness_for

COFFEE, FILE = "Remember that I take my coffee black.", "take-my-coffee-black.md"


def begun() -> Conversation:
    lab = begin(8)
    return Conversation(lab, lambda **options: harness_for(lab, dreams=False, **options))


def test_what_is_said_in_cells_is_answered_and_shown() -> None:
    async def cells() -> str:
        talk = begun()
        assert str(talk).startswith("Nothing was said yet. ")
        for line in (COFFEE, "/memry", "/exit"):
            await talk.send(line)
        return str(talk)

    said = asyncio.run(cells())
    for shown in (
        f"you: {COFFEE}\n",
        "\nagent: Saved: ",
        f"• Saved to memory: {FILE}",
        "Did you mean",
    ):
        assert shown in said


def test_a_line_is_typed_and_a_question_answered() -> None:
    async def person() -> Conversation:
        talk = begun()
        bundle: Any = talk._repr_mimebundle_()
        assert bundle["text/plain"] == str(talk)
        box: Any = _instances[bundle["application/vnd.jupyter.widget-view+json"]["model_id"]]
        said, line = box.children
        for typed, shown in ((COFFEE, FILE), ("/forget coffee", "[y/N]"), ("y", "Forgot")):
            line.value = typed
            line._handle_string_msg(None, {"event": "submit"}, [])
            while shown not in said.value:
                await asyncio.sleep(0)
        return talk

    assert not (asyncio.run(person()).harness.memory / FILE).exists()
