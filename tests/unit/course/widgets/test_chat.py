"""The conversation next to its memory: the plain object, its static version, and the clicks."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from memlab.course import begin, harness_for
from memlab.course.widgets.chat import Conversation, chat
from memlab.course.widgets.widget import VIEW

COFFEE = "Remember that I take my coffee black."
OSLO = "Remember that I live in Oslo."
FILE = "take-my-coffee-black.md"


def conversation() -> Conversation:
    return Conversation(begin(8))


class Spoken(Conversation):
    """A conversation of some lines; ``asked`` has the offers at its end."""

    def __init__(self, *lines: str) -> None:
        super().__init__(begin(8))
        self.asked = asyncio.run(self._all(lines))

    async def _all(self, lines: tuple[str, ...]) -> tuple[str, ...]:
        for line in lines:
            await self.send(line)
        return tuple(self.offers)


def test_what_is_said_is_answered_and_the_new_memory_is_a_card() -> None:
    talk = Spoken(COFFEE)
    assert [who for who, _ in talk.lines] == ["you", "notice", "agent (fallback rules)", "notice"]
    saved = talk.entries[-1]
    assert saved.text.startswith(f"Saved to memory: {FILE} (new)")
    assert saved.card
    assert "I take my coffee black." in saved.card.text
    marked = [card.file for card in talk.cards if card.new]
    assert marked == [FILE]
    assert f"| {FILE} | user | new |" in talk.markdown
    assert "token" not in repr(talk)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("Hello!", "Offline, rules answer"),
        ("what do you know about me?", "From your memories:\n- "),
        ("/memory", "memories in ~/.memlab/"),
        ("/help", "/memory [FILE"),
        ("/recall", "Nothing has been recalled yet."),
        ("/dream status", "No dream in this session."),
        ("/memry", "Did you mean /memory?"),
        ("/quit", "there is nothing to leave"),
    ],
)
def test_what_works_in_the_terminal_works_here(line: str, shown: str) -> None:
    talk = Spoken(line)
    assert shown in "\n".join(text for _, text in talk.lines)
    assert not talk.busy


def test_the_cost_is_this_chats_own_and_in_tokens() -> None:
    async def costs() -> list[str]:
        lab = begin(8)
        other = Conversation(lab)
        await other.send("Hello there.")
        talk = Conversation(lab)
        await talk.send("/cost")
        await talk.send("Hello there.")
        await talk.send("/cost")
        return [text for who, text in talk.lines if who == "chat"]

    before, after = asyncio.run(costs())
    assert before.splitlines()[1].split()[:2] == ["total", "0"]
    assert [line.split()[:2] for line in after.splitlines()[1:2]] == [["extract", "1"]]
    assert "cost" not in after


@pytest.mark.parametrize(
    ("answer", "there"), [("y", False), ("yes", False), ("n", True), ("", True), ("/memory", True)]
)
def test_a_question_is_answered_in_the_line(answer: str, there: bool) -> None:
    assert Spoken(COFFEE, f"/forget {FILE}").asked == ("yes", "no")
    talk = Spoken(COFFEE, f"/forget {FILE}", answer)
    assert talk.asked == ()
    assert not talk.busy
    assert (FILE in repr(talk.memories)) == there
    assert ("memories in ~/" in talk.entries[-1].text) == answer.startswith("/")


def test_a_memory_that_a_turn_drops_is_not_shown_as_recalled_afterwards() -> None:
    talk = Spoken(COFFEE, "I prefer coffee cups to mugs.", "Forget the black coffee.")
    notices = [text for who, text in talk.lines if who == "notice"]
    assert notices[-2] == f"Dropped from memory: {FILE}"
    assert notices[-1].startswith("recalled: ")
    assert FILE not in notices[-1]


def test_an_undo_beyond_the_last_turn_is_asked_about() -> None:
    talk = Spoken(COFFEE, OSLO, "/undo", "/undo")
    assert talk.asked == ("yes", "no")
    assert FILE in repr(talk.memories)
    talk = Spoken(COFFEE, OSLO, "/undo", "/undo", "y")
    assert talk.lines[-1][1].startswith("Took back ")
    assert FILE not in repr(talk.memories)


def test_a_dream_by_hand_waits_for_the_persons_word() -> None:
    talk = conversation()
    index = talk.harness.memory / "MEMORY.md"
    sound = index.read_text("utf-8")
    index.write_text(f"{sound}- [Gone](gone.md) — nothing is there\n", "utf-8")

    async def dream() -> None:
        await talk.send("/dream")
        while not any("A dream wants to change" in text for _, text in talk.lines):
            await asyncio.sleep(0)
        await talk.send("/dream receipt")
        await talk.send("/dream accept")

    asyncio.run(dream())
    assert "gone.md" not in index.read_text("utf-8")
    assert any(text.startswith("The dream ") for _, text in talk.lines)


def test_the_answer_is_shown_while_it_comes() -> None:
    talk = conversation()
    seen: list[str] = []
    talk.on_change = lambda: seen.append(talk.lines[-1][1])
    asyncio.run(talk.send("Hello there."))
    growing = [text for text in seen if text.startswith("Offline")]
    assert len(growing) > 3
    assert all(b.startswith(a) for a, b in pairwise(growing) if a != b)


def test_a_failing_call_is_told_and_the_next_one_works() -> None:
    lab = begin(8)
    talk = Conversation(lab, harness_for(lab, "talk", dreams=False))
    assert lab.model
    lab.model.faults.add("overloaded", purpose="main")
    asyncio.run(talk.send("Hello there."))
    assert talk.lines[-1][0] == "error"
    assert "overloaded" in talk.lines[-1][1]
    asyncio.run(talk.send("Hello again."))
    assert talk.lines[-1][0] == "agent (plain reply)"
    assert not lab.model.chat


def test_nothing_is_sent_twice_and_blanks_are_not_sent() -> None:
    talk = conversation()

    async def both() -> None:
        await asyncio.gather(talk.send("Hello there."), talk.send("Hello there."), talk.send(" "))

    asyncio.run(both())
    assert [who for who, _ in talk.lines].count("you") == 1


class Clicked:
    """The widget, and what a person does with it."""

    def __init__(self) -> None:
        self.box = chat(begin(8)).box
        left, right = self.box.children
        self.said, self.answers, self.line, buttons = left.children
        self.send, *self.others = buttons.children
        self.memories, self.recall = right.children

    async def settled(self) -> None:
        await asyncio.sleep(0)
        while self.send.disabled:
            await asyncio.sleep(0)

    async def type(self, text: str) -> None:
        self.line.value = text
        self.send.click()
        assert self.line.value == ""
        await self.settled()

    async def click(self, label: str) -> None:
        buttons: list[Any] = [*self.others, *self.answers.children]
        (button,) = (one for one in buttons if one.description == label)
        button.click()
        await self.settled()


def test_the_widget_shows_a_card_that_opens_to_the_file() -> None:
    async def clicked() -> Clicked:
        widget = Clicked()
        await widget.type("Remember that I <b>never</b> drink tea.")
        return widget

    widget = asyncio.run(clicked())
    assert '<div class="you"><b>you</b>\nRemember that I &lt;b&gt;never' in widget.said.value
    assert '<details class="card"><summary>Saved to memory: <code>never-drink' in widget.said.value
    assert "name: never drink tea\n" in widget.said.value
    assert widget.memories.value.count(">new</span>") == 1
    assert "chosen by fallback rules" in widget.recall.value


def test_the_buttons_undo_and_answer_questions() -> None:
    async def clicked() -> Clicked:
        widget = Clicked()
        await widget.type(COFFEE)
        await widget.type(OSLO)
        await widget.click("/undo")
        assert widget.answers.children == ()
        await widget.click("/undo")
        assert FILE in widget.memories.value
        await widget.click("yes")
        assert widget.answers.children == ()
        await widget.click("/cost")
        return widget

    widget = asyncio.run(clicked())
    assert widget.said.value.count("Took back change-") == 2
    assert FILE not in widget.memories.value
    assert "purpose  calls" in widget.said.value


def test_the_twin_tells_the_same_in_text() -> None:
    shown = chat(begin(8))._repr_mimebundle_()
    assert VIEW in shown
    assert "20 memories in ~/.memlab/" in shown["text/plain"]
    assert "Nothing yet." in shown["text/markdown"]
    assert "tabs-and-single-quotes.md" in shown["text/markdown"]
