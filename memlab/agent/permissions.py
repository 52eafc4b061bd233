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
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memlab.agent.shell_run import command_lines
from memlab.agent.tool import (
    CheckedCall,
    Given,
    ToolContext,
    ToolError,
    unread,
)
from memlab.errors import MemlabError, MemoryPathError
from memlab.memdir.folder import Folder
from memlab.memdir.names import plain_file
from memlab.text import expand_home

_OUTSIDE = "outside the project, its memory and its transcripts"


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


Permission = Callable[[str, Given], Decision]
AskingPermission = Callable[[str, Given], Awaitable[Decision]]
Ask = Callable[[str], bool | Awaitable[bool]]


def main_permissions(
    context: ToolContext, ask: Ask | None = None, *, shell: bool = False
) -> AskingPermission:
    """Return the main agent's permission; ``ask`` puts a yes-or-no question to
    the person.

    Reading is free inside the project, the memory directory and the
    transcripts; elsewhere each call needs a yes to its real target. Bash runs
    what only reads there, and with ``shell`` other commands too, each after a
    yes to the whole command. Edit and Write are free inside the memory directory and need
    a yes elsewhere. Only memlab itself changes what is in ``.memlab``. Without
    ``ask`` nobody can say yes.
    """
    roots = context.read_roots

    async def permission(name: str, given: Given) -> Decision:
        try:
            call, question, why = _asked(context, name, given, roots, shell)
        except ToolError as error:
            return _refused(error)
        if not question:
            return Decision(True, call=call)
        if ask is None:
            return Decision(False, f"{why}, and nobody is here to ask")
        answer = ask(question)
        yes = await answer if inspect.isawaitable(answer) else answer
        if not yes:
            return Decision(False, "The person said no to this")
        return Decision(True, call=call)

    return permission


def memory_permissions(context: ToolContext) -> Permission:
    """Return a fork's permission: read in the project, the memory directory
    and the transcripts, write memories, and nothing else.

    Nobody is asked: in the background nobody can answer.
    """
    roots = context.read_roots

    def permission(name: str, given: Given) -> Decision:
        try:
            if name in _READING:
                return _may_read(context, name, given, roots)
            if name in _CHANGING:
                return _may_write(context, given)
        except MemlabError as error:
            return _refused(error)
        what = f"{name} cannot be used in the background"
        do = "Use Read, Grep, Glob, Bash to read, and Edit or Write for memories"
        return Decision(False, f"{what}. {do}")

    return permission


_READING, _CHANGING = ("Read", "Grep", "Glob", "Bash"), ("Edit", "Write")


def is_inside(path: str, folder: str) -> bool:
    """Tell whether a path really leads to a folder, or to something in it."""
    place = Path(os.path.realpath(path))
    return place.is_relative_to(os.path.realpath(folder))


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


def _is_in_any(real: Path, roots: Sequence[Path]) -> bool:
    """Tell whether a real path is in a root; a link that was put in the place
    of one leads elsewhere.
    """
    return any(
        real.is_relative_to(root) and is_inside(str(real), str(root))
        for root in roots
    )


def _asked(
    context: ToolContext,
    name: str,
    given: Given,
    roots: Sequence[Path],
    shell: bool,
) -> tuple[CheckedCall, str, str]:
    """Return what the main agent's call opens, the question to which it needs
    a yes, and why; no question is asked about a call that is free.

    Raises ToolError where nobody's yes would help.
    """
    if name == "Bash":
        why = context.judge(given["command"]).reason
        if why and not shell:
            raise ToolError(why, do="Only commands that read may run")
        if why:
            return CheckedCall(), f"Run this command? {given['command']}", why
    if name in _READING:
        call, outside = _reads(context, name, given, roots)
        if outside is None:
            return call, "", ""
        question = _question(context, name, _path(context, given), outside)
        what = f"It reads {context.show(outside)}, {_OUTSIDE}"
        return call, f"{question}\n{what}.", what
    if name in _CHANGING:
        path, real = _changes(context, given)
        call = CheckedCall({path: real})
        if context.memory_name(real) is not None:
            return call, "", ""
        if real.exists() and path not in context.read_files:
            # there is nothing to ask: the tool would refuse it
            raise unread(context.show(path))
        why = "A change outside the memory directory needs the person's yes"
        return call, _question(context, name, path, real), why
    why = f"{name} is not a tool of memlab's own"
    return CheckedCall(), f"Use {name}?", why


