"""A conversation next to the memory it makes: what was said, the files, and
the recall.

``Conversation`` is the plain object: it can be talked to in a cell, and its
Markdown is the static version. The widget adds a line to type in, and buttons
for what the chat asks. What can be typed is the same as in the terminal:
``memlab.chat`` does the work for both.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from types import ModuleType
from typing import Any

from memlab.chat.card import Card, card_of
from memlab.chat.commands import Leave
from memlab.chat.screen import Screen
from memlab.chat.talk import MOST_RECALLED, Talk
from memlab.chat.views import columns, memory_lines, plain
from memlab.course.agents import harness_for
from memlab.course.kernel_state import KERNEL_STATE
from memlab.course.lab import Lab
from memlab.course.show import Table, literal, table
from memlab.course.widgets.microscope import Microscope
from memlab.course.widgets.widget import (
    Widget,
    chip,
    make_button,
    on_enter,
)
from memlab.errors import MemlabError
from memlab.harness import Harness
from memlab.ledger import Call
from memlab.memdir.scan import scan_memory_files

PERSON, AGENT, NOTICE, WRONG = "you", "agent", "notice", "error"
FOUND, QUESTION = "chat", "question"
STAYS = "This chat ends with the notebook; there is nothing to leave."
_STYLE = """<style>
.memlab .said { display: flex; flex-direction: column-reverse;
  max-height: 480px; overflow: auto; }
.memlab .said > div > * { margin: 6px 0; padding: 4px 10px;
  border-left: 4px solid #595959; background: #FFFFFF; color: #1A1A1A;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.memlab .said .you { border-color: #0B4F8A; background: #E3EFFA;
  margin-left: 10%; }
