"""Names of memory files: which ones may be used, and which one a new memory
gets.

A path from a model may be decoded, normalised, folded or stripped by some
program on its way to the disk. A path that any such reading turns into
something else is refused. These are rules about strings: what is on the disk
is the ``Folder``'s to say, and that it is still there when a file is opened.
Files that other programs have named are read as they are.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from unicodedata import category, normalize

from memlab.errors import MemoryPathError
from memlab.memdir.folder import MAX_FOLDERS, Folder, folded, undone
from memlab.memdir.places import INDEX, INDEXES, STORE_FOLDER
from memlab.text import clip_bytes

MAX_PATH_CHARACTERS = 4_096
MAX_PART_BYTES = 255
MAX_FILE_NAME_BYTES = 120
_STEM_BYTES = MAX_FILE_NAME_BYTES - len("-12345678.md")

_OWN = rf"{re.escape(STORE_FOLDER)}|\.git|\.consolidate-lock(\..*)?"
_DEVICE = r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9]) *(\..*)?"
# the second name Windows gives
_SHORT = r"(?=.{3,8}(\.|$))[^.]+~\d+(\..{0,3})?"
# a home, once somebody expands it; ``~notes.md`` is a file
_OUTSIDE = re.compile(r"/|~(?![^/]+\.md$)|(.*/)?\.\.(/|$)")
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
# Unicode counts these as letters, marks and signs, and no screen shows them.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
# What joins and colours emoji is not seen either, and belongs there.
_EMOJI = "[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff]"
_JOINER = re.compile(
    f"(?<={_EMOJI})[\ufe0e\ufe0f]?(\u200d(?={_EMOJI}))?|(?<=[0-9#*])\ufe0f(?=\u20e3)"
)


def slug(name: str) -> str:
    """Give the stem of a file name: letters, digits and hyphens, lower-case,
    at most 108 bytes.

    Letters of every script stay. Where nothing readable is left, or the stem
    alone would be reserved or cut, a hash of the name makes it usable and
    keeps it apart from others.
    """
    # Compatibility forms first: a look-alike of "/" or "." must not turn into
    # one later.
    text = normalize("NFKC", normalize("NFKC", name).lower())
    kept = ""
    for char in _INVISIBLE.sub("", text.replace("\u2800", "-")):
        kind = category(char)
        is_mark_of_letter = kind[0] == "M" and kept[-1:] not in ("", "-")
        if kind[0] in "LN" or is_mark_of_letter:
            kept += char
        elif kind != "Cf":
            kept += "-"
    stem = re.sub("-+", "-", kept).strip("-")
    if stem and not is_device(stem) and f"{stem}.md" != INDEX.casefold():
        if len(stem.encode()) <= _STEM_BYTES:
            return stem
        stem = clip_bytes(stem, _STEM_BYTES - len("-12345678")).rstrip("-")
    return f"{stem or 'memory'}-{_digest(name)}"


def file_name(
    name: str, taken: Collection[str] | Mapping[str, str] = ()
) -> str:
    """Give the file for a memory of this name, never one that another name
    has.

    ``taken`` maps the files there to the names of their memories, and a name
    that is among them keeps its file, unless it is empty; a plain collection
    means all those are other memories'.
    """
    if name and isinstance(taken, Mapping):
        own = sorted(file for file, owner in taken.items() if owner == name)
        if own and folded(own[0]) != INDEX.casefold():
            return own[0]
    used = {folded(file) for file in taken}
    stem = slug(name)
    file, attempt = f"{stem}.md", 0
    while folded(file) in used:
        file = f"{stem}-{_digest(name, attempt)}.md"
        attempt += 1
    return file


def memory_file(folder: Folder, typed: str, *, or_index: bool = False) -> str:
    """Give a memory's name below its folder; raises MemoryPathError for any
    other.

    ``or_index`` lets the names of the folder's own indexes pass.
    """
    name = plain_file(folder, typed)
    if not name.endswith(".md") or ".md)" in name or "/." in f"/{name}":
        why = "no memory can have this name"
    elif folded(name.rpartition("/")[2]) == INDEX.casefold() and not (
        or_index and name in INDEXES
    ):
        why = "this is the name of an index, and an index follows its memories"
    else:
        return name
    do = "Give a name below the memory directory, such as 'tabs.md'"
    raise MemoryPathError(why, where=ascii(typed), do=do)


def plain_file(folder: Folder, typed: str) -> str:
    """Give the name of a file below a folder; raises MemoryPathError for what
    is, or may become, another file.

    The path goes on from the folder, or begins with it in full. Nothing need
    exist.
    """
    path = typed
    for front in (folder.path.as_posix(), folder.real.as_posix()):
        if typed.startswith(f"{front}/"):
            path = typed[len(front) :].lstrip("/")
    name = "/".join(part for part in path.split("/") if part not in ("", "."))
    why = _unfit(path) or folder.unfit(name)
    if why:
        do = "Give a plain path below the memory directory, such as 'tabs.md'"
        raise MemoryPathError(why, where=ascii(typed[:200]), do=do)
    return name


def is_device(name: str) -> bool:
    """Tell whether a name means a device on Windows, with or without an
    ending.
    """
    return re.fullmatch(_DEVICE, folded(name)) is not None


def _unfit(path: str) -> str:
    """Say what is wrong with a path by its text alone; "" if it is fit."""
    read, rest = undone(path), _JOINER.sub("", path)
    if len(path) > MAX_PATH_CHARACTERS:
        return f"it is longer than {MAX_PATH_CHARACTERS:,} characters"
    if _INVISIBLE.search(rest) or not _UNSEEN.isdisjoint(map(category, rest)):
        return "it holds a character that is not seen"
    if re.search(r"%u?[0-9a-fA-F]{2}", read):
        return "it holds an encoded character"
    if re.search(r"[\\:]", read) or read.count("/") != path.count("/"):
        return "some systems take a character in it for a separator"
    if _OUTSIDE.match(read):
        return "it leads out of the memory directory"
    if path.endswith("/") or not path.strip("./"):
        return "it names no file"
    if path.count("/") > MAX_FOLDERS:
        return f"it goes through more than {MAX_FOLDERS} folders"
    for part in path.split("/"):
        read, name = undone(part), folded(part)
        if len(part.encode()) > MAX_PART_BYTES:
            return f"a name in it is longer than {MAX_PART_BYTES} bytes"
        if part != "." and (read != read.strip() or read.endswith(".")):
            return "a name in it begins with a space, or ends with a space or a dot"
        if re.fullmatch(_OWN, name):
            return "this is no memory, and its owner alone writes there"
        if re.fullmatch(rf"{_DEVICE}|{_SHORT}", name):
            return "on Windows this name means something else"
    return ""


def _digest(name: str, attempt: int = 0) -> str:
    text = f"{name}\0{attempt}" if attempt else name
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:8]
