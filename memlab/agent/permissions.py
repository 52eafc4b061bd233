"""What an agent may do: the main one reads freely and asks for the rest, a fork may do little.

A permission answers a tool call before it runs. Its refusal is a tool result that the model reads,
so the tool list stays the same whatever is allowed. Left out: what the store's checks refuse.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memlab.agent.shell import is_read_only_command
from memlab.agent.shell_run import command_lines
from memlab.agent.tool import ToolContext, ToolError
from memlab.errors import MemlabError, MemoryPathError
from memlab.memdir.guard import resolve_memory_path


@dataclass(frozen=True)
class Decision:
    """Whether a tool call may run; ``reason`` tells the model why not. A refusal is falsy."""

    allowed: bool
    reason: str = ""

    def __bool__(self) -> bool:
        return self.allowed


Permission = Callable[[str, Mapping[str, Any]], Decision]
AskingPermission = Callable[[str, Mapping[str, Any]], Awaitable[Decision]]
Ask = Callable[[str], bool | Awaitable[bool]]

_YES = Decision(True)


def main_permissions(
    context: ToolContext, ask: Ask | None = None, *, shell: bool = False
) -> AskingPermission:
    """Give the main agent's permission; ``ask`` puts a yes-or-no question to the person.

    Bash runs what only reads; with ``shell`` other commands too, each after a yes. Edit and Write
    are free inside the memory directory and need a yes elsewhere. What ``.memlab`` holds is changed
    by memlab alone. Without ``ask`` nobody can say yes.
    """

    async def confirmed(question: str, refusal: str) -> Decision:
        if ask is None:
            return Decision(False, f"{refusal}, and nobody is here to ask")
        answer = ask(question)
        yes = await answer if inspect.isawaitable(answer) else answer
        return _YES if yes else Decision(False, "The person said no to this")

    async def permission(name: str, given: Mapping[str, Any]) -> Decision:
        if name in ("Read", "Grep", "Glob"):
            return _YES
        if name == "Bash":
            verdict = context.judge(given["command"]) if context.judge else None
            if verdict is not None and verdict.allowed:
                return _YES
            why = "No command can be judged here" if verdict is None else verdict.reason
            if not shell:
                return Decision(False, f"{why}. Only commands that read may run")
            return await confirmed(f"Run this command? {given['command']}", why)
        if name in ("Edit", "Write"):
            path = context.path(given["file_path"])
            if context.is_own(path):
                what = f"{context.show(path)} is memlab's own record, which no tool changes"
                return Decision(False, what)
            unread = path.exists() and path not in context.read_files  # the tool will refuse it
            if unread or context.memory_name(path) is not None:
                return _YES
            why = "A change outside the memory directory needs the person's yes"
            return await confirmed(f"{name} {context.show(path)}?", why)
        return await confirmed(f"Use {name}?", f"{name} is not a tool of memlab's own")

    return permission


def read_roots(context: ToolContext) -> tuple[Path, ...]:
    """Give the folders in which a fork may read: project, memory and transcripts."""
    return tuple(one for one in (context.project, context.memory, context.sessions) if one)


def memory_permissions(context: ToolContext, *, roots: Sequence[Path] | None = None) -> Permission:
    """Give a fork's permission: read below ``roots``, write memories, and nothing else.

    Without ``roots`` those of ``read_roots`` count. Bash needs the context's ``judge`` and
    ``run_read_only``, so that nothing it allows can reach another shell.
    """
    inside = read_roots(context) if roots is None else tuple(roots)

    def permission(name: str, given: Mapping[str, Any]) -> Decision:
        try:
            if name in ("Read", "Grep", "Glob"):
                where = given["file_path"] if name == "Read" else given.get("path", ".")
                _may_read(context, where, inside)
            elif name == "Bash":
                _may_run(context, given["command"], inside)
            elif name in ("Edit", "Write"):
                _may_write(context, given["file_path"])
            else:
                raise ToolError(f"{name} cannot be used in the background", do=_INSTEAD)
        except MemlabError as error:
            return Decision(False, str(error).removesuffix("."))
        return _YES

    return permission


_INSTEAD = "Use Read, Grep, Glob, Bash to read, and Edit or Write for memories"


def _may_read(context: ToolContext, typed: str, roots: Sequence[Path]) -> None:
    path = context.path(typed)
    real = Path(os.path.realpath(path))
    if not any(real.is_relative_to(os.path.realpath(root)) for root in roots):
        do = "Read in the project, the memory directory and the transcripts"
        raise ToolError(f"{context.show(path)} leads elsewhere", do=do)


def _may_run(context: ToolContext, command: str, roots: Sequence[Path]) -> None:
    verdict = is_read_only_command(command)
    if not context.judge or not context.run_read_only:
        raise ToolError("There is no shell here", do="Use Read, Grep or Glob")
    if not verdict.allowed or not context.judge(command).allowed:
        raise ToolError(verdict.reason or context.judge(command).reason)
    command_lines(verdict, cwd=context.project, roots=roots)


def _may_write(context: ToolContext, typed: str) -> None:
    if context.memory is None:
        raise MemoryPathError("there is no memory directory to write in")
    from_home = typed.startswith("~/")
    full = f"{context.home}{typed[1:]}" if from_home else os.path.join(context.project, typed)
    path = resolve_memory_path(context.memory, full)
    if context.memory_name(context.path(typed)) != path.relative_to(context.memory).as_posix():
        raise MemoryPathError("this path can be read in two ways", where=typed)
