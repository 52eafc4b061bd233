"""Read, Edit and Write: numbered lines, exact replacement, the whole file or
nothing.

A file is changed only if the model has seen the content it has now. In the
memory directory the store writes, so that checks, index and journal have their
part. Left out: images, and text that is not UTF-8, which is shown with its odd
bytes replaced.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memlab.agent.compaction import as_it_was_said
from memlab.agent.tool import (
    Given,
    MemoryWrite,
    ToolContext,
    ToolError,
    ToolOutput,
    unread,
)
from memlab.clock import to_nanoseconds
from memlab.errors import MemlabError
from memlab.evidence.attribution import whose_words
from memlab.memdir.daily_log import is_below_logs
from memlab.memdir.folder import SWAPPED, Folder
from memlab.memdir.frontmatter import with_quotes
from memlab.memdir.log_lines import append_log
from memlab.memdir.places import INDEXES
from memlab.memdir.store import By, MemoryStore

FILE_BYTES = 10_000_000
READ_LINES, READ_BYTES, LINE_CHARACTERS = 2_000, 36_000, 2_000


def read(given: Given, context: ToolContext) -> str:
    """Return a file's lines, numbered."""
    path = context.path(given["file_path"])
    shown, data = context.show(path), _content(path, context)
    if data is None:
        raise _missing(path, context)
    if b"\0" in data[:8_192]:
        what = f"{shown} is an image or another binary file"
        raise ToolError(f"{what}, and only text can be read")
    context.read_files[path] = _hash(data)
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    lines = text.removesuffix("\n").split("\n") if text else []
    first = max(given.get("offset", 1), 1)
    if first > len(lines):
        return f"[{shown} has {len(lines)} lines]"
    rows: list[str] = []
    size = 0
    last = first + max(given.get("limit", READ_LINES), 1)
    for number, line in enumerate(lines[first - 1 : last - 1], first):
        cut = "… [line cut]" if len(line) > LINE_CHARACTERS else ""
        rows.append(f"{number:6}\t{line[:LINE_CHARACTERS]}{cut}")
        size += len(rows[-1].encode("utf-8", "replace"))
        if size > READ_BYTES:
            break
    after = first + len(rows)
    if after <= len(lines):
        rows.append(
            f"[{len(lines)} lines in all; read on with offset {after}]"
        )
    return "\n".join(rows)


async def edit(given: Given, context: ToolContext) -> ToolOutput:
    """Replace a text in a file."""
    path = context.path(given["file_path"])
    shown, data = context.show(path), _seen(path, context)
    if data is None:
        raise _missing(path, context)
    text = data.decode("utf-8", "surrogateescape")
    old, new = given["old_string"], given["new_string"]
    if not old or old == new:
        what = "old_string must hold text, and not that of new_string"
        raise ToolError(what)
    if "\r\n" in text:
        old, new = _crlf(old), _crlf(new)
    # places that overlap are not one place
    places = list(re.finditer(f"(?={re.escape(old)})", text))
    if not places:
        do = "Read the file again and copy the text exactly, with white space"
        raise ToolError(f"old_string is not in {shown}", do=do)
    if len(places) > 1 and not given.get("replace_all"):
        numbers = [text.count("\n", 0, one.start()) + 1 for one in places]
        lines = ", ".join(map(str, numbers[:10]))
        raise ToolError(
            f"{shown} has old_string {len(places)} times, on lines {lines}",
            do="Give more of the text around the right one, or set replace_all",
        )
    count = text.count(old)
    changed = text.replace(old, new).encode("utf-8", "surrogateescape")
    done = f"Edited {shown}: {count} replacement{'s' * (count > 1)}."
    change = f"- {given['old_string']}\n+ {given['new_string']}"
    return await _save(path, changed, context, done, change)


async def write(given: Given, context: ToolContext) -> ToolOutput:
    """Write a whole file."""
    path, text = context.path(given["file_path"]), given["content"]
    was = _seen(path, context) or b""
    if b"\r\n" in was:
        text = _crlf(text)
    count = len(text.splitlines())
    done = f"Wrote {context.show(path)}, {count} line{'s' * (count != 1)}."
    return await _save(path, text.encode(), context, done, given["content"])


