"""The SDK's memory tool (``memory_20250818``), run on this course's store.

The model asks for one of six commands on paths below ``/memories``; the SDK's
own implementation writes plain files. Here each command that changes something
is one change of a ``MemoryStore``: it is checked, the index follows, and it
can be undone. Where the two disagree, the store's rule holds, and the model is
told what was wrong.
"""

from __future__ import annotations

from typing import Annotated, Any

from anthropic.lib.tools import BetaAsyncAbstractMemoryTool, ToolError
from anthropic.types.beta import BetaMemoryTool20250818CreateCommand as Create
from anthropic.types.beta import BetaMemoryTool20250818DeleteCommand as Delete
from anthropic.types.beta import BetaMemoryTool20250818InsertCommand as Insert
from anthropic.types.beta import BetaMemoryTool20250818RenameCommand as Rename
from anthropic.types.beta import (
    BetaMemoryTool20250818StrReplaceCommand as StrReplace,
)
from anthropic.types.beta import BetaMemoryTool20250818ViewCommand as View
from pydantic import Field, TypeAdapter, ValidationError

from memlab.errors import MemlabError
from memlab.memdir.places import INDEX, TEAM
from memlab.memdir.store import MAIN_AGENT, MemoryStore

ROOT = "/memories"
_Form = View | Create | StrReplace | Insert | Delete | Rename
_FORM: TypeAdapter[Any] = TypeAdapter(
    Annotated[_Form, Field(discriminator="command")]
)


class StoreMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool for ``tool_runner``.

    Every refusal is a ToolError, whose text the SDK sends to the model. A
    directory can be viewed; all other commands take one file. A team's folder
    is left alone, because nobody is asked here before something is shared.
    """

    def __init__(self, store: MemoryStore) -> None:
        super().__init__()
        self.store = store

    async def call(self, input: object) -> str:
        """Run one command of the model."""
        try:
            return str(await self.execute(_FORM.validate_python(input)))
        except ValidationError as error:
            wrong = error.errors()[0]
            place = " ".join(map(str, wrong["loc"]))
            raise ToolError(f"{place}: {wrong['msg']}") from error
        except MemlabError as error:
            text = str(error).replace(str(self.store.directory), ROOT)
            raise ToolError(f"Nothing was changed: {text}") from error

    async def view(self, command: View) -> str:
        """Show a file with line numbers, or list a directory."""
        folder = command.path.rstrip("/") or "/"
        inside = [
            each for each in self._paths() if each.startswith(f"{folder}/")
        ]
        if inside:
            return "\n".join([f"The files in {folder}:", *inside])
        first, last = command.view_range or (1, -1)
        return _numbered(self._read(command.path), first, last)

    async def create(self, command: Create) -> str:
        """Write a new memory; one that exists is left alone."""
        self._must_be_new(command.path)
        return self._write(command.path, command.file_text)

    async def str_replace(self, command: StrReplace) -> str:
        """Replace a text that occurs exactly once in a file."""
        text, old = self._read(command.path), command.old_str
        count = text.count(old) if old else 0
        if count != 1:
            raise ToolError(
                f"old_str must occur once, and it occurs {count} times."
            )
        return self._write(command.path, text.replace(old, command.new_str))

    async def insert(self, command: Insert) -> str:
        """Insert lines below the line with a number; 0 is the top."""
        lines = self._read(command.path).split("\n")
        if not 0 <= command.insert_line <= len(lines):
            raise ToolError(f"insert_line must be from 0 to {len(lines)}.")
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        return self._write(command.path, "\n".join(lines))

    async def delete(self, command: Delete) -> str:
        """Remove a memory."""
        self.store.remove(self._name(command.path), who=MAIN_AGENT)
        return f"Deleted {command.path}."

    async def rename(self, command: Rename) -> str:
        """Move a memory; nothing is overwritten."""
        with self.store.journal.guard():  # no other writer comes between
            self._must_be_new(command.new_path)
            old = self._name(command.old_path)
            new = self._name(command.new_path)
            data = self.store.there(old)
            moved, base = {old: None, new: data}, {old: data, new: None}
            self.store.commit("replace", moved, base=base, who=MAIN_AGENT)
        return f"Renamed {command.old_path} to {command.new_path}."

    def _paths(self) -> list[str]:
        """List what the tool may see."""
        names = [INDEX, *sorted(self.store.listed())]
        return [f"{ROOT}/{name}" for name in names if not _is_shared(name)]

    def _name(self, path: str, or_index: bool = False) -> str:
        """Return the name of a path's file in the store."""
        if not path.startswith(f"{ROOT}/"):
            raise ToolError(f"A path begins with {ROOT}/; {path!r} does not.")
        name = self.store.file(path[len(ROOT) + 1 :], or_index=or_index)
        if _is_shared(name):
            raise ToolError(
                f"{path} belongs to the team. Leave it to the person."
            )
        return name

    def _must_be_new(self, path: str) -> None:
        if f"{ROOT}/{self._name(path)}" in self._paths():
            raise ToolError(
                f"{path} exists. Change it, or choose another name."
            )

    def _read(self, path: str) -> str:
        return self.store.there(self._name(path, or_index=True)).decode()

    def _write(self, path: str, text: str) -> str:
        name = self._name(path, or_index=True)
        self.store.write_text(name, text, who=MAIN_AGENT)
        return f"{path} now says:\n{_numbered(text)}"


def _is_shared(name: str) -> bool:
    return name.split("/")[0].casefold() == TEAM


def _numbered(text: str, first: int = 1, last: int = -1) -> str:
    """Return the lines from the first to the last, with their numbers."""
    lines = text.split("\n")
    until = len(lines) if last == -1 else last
    numbers = range(max(first, 1), min(until, len(lines)) + 1)
    return "\n".join(f"{number:>6}\t{lines[number - 1]}" for number in numbers)
