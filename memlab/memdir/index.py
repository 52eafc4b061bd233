"""The index ``MEMORY.md``: one pointer per line, ``- [Title](file.md) — hook``,
the newest on top.

The memories are the source of truth, and the index is a cache of what they are
about. So one operation, ``settle``, makes any text of it obey the rules for the
memories that there are. A line is code's own if it is exactly what code makes
from a header; every other line is a person's, and code does not change it.
Frontmatter and HTML comments are for people: they are not shown, do not count
towards the caps, and a line in them is no pointer.

Not known here: directories and headers (the caller gives names, and pointers),
and what a prompt says about the index.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import normpath
from typing import NamedTuple
from unicodedata import normalize
from urllib.parse import unquote

from memlab.memdir import scan
from memlab.memdir.places import INDEX, index_of
from memlab.settings import Settings
from memlab.text import fold_space, shorten, text_lines

NAMED = 20  # files that a message names, at most
_HEADER = re.compile(
    r"\ufeff?---[ \t]*\r?\n"
    r"(?:(?:[ \t#].*|-[ \t](?!\[).*|[\w.-]+:(?:[ \t\r].*)?|\r?)\n)*?"
    r"---[ \t]*(?:\r?\n|\Z)"
)
_BLANK = "\ufeff \t\r\n"
# a list entry that begins with a link to a file, or with ``[[name]]``; what
# is matched once is not tried otherwise, so that no line takes long; atomic,
# not possessive: a possessive group fails before Python 3.11.5
_POINTER = re.compile(
    r"""
    \ufeff?\s* (?:[-*+]|\d{1,9}[.)])\s+
    (?: \[\[ (?P<wiki>[^\[\]|\#]+) (?:\#[^\[\]|]*)? (?:\|(?P<alias>[^\[\]]*))? \]\]
      | \[ (?P<title>(?>(?:(?!\]\().)*)) \]\(
        (?: <(?P<angle>[^<>\#]+)(?:\#[^<>]*)?>
          | (?P<plain>(?>.+?\.md(?=[)\#]|\s+["']))) (?:\#[^\s)]*+)? )
        (?:\s+(?:"[^"]*+"|'[^']*+'))? \s*\)
    )
    [ \t]*[—–:-]*[ \t]* (?P<hook>.*)
    """,
    re.VERBOSE,
)
_ENTRY = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s")
_UNITS = {"bytes": ("utf-8", 1), "UTF-16 characters": ("utf-16-le", 2)}


@dataclass(frozen=True)
class Pointer:
    """A line of the index that leads to a memory.

    ``file`` is its path from the index's folder on. ``line`` is the line as it
    is, without its end; "" for a pointer that is in no text.
    """

    file: str
    title: str
    hook: str
    line: str = field(default="", compare=False)


class Row(NamedTuple):
    """A line of the index, what a model sees of it, and whether it begins or
    ends inside a comment.
    """

    line: str
    shown: str
    begins_inside: bool = False
    ends_inside: bool = False

    @property
    def pointer(self) -> Pointer | None:
        """The pointer in it, if it is one."""
        if self.begins_inside or self.ends_inside or "[" not in self.shown:
            return None
        return _pointer(self.shown, self.line.rstrip("\r\n"))


def rows(text: str) -> list[Row]:
    """Split an index into its lines; a comment that is never closed is text."""
    header = _HEADER.match(text)
    above = header[0] if header else ""
    found = [Row(line, "") for line in text_lines(above)]
    place, last_end = len(above), text.rfind("-->")
    inside = False
    for line in text_lines(text[place:]):
        was_inside, shown = inside, ""
        for part in re.split("(<!--|-->)", line) if last_end >= 0 else [line]:
            place += len(part)
            if inside:
                inside = part != "-->"
            elif part == "<!--" and place <= last_end:
                inside = True
            else:
                shown += part
        is_text = shown == line or shown.strip(_BLANK)
        shown = shown if is_text else ""
        found.append(Row(line, shown, was_inside, inside))
    return found


def parse_pointers(text: str) -> list[Pointer]:
    """Find the pointers of an index, top to bottom: list entries that begin
    with a link to a memory, as Markdown editors write it, or ``[[name]]``.
    """
    found = [row.pointer for row in rows(text)]
    return [pointer for pointer in found if pointer]


def _pointer(shown: str, line: str) -> Pointer | None:
    found = _POINTER.match(shown)
    if not found:
        return None
    target = found["plain"] or found["angle"]
    if found["wiki"]:
        target = found["wiki"].strip().removesuffix(".md") + ".md"
    file = unquote(target, errors="surrogateescape")
    file = normpath(file) if "/" in file else file
    is_elsewhere = "://" in target or target.startswith(("/", "~/"))
    if is_elsewhere or not scan.is_memory_file(file):
        return None
    title = found["title"] or found["alias"] or target.removesuffix(".md")
    return Pointer(file, title, found["hook"].rstrip(), line)


def pointer_to(file: str, title: str, hook: str) -> Pointer:
    """Make a pointer that fits on one line and is all visible.

    Square brackets in the title become round ones, and what would begin or
    end a comment is shortened.
    """
    title, hook = (
        re.sub("-{2,}>", "->", re.sub("<!-{2,}", "<-", fold_space(text)))
        for text in (title, hook)
    )
    plain = title.replace("[", "(").replace("]", ")")
    return Pointer(file, plain or file, hook)


def pointer_line(file: str, title: str, hook: str) -> str:
    """Write the line of the index for one memory."""
    line = f"- [{title}]({file})"
    if hook:
        line += f" — {hook}"
    return line


def short_line(pointer: Pointer, most: int) -> str:
    """Write a pointer as a line of at most so many characters, if its title
    leaves room: the hook ends after a sentence, else after a word.
    """
    file, title, hook = pointer.file, pointer.title, pointer.hook
    over = len(pointer_line(file, title, hook)) - most
    if over <= 0 or not hook:
        return pointer_line(file, title, hook)
    room = max(len(hook) - over, 1)
    sentence = re.match(rf".{{20,{max(room - 1, 20)}}}[.!?](?=\s)", hook)
    if sentence and sentence.end() <= room:
        return pointer_line(file, title, sentence[0])
    start, space, _ = shorten(hook, room).rpartition(" ")
    cut = f"{start.rstrip(' ,;:')}…" if space else shorten(hook, room)
    return pointer_line(file, title, cut)


class Caps(NamedTuple):
    """How much of an index a client shows: so many lines, then so much in its
    units, which are "bytes" of UTF-8 or "UTF-16 characters".
    """

    lines: int
    size: int
    unit: str = "bytes"
    client: str = "memlab"

    def measure(self, text: str) -> int:
        """Give the size of a text in units."""
        encoding, width = _UNITS[self.unit]
        return len(text.encode(encoding, "surrogatepass")) // width

    def clip(self, text: str) -> str:
        """Cut a text to the size, never inside a character."""
        encoding, width = _UNITS[self.unit]
        raw = text.encode(encoding, "surrogatepass")[: self.size * width]
        is_whole = self.measure(text) <= self.size
        return text if is_whole else raw.decode(encoding, "ignore")

    def named(self, fired: str) -> str:
        """Name the caps that cut an index; ``fired`` is that of a ``Cut``."""
        size = f"{self.size:,} {self.unit}"
        return {
            "lines": f"the limit of {self.lines:,} lines",
            "bytes": f"the limit of {size}",
            "both": f"both limits, {self.lines:,} lines and {size}",
        }[fired]


def memlab_caps(settings: Settings | None = None) -> Caps:
    """Give the caps of memlab's own prompts."""
    limit = settings or Settings()
    return Caps(limit.index_max_lines, limit.index_max_bytes)


class Cut(NamedTuple):
    """The part of an index that is shown.

    ``lines`` and ``size`` are those of all that counts. ``fired`` is "",
    "lines", "bytes" or "both"; ``fallen`` has the files whose pointers are not
    shown.
    """

    text: str
    lines: int
    size: int
    fired: str
    fallen: tuple[str, ...]


def cut(text: str, caps: Caps) -> Cut:
    """Cut an index to its lines, then to its size at the last line end.

    A first line that is longer than the size is cut between two characters.
    """
    whole = "".join(row.shown for row in rows(text))
    lines = text_lines(whole)
    first = "".join(lines[: caps.lines])
    most = len(caps.clip(first).encode("utf-8", "surrogatepass"))
    kept = truncate_index(whole, caps.lines, most) if most else ""
    over = len(lines) > caps.lines, len(kept) < len(first)
    fired = {
        (True, False): "lines",
        (False, True): "bytes",
        (True, True): "both",
    }.get(over, "")
    shown = {pointer.file for pointer in parse_pointers(kept)} if fired else ()
    files = dict.fromkeys(
        one.file for one in parse_pointers(whole if fired else "")
    )
    fallen = tuple(file for file in files if file not in shown)
    return Cut(kept, len(lines), caps.measure(whole), fired, fallen)


def truncate_index(text: str, max_lines: int, max_bytes: int) -> str:
    """Cut an index to so many lines, and then to the whole lines that fit into
    so many bytes; of a first line that does not fit, the beginning stays.
    """
    lines = text.split("\n")
    if len(lines) > max_lines:
        text = "\n".join(lines[:max_lines]) + "\n"
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= max_bytes:
        return text
    kept = data[:max_bytes].decode("utf-8", "ignore")
    if "\n" in kept:
        kept = kept[: kept.rindex("\n") + 1]
    return kept


def named(files: Sequence[str]) -> str:
    """Name the first of many files, and count the others."""
    more = f" and {len(files) - NAMED:,} more" if len(files) > NAMED else ""
    return ", ".join(files[:NAMED]) + more


class Files:
    """The files that a pointer can mean.

    The exact name counts first, then one that differs in its Unicode form, in
    capital letters, or by a space in place of a hyphen.
    """

    def __init__(self, names: Collection[str]) -> None:
        forms = {_form(unquote(name)): name for name in names}
        forms |= {_form(name): name for name in names}
        self._known = forms | {name: name for name in names}

    def find(self, file: str) -> str:
        """Give the name of a pointer's file as it is in the directory, or ""."""
        return self._known.get(file) or self._known.get(_form(file), "")


def _form(file: str) -> str:
    return normalize("NFC", file).casefold().replace(" ", "-")


class Settled(NamedTuple):
    """An index that obeys its rules, and the files of the lines that changed.

    ``dead`` led to no memory, ``double`` to one that has another line;
    ``added`` were missing; ``renewed`` follow a changed header. ``unlisted``
    memories have no line because the caps leave no room,
    newest first.
    """

    text: str
    dead: tuple[str, ...]
    double: tuple[str, ...]
    added: tuple[str, ...]
    renewed: tuple[str, ...]
    unlisted: tuple[str, ...]


def settle(
    text: str,
    names: Sequence[str],
    made: Callable[[str], Pointer | None],
    *,
    was: Mapping[str, Pointer] | None = None,
    by_model: bool = False,
    settings: Settings | None = None,
) -> Settled:
    """Make an index obey its rules for the memories that there are.

    ``names`` has their files, newest first. ``made`` is asked for a pointer
    only where its line is inserted or compared; None means that the file gets
    none. A pointer with a ``line`` is written as it stood there: an undo takes
    it from the index before the change. ``was`` has the pointers that the
    headers made before, of the files that a change is about. In a text
    ``by_model``, the first of several lines about one memory stays; otherwise
    code drops none but its own.
    """
    limit = settings or Settings()
    caps, most = memlab_caps(limit), limit.index_line_characters
    files, earlier = Files(names), was or {}
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    before = rows(text.removeprefix(mark))
    end = "\r\n" if before and before[0].line.endswith("\r\n") else "\n"

    # dead lines go, and those of changed headers follow
    kept = list(before)
    dead, double, renewed = list[str](), list[str](), list[str]()
    first = -1  # the place of the first pointer
    places: dict[str, list[int]] = {}  # of the lines about a memory
    for number, row in enumerate(before):
        found = row.pointer
        if not found:
            continue
        first = number if first < 0 else first
        file = files.find(found.file)
        if not file:
            dead.append(found.file)
            kept[number] = _NOTHING
            continue
        places.setdefault(file, []).append(number)
        now = made(file) if _is_own(row, earlier.get(file)) else None
        line = _line(now, most) if now else found.line
        if line != found.line:
            renewed.append(file)
            line = row.line.replace(found.line, line, 1)
            kept[number] = Row(line, line)

    # of several lines about one memory, code's own go
    for file, numbers in places.items():
        if len(numbers) > 1:
            now = made(file)
            own = [n for n in numbers if _is_own(kept[n], now)]
            spare = numbers[1:] if by_model or own == numbers else own
            double += [file] * len(spare)
            for number in spare:
                kept[number] = _NOTHING

    # memories without a line get one
    own_names = [name for name in names if index_of(name) == INDEX]
    missing = [file for file in own_names if file not in places]
    newest = {*own_names[: caps.lines]}  # for more there is never room
    added: dict[str, str] = {}
    for file in filter(newest.__contains__, missing):
        now = made(file)
        line = _line(now, most) if now else ""
        read = _pointer(line, line)
        if read and files.find(read.file) == file:
            added[file] = line + end
    place, gap = _top(before, first, end)

    # the oldest memories lose their lines until the rest fits
    left_out = {*missing} - newest
    shown = [row.shown for row in kept if row.shown]
    shown += [*added.values(), gap] if added and gap else added.values()
    lines, size = len(shown), sum(map(caps.measure, shown))
    for file in reversed(names):
        if lines <= caps.lines and size <= caps.size:
            break
        line = added.pop(file, "")
        numbers = [n for n in places.get(file, ()) if kept[n].line]
        if len(numbers) == 1 and _is_own(kept[numbers[0]], made(file)):
            line = kept[numbers[0]].shown
            kept[numbers[0]] = _NOTHING
        if line:
            lines, size = lines - 1, size - caps.measure(line)
            left_out.add(file)

    above = "".join(row.line for row in kept[:place])
    below = "".join(row.line for row in kept[place:])
    if added and above and not above.endswith("\n"):
        above += end
    new = "".join(added.values()) + (gap if added else "")
    return Settled(
        mark + above + new + below,
        tuple(dict.fromkeys(dead)),
        tuple(dict.fromkeys(double)),
        tuple(added),
        tuple(file for file in renewed if file not in left_out),
        tuple(file for file in names if file in left_out),
    )


_NOTHING = Row("", "")


def _line(pointer: Pointer, most: int) -> str:
    return pointer.line or short_line(pointer, most)


def _is_own(row: Row, made: Pointer | None) -> bool:
    """Tell whether a line is what code makes, or a beginning of it."""
    found = row.pointer
    if not found or not made or made.line:
        return False
    link = pointer_line(made.file, made.title, "")
    whole = pointer_line(made.file, made.title, made.hook)
    start = found.line.rstrip(" .…")
    is_start = len(start) > len(link) and whole.startswith(start)
    return is_start or found.line == whole


def _top(found: Sequence[Row], first: int, end: str) -> tuple[int, str]:
    """Give the place for a new line, and the empty line that goes below it
    where text would follow.

    It is above the ``first`` pointer and the entry that this is part of. In a
    text without pointers, it is below a title that has no text of its own,
    else on top.
    """
    place = first
    if first >= 0:
        while found[place].line[:1] in (" ", "\t") and place:
            place -= 1
        is_part = _ENTRY.match(found[place].line)
        return (place if is_part else first), ""
    texts = [n for n, row in enumerate(found) if row.shown.strip()]
    place, below, *_ = [*texts, len(found), len(found)]
    starts = [found[n].shown.lstrip() for n in texts[:2]]
    if starts and starts[0][0] == "#":
        is_title = starts[1:] == [] or starts[1][0] == "#"
        place = below if is_title or _ENTRY.match(starts[1]) else place
    if place == len(found):
        return place, ""
    place += found[place].begins_inside
    text = "".join(row.line for row in found[place : place + 1])
    return place, "" if _ENTRY.match(text) or not text.strip() else end


class News(NamedTuple):
    """What a conversation has not seen of an index: new or changed lines, and
    the files of those that are gone. ``known`` is what it knows with them.
    """

    known: dict[str, str]
    new: list[str]
    gone: list[str]


def news(known: Mapping[str, str], text: str, below: str = "") -> News:
    """Compare an index with what is known of it, which is a line per file.

    ``below`` is the folder of the index, such as ``team/``; the news name the
    files with it.
    """
    now: dict[str, str] = {}
    for one in parse_pointers(text):
        file = below + one.file
        now[file] = pointer_line(file, one.title, one.hook)
    new = [line for file, line in now.items() if known.get(file) != line]
    return News(now, new, [file for file in known if file not in now])


def without(text: str, file: str) -> str:
    """Take out every pointer to a file, and nothing else."""
    files = Files([file])
    kept = []
    for row in rows(text):
        found = row.pointer
        if not found or not files.find(found.file):
            kept.append(row.line)
    return "".join(kept)
