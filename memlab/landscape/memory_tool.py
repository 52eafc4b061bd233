"""The SDK's memory tool, run on this course's store.

The tool's contract is six commands on paths below ``/memories``. The SDK's own
implementation writes plain files. Here each write goes through
``MemoryStore``, so it is checked for secrets, has its pointer in the index,
and can be undone.

The two disagree on some points. The contract allows any text in any file, any
folder to be deleted, and any path below the root; the store wants a header, a
name that ends in ``.md``, an index that follows its memories, and logs that
only grow. In each such case the store's rule holds, and the model is sent a
text that says what was wrong and what to do instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pydantic
from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError
from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand as Create,
)
from anthropic.types.beta import (
    BetaMemoryTool20250818DeleteCommand as Delete,
)
from anthropic.types.beta import (
    BetaMemoryTool20250818InsertCommand as Insert,
)
from anthropic.types.beta import (
    BetaMemoryTool20250818RenameCommand as Rename,
)
from anthropic.types.beta import (
    BetaMemoryTool20250818StrReplaceCommand as StrReplace,
)
from anthropic.types.beta import (
    BetaMemoryTool20250818ViewCommand as View,
)

from memlab.errors import (
    MemlabError,
    MemoryFormatError,
    MemoryRefusedError,
)
from memlab.memdir.folder import Folder
from memlab.memdir.memory import HEADER_KEYS, MemoryType
from memlab.memdir.names import memory_file
from memlab.memdir.places import INDEXES, TEAM
from memlab.memdir.scan import LARGEST
from memlab.memdir.store import MAIN_AGENT, By, MemoryStore, Written

ROOT = "/memories"
COMMANDS: Mapping[str, type[pydantic.BaseModel]] = {
    "view": View,
    "create": Create,
    "str_replace": StrReplace,
    "insert": Insert,
    "delete": Delete,
    "rename": Rename,
}
DEPTH = 2
"""How many levels of a directory ``view`` lists."""
NUMBER_WIDTH = 6
AROUND = 2
"""How many lines above and below a replacement are shown."""
REASON = "deleted with the memory tool"


class StoreMemoryTool(BetaAbstractMemoryTool):
    """The tool ``memory_20250818`` for ``tool_runner``, on a ``MemoryStore``.

    ``by`` is what the journal says about each write: who, in which session and
    turn. If it has a ``witness``, sentences that nobody said are held back. A
    caller may replace it before each turn.

    As with the agent's own tools, a version that another writer saves between
    this tool's reading and writing is replaced, and remains in the history.
    A team's folder is neither shown nor written: this tool cannot know whether
    team memory is switched on, and has nobody to ask before it shares something.
    """

    def __init__(self, store: MemoryStore, by: By | None = None) -> None:
        super().__init__()
        self.store = store
        self._folder = Folder(store.directory)
        self.by: By = by if by is not None else {"who": MAIN_AGENT}

    def call(self, input: object) -> str:
        """Run one call of the model.

        Raises ToolError for every refusal; the SDK sends its text to the model
        as the result of the call.
        """
        given = input if isinstance(input, dict) else {}
        name = given.get("command")
        form = COMMANDS.get(name) if isinstance(name, str) else None
        if form is None:
            raise ToolError(
                f"There is no command {name!r}. Use one of:"
                f" {', '.join(COMMANDS)}."
            )
        try:
            command: Any = form.model_validate(given)
        except pydantic.ValidationError as error:
            raise ToolError(_what_is_missing(str(name), error)) from error
        with self._refusals():
            return str(self.execute(command))

    def view(self, command: View) -> str:
        """Show a memory with line numbers, or what is in a directory."""
        path = command.path
        if self._is_directory(path):
            return self._listing(path)
        lines = self._read(path).split("\n")
        start, end = _range(command.view_range, len(lines))
        shown = _numbered(lines, start, end)
        return f"Here's the content of {path} with line numbers:\n{shown}"

    def create(self, command: Create) -> str:
        """Write a new memory; one that exists is left alone."""
        name = self._file(command.path)
        if name in self._names() or name in INDEXES:
            raise ToolError(
                f"File {command.path} already exists. Change it with"
                " str_replace or insert."
            )
        written = self.store.write_text(name, command.file_text, **self.by)
        return f"File created successfully at: {command.path}" + _notes(
            written
        )

    def str_replace(self, command: StrReplace) -> str:
        """Replace a text that occurs exactly once in a file."""
        path = command.path
        name = self._file(path)
        text = self._read(path)
        old = _with_line_ends_of(text, command.old_str)
        new = _with_line_ends_of(text, command.new_str)
        count = text.count(old) if old else 0
        if count != 1:
            raise ToolError(_not_once(text, old, command))
        before = text[: text.index(old)].count("\n")
        changed = text.replace(old, new)
        written = self.store.write_text(name, changed, **self.by)
        if name not in self._names():
            return f"The file {path} asked for its removal, and is gone."
        lines = self._now(name).split("\n")
        shown = _numbered(lines, before - AROUND, before + AROUND + 1)
        return (
            "The memory file has been edited. Here is the snippet showing the"
            f" change (with line numbers):\n{shown}" + _notes(written)
        )

    def insert(self, command: Insert) -> str:
        """Insert lines below the line with a number; 0 is the top."""
        path = command.path
        name = self._file(path)
        text = self._read(path)
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        if not 0 <= command.insert_line <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {command.insert_line}. It"
                f" should be within the range [0, {len(lines)}]."
            )
        new = _with_line_ends_of(text, command.insert_text.rstrip("\r\n"))
        if "\r\n" in text:
            new += "\r"
        lines.insert(command.insert_line, new)
        changed = "\n".join(lines) + "\n"
        written = self.store.write_text(name, changed, **self.by)
        return f"The file {path} has been edited." + _notes(written)

    def delete(self, command: Delete) -> str:
        """Remove a memory, or all memories below a directory, as one change
        that can be undone.
        """
        path = command.path
        names = self._below(path, "delete")
        if self._is_directory(path):
            written = self.store.commit(
                "replace", dict.fromkeys(names), reason=REASON, **self.by
            )
        else:
            written = self.store.remove(names[0], reason=REASON, **self.by)
        return f"Successfully deleted {path}" + _notes(written)

    def rename(self, command: Rename) -> str:
        """Move a memory, or all memories below a directory, as one change."""
        old, new = command.old_path, command.new_path
        names = self._below(old, "rename")
        target = self._relative(new).rstrip("/")
        folder = self._relative(old).rstrip("/")
        base: dict[str, bytes | None] = {}
        changes: dict[str, bytes | None] = {}
        for name in names:
            rest = name[len(folder) :] if self._is_directory(old) else ""
            moved = self._file(f"{ROOT}/{target}{rest}")
            if moved in self._names() or moved in INDEXES:
                raise ToolError(f"The destination {new} already exists")
            data = self._now(name).encode()
            base |= {name: data, moved: None}
            changes |= {name: None, moved: data}
        written = self.store.commit(
            "replace",
            changes,
            base=base,
            reason="renamed with the memory tool",
            **self.by,
        )
        if written.kept:  # another writer came first
            if written.change:
                self.store.undo(written.change, **self.by)
            raise ToolError(
                f"{ROOT}/{written.kept[0]} has changed in the meantime."
                " Nothing was moved: view it again."
            )
        return f"Successfully renamed {old} to {new}" + _notes(written)

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Turn what the store raises into a text for the model.

        The real place of the directory is not the model's business.
        """
        try:
            yield
        except MemlabError as error:
            text = str(error).replace(str(self.store.directory), ROOT)
            if _is_about_the_form(error):
                text = f"{text}.\n\n{form_of_a_memory()}"
            raise ToolError(f"Nothing was changed: {text}") from error
        except OSError as error:
            raise ToolError(
                f"Nothing was changed: {error.strerror or 'the file'} could"
                " not be used. Try again, or tell the person."
            ) from error

    def _relative(self, path: str) -> str:
        """Return a path below the root, "" for the root itself."""
        if path in (ROOT, f"{ROOT}/"):
            return ""
        if not path.startswith(f"{ROOT}/") or path.startswith(f"{ROOT}//"):
            raise ToolError(
                f"Path must start with {ROOT}/, got: {path[:200]!a}"
            )
        return path[len(ROOT) + 1 :]

    def _file(self, path: str) -> str:
        """Return the name of a file that the store would take."""
        relative = self._relative(path)
        if not relative:
            raise ToolError(f"{ROOT} is a directory. Name a file in it.")
        name = memory_file(self._folder, relative, or_index=True)
        if _is_shared(name):
            raise ToolError(
                f"{path} belongs to the person's team, and this tool neither"
                " reads nor writes there. Write a private memory directly"
                f" below {ROOT}, and tell the person."
            )
        return name

    def _names(self) -> list[str]:
        """Return the memories, the index and the logs; nothing hidden or
        shared.
        """
        found = [
            name.split("/")
            for name, entry in self._folder.walk(
                [], lambda name: "/." not in f"/{name}"
            )
            if entry.is_file(follow_symlinks=False)
            and name.endswith(".md")
            and not entry.name.startswith(".")
            and not _is_shared(name)
        ]
        return ["/".join(parts) for parts in sorted(found)]

    def _is_directory(self, path: str) -> bool:
        relative = self._relative(path)
        if not relative:
            return True
        folder = relative.rstrip("/") + "/"
        return any(name.startswith(folder) for name in self._names())

    def _read(self, path: str) -> str:
        """Return a file's text, or say that it is not there."""
        name = self._file(path)
        if name not in self._names():
            raise ToolError(
                f"The path {path} does not exist. Please provide a valid path."
            )
        return self._now(name)

    def _now(self, name: str) -> str:
        """Return the text of a file, which is opened without following links."""
        data = self._folder.read(name, LARGEST + 1).data or b""
        if len(data) > LARGEST:
            raise ToolError(f"{ROOT}/{name} is too large to be a memory.")
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise ToolError(
                f"{ROOT}/{name} is not UTF-8 text. Leave it to the person."
            ) from error

    def _below(self, path: str, what: str) -> list[str]:
        """Return the memories that a path means: one, or those below a folder.

        The index has to be left alone, because the store keeps it.
        """
        relative = self._relative(path)
        if not relative:
            raise ToolError(f"Cannot {what} the {ROOT} directory itself")
        if not self._is_directory(path):
            self._read(path)
            name = self._file(path)
            if name in INDEXES:
                raise ToolError(
                    f"{path} is the index, which follows its memories. Change"
                    f" or {what} the memory instead, or edit the index with"
                    " str_replace."
                )
            return [name]
        folder = relative.rstrip("/") + "/"
        names = [
            self._file(f"{ROOT}/{name}")
            for name in self._names()
            if name.startswith(folder)
        ]
        return [name for name in names if name not in INDEXES]

    def _listing(self, path: str) -> str:
        """List a directory, two levels deep, with sizes."""
        relative = self._relative(path).rstrip("/")
        folder = f"{relative}/" if relative else ""
        shown = f"{ROOT}/{relative}".rstrip("/")
        sizes: dict[str, int] = {"": 0}
        for name in self._names():
            if not name.startswith(folder):
                continue
            size = (self.store.directory / name).lstat().st_size
            parts = name[len(folder) :].split("/")
            above = [f"{'/'.join(parts[:n])}/" for n in range(1, len(parts))]
            for place in ("", *above, "/".join(parts)):
                if len(place.rstrip("/").split("/")) <= DEPTH:
                    sizes[place] = sizes.get(place, 0) + size
        lines = [
            f"{_size(sizes[place])}\t{shown}{'/' if place else ''}{place}"
            for place in sorted(sizes)
        ]
        return (
            f"Here're the files and directories up to {DEPTH} levels deep in"
            f" {shown}, excluding hidden items:\n" + "\n".join(lines)
        )