def _may_read(
    context: ToolContext, name: str, given: Given, roots: Sequence[Path]
) -> Decision:
    call, outside = _reads(context, name, given, roots)
    if outside:
        do = "Read in the project, the memory directory and the transcripts"
        raise ToolError(f"{context.show(outside)} leads elsewhere", do=do)
    return Decision(True, call=call)


def _may_write(context: ToolContext, given: Given) -> Decision:
    if context.memory is None:
        raise MemoryPathError("there is no memory directory to write in")
    path, real = _changes(context, given)
    typed = expand_home(given["file_path"], context.home)
    full = os.path.join(context.project, typed)
    file = plain_file(Folder(context.memory), full)
    if context.memory_name(real) != file:
        raise MemoryPathError("this path can be read in two ways", where=file)
    if not may_write(str(path), str(context.memory)):
        raise MemoryPathError("no memory can have this name", where=file)
    return Decision(True, call=CheckedCall({path: real}))


def _reads(
    context: ToolContext, name: str, given: Given, roots: Sequence[Path]
) -> tuple[CheckedCall, Path | None]:
    """Find what a call would read: what the tool may open if that is allowed,
    and the place if it is outside of the roots.

    Raises ToolError for what no tool reads. A command reads nothing outside.
    """
    free = (*roots, *context.personal_roots)
    if name == "Bash":
        command_lines(
            context.judge(given["command"]),
            cwd=context.project,
            roots=free,
            closed=context.closed_places,
        )
        return CheckedCall(roots=free), None
    path = _path(context, given)
    real = Path(os.path.realpath(path))
    _refuse_closed(context, real)
    outside = None if _is_in_any(real, free) else real
    return CheckedCall({path: real}), outside


def _question(context: ToolContext, name: str, path: Path, real: Path) -> str:
    """Ask about where a path really leads, and name the path too if a link is
    on the way.
    """
    shown, target = context.show(path), context.show(real)
    link = "" if shown == target else f" That is where {shown} leads."
    return f"{name} {target}?{link}"


def _changes(context: ToolContext, given: Given) -> tuple[Path, Path]:
    """Return the path of a file that a call would change, and where it leads;
    raises ToolError where nobody's yes would help.
    """
    path = _path(context, given)
    real = Path(os.path.realpath(path))
    shown, personal = context.show(path), context.personal_place
    if personal and real.is_relative_to(personal):
        raise ToolError(
            f"{shown} is personal memory, which only the person changes",
            do="Save it in this project's memory. The person can move it with"
            " /memory promote FILE",
        )
    if context.is_own(real):
        what = f"{shown} is memlab's own record, which no tool changes"
        raise ToolError(what)
    file = context.memory_name(real)
    if file is not None:
        refusal = context.access.refuses(file, context.who)
        if refusal:
            raise ToolError(refusal)
    _refuse_closed(context, real)
    return path, real


def _path(context: ToolContext, given: Given) -> Path:
    """Return the path that a call is about."""
    return context.path(given.get("file_path", given.get("path", ".")))


def _refuse_closed(context: ToolContext, real: Path) -> None:
    if context.is_record(real):
        what = "is memlab's own record of what memory held before"
        raise ToolError(f"{context.show(real)} {what}")
    for place, why in context.closed_places.items():
        if real.is_relative_to(place):
            what = f"{context.show(real)} is not read, because {why}"
            raise ToolError(what, do="Go on without it")


def _refused(error: MemlabError) -> Decision:
    return Decision(False, str(error).removesuffix("."))
