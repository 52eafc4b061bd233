"""A conversation in a notebook: cells can talk to an agent with ``send``, and
a person in a line below what was said.

What can be typed is the same as in the terminal: ``memlab.cli.slash`` does the
work for both.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable
from html import escape
from typing import Any

from memlab.cli.slash import Leave, Talk, memory_list, plain
from memlab.course.lab import Lab
from memlab.harness import Harness
from memlab.models.connect import choose_model

LOOK = "white-space: pre-wrap; max-height: 480px; overflow: auto"


class Conversation(Talk):
    """A conversation with the agent that ``agent`` makes from further options.

    As the last value of a cell, it is a line to type in, below what was said;
    ``str`` gives what was said as text.
    """

    def __init__(self, lab: Lab, agent: Callable[..., Harness]) -> None:
        super().__init__(choose_model(lab.mode), lab.ledger)
        self.text = ""
        self.on_change: Callable[[], object] = lambda: None
        self.question: asyncio.Future[bool] | None = None
        self.harness = agent(observer=self, ask=self.ask)

    async def send(self, line: str) -> None:
        """Say something, give a command, or answer a question with y or n;
        waits until what was learned from it is saved.
        """
        self.show(f"you: {line}")
        question, self.question = self.question, None
        if question:
            question.set_result(line.strip().lower() in ("y", "yes"))
        elif line.strip():
            try:
                await self.take(line.strip())
            except Leave:
                self.show("This chat ends with the notebook.")
            await self.harness.drain()

    def show(self, text: str) -> None:
        """Add lines to what was said."""
        self.text = f"{self.text.rstrip()}\n{plain(text)}\n".lstrip()
        self.on_change()

    def on_text(self, text: str) -> None:
        """Add a piece of the answer."""
        if self.text.endswith("\n"):
            text = f"agent: {text.lstrip()}" if text.strip() else ""
        self.text += plain(text)
        self.on_change()

    async def ask(self, question: str) -> bool:
        """Wait for the answer, which is sent like any other line."""
        self.question = asyncio.get_running_loop().create_future()
        self.show(f"{question} [y/N]")
        return await self.question

    def __str__(self) -> str:
        where = memory_list(self.harness).partition("\n")[0]
        return self.text.rstrip() or f"Nothing was said yet. {where}"

    def _repr_mimebundle_(self, **formats: Any) -> dict[str, Any]:
        from ipywidgets import HTML, Layout, Text, VBox

        # JupyterLab may run the callback in another thread than the cells
        loop = asyncio.get_running_loop()
        said, line = HTML(), Text(layout=Layout(width="98%"))
        line.placeholder = "Say something, or /help; then Enter"

        def show() -> None:
            said.value = f'<pre style="{LOOK}" role="log" tabindex="0">{escape(str(self))}</pre>'

        def send(_: object) -> None:
            words, line.value = line.value, ""
            asyncio.run_coroutine_threadsafe(self.send(words), loop)

        with warnings.catch_warnings():  # its successor acts on a lost focus
            warnings.simplefilter("ignore", DeprecationWarning)
            line.on_submit(send)
        self.on_change = show
        show()
        box = VBox([said, line])._repr_mimebundle_()
        return {**box, "text/plain": str(self)}
