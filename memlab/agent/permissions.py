"""What an agent may do: one rule for the paths of every tool, and somebody to
ask or nobody.

Every path that a call names leads into the project, the memory directory or
the transcripts, or the person is asked. Only the main agent can ask; a fork is
refused. A permission answers a tool call before it runs. Its refusal is a tool
result that the model reads, so the tool list stays the same whatever is
allowed. Left out: what the store's checks refuse.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memlab.agent.command_policy import Verdict, is_read_only_command
from memlab.agent.command_run import ElsewhereError, command_lines
from memlab.agent.tool import (
    CheckedCall,
    ToolContext,
    ToolError,
    running,
    unread,
)
from memlab.bridge import resolve_memory_path
from memlab.errors import MemlabError, MemoryPathError
from memlab.text import expand_home


@dataclass(frozen=True)
class Decision:
    """Whether a tool call may run; ``reason`` is what the model is told where
    it may not.

    ``call`` has what was checked, for the tool to open just that. A refusal is
    falsy.
    """

    allowed: bool
    reason: str = ""
    call: CheckedCall = field(default_factory=CheckedCall, compare=False)

    def __bool__(self) -> bool:
        return self.allowed


Permission = Callable[[str, Mapping[str, Any]], Decision]
AskingPermission = Callable[[str, Mapping[str, Any]], Awaitable[Decision]]
Ask = Callable[[str], bool | Awaitable[bool]]

MOST_ELSEWHERE = 10
_OFF = Decision(
    False,
    "Memory is switched off in this session and counts as empty, so no tool"
    " opens its files. Go on without it",
)
_OUTSIDE = "outside the project, its memory and its transcripts"


def main_permissions(
    context: ToolContext, ask: Ask | None = None, *, shell: bool = False
) -> AskingPermission:
    """Return the main agent's permission; ``ask`` puts a yes-or-no question to
    the person.

    Reading is free inside the project, the memory directory and the
    transcripts; elsewhere each call needs a yes to its real target. Bash runs
    what only reads; with ``shell`` other commands too, each after a yes to the
    whole command. Edit and Write are free inside the memory directory and need
    a yes elsewhere. Only memlab itself changes what is in ``.memlab``. Without
    ``ask`` nobody can say yes. While memory is off, nothing leads into it.
    """
    roots = read_roots(context)

    async def confirmed(
        question: str, refusal: str, call: CheckedCall | None = None
    ) -> Decision:
        if ask is None:
            return Decision(False, f"{refusal}, and nobody is here to ask")
        answer = ask(question)
        yes = await answer if inspect.isawaitable(answer) else answer
        if not yes:
            return Decision(False, "The person said no to this")
        return Decision(True, call=call or CheckedCall())

    async def may_read(name: str, typed: str) -> Decision:
        path = context.path(typed)
        real = context.real_path(path)
        if _reaches_memory_while_off(context, [real]):
            return _OFF
        closed = _closed(context, real)
        if closed:
            return Decision(False, closed)
        if _is_in_any(real, (*roots, *context.personal_roots)):
            return Decision(True, call=CheckedCall({path: real}))
        what = f"{_target(path, real, context)} is {_OUTSIDE}"
        question = (
            f"{name} {_question(path, real, context)}\nIt is {_OUTSIDE}."
        )
        return await confirmed(
            question, what, CheckedCall({path: real}, (real,))
        )

    async def may_run(command: str) -> Decision:
        verdict = context.judge(command) if context.judge else None
        if verdict is not None and verdict.allowed:
            if _runs_into_memory_while_off(context, verdict):
                return _OFF
            closed = _closed_to_command(context, verdict)
            if closed:
                return Decision(False, closed)
            mine = context.personal_roots
            free = (*roots, *mine)
            found = elsewhere(verdict, cwd=context.project, roots=free)
            if not found:
                return Decision(True, call=CheckedCall(granted=mine))
            named = ", ".join(context.show_real(real) for real in found)
            question = (
                f"Run this command? {command}\nIt reads {named}, {_OUTSIDE}."
            )
            return await confirmed(
                question,
                f"It reads {named}, {_OUTSIDE}",
                CheckedCall(granted=(*found, *mine)),
            )
        why = (
            "No command can be judged here"
            if verdict is None
            else verdict.reason
        )
        if not shell:
            return Decision(False, f"{why}. Only commands that read may run")
        return await confirmed(f"Run this command? {command}", why)

    async def may_change(name: str, typed: str) -> Decision:
        path = context.path(typed)
        real = context.real_path(path)
        call = CheckedCall({path: real}, (real,))
        with running(call):
            if _is_personal(context, real):
                return Decision(False, str(_personal_error(context, path)))
            if context.is_own(path):
                what = (
                    f"{context.show(path)} is memlab's own record, which no"
                    " tool changes"
                )
                return Decision(False, what)
            memory = context.memory_name(path)
            if memory is not None and context.memory_off:
                return _OFF
            if memory is not None:
                refusal = context.refuses(memory, context.who)
                return Decision(not refusal, refusal, call)
        if real.exists() and path not in context.read_files:
            # there is nothing to ask: the tool would refuse it
            raise unread(context.show(path))
        why = "A change outside the memory directory needs the person's yes"
        return await confirmed(
            f"{name} {_question(path, real, context)}", why, call
        )

    async def permission(name: str, given: Mapping[str, Any]) -> Decision:
        if name in ("Read", "Grep", "Glob"):
            return await may_read(name, _place(name, given))
        if name == "Bash":
            return await may_run(given["command"])
        if name in ("Edit", "Write"):
            return await may_change(name, given["file_path"])
        return await confirmed(
            f"Use {name}?", f"{name} is not a tool of memlab's own"
        )

    return permission


def _reaches_memory_while_off(
    context: ToolContext, targets: Sequence[Path]
) -> bool:
    """Tell whether memory is off and a target is in it, or a folder around it;
    personal memory counts as well.
    """
    if not context.memory_off or context.memory is None:
        return False
    places = [Path(os.path.realpath(context.memory))]
    if context.personal_place:
        places.append(context.personal_place)
    return any(
        real.is_relative_to(memory) or memory.is_relative_to(real)
        for real in targets
        for memory in places
    )


def _closed(context: ToolContext, real: Path) -> str:
    """Say why a real path is not read, if it is in a closed folder."""
    for place, why in context.closed_places.items():
        if real.is_relative_to(place):
            shown = context.show_real(real)
            return f"{shown} is not read, because {why}. Go on without it"
    return ""


def _closed_to_command(context: ToolContext, verdict: Verdict) -> str:
    """Say why a command does not run, if it would read a closed folder or a
    folder around one, which no program leaves out.
    """
    if not context.closed_places:
        return ""
    targets = elsewhere(verdict, cwd=context.project, roots=_apart(context))
    for real in targets:
        closed = _closed(context, real)
        if closed:
            return closed
        for place, why in context.closed_places.items():
            if place.is_relative_to(real):
                return (
                    f"The command could read {context.show_real(place)}, and"
                    f" {why}. Use Read, Grep or Glob, which leave it out"
                )
    return ""


def _is_personal(context: ToolContext, real: Path) -> bool:
    place = context.personal_place
    return place is not None and real.is_relative_to(place)


def _personal_error(context: ToolContext, path: Path) -> ToolError:
    """Make the refusal to change a personal memory."""
    return ToolError(
        f"{context.show(path)} is personal memory, which only the person"
        " changes",
        do=(
            "Save it in this project's memory. The person can move it with"
            " /memory promote FILE"
        ),
    )


def _runs_into_memory_while_off(
    context: ToolContext, verdict: Verdict
) -> bool:
    if not context.memory_off:
        return False
    targets = elsewhere(verdict, cwd=context.project, roots=_apart(context))
    return _reaches_memory_while_off(context, targets)


def _apart(context: ToolContext) -> list[Path]:
    """Return the project's folder if it is apart from all memory, so that
    what a command reads there need not be looked at.
    """
    project = Path(os.path.realpath(context.project))
    places = [Path(os.path.realpath(one)) for one in context.memory_places]
    if context.personal_place:
        places.append(context.personal_place)
    near = any(
        project.is_relative_to(place) or place.is_relative_to(project)
        for place in places
    )
    return [] if near else [project]


def read_roots(context: ToolContext) -> tuple[Path, ...]:
    """Return the folders in which every agent may read: project, memory and
    transcripts, and the whole disk where a switch opens it.

    They are resolved here, once: a link that is put in the place of one later
    leads outside.
    """
    folders = (context.project, context.memory, context.sessions)
    roots = [Path(os.path.realpath(one)) for one in folders if one]
    if context.reads_anywhere:
        roots.append(Path(roots[0].anchor))
    return tuple(roots)


def memory_permissions(
    context: ToolContext, *, roots: Sequence[Path] | None = None
) -> Permission:
    """Return a fork's permission: read below ``roots``, write memories, and
    nothing else.

    Nobody is asked: in the background nobody can answer. Without ``roots``
    those of ``read_roots`` count. Bash needs the context's ``judge`` and
    ``run_read_only``, so that nothing it allows can reach another shell.
    """
    tops = read_roots(context) if roots is None else roots
    inside = tuple(Path(os.path.realpath(top)) for top in tops)

    def permission(name: str, given: Mapping[str, Any]) -> Decision:
        try:
            if name in ("Read", "Grep", "Glob"):
                return _may_read(context, _place(name, given), inside)
            if name == "Bash":
                return _may_run(context, given["command"], inside)
            if name in ("Edit", "Write"):
                return _may_write(context, given["file_path"])
            refusal = f"{name} cannot be used in the background"
            raise ToolError(refusal, do=_INSTEAD)
        except MemlabError as error:
            return Decision(False, str(error).removesuffix("."))

    return permission


def elsewhere(
    verdict: Verdict, *, cwd: Path, roots: Sequence[Path]
) -> tuple[Path, ...]:
    """Return the real paths outside ``roots`` that the operands of a command
    lead to.

    Nothing outside is listed to find out. Raises ToolError for a command that
    leads to too many, or to what is neither a file nor a folder.
    """
    found: list[Path] = []
    while True:
        try:
            command_lines(verdict, cwd=cwd, roots=[*roots, *found])
        except ElsewhereError as error:
            found.append(error.real)
            if len(found) > MOST_ELSEWHERE:
                what = (
                    f"The command leads to more than {MOST_ELSEWHERE} places"
                    f" {_OUTSIDE}"
                )
                raise ToolError(what, do="Run one command for each") from error
        else:
            return tuple(found)


_INSTEAD = "Use Read, Grep, Glob, Bash to read, and Edit or Write for memories"


def _place(name: str, given: Mapping[str, Any]) -> str:
    """Return the path that a call of Read, Grep or Glob is about."""
    return str(
        given["file_path"] if name == "Read" else given.get("path", ".")
    )


def is_inside(path: str, folder: str) -> bool:
    """Tell whether a path really leads to a folder, or to something in it."""
    place = Path(os.path.realpath(path))
    return place.is_relative_to(os.path.realpath(folder))


def _is_in_any(real: Path, roots: Sequence[Path]) -> bool:
    """Tell whether a real path is in a root; a link that was put in the place
    of one leads elsewhere.
    """
    return any(
        real.is_relative_to(root) and is_inside(str(real), str(root))
        for root in roots
    )


def may_write(path: str, memory: str) -> bool:
    """Tell whether a path really leads to a Markdown file below the memory
    directory, and not into a folder of memlab's own.
    """
    if not is_inside(path, memory):
        return False
    place = Path(os.path.realpath(path))
    names = place.relative_to(os.path.realpath(memory)).parts
    if not names or ".memlab" in names:
        return False
    return names[-1].endswith(".md") and names[-1] != ".md"


def _target(path: Path, real: Path, context: ToolContext) -> str:
    """Name where a path leads, and the path itself if a link is on the way."""
    typed, target = context.show(path), context.show_real(real)
    return target if typed == target else f"{target}, which {typed} leads to,"


def _question(path: Path, real: Path, context: ToolContext) -> str:
    """Ask about the real target of a path, and name the path itself if a link
    is on the way.
    """
    typed, target = context.show(path), context.show_real(real)
    return (
        f"{target}?"
        if typed == target
        else f"{target}? That is where {typed} leads."
    )


def _may_read(
    context: ToolContext, typed: str, roots: Sequence[Path]
) -> Decision:
    path = context.path(typed)
    real = context.real_path(path)
    if not _is_in_any(real, (*roots, *context.personal_roots)):
        do = "Read in the project, the memory directory and the transcripts"
        raise ToolError(f"{context.show(path)} leads elsewhere", do=do)
    closed = _closed(context, real)
    return Decision(not closed, closed, CheckedCall({path: real}))


def _may_run(
    context: ToolContext, command: str, roots: Sequence[Path]
) -> Decision:
    verdict = is_read_only_command(command, git=context.git)
    if not context.judge or not context.run_read_only:
        raise ToolError("There is no shell here", do="Use Read, Grep or Glob")
    if not verdict.allowed or not context.judge(command).allowed:
        raise ToolError(verdict.reason or context.judge(command).reason)
    closed = _closed_to_command(context, context.judge(command))
    if closed:
        return Decision(False, closed)
    mine = context.personal_roots
    command_lines(verdict, cwd=context.project, roots=(*roots, *mine))
    return Decision(True, call=CheckedCall(granted=mine))


def _may_write(context: ToolContext, typed: str) -> Decision:
    if context.memory is None:
        raise MemoryPathError("there is no memory directory to write in")
    asked = context.path(typed)
    if _is_personal(context, context.real_path(asked)):
        raise _personal_error(context, asked)
    full = os.path.join(context.project, expand_home(typed, context.home))
    place = resolve_memory_path(context.memory, full)
    path = context.path(typed)
    call = CheckedCall({path: context.real_path(path)})
    with running(call):
        name = context.memory_name(path)
    if name != place.relative_to(context.memory).as_posix():
        raise MemoryPathError("this path can be read in two ways", where=typed)
    if not may_write(str(path), str(context.memory)):
        raise MemoryPathError("no memory can have this name", where=name)
    refusal = context.refuses(name, context.who)
    return Decision(not refusal, refusal, call)