def _content(path: Path, context: ToolContext) -> bytes | None:
    """Return a plain file's bytes, None where nothing is; raises ToolError for
    anything else.

    The file that is opened is the one whose real path was checked.
    """
    shown, real = context.show(path), context.real_path(path)
    if real.is_dir():
        do = "Use Glob to see what is in it"
        raise ToolError(f"{shown} is a directory", do=do)
    with _opened(real, shown) as (folder, name):
        data = folder.read(name, FILE_BYTES + 1).data
    if data is not None and len(data) > FILE_BYTES:
        what = f"{shown} has over {FILE_BYTES // 1_000_000} MB"
        raise ToolError(what, do="Search in it with Grep")
    return data


def _seen(path: Path, context: ToolContext) -> bytes | None:
    """Return a file's bytes if the model has seen just these, None where no
    file is.
    """
    data, shown = _content(path, context), context.show(path)
    if data is not None and path not in context.read_files:
        raise unread(shown)
    if data is not None and context.read_files[path] != _hash(data):
        what = f"{shown} has changed since it was read"
        raise ToolError(what, do="Read it again")
    return data


async def _save(
    path: Path, data: bytes, context: ToolContext, done: str, change: str
) -> ToolOutput:
    """Write a file, note that the model knows it, and say what was done."""
    real, shown = context.real_path(path), context.show(path)
    name, store = context.memory_name(real), context.store
    if name is None:
        with _opened(real, shown) as (folder, file):
            folder.write(file, data, to_nanoseconds(context.clock.now()))
        context.read_files[path] = _hash(data)
        return ToolOutput(done)
    if store is None:
        what = f"{shown} is memory, and memory cannot be written here"
        raise ToolError(what)
    if not await context.access.agrees(context, name, change):
        what = "The person does not want this saved"
        raise ToolError(what, do="Go on without it")
    # somebody may have changed it while the person thought
    _seen(path, context)
    notes = _save_memory(store, name, with_quotes(data), context)
    removed = not real.exists()
    if removed:
        done = f"Removed {shown}."
    # what this call has changed is no news to the model
    for seen in [path, *context.read_files]:
        real = Path(os.path.realpath(seen))
        if context.memory_name(real) not in (name, *INDEXES):
            continue
        context.read_files.pop(seen, None)
        # the write is done, whatever comes now
        with suppress(MemlabError, OSError):
            now = _content(seen, context)
            if now is not None:
                context.read_files[seen] = _hash(now)
    return ToolOutput(done + notes, MemoryWrite(name, removed))


def _save_memory(
    store: MemoryStore, name: str, data: bytes, context: ToolContext
) -> str:
    """Have the store write a memory; returns what it found."""
    by = By(who=context.who, session=context.session, turn=context.turn)
    if context.conversation is not None:
        pairs = as_it_was_said(context.conversation())
        said = whose_words(*pairs, context.is_memory)
        by["evidence"] = store.support(said)
    today = context.access.log_day()
    if today is not None and is_below_logs(name):
        written = append_log(store, name, data, today, by)
    else:
        written = store.write_text(name, data, **by)
    return "".join(f"\nNote: {one.message}" for one in written.findings)


@contextmanager
def _opened(real: Path, shown: str) -> Iterator[tuple[Folder, str]]:
    """Give the folder from which a real path is opened, following no link, and
    the file's name in it.
    """
    try:
        folder = Folder(real.anchor, private=False)
        yield folder, real.relative_to(real.anchor).as_posix()
    except OSError as error:
        if error.errno not in SWAPPED:
            raise
        what = f"{shown} is no plain file, or has changed since it was checked"
        raise ToolError(what, do="Use Glob to see what is there") from error


def _missing(path: Path, context: ToolContext) -> ToolError:
    """Say where to look for a file that is not there."""
    do = "Use Glob to find it"
    with suppress(OSError):
        names = sorted(os.listdir(path.parent))
        close = difflib.get_close_matches(path.name, names)
        if close:
            shown = [context.show(path.with_name(name)) for name in close]
            do = f"There is {', '.join(shown)}"
    return ToolError(f"{context.show(path)} does not exist", do=do)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")
