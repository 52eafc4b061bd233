"""The conversation next to its memory: the plain object, its static version, and the clicks."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

from memlab.course import begin, harness_for
from memlab.course.widgets.chat import Conversation, chat
from memlab.course.widgets.widget import VIEW

COFFEE = "Remember that I take my coffee black."


def conversation() -> Conversation:
    lab = begin(8)
    return Conversation(harness_for(lab, "talk", dreams=False), lab.ledger)


def test_what_is_said_is_answered_and_the_new_memory_is_seen() -> None:
    talk = conversation()
    asyncio.run(talk.send(COFFEE))
    assert [who for who, _ in talk.lines] == ["you", "agent (fallback rules)", "notice"]
    assert talk.lines[2][1] == "Saved to memory: take-my-coffee-black.md"
    assert "take-my-coffee-black.md" in repr(talk.memories)
    assert "take-my-coffee-black.md" in talk.markdown
    assert "| main |" not in talk.markdown
    assert "main " in talk.cost
    talk.undo()
    assert "take-my-coffee-black.md" not in repr(talk.memories)
    assert talk.lines[-1][1].startswith("Took back ")


def test_an_undo_beyond_the_last_turn_is_announced_first() -> None:
    talk = conversation()
    for text in (COFFEE, "Remember that I live in Oslo."):
        asyncio.run(talk.send(text))
    talk.undo()
    talk.undo()
    assert talk.lines[-1][0] == "notice"
    assert talk.lines[-1][1].startswith("Undo once more to take back change-")
    assert "take-my-coffee-black.md" in talk.lines[-1][1]
    assert "take-my-coffee-black.md" in repr(talk.memories)
    talk.undo()
    assert talk.lines[-1][1].startswith("Took back ")
    assert "take-my-coffee-black.md" not in repr(talk.memories)


def test_the_answer_is_shown_while_it_comes() -> None:
    talk = conversation()
    seen: list[str] = []
    talk.on_change = lambda: seen.append(talk.lines[-1][1])
    asyncio.run(talk.send("Hello there."))
    growing = [text for text in seen if text.startswith("(Not a")]
    assert len(growing) > 3
    assert all(b.startswith(a) for a, b in pairwise(growing) if a != b)


def test_a_failing_call_is_told_and_the_next_one_works() -> None:
    lab = begin(8)
    talk = Conversation(harness_for(lab, "talk", dreams=False), lab.ledger)
    assert lab.model
    lab.model.faults.add("overloaded", purpose="main")
    asyncio.run(talk.send("Hello there."))
    assert talk.lines[-1][0] == "error"
    assert "overloaded" in talk.lines[-1][1]
    asyncio.run(talk.send("Hello again."))
    assert talk.lines[-1][0] == "agent (plain reply)"


def test_nothing_is_sent_twice_and_blanks_are_not_sent() -> None:
    talk = conversation()

    async def both() -> None:
        await asyncio.gather(talk.send("Hello there."), talk.send("Hello there."), talk.send(" "))

    asyncio.run(both())
    assert [who for who, _ in talk.lines].count("you") == 1


def test_the_face_sends_what_was_typed_and_shows_all_four_parts() -> None:
    async def clicked() -> tuple[Any, ...]:
        lab = begin(8)
        box = chat(lab, harness_for(lab, "talk", dreams=False)).box
        left, right = box.children
        said, line, buttons = left.children
        line.value = "Remember that I <b>never</b> drink tea."
        buttons.children[0].click()
        assert line.value == ""
        assert buttons.children[0].disabled
        while buttons.children[0].disabled:
            await asyncio.sleep(0)
        return said, *right.children

    said, memories, recall, cost = asyncio.run(clicked())
    assert "&lt;b&gt;never" in said.value
    assert "Saved to memory: " in said.value
    assert "never-drink-tea.md" in memories.value
    assert "chosen by" in recall.value
    assert "main" in cost.value


def test_the_undo_button_takes_back() -> None:
    async def clicked() -> Any:
        lab = begin(8)
        box = chat(lab, harness_for(lab, "talk", dreams=False)).box
        _, line, buttons = box.children[0].children
        line.value = COFFEE
        buttons.children[0].click()
        while buttons.children[0].disabled:
            await asyncio.sleep(0)
        buttons.children[1].click()
        return box

    box = asyncio.run(clicked())
    assert "Took back" in box.children[0].children[0].value
    assert "coffee" not in box.children[1].children[0].value


def test_the_twin_tells_the_same_in_text() -> None:
    lab = begin(8)
    shown_widget = chat(lab)
    shown = shown_widget._repr_mimebundle_()
    assert VIEW in shown
    assert "20 memories in ~/.memlab/" in shown["text/plain"]
    assert "Nothing yet." in shown["text/markdown"]
    assert "tabs-and-single-quotes.md" in shown["text/markdown"]
