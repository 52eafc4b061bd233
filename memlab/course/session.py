"""Conversations with a bare agent, as notebook 00 has them.

The agent of these sessions has no tools. It knows the project's CLAUDE.md, the
conversation so far and, if there is one, the text of one memory file.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import Any

from memlab.course.lab import Lab
from memlab.course.story import agent_instructions
from memlab.prompts.blocks import block

COLUMN = 11


class Session:
    """One conversation with the agent, which ends when it is closed.

    The text of the file ``memory``, if there is one, goes along with the
    person's words. ``request`` is the newest request.
    """

    def __init__(
        self, lab: Lab, name: str, *, memory: Path | None = None
    ) -> None:
        self.lab = lab
        self.name = name
        self.memory = memory
        self.messages: list[dict[str, Any]] = []
        self.request: dict[str, Any] = {}

    def say(self, words: str) -> None:
        """Send the conversation so far, with these words at its end, and print
        the answer.
        """
        self._print(f"you:   {words}", "" if self.messages else self.name)
        content: Any = words
        if self.memory is not None:
            text = self.memory.read_text(encoding="utf-8")
            memory = memory_block(self.memory.name, text)
            texts = filter(None, (memory, words))
            content = [{"type": "text", "text": text} for text in texts]
        self.request = {
            "system": agent_instructions(self.lab),
            "messages": [*self.messages, {"role": "user", "content": content}],
        }
        response = self.lab.sync_client.messages.create(
            model=self.lab.settings.main_model,
            max_tokens=1_000,
            **self.request,
        )
        said = response.content[0].text.strip()
        self._print(f"agent: {said} ({self.lab.answered_by})")
        self.messages.append({"role": "user", "content": words})
        self.messages.append({"role": "assistant", "content": said})

    def close(self) -> None:
        """End the conversation: its messages are gone."""
        self.messages = []
        self._print("(session closed)")

    def _print(self, text: str, name: str = "") -> None:
        indent = " " * (COLUMN + 7)
        line = f"{name.ljust(COLUMN)}{text}"
        print(fill(line, 86, subsequent_indent=indent, break_on_hyphens=False))


def memory_block(file: str, text: str) -> str:
    """Return the block for a memory file: tags around the file's text.

    White space at both ends of the text is left out. If nothing is left, the
    result is empty.
    """
    body = text.strip()
    if not body:
        return ""
    memory = block("memory", body, file=file)
    return block("system-reminder", "This is from your memory.", memory)
