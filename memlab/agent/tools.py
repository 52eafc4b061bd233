"""The six tools, and how one tool call becomes one outcome.

Whatever goes wrong in a call goes back to the model as a result marked as an
error: the model reads the reason and can try another way. Whether a call may
run is decided by a permission.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from memlab.agent.permissions import (
    AskingPermission,
    Permission,
)
from memlab.agent.shell_run import run_read_only
from memlab.agent.tool import (
    Given,
    Run,
    Tool,
    ToolContext,
    ToolError,
    ToolOutcome,
    ToolOutput,
    valid_text,
)
from memlab.agent.tools_files import edit, read, write
from memlab.agent.tools_search import glob, grep
from memlab.errors import MemlabError
from memlab.events import EventLog, ToolDenied, ToolFailed, ToolRan
from memlab.prompts import SHIPPED, Prompts
from memlab.text import clip_bytes

RESULT_BYTES = 40_000
_TYPES: Mapping[str, type] = {"string": str, "integer": int, "boolean": bool}


def standard_tools(prompts: Prompts = SHIPPED) -> tuple[Tool, ...]:
    """Return Read, Grep, Glob, Bash, Edit and Write, always in this order: it
    is a cache key.

    Their descriptions for the model are a prompt, ``tools.md``.
    """
    runs: Sequence[Run] = (read, grep, glob, bash, edit, write)
    names = ("Read", "Grep", "Glob", "Bash", "Edit", "Write")
    return tuple(
        _tool(name, prompts.section("tools", name), run)
        for name, run in zip(names, runs, strict=True)
    )


def bash(given: Given, context: ToolContext) -> str:
    """Run a command."""
    verdict = context.judge(given["command"])
    if not verdict and context.run_shell:
        return context.hide(context.run_shell(given["command"]))
    printed = run_read_only(
        verdict,
        cwd=context.project,
        roots=context.call.roots or context.read_roots,
        closed=context.closed_places,
    )
    return context.hide(printed)


async def run_tool(
    call: Mapping[str, Any],
    tools: Sequence[Tool],
    context: ToolContext,
    permission: Permission | AskingPermission,
    events: EventLog,
) -> ToolOutcome:
    """Run one ``tool_use`` block, and log what came of it; nothing is raised
    but a cancellation.
    """
    name = str(call.get("name"))
    try:
        by_name = {tool.name: tool for tool in tools}
        if name not in by_name:
            do = f"There are: {', '.join(by_name)}"
            raise ToolError(f"There is no tool {name!r}", do=do)
        tool = by_name[name]
        given = check_input(tool, call.get("input"))
        asked = permission(name, given)
        decision = await asked if inspect.isawaitable(asked) else asked
        if not decision.allowed:
            reason = context.hide(decision.reason)
            events.emit(ToolDenied(tool=name, reason=reason))
            result = tool_result(call, f"Not allowed: {reason}.", error=True)
            return ToolOutcome(name, "denied", result, reason)
        within = copy(context)
        within.call = decision.call
        ran = tool.run(given, within)
        output = await ran if inspect.isawaitable(ran) else ran
    # a tool may fail in any way; the model reads why
    except Exception as error:
        ours = isinstance(error, MemlabError)
        reason = str(error) if ours else f"{type(error).__name__}: {error}"
        reason = context.hide(reason)
        events.emit(ToolFailed(tool=name, reason=reason))
        result = tool_result(call, reason, error=True)
        return ToolOutcome(name, "failed", result, reason)

    events.emit(ToolRan(tool=name))
    if not isinstance(output, ToolOutput):
        output = ToolOutput(str(output))
    result = tool_result(call, output.text)
    return ToolOutcome(name, "ran", result, memory=output.memory)


def check_input(tool: Tool, given: Any) -> dict[str, Any]:
    """Return a call's input without empty options; raises ToolError naming all
    that is wrong.
    """
    known = tool.input_schema.get("properties", {})
    if not isinstance(given, Mapping):
        raise ToolError(f"{tool.name} takes an object with {', '.join(known)}")
    said = {key: value for key, value in given.items() if value is not None}
    needed = tool.input_schema.get("required", ())
    wrong = [f"{key} is missing" for key in needed if key not in said]
    for key, value in said.items():
        about = known.get(key, {})
        kind = _TYPES.get(about.get("type", ""), object)
        if not about and "additionalProperties" in tool.input_schema:
            wrong.append(f"{key} is not known")
        elif not isinstance(value, kind):
            wrong.append(f"{key} must be of type {about['type']}")
        elif value not in about.get("enum", [value]):
            wrong.append(f"{key} must be one of {', '.join(about['enum'])}")
    if wrong:
        raise ToolError(
            f"{tool.name}: {'; '.join(wrong)}",
            do=f"It takes: {', '.join(known)}",
        )
    return said


def tool_result(
    call: Mapping[str, Any], text: str, *, error: bool = False
) -> dict[str, Any]:
    """Make the result of a call: valid text, not empty, ``RESULT_BYTES`` of it
    at most.
    """
    whole = valid_text(text).strip("\n") or "(no output)"
    shown = clip_bytes(whole, RESULT_BYTES)
    if shown != whole:
        size = len(whole.encode())
        shown += f"\n[cut: {RESULT_BYTES} of {size} bytes are shown]"
    block = {
        "type": "tool_result",
        "tool_use_id": call.get("id"),
        "content": shown,
    }
    return block | {"is_error": True} if error else block


def _tool(name: str, section: str, run: Run) -> Tool:
    """Read a tool from its section of the prompt."""
    properties: dict[str, Any] = {}
    required = []
    options = re.findall(
        r"^- (\S+?)(\??) \((\S+)\): (.+)$", section, re.MULTILINE
    )
    for key, optional, kind, what in options:
        properties[key] = {"type": kind, "description": what}
        if "|" in kind:
            enum = {"type": "string", "enum": kind.split("|")}
            properties[key] |= enum
        if not optional:
            required.append(key)
    schema = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    return Tool(name, section.split("\n- ")[0].strip(), schema, run)