.memlab .said .agent { border-color: #2B6A2B; margin-right: 10%; }
.memlab .said .notice { border-left-style: dashed; background: #F3F3EE;
  font-size: 13px; }
.memlab .said .error { border-color: #A02010; background: #F8D3CC; }
.memlab .said .chat { font-family: monospace; font-size: 13px; }
.memlab .said .question { border-color: #7A5A00; background: #FFE08A; }
.memlab .said .card, .memlab .files details { border: 1px solid #2B6A2B;
  border-left: 4px solid #2B6A2B; background: #FFFFFF; color: #1A1A1A;
  padding: 4px 10px; margin: 4px 0; }
.memlab .said b { font-size: 13px; }
.memlab .files { max-height: 260px; overflow: auto; }
.memlab summary { cursor: pointer; }
</style>"""


Agent = Harness | Callable[..., Harness]


@dataclass(frozen=True)
class Entry:
    """One thing that was said or shown: who did, and what.

    ``label`` says which layer of the stand-in answered, and ``card`` is a
    memory that was saved.
    """

    who: str
    text: str
    label: str = ""
    card: Card | None = None

    @property
    def by(self) -> str:
        """Who said it, with the label."""
        return f"{self.who} ({self.label})" if self.label else self.who


class Conversation(Screen):
    """A chat with all that was said in it; ``on_change`` is called whenever
    there is more to show.

    ``harness`` is an agent, or a function that makes one from further options:
    the conversation passes what it needs to follow it and to ask the person.
    Without it, the lab makes one that does not dream by itself.
    """

    help = (
        "A question is answered with its buttons, or in the same line: y, n,"
        " numbers, or a command to leave it.",
    )

    def __init__(self, lab: Lab, harness: Agent | None = None) -> None:
        self.entries: list[Entry] = []
        self.calls: list[Call] = []
        self.offers: Sequence[str] = ()
        self.on_change: Callable[[], object] = lambda: None
        self._lab = lab
        self._task: asyncio.Task[None] | None = None
        self._question: asyncio.Future[str | None] | None = None
        self._paused = asyncio.Event()
        self.talk = Talk(self, self.calls)
        if harness is None:
            harness = partial(harness_for, lab, dreams=False)
        if not isinstance(harness, Harness):
            harness = harness(
                observer=self.talk,
                ask=self.talk.ask,
                decide=self.talk.dreams.decide,
            )
        self.talk.begin(harness)

    @property
    def harness(self) -> Harness:
        """The agent that is talked to."""
        return self.talk.harness

    @property
    def busy(self) -> bool:
        """Whether the last line is still being worked on, without a question
        to the person.
        """
        at_work = self._task is not None and not self._task.done()
        return at_work and self._question is None

    async def send(self, text: str) -> None:
        """Say something, give a command, or answer a question.

        Waits for the answer and for what is learned from it, or until there is
        a question.
        """
        text = text.strip()
        if self.busy or not (text or self._question):
            return
        paused = self._paused = asyncio.Event()
        if self._question is not None:
            left = text.startswith("/")
            self._settle(None if left else text)
            await paused.wait()
            if not left:
                return
            paused = self._paused = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._take(text))
        KERNEL_STATE.own(self._task)
        self._add(PERSON, text)
        await paused.wait()

    def _settle(self, answer: str | None) -> None:
        question, self._question = self._question, None
        self.offers = ()
        if answer is not None:
            self._add(PERSON, answer or "(nothing)")
        if question is not None and not question.done():
            question.set_result(answer)

    async def _take(self, text: str) -> None:
        try:
            with self._as_chat():
                await self.talk.take(text)
                if not self.talk.dreams.running:
                    await self.harness.drain()
        except MemlabError as error:
            self.error(str(error))
        except Leave:
            self.show(STAYS)
        finally:
            self._question = None
            self.offers = ()
            self._task = None
            self._paused.set()
            self.on_change()

    @contextmanager
    def _as_chat(self) -> Iterator[None]:
        """Let the stand-in answer as in a chat, and note the calls made."""
        before = len(self._lab.ledger)
        model = self._lab.model
        talked = model is not None and model.chat
        if model is not None:
            model.chat = True
        try:
            yield
        finally:
            if model is not None:
                model.chat = talked
            self.calls += list(self._lab.ledger)[before:]

    async def answer(self, prompt: str, offers: Sequence[str]) -> str | None:
        """Let the person answer, with a button or in the line."""
        self._question = asyncio.get_running_loop().create_future()
        self.offers = offers
        self._add(QUESTION, prompt)
        self._paused.set()
        return await self._question

    def stream(self, text: str) -> None:
        """Add a piece to the answer that is being given."""
        last = self.entries[-1] if self.entries else None
        if last is not None and last.who == AGENT and not last.label:
            self.entries[-1] = replace(last, text=last.text + text)
            self.on_change()
        elif text.strip():
            self._add(AGENT, text.lstrip("\n"))

    def tool(self, text: str) -> None:
        """Show that the agent used a tool."""
        self._add(NOTICE, f"[{text}]")

    def show(self, text: str) -> None:
        """Show what a command found."""
        self._add(FOUND, text)

    def source(self, label: str) -> None:
        """Label the newest answer."""
        for place in reversed(range(len(self.entries))):
            if self.entries[place].who == AGENT:
                self.entries[place] = replace(self.entries[place], label=label)
                break
        self.on_change()

    def aside(self, text: str) -> None:
        """Show a remark about the answer."""
        self._add(NOTICE, text)

    def notice(self, text: str) -> None:
        """Show a notice."""
        self._add(NOTICE, text)

    def error(self, text: str) -> None:
        """Show what went wrong."""
        self._add(WRONG, text)

    def card(self, card: Card) -> None:
        """Show a memory that was saved."""
        new = " (new)" * card.new
        text = f"Saved to memory: {card.file}{new} — {card.line}"
        self.entries.append(Entry(NOTICE, text, card=card))
        self.on_change()

    def _add(self, who: str, text: str) -> None:
        self.entries.append(Entry(who, text))
        self.on_change()

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Who said what."""
        return [(entry.by, entry.text) for entry in self.entries]

    @property
    def said(self) -> Table:
        """The conversation, one line per message."""
        return table(
            [(who, plain(text)) for who, text in self.lines], ("who", "what")
        )

    @property
    def memories(self) -> Table:
        """The memory directory as it is now; new files are marked."""
        return table(
            [
                (card.file, card.type, "new" * card.new, card.line)
                for card in self.cards
            ],
            ("memory", "type", "", "first line"),
        )

    @property
    def cards(self) -> list[Card]:
        """The memories as they are now."""
        scan = scan_memory_files(
            self.harness.memory, self.harness.runtime.settings
        )
        return [
            card_of(memory, new=memory.filename in self.talk.new)
            for memory in scan
        ]

    @property
    def markdown(self) -> str:
        """All of it, for a page without widgets."""
        report = self.harness.recall_report
        parts = [
            "**Said**",
            self.said.markdown if self.entries else "Nothing yet.",
            f"**{literal(memory_lines(self.harness)[0])}**",
            self.memories.markdown,
        ]
        if report and report.selection.by != "off":
            parts += ["**The newest recall**", Microscope(report).markdown]
        return "\n\n".join(parts)

    def __repr__(self) -> str:
        said = columns(self.lines) or ["Nothing was said yet."]
        new = self.talk.new
        return "\n".join([*said, "", *memory_lines(self.harness, new)])


def chat(lab: Lab, harness: Agent | None = None) -> Widget:
    """Show a conversation to talk in, next to memory and recall; its static
    version is what was said.

    ``harness`` is as in ``Conversation``. Without it, the lab makes one that
    does not dream by itself.
    """
    talk = Conversation(lab, harness)
    return Widget(talk, partial(_box, talk))


def _box(talk: Conversation, widgets: ModuleType) -> Any:
    wide = widgets.Layout(width="98%")
    said = widgets.HTML(layout=wide)
    memories, recall = widgets.HTML(layout=wide), widgets.HTML(layout=wide)
    line = widgets.Text(
        placeholder="Say something, or /help; then Enter or Send", layout=wide
    )
    answers = widgets.HBox([], layout=widgets.Layout(flex_flow="row wrap"))

    def start(text: str) -> None:
        _start(talk.send(text))

    def typed(_: object = None) -> None:
        if not talk.busy:
            text, line.value = line.value, ""
            start(text)

    send = make_button(widgets, "Send", typed, button_style="primary")
    others = [
        make_button(
            widgets, f"/{name}", partial(start, f"/{name}"), tooltip=tip
        )
        for name, tip in (
            ("undo", "take back the newest change to memory"),
            ("cost", "show the tokens of this chat"),
            ("help", "list the commands"),
        )
    ]

    def offered(offers: Sequence[str]) -> None:
        answers.children = [
            make_button(widgets, offer, partial(start, offer))
            for offer in offers
        ]

    shown: list[Sequence[str]] = [()]

    def show() -> None:
        said.value = _said(talk)
        memories.value = _memories(talk)
        recall.value = _recall(talk)
        for button in (send, *others):
            button.disabled = talk.busy
        if talk.offers != shown[0]:
            shown[0] = talk.offers
            offered(talk.offers)

    talk.on_change = show
    on_enter(line, typed)
    show()
    left = widgets.VBox(
        [said, answers, line, widgets.HBox([send, *others])],
        layout=widgets.Layout(flex="3 1 420px", min_width="0"),
    )
    right = widgets.VBox(
        [memories, recall],
        layout=widgets.Layout(flex="2 1 320px", min_width="0"),
    )
    return widgets.HBox(
        [left, right], layout=widgets.Layout(flex_flow="row wrap")
    )


def _start(work: Coroutine[Any, Any, None]) -> None:
    """Start a turn on the kernel's loop; the next ``begin`` ends what is left
    of it.
    """
    KERNEL_STATE.own(asyncio.get_running_loop().create_task(work))


def _said(talk: Conversation) -> str:
    rows = "".join(map(_shown, talk.entries))
    if not rows:
        rows = (
            "<p>Nothing was said yet. Rules answer, unless you went live.</p>"
        )
    return (
        f'{_STYLE}<div class="said" role="log" aria-label="The conversation"'
        f' tabindex="0"><div>{rows}</div></div>'
    )


def _shown(entry: Entry) -> str:
    if entry.card is not None:
        return _opens(entry.card, "Saved to memory: ")
    text = escape(plain(entry.text).strip("\n"))
    return f'<div class="{entry.who}"><b>{escape(entry.by)}</b>\n{text}</div>'


def _opens(card: Card, before: str = "") -> str:
    """Show a memory that opens to show its file."""
    new = chip("new", "good") if card.new else ""
    return (
        f'<details class="card"><summary>{before}'
        f"<code>{escape(card.file)}</code> {new} {chip(card.type)}"
        f" {escape(plain(card.line))}</summary>"
        f"<pre>{escape(plain(card.text))}</pre></details>"
    )


def _memories(talk: Conversation) -> str:
    files = "".join(map(_opens, talk.cards))
    head = escape(memory_lines(talk.harness)[0])
    return f'<h4>{head}</h4><div class="files">{files}</div>'


def _recall(talk: Conversation) -> str:
    report = talk.harness.recall_report
    if report is None or report.selection.by == "off":
        return "<h4>Recall</h4><p>Nothing has been recalled yet.</p>"
    rows = [
        f"<li><code>{escape(name)}</code> {escape(became)}: {escape(why)}</li>"
        for name, became, why in report.rows()
    ]
    first = "".join(rows[:MOST_RECALLED])
    rest = rows[MOST_RECALLED:]
    folded = (
        f"<details><summary>{len(rest)} more</summary>"
        f"<ul>{''.join(rest)}</ul></details>"
        if rest
        else ""
    )
    return (
        f"<h4>Recall</h4><p>{escape(Microscope(report).summary)}</p>"
        f"<ul>{first}</ul>{folded}"
    )
