"""A conversation next to the memory it makes: what was said, the files, the
recall, the cost.

``Conversation`` is the plain object: it can be talked to in a cell, and its
Markdown is the static version. The widget adds a line to type in.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Coroutine
from functools import partial
from html import escape
from types import ModuleType
from typing import Any

from memlab.course.agents import harness_for
from memlab.course.display import Table, fenced, literal, table
from memlab.course.kernel_state import KERNEL_STATE
from memlab.course.lab import Lab
from memlab.course.widgets.microscope import Microscope
from memlab.course.widgets.widget import Widget
from memlab.errors import MemlabError
from memlab.harness import Harness, HarnessObserver
from memlab.ledger import Ledger
from memlab.memdir.scan import scan_memory_files
from memlab.views import columns, cost_lines, memory_lines, plain

SHOWN = 12
_NEWEST_IN_SIGHT = (
    "display: flex; flex-direction: column-reverse; max-height: 480px;"
    " overflow: auto"
)
_UNBROKEN = "white-space: pre; overflow-x: auto; font-size: 85%"
PERSON, AGENT, NOTICE, WRONG = "you", "agent", "notice", "error"


class Conversation(HarnessObserver):
    """A harness with all that was said; ``on_change`` is called whenever there
    is more to show.
    """

    def __init__(self, harness: Harness, ledger: Ledger) -> None:
        self.harness, self.ledger = harness, ledger
        self.lines: list[tuple[str, str]] = []
        self.on_change: Callable[[], object] = lambda: None
        self.busy = False
        self._notices_shown = 0
        self._announced = ""
        harness.observer = self

    async def send(self, text: str) -> None:
        """Say something and wait for the answer and for what is learned from
        it.
        """
        if self.busy or not text.strip():
            return
        self.busy = True
        self._add(PERSON, text.strip())
        self._add(AGENT, "")
        try:
            said = await self.harness.say(text)
            source = said.turn.source
            who = f"{AGENT} ({source})" if source else AGENT
            self.lines[-1] = (who, said.text or self.lines[-1][1])
            if said.error:
                self._add(WRONG, said.error)
            await self.harness.drain()
        except MemlabError as error:
            self._add(WRONG, str(error))
        finally:
            self.busy = False
            self.lines = [(who, text) for who, text in self.lines if text]
            self._tell()

    def undo(self) -> None:
        """Take back the newest change to memory.

        A second undo that reaches beyond the last turn says what it would take
        back; pressed once more, it does.
        """
        older = self.harness.undo_beyond_turn()
        if older and older != self._announced:
            self._announced = older
            self._add(NOTICE, f"Undo once more to take back {older}")
            return
        try:
            self.harness.undo()
        except MemlabError as error:
            self._add(WRONG, error.what)
        self._tell()

    @property
    def said(self) -> Table:
        """The conversation, one line per message."""
        return table(
            [(who, plain(text)) for who, text in self.lines], ("who", "what")
        )

    @property
    def memories(self) -> Table:
        """The memory directory as it is now."""
        scan = scan_memory_files(
            self.harness.memory, self.harness.runtime.settings
        )
        return table(
            [
                (header.filename, str(header.type or "?"), header.description)
                for header in scan
            ],
            ("memory", "type", "when it helps"),
        )

    @property
    def cost(self) -> str:
        """The calls by purpose, in columns."""
        return "\n".join(cost_lines(self.ledger))

    @property
    def markdown(self) -> str:
        """All of it, for a page without widgets."""
        report = self.harness.recall_report
        parts = [
            "**Said**",
            self.said.markdown if self.lines else "Nothing yet.",
        ]
        parts += [
            f"**{literal(memory_lines(self.harness)[0])}**",
            self.memories.markdown,
        ]
        if report and report.selection.by != "off":
            parts += ["**The newest recall**", Microscope(report).markdown]
        return "\n\n".join(
            [*parts, "**Cost, in uncached input tokens**", fenced(self.cost)]
        )

    def __repr__(self) -> str:
        said = columns(self.lines) or ["Nothing was said yet."]
        return "\n".join(
            [*said, "", *memory_lines(self.harness), "", self.cost]
        )

    def on_text(self, text: str) -> None:
        """Add a piece to the answer that is being given."""
        who, before = self.lines[-1]
        self.lines[-1] = (who, before + text)
        self.on_change()

    def _add(self, who: str, text: str) -> None:
        self.lines.append((who, text))
        self.on_change()

    def _tell(self) -> None:
        """Add the notices that have come since the last time."""
        notices = self.harness.notices
        self.lines += [
            (NOTICE, text) for text in notices[self._notices_shown :]
        ]
        self._notices_shown = len(notices)
        self.on_change()


def chat(lab: Lab, harness: Harness | None = None) -> Widget:
    """Show a conversation to talk in, next to memory, recall and cost; its
    static version is what was said.

    Without ``harness``, the lab makes one that does not dream by itself.
    """
    talk = Conversation(harness or harness_for(lab, dreams=False), lab.ledger)
    return Widget(talk, partial(_box, talk))


def _box(talk: Conversation, widgets: ModuleType) -> Any:
    wide = widgets.Layout(width="98%")
    low = widgets.Layout(width="98%", max_height="220px", overflow="auto")
    said, cost = widgets.HTML(layout=wide), widgets.HTML(layout=wide)
    memories, recall = widgets.HTML(layout=low), widgets.HTML(layout=low)
    line = widgets.Text(
        placeholder="Say something, then Enter or Send", layout=wide
    )
    send = widgets.Button(description="Send", button_style="primary")
    undo = widgets.Button(
        description="Undo", tooltip="take back the newest change to memory"
    )

    def show() -> None:
        said.value = _said(talk)
        memories.value = _memories(talk)
        recall.value = _recall(talk)
        cost.value = (
            f"<h4>Cost</h4><pre style='{_UNBROKEN}'>{escape(talk.cost)}</pre>"
        )
        send.disabled = undo.disabled = talk.busy

    def typed(_: Any) -> None:
        if line.value.strip() and not talk.busy:
            text, line.value, send.disabled = line.value, "", True
            _start(talk.send(text))

    talk.on_change = show
    send.on_click(typed)
    # its successor also fires when the field loses the cursor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        line.on_submit(typed)
    undo.on_click(lambda _: talk.undo())
    show()
    left = widgets.VBox(
        [said, line, widgets.HBox([send, undo])],
        layout=widgets.Layout(width="55%"),
    )
    right = widgets.VBox(
        [memories, recall, cost], layout=widgets.Layout(width="45%")
    )
    return widgets.HBox([left, right])


def _start(work: Coroutine[Any, Any, None]) -> None:
    """Start a turn on the kernel's loop; the next ``begin`` ends what is left
    of it.
    """
    KERNEL_STATE.own(asyncio.get_running_loop().create_task(work))


def _said(talk: Conversation) -> str:
    rows = [
        f"<p><b>{who}</b><br>{escape(plain(text)).replace(chr(10), '<br>')}</p>"
        for who, text in talk.lines
    ]
    shown = (
        "".join(rows)
        or "<p>Nothing was said yet. Rules answer, unless you went live.</p>"
    )
    return f"<div style='{_NEWEST_IN_SIGHT}'><div>{shown}</div></div>"


def _memories(talk: Conversation) -> str:
    scan = scan_memory_files(
        talk.harness.memory, talk.harness.runtime.settings
    )
    files = "".join(
        f"<li><code>{escape(header.filename)}</code>"
        f" {escape(header.description)}</li>"
        for header in scan
    )
    return f"<h4>{escape(memory_lines(talk.harness)[0])}</h4><ul>{files}</ul>"


def _recall(talk: Conversation) -> str:
    report = talk.harness.recall_report
    if report is None or report.selection.by == "off":
        return "<h4>Recall</h4><p>Nothing has been recalled yet.</p>"
    seen = Microscope(report)
    rows = columns(
        (name, became, why) for name, became, why, _ in report.rows()[:SHOWN]
    )
    listed = escape("\n".join(rows))
    return (
        f"<h4>Recall</h4><p>{escape(seen.summary)}</p><pre"
        f" style='{_UNBROKEN}'>{listed}</pre>"
    )