def form_of_a_memory() -> str:
    """Say how a memory has to begin, as the store's table of keys has it."""
    lines = [
        f"{key}: <{HEADER_KEYS[key]}>"
        for key in ("name", "description", "type")
    ]
    types = ", ".join(MemoryType)
    return "\n".join(
        [
            "A memory in this store begins with a header:",
            "---",
            *lines,
            "---",
            f"The type is one of: {types}. The text follows below the header.",
        ]
    )


def _is_shared(name: str) -> bool:
    return name.split("/")[0].casefold() == TEAM


def _is_about_the_form(error: MemlabError) -> bool:
    if isinstance(error, MemoryRefusedError):
        return error.rule in ("type", "fields")
    return isinstance(error, MemoryFormatError)


def _what_is_missing(name: str, error: pydantic.ValidationError) -> str:
    """Name the first parameter that is missing or wrong."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"The parameter `{place}` of {name} is wrong: {first['msg']}."


def _not_once(text: str, old: str, command: StrReplace) -> str:
    """Say that a text is not there, or on which lines it is."""
    if not old:
        return "No replacement was performed, because old_str is empty."
    lines = []
    place = text.find(old)
    while place >= 0:
        lines.append(text[:place].count("\n") + 1)
        place = text.find(old, place + 1)
    if not lines:
        return (
            f"No replacement was performed, old_str `{command.old_str}` did"
            f" not appear verbatim in {command.path}."
        )
    return (
        "No replacement was performed. Multiple occurrences of old_str"
        f" `{command.old_str}` in lines: {', '.join(map(str, lines))}. Please"
        " ensure it is unique"
    )


def _range(view_range: list[int] | None, count: int) -> tuple[int, int]:
    """Return the first line to show and the one after the last, from 0."""
    if view_range is None:
        return 0, count
    if len(view_range) != 2:
        raise ToolError("view_range must have two numbers: first and last.")
    first, last = view_range
    end = count if last == -1 else last
    if not 1 <= first <= count or end < first:
        raise ToolError(
            f"Invalid view_range {view_range}: the file has lines 1 to"
            f" {count}."
        )
    return first - 1, end


def _numbered(lines: list[str], start: int, end: int) -> str:
    start = max(start, 0)
    return "\n".join(
        f"{number:>{NUMBER_WIDTH}}\t{line}"
        for number, line in enumerate(lines[start:end], start + 1)
    )


def _with_line_ends_of(text: str, new: str) -> str:
    """Write a text with the line ends of the file that it goes into."""
    if "\r\n" not in text:
        return new
    return new.replace("\r\n", "\n").replace("\n", "\r\n")


def _notes(written: Written) -> str:
    """Say what the store wants the model to know about a change."""
    return "".join(f"\nNote: {one.message}" for one in written.findings)


def _size(count: int) -> str:
    """Write a number of bytes as a file listing does."""
    if count < 1024:
        return f"{count}B"
    return f"{count / 1024:.1f}K"
