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
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from memlab.agent.compaction import as_it_was_said
from memlab.agent.tool import (
    MemoryWrite,
    ToolContext,
    ToolError,
    ToolOutput,
    unread,
)
from memlab.bridge import RealFiles, open_inside, open_real
from memlab.clock import to_nanoseconds
from memlab.errors import MemlabError
from memlab.evidence.attribution import whose_words
from memlab.memdir.daily_log import is_below_logs
from memlab.memdir.folder import SWAPPED
from memlab.memdir.log_lines import append_log
from memlab.memdir.places import INDEXES
from memlab.memdir.store import By

FILE_BYTES = 10_000_000
READ_LINES, READ_BYTES, LINE_CHARACTERS = 2_000, 36_000, 2_000


def read(given: Mapping[str, Any], context: ToolContext) -> str:
    """Return a file's lines, numbered."""
    path = context.path(given["file_path"])
    shown, data = context.show(path), _content(path, context)
    if data is None:
        raise ToolError(f"{shown} does not exist", do=_meant(path, context))
    if b"\0" in data[:8_192]:
        raise ToolError(
            f"{shown} is an image or another binary file, and only text can be"
            " read"
        )
    context.read_files[path] = _hash(data)
    text = (
        data.decode("utf-8", "replace")
        .removeprefix("\ufeff")
        .replace("\r\n", "\n")
    )
    lines, first = (
        text.removesuffix("\n").split("\n"),
        max(given.get("offset", 1), 1),
    )
    if not text or first > len(lines):
        return f"[{shown} has {len(lines) if text else 0} lines]"
    return _numbered(lines, first, max(given.get("limit", READ_LINES), 1))


def edit(given: Mapping[str, Any], context: ToolContext) -> ToolOutput:
    """Replace a text in a file."""
    path = context.path(given["file_path"])
    shown, data = context.show(path), _seen(path, context)
    if data is None:
        raise ToolError(f"{shown} does not exist", do=_meant(path, context))
    text = data.decode("utf-8", "surrogateescape")
    old, new = given["old_string"], given["new_string"]
    if not old or old == new:
        raise ToolError(
            "old_string must hold text, and not that of new_string"
        )
    if "\r\n" in text and _crlf(old) in text:
        old, new = _crlf(old), _crlf(new)
    places = [found.start() for found in re.finditer(re.escape(old), text)]
    if not places:
        raise ToolError(f"old_string is not in {shown}", do=_nearly(text, old))
    if not given.get("replace_all"):
        # places that overlap are not one place
        whole = re.finditer(f"(?={re.escape(old)})", text)
        places = [found.start() for found in whole]
    if len(places) > 1 and not given.get("replace_all"):
        lines = ", ".join(
            str(text.count("\n", 0, place) + 1) for place in places[:10]
        )
        do = "Give more of the text around the right one, or set replace_all"
        raise ToolError(
            f"{shown} has old_string {len(places)} times, on lines {lines}",
            do=do,
        )
    changed = text.replace(old, new).encode("utf-8", "surrogateescape")
    done = (
        f"Edited {shown}: {len(places)}"
        f" replacement{'s' if len(places) > 1 else ''}."
    )
    return _save(path, changed, done, context)


def write(given: Mapping[str, Any], context: ToolContext) -> ToolOutput:
    """Write a whole file."""
    path, text = context.path(given["file_path"]), given["content"]
    was = _seen(path, context) or b""
    text = _crlf(text) if b"\r\n" in was else text
    count = len(text.splitlines())
    done = (
        f"Wrote {context.show(path)}, {count} line{'' if count == 1 else 's'}."
    )
    return _save(path, text.encode(), done, context)


def _content(path: Path, context: ToolContext) -> bytes | None:
    """Return a plain file's bytes, None where nothing is; raises ToolError for
    anything else.

    The file that is opened is the one whose real path was checked. In the
    memory directory no link is followed, as a scan follows none.
    """
    shown, real = context.show(path), context.real_path(path)
    if not context.may_read(real):
        raise ToolError(f"{shown} leads elsewhere")
    if real.is_dir():
        raise ToolError(
            f"{shown} is a directory", do="Use Glob to see what is in it"
        )
    what = (
        f"{shown} is no plain file, or one of over"
        f" {FILE_BYTES // 1_000_000} MB"
    )
    name = _memory_name(path, context)
    try:
        if name is not None and context.memory is not None:
            opened = open_inside(context.memory, name)
        else:
            opened = open_real(real, os.O_RDONLY)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno not in SWAPPED:
            raise
        if real.exists() and not real.is_file():
            raise ToolError(what, do="Search in it with Grep") from error
        raise ToolError(
            f"{shown} has changed since it was checked", do="Try again"
        ) from error
    with open(opened, "rb") as source:
        data = source.read(FILE_BYTES + 1)
    if len(data) > FILE_BYTES:
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
        raise ToolError(
            f"{shown} has changed since it was read", do="Read it again"
        )
    return data


