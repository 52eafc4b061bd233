"""What a chat needs of the screen that it is shown on, and the questions that
it asks there.

``memlab.cli.chat.terminal`` is such a screen, and so is
``memlab.course.widgets.chat``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memlab.chat.card import Card

YES, NO = "yes", "no"
NUMBERS = "which? (numbers, all, or Enter for none)"


class Screen(Protocol):
    """Shows what comes of a line that the person typed."""

    help: Sequence[str]
    """What ``/help`` says about this screen."""

    def stream(self, text: str) -> None:
        """Show a piece of the agent's answer."""
        ...

    def tool(self, text: str) -> None:
        """Show that the agent used a tool."""
        ...

    def show(self, text: str) -> None:
        """Show what a command found."""
        ...

    def source(self, label: str) -> None:
        """Show the label of the stand-in's answer."""
        ...

    def aside(self, text: str) -> None:
        """Show a remark about the answer."""
        ...

    def notice(self, text: str) -> None:
        """Show a notice, which may come at any time."""
        ...

    def error(self, text: str) -> None:
        """Show what went wrong."""
        ...

    def card(self, card: Card) -> None:
        """Show a memory that was saved, which may come at any time."""
        ...

    async def answer(self, prompt: str, offers: Sequence[str]) -> str | None:
        """Let the person answer in a line; None if they leave the question.

        ``offers`` are answers that they can choose from.
        """
        ...


async def confirm(screen: Screen, question: str) -> bool:
    """Ask a yes-or-no question; only a clear yes is one."""
    screen.show(question)
    answer = await screen.answer("[y/N]", (YES, NO))
    return answer is not None and answer.strip().lower() in ("y", YES)


async def choose(screen: Screen, count: int) -> list[int] | None:
    """Let the person choose among so many numbered lines: some, ``all``, or
    none; None if they leave the question.

    Any other answer is asked about again, so that a slip decides nothing.
    """
    offers = [*map(str, range(1, count + 1)), "all", "none"]
    while True:
        answer = await screen.answer(NUMBERS, offers)
        if answer is None:
            return None
        words = answer.replace(",", " ").split()
        if words == ["all"]:
            return list(range(1, count + 1))
        if words in ([], ["none"], ["no"]):
            return []
        numbers = [int(word) if word.isdecimal() else 0 for word in words]
        if all(1 <= number <= count for number in numbers):
            return list(dict.fromkeys(numbers))
        screen.show(f"Type numbers from 1 to {count}, all, or only Enter.")
