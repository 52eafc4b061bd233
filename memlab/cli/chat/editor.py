"""The line editor of the chat: prompt_toolkit with our completions and our
rule for the history.

What is typed is remembered for this session only. If the store already has a
history file, it is read, and what is typed while memory is on is added to it;
no such file is ever made.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.shortcuts import CompleteStyle

from memlab.cli.chat.terminal import PROMPT

HISTORY_LINES = 1_000

Complete = Callable[[str], Iterable[str]]
"""Gives what can follow the text before the cursor: whole words that continue
its last one.
"""


class Editor:
    """An ``Input`` for a person at a terminal."""

    def __init__(
        self,
        complete: Complete,
        history: Path,
        keeps: Callable[[], bool],
        *,
        colour: bool,
    ) -> None:
        self._prompt = [("bold ansicyan" if colour else "", PROMPT)]
        self._messages: PromptSession[str] = PromptSession(
            completer=_Words(complete),
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,
            history=_History(history, keeps),
            enable_suspend=True,
        )
        self._answers: PromptSession[str] = PromptSession()

    def read(self, on_start: Callable[[], None]) -> str:
        """Let the person type one message; lines that are pasted together are
        one message.
        """
        return self._messages.prompt(
            FormattedText(self._prompt), pre_run=on_start
        )

    def ask(self, question: str) -> str:
        """Let the person answer a question; the answer is not in the history
        of messages.
        """
        return self._answers.prompt(question)

    def print_above(self, write: Callable[[], None]) -> None:
        """Take the prompt away, call ``write``, and put the prompt back with
        what was typed.
        """
        app = self._messages.app
        if app.loop is not None and app.is_running:
            with suppress(RuntimeError):  # the loop has closed in this moment
                app.loop.call_soon_threadsafe(lambda: run_in_terminal(write))


class _Words(Completer):
    def __init__(self, complete: Complete) -> None:
        self._complete = complete

    def get_completions(
        self, document: Document, event: CompleteEvent
    ) -> Iterable[Completion]:
        before = document.text_before_cursor
        word = before.rpartition(" ")[2]
        for found in self._complete(before):
            yield Completion(found, start_position=-len(word))


class _History(InMemoryHistory):
    """The messages of this session, after those of an existing file."""

    def __init__(self, file: Path, keeps: Callable[[], bool]) -> None:
        self._file, self._keeps = file, keeps
        before: list[str] = []
        with suppress(OSError):
            before = file.read_text("utf-8", "replace").splitlines()[
                -HISTORY_LINES:
            ]
        super().__init__(before)

    def store_string(self, string: str) -> None:
        super().store_string(string)
        if self._keeps():
            with (
                suppress(OSError),
                open(self._file, "r+", encoding="utf-8") as kept,
            ):
                kept.seek(0, os.SEEK_END)
                kept.write(f"{string}\n")
