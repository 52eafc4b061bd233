"""*Ask before saving*: tools that show each change to memory to the person,
and wait for a yes.

The tools' names and descriptions stay the same, so that a fork still reads its
parent's cache. For changes outside the memory directory, the main agent's
permission asks.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memlab.agent.permissions import Ask
from memlab.agent.tool import Output, Tool, ToolContext, ToolError


class Consent:
    """Asks the person; without ``ask`` nobody can say yes.

    ``on_no`` receives what they declined: the tool's context and the text.
    """

    def __init__(
        self, ask: Ask | None, on_no: Callable[[ToolContext, str], object]
    ) -> None:
        self._ask = ask
        self._on_no = on_no

    async def __call__(
        self, question: str, context: ToolContext, text: str
    ) -> bool:
        """Ask whether a text may be saved."""
        answer = self._ask(question) if self._ask else False
        yes = await answer if inspect.isawaitable(answer) else answer
        if not yes:
            self._on_no(context, text)
        return yes


def asking_tools(tools: Sequence[Tool], consent: Consent) -> tuple[Tool, ...]:
    """Return the tools with an Edit and a Write that ask before a memory file
    changes.
    """
    changing = ("Edit", "Write")
    return tuple(
        _asking(tool, consent) if tool.name in changing else tool
        for tool in tools
    )


def _asking(tool: Tool, consent: Consent) -> Tool:
    async def run(given: Mapping[str, Any], context: ToolContext) -> Output:
        path = context.path(given["file_path"])
        name = context.memory_name(path)
        if name is not None and context.memory is not None:
            text = (
                given.get("content")
                or f"- {given.get('old_string')}\n+ {given['new_string']}"
            )
            question = (
                "Save this as"
                f" {context.show(context.memory / name)}?\n\n{text}\n"
            )
            if not await consent(question, context, str(text)):
                raise ToolError(
                    "The person does not want this saved",
                    do="Go on without it",
                )
        ran = tool.run(given, context)
        return await ran if inspect.isawaitable(ran) else ran

    return replace(tool, run=run)
