"""Names of memory files: which ones may be used, and which one a new memory
gets.

A path from a model may be decoded, normalised, folded or stripped by some
program on its way to the disk. A path that any such reading turns into
something else is refused, and so is one that a link or another file stands in
the way of. That none comes into its place later is the ``Folder``'s matter.
Files that other programs have named are read as they are.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from unicodedata import category, normalize

from memlab.errors import MemoryPathError
from memlab.memdir.folder import MAX_FOLDERS, Folder
from memlab.memdir.places import INDEX, INDEXES

_STEM_BYTES = 108  # a hash and the ending make 120 of it
# A path is judged once it has been folded. An encoded blank is a blank.
_BLANK = r"(\s|%(25)*20)"
_DEVICE = (
    rf"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9]){_BLANK}*(\.[^/]*)?"
)
_OWN = r"(^|/)(\.memlab|\.git|\.consolidate-lock(\.[^/]*)?)(/|$)"
# a home, once somebody expands it; ``~notes.md`` is a file
_OUTSIDE = r"^/|^~(?![^/]+\.md$)|(^|/)\.\.(/|$)"
# no file, encoded characters, other separators, what Windows leaves out, its
# devices
_AMBIGUOUS = (
    r"/$|^[./]*$|%(25)*(?!2[05])u?[0-9a-f]{2}|[\\:]"
    rf"|(^|/){_BLANK}|[^/]({_BLANK}|\.)(/|$)|(^|/){_DEVICE}(/|$)"
)
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
# Unicode counts these as letters, marks and signs, and no screen shows them.
_INVISIBLE = (
    "[\u034f\u115f\u1160\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
# What joins and colours emoji is not seen either, and belongs there.
_EMOJI = "[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff]"
_JOINER = (
    f"(?<={_EMOJI})\ufe0f?(\u200d(?={_EMOJI}))?|(?<=[0-9#*])\ufe0f(?=\u20e3)"
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
    seen = re.sub(_INVISIBLE, "", name)
    text = normalize("NFKC", normalize("NFKC", seen).lower())
    kept = "".join(
        char if category(char)[0] in "LNM" else "-" for char in text
    )
    # an accent without its letter goes, too
    stem = re.sub("-[-\u0300-\u036f]*", "-", f"-{kept}").strip("-")
    is_reserved = re.fullmatch(_DEVICE, stem) or stem in ("", "memory")
    if not is_reserved and len(stem.encode()) <= _STEM_BYTES:
        return stem
    stem = stem.encode()[: _STEM_BYTES - 9].decode("utf-8", "ignore")
    return f"{stem.rstrip('-') or 'memory'}-{_digest(name)}"


def file_name(name: str, taken: Mapping[str, str]) -> str:
    """Give the file for a memory of this name, never one that another name
    has.

    ``taken`` maps the files there to the names of their memories. A name that
    is among them keeps its file, unless it is empty.
    """
    own = sorted(file for file, owner in taken.items() if owner == name != "")
    if own and own[0] not in INDEXES:
        return own[0]
    used = {folded(file) for file in taken}
    stem = slug(name)
    file = f"{stem}.md"
    while folded(file) in used:
        file = f"{stem}-{_digest(name)}.md"
        name += "\0"
    return file


def memory_file(folder: Folder, typed: str, *, or_index: bool = False) -> str:
    """Give a memory's name below its folder; raises MemoryPathError for any
    other.

    ``or_index`` lets the names of the folder's own indexes pass.
    """
    name = plain_file(folder, typed)
    is_index = folded(f"/{name}").endswith(f"/{INDEX.casefold()}")
    if is_index and not (or_index and name in INDEXES):
        raise _refusal(
            typed, "it is the name of an index, which follows its memories"
        )
    if not name.endswith(".md") or ".md)" in name or "/." in f"/{name}":
        raise _refusal(typed, "no memory can have this name")
    return name


def plain_file(folder: Folder, typed: str) -> str:
    """Give the name of a file below a folder; raises MemoryPathError for what
    is, or may become, another file.

    The path goes on from the folder, or begins with it in full. Nothing need
    exist.
    """
    path = typed
    for front in (folder.path.as_posix(), folder.real.as_posix()):
        path = path.removeprefix(f"{front}/")
    name = "/".join(part for part in path.split("/") if part not in ("", "."))
    why = _unfit(path) or _in_the_way(folder, name)
    if why:
        raise _refusal(typed, why)
    return name


def folded(name: str) -> str:
    """Give what two names share when some system takes them for one."""
    if name.isascii():
        return name.lower()
    return normalize("NFKC", normalize("NFKC", name).upper().casefold())


def _unfit(path: str) -> str:
    """Say what is wrong with a path by its text alone; "" if it is fit."""
    rest = re.sub(_JOINER, "", path)
    if re.search(_INVISIBLE, rest) or _UNSEEN & set(map(category, rest)):
        return "it holds a character that is not seen"
    longest = max(len(part.encode()) for part in path.split("/"))
    if longest > 255 or path.count("/") > MAX_FOLDERS:
        return (
            f"it goes through more than {MAX_FOLDERS} folders, or is too long"
        )
    read = folded(path)
    if re.search(_OUTSIDE, read):
        return "it leads out of the memory directory"
    if re.search(_AMBIGUOUS, read) or read.count("/") != path.count("/"):
        return (
            "it names no file, or some system or program takes it for another"
        )
    if re.search(_OWN, read):
        return "this is no memory, and its owner alone writes there"
    return ""


def _in_the_way(folder: Folder, name: str) -> str:
    """Say why a name does not mean one plain file on every system, by what is
    there now; "" if nothing speaks against it.
    """
    above = ""
    for part in name.split("/"):
        path = f"{above}/{part}".lstrip("/")
        there = folder.walk([], lambda name: False, above)
        twins = [one for one, _ in there if folded(one) == folded(path)]
        if twins and path not in twins:
            return f"some systems take it for {twins[0]!r}"
        place = folder.real / path
        if place.is_symlink() or place.resolve() != place:
            return "it leads through a link, and those are not followed"
        if place.exists() and place.is_file() != (path == name):
            return "something else than a file in folders is there"
        above = path
    return ""


def _refusal(typed: str, why: str) -> MemoryPathError:
    do = "Give a plain path below the memory directory, such as 'tabs.md'"
    return MemoryPathError(why, where=ascii(typed[:200]), do=do)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