def _save(
    path: Path, data: bytes, message: str, context: ToolContext
) -> ToolOutput:
    """Write a file, note that the model knows it, and say what was done."""
    name = _memory_name(path, context) or context.memory_name(path)
    also: list[Path] = []
    memory: MemoryWrite | None = None
    if name is None:
        _replace(context.real_path(path), data, context)
    elif context.store is None:
        raise ToolError(
            f"{context.show(path)} is memory, and memory cannot be written"
            " here"
        )
    else:
        by = By(who=context.who, session=context.session, turn=context.turn)
        if context.conversation is not None:
            said = whose_words(*as_it_was_said(context.conversation()))
            by["evidence"] = context.store.support(said)
        today = context.log_day()
        if today is not None and is_below_logs(name):
            written = append_log(context.store, name, data, today, by)
        else:
            written = context.store.write_text(name, data, **by)
        memory = MemoryWrite(
            name, removed=not context.real_path(path).exists()
        )
        if memory.removed:
            message = f"Removed {context.show(path)}."
        message += "".join(
            f"\nNote: {finding.message}" for finding in written.findings
        )
        also = [
            seen
            for seen in context.read_files
            if context.memory_name(seen) in INDEXES
        ]
    # what this call has changed is no news to the model
    for changed in {path, *also}:
        context.read_files.pop(changed, None)
        # the write is done, whatever comes now
        with suppress(ToolError, MemlabError, OSError):
            if now := _content(changed, context):
                context.read_files[changed] = _hash(now)
    return ToolOutput(message, memory)


def _memory_name(path: Path, context: ToolContext) -> str | None:
    """Say which memory a path means: by its text, so that no link turned
    meanwhile has a say.
    """
    for top in (
        context.memory,
        context.memory and Path(os.path.realpath(context.memory)),
    ):
        if top and path.is_relative_to(top):
            return path.relative_to(top).as_posix()
    return None


def _replace(real: Path, data: bytes, context: ToolContext) -> None:
    """Put a complete new file in the old one's place, with its mode and the
    clock's time.

    Nothing is followed on the way: a link that has come into the real path is
    an error.
    """
    files = RealFiles(Path(real.anchor))
    fresh = real.with_name(f".{real.name[:100]}.{os.getpid()}.tmp")
    for folder in reversed(real.parents[:-1]):
        if not folder.is_dir():
            files.make_directory(folder, 0o777)
    try:
        mode = files.read(real).mode
        files.write(fresh, data, _ordinary_mode() if mode is None else mode)
        files.set_mtime(fresh, to_nanoseconds(context.clock.now()))
        files.sync(fresh)
        files.replace(fresh, real)
    except OSError as error:
        if error.errno not in SWAPPED:
            raise
        what = f"{context.show(real)} has changed since it was checked"
        raise ToolError(
            what, do="Look what is there, and try again"
        ) from error
    finally:
        with suppress(OSError):
            files.remove(fresh)


def _ordinary_mode() -> int:
    """Return the mode that this system gives to a new file; memory is private,
    a project is not.
    """
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _numbered(lines: list[str], first: int, limit: int) -> str:
    rows: list[str] = []
    size = 0
    for number, line in enumerate(lines[first - 1 : first - 1 + limit], first):
        cut = "… [line cut]" if len(line) > LINE_CHARACTERS else ""
        rows.append(f"{number:6}\t{line[:LINE_CHARACTERS]}{cut}")
        size += len(rows[-1].encode("utf-8", "replace"))
        if size > READ_BYTES:
            break
    if (after := first + len(rows)) <= len(lines):
        rows.append(
            f"[{len(lines)} lines in all; read on with offset {after}]"
        )
    return "\n".join(rows)


def _meant(path: Path, context: ToolContext) -> str:
    """Say where to look for a file that is not there."""
    with suppress(OSError):
        close = difflib.get_close_matches(
            path.name, sorted(os.listdir(path.parent))
        )
        if close:
            return (
                "There is"
                f" {', '.join(context.show(path.with_name(name)) for name in close)}"
            )
    return "Use Glob to find it"


def _nearly(text: str, old: str) -> str:
    """Say what may be wrong with a text that is not there."""
    wanted = old.strip().split("\n")[0].split()
    for number, line in enumerate(text.splitlines(), 1):
        if line.split() == wanted:
            return (
                f"Line {number} differs in white space: copy exactly what"
                " stands behind the tab"
            )
    return "Read the file again and copy the text exactly"
