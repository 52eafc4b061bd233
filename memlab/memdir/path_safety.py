"""Paths and file names that mean the same file on every system, inside the
memory directory.

A path from a model may be decoded, normalised, folded or stripped by some
program on its way to the disk. A path that any such reading turns into
something else is refused. ``open_inside`` closes the gap between the check and
the use. ``file_name`` gives a new memory a name that passes all of these
checks; files that other programs have named are read as they are. No check of
a path can see hard links, or folders that somebody moves in the meantime.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import stat
from collections.abc import Collection, Mapping
from pathlib import Path
from unicodedata import category, normalize

from memlab.errors import MemoryPathError
from memlab.memdir.descriptors import (
    BY_DESCRIPTOR,
    MAX_FOLDERS,
    SWAPPED,
    open_real,
)
from memlab.memdir.paths import INDEX, INDEXES, STORE_FOLDER
from memlab.text import clip_bytes

MAX_PATH_CHARACTERS = 4_096
MAX_PART_BYTES = 255
MAX_FILE_NAME_BYTES = 120
_STEM_BYTES = MAX_FILE_NAME_BYTES - len("-12345678.md")

_OWN = re.compile(
    rf"{re.escape(STORE_FOLDER)}|\.git|\.consolidate-lock(\..*)?"
)
_DEVICE = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9]) *(\..*)?"
)
# a home, once somebody expands it; ``~notes.md`` is a file
_OTHER_HOME = re.compile(r"~(?![^/]+\.md$)")
# the second name Windows gives
_SHORT = re.compile(r"(?=.{3,8}(\.|$))[^.]+~\d+(\..{0,3})?")
# Unicode counts these as letters and marks, and no screen shows them.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_REPARSE_POINT = 0x400  # Windows: a link of any kind


def resolve_memory_path(directory: Path, path: str) -> Path:
    """Give the place of a memory; raises MemoryPathError for what is, or may
    become, another one.

    ``path`` goes on from the directory, or begins with it in full. What is
    there now is looked at for links and for names that differ only in
    spelling; nothing need exist.
    """
    relative = _relative(directory, path)
    why = _unfit(relative)
    parts = (
        [part for part in relative.split("/") if part not in ("", ".")]
        if not why
        else []
    )
    place, names = directory, _names(directory)
    for number, part in enumerate(parts, 1):
        place = place / part
        why = why or _unfit_kind(place, last=number == len(parts))
        if part not in names:
            twins = [name for name in names if _folded(name) == _folded(part)]
            why = why or "".join(
                f"some systems take it for {name!r}" for name in twins[:1]
            )
        names = _names(place) if number < len(parts) and not why else []
    if why:
        do = "Give a plain path below the memory directory, such as 'tabs.md'"
        raise MemoryPathError(why, where=ascii(path[:200]), do=do)
    return place


def open_inside(
    directory: Path,
    path: str,
    flags: int = os.O_RDONLY,
    *,
    by_descriptor: bool = BY_DESCRIPTOR,
) -> int:
    """Open a plain file of the memory directory and give its descriptor; the
    caller closes it.

    The path is checked first. Then the file is opened without following any
    link below the directory, even one that was put there after the check (see
    ``open_real``). Raises MemoryPathError, and OSError as the system does.
    """
    place = resolve_memory_path(directory, path)
    real = Path(os.path.realpath(directory)) / place.relative_to(directory)
    try:
        return open_real(real, flags, by_descriptor=by_descriptor)
    except OSError as error:
        if error.errno not in SWAPPED:
            raise
        what = "something else has come into its place since it was looked at"
        raise MemoryPathError(
            what, where=ascii(path), do="Look what is there"
        ) from error


def _relative(directory: Path, path: str) -> str:
    """Take the directory away from the front of a full path."""
    for front in {
        directory.as_posix(),
        Path(os.path.realpath(directory)).as_posix(),
    }:
        if path.startswith(f"{front}/"):
            return path[len(front) + 1 :].lstrip("/")
    return path


def _unfit(path: str) -> str:
    """Say what is wrong with a path by its text alone; nothing if it is fit."""
    if len(path) > MAX_PATH_CHARACTERS:
        return f"it is longer than {MAX_PATH_CHARACTERS:,} characters"
    read, parts = _read(path), path.split("/")
    rules = {
        "it holds a character that is not seen": any(
            _unseen(path, n) for n in range(len(path))
        ),
        "it holds an encoded character": re.search(r"%u?[0-9a-fA-F]{2}", read),
        "some systems take a character in it for a separator": (
            re.search(r"[\\:]", read) or read.count("/") != path.count("/")
        ),
        "it leads out of the memory directory": (
            read.startswith("/") or _OTHER_HOME.match(read) or ".." in parts
        ),
        "it names no file": path.endswith("/") or not path.strip("./"),
        f"it goes through more than {MAX_FOLDERS} folders": (
            len(parts) > MAX_FOLDERS + 1
        ),
    }
    found = [why for why, broken in rules.items() if broken]
    return (
        found[0] if found else next(filter(None, map(_unfit_part, parts)), "")
    )


def _unfit_part(part: str) -> str:
    read, folded = _read(part), _folded(part)
    if len(part.encode()) > MAX_PART_BYTES:
        return f"a name in it is longer than {MAX_PART_BYTES} bytes"
    if part != "." and (read != read.strip() or read.endswith(".")):
        return (
            "a name in it begins with a space, or ends with a space or a dot"
        )
    if _OWN.fullmatch(folded):
        return "this is no memory, and its owner alone writes there"
    special = is_device(part) or _SHORT.fullmatch(folded)
    return "on Windows this name means something else" if special else ""


def is_device(name: str) -> bool:
    """Tell whether a name means a device on Windows, with or without an
    ending.
    """
    return bool(_DEVICE.fullmatch(_folded(name)))


def _unseen(text: str, place: int) -> bool:
    """Tell whether a character is not seen where it stands; inside emoji some
    have to be.
    """
    char, before, after = (
        text[place],
        text[max(place - 2, 0) : place],
        text[place + 1 : place + 2],
    )
    if char.isascii():
        return not char.isprintable()
    if char == "\u200d":
        joined = before.rstrip("\ufe0f")[-1:], after
        return any(
            not one or category(one) not in ("So", "Sk") for one in joined
        )
    if char in "\ufe0e\ufe0f":
        keycap = bool(re.fullmatch(r".?[0-9#*]\u20e3", before + after))
        return not keycap and (
            not before or category(before[-1]) not in ("So", "Sm")
        )
    is_blank = char == "\u2800" or bool(_INVISIBLE.match(char))
    return (
        category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
        or is_blank
    )


def _read(text: str) -> str:
    """Give a text as it is once compatibility forms and encoded blanks and
    percents are undone.
    """
    read = normalize("NFKC", text)
    while "%25" in read or "%20" in read:
        read = read.replace("%25", "%").replace("%20", " ")
    return read


def _folded(name: str) -> str:
    """Give what two names share when some file system takes them for one."""
    if name.isascii() and "%" not in name:
        return name.lower()
    return normalize("NFKC", _read(name).upper().casefold())


def _names(folder: Path) -> list[str]:
    return (
        os.listdir(folder)
        if os.path.isdir(folder) and os.access(folder, os.R_OK)
        else []
    )


def _unfit_kind(place: Path, *, last: bool) -> str:
    try:
        seen = os.lstat(place)
    except OSError:  # not there, or not to be opened either
        return ""
    if (
        stat.S_ISLNK(seen.st_mode)
        or getattr(seen, "st_file_attributes", 0) & _REPARSE_POINT
    ):
        return "it leads through a link, and those are not followed"
    fits = stat.S_ISREG(seen.st_mode) if last else stat.S_ISDIR(seen.st_mode)
    return "" if fits else "something else than a file in folders is there"


def memory_file(
    directory: Path, file: str | Path, *, or_index: bool = False
) -> str:
    """Give a memory's path below its directory, with ``/``; raises
    MemoryPathError for any other.

    ``or_index`` lets the names of the directory's own indexes pass.
    """
    path = file.as_posix() if isinstance(file, Path) else file
    name = (
        resolve_memory_path(directory, path).relative_to(directory).as_posix()
    )
    parts, why = name.split("/"), ""
    if (
        not name.endswith(".md")
        or ".md)" in name
        or any(part[0] == "." for part in parts)
    ):
        why = "no memory can have this name"
    elif parts[-1].casefold() == INDEX.casefold() and not (
        or_index and name in INDEXES
    ):
        why = "this is the name of an index, and an index follows its memories"
    if why:
        do = "Give a name below the memory directory, such as 'tabs.md'"
        raise MemoryPathError(why, where=ascii(path), do=do)
    return name


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
    for char in _INVISIBLE.sub("", text):
        kind = category(char)
        if kind[0] in "LN" or (kind[0] == "M" and kept[-1:] not in ("", "-")):
            kept += char
        elif kind != "Cf":
            kept += "-"
    stem = re.sub("-+", "-", kept).strip("-")
    if not stem:
        return f"memory-{_digest(name)}"
    if is_device(stem) or f"{stem}.md" == INDEX.casefold():
        return f"{stem}-{_digest(name)}"
    if len(stem.encode()) > _STEM_BYTES:
        return f"{clip_bytes(stem, _STEM_BYTES - len('-12345678')).rstrip('-')}-{_digest(name)}"
    return stem


def file_name(
    name: str, taken: Collection[str] | Mapping[str, str] = ()
) -> str:
    """Give the file for a memory of this name, never one that another name
    has.

    ``taken`` maps the files there to the names of their memories, and a name
    that is among them keeps its file, unless it is empty; a plain collection
    means all those are other memories'.
    """
    if isinstance(taken, Mapping):
        own = sorted(
            file for file, owner in taken.items() if owner == name != ""
        )
        if own and _folded(own[0]) != INDEX.casefold():
            return own[0]
    used = {_folded(file) for file in taken}
    stem = slug(name)
    numbered = (
        f"{stem}-{_digest(name, attempt)}.md" for attempt in itertools.count()
    )
    candidates = itertools.chain([f"{stem}.md"], numbered)
    return next(file for file in candidates if _folded(file) not in used)


def _digest(name: str, attempt: int = 0) -> str:
    text = f"{name}\0{attempt}" if attempt else name
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[
        :8
    ]
