"""The index ``MEMORY.md``: one pointer per line, ``- [Title](file.md) —
hook``, newest on top.

A change touches only the line it is about. Every other line, the order of the
lines and their line endings stay byte for byte, because people write in this
file too. Frontmatter and HTML comments are for people: they are not shown to
the model, do not count towards the caps, and a line inside them is no pointer.
A prompt shows the rest up to a number of lines and of bytes, and says what is
missing. An index that was lost is rebuilt from the memories, and
one that no longer fits the directory is reconciled with it. After a dream or
an extraction, code puts the index in order (``tidy_index``): it removes and
adds pointers and keeps to the caps, and leaves lines written by hand alone.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

from memlab.memdir.places import INDEX as INDEX
from memlab.memdir.places import index_of
from memlab.memdir.scan import MemoryHeader, scan_memory_files
from memlab.prompts import SHIPPED, Prompts
from memlab.settings import Settings
from memlab.text import fold_space, shorten

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_POINTER = re.compile(
    r"(?P<lead>\ufeff?\s*[-*+]\s+)\[(?P<title>(?:[^\]]|\](?!\())*)\]\((?P<file>.+?\.md)\)"
    r"(?P<dash>[ \t]*[—–:-]*[ \t]*)(?P<hook>.*\S|)(?P<end>\s*)"
)
_HEADER = re.compile(
    r"\ufeff?---[ \t]*\r?\n"
    r"(?:(?:[ \t#][^\n]*|-[ \t](?!\[)[^\n]*|[\w.-]+:(?:[ \t\r][^\n]*)?|\r?)"
    r"\n)*?"
    r"---[ \t]*(?:\r?\n|\Z)"
)


_COMMENT = "<!--"


class IndexRow(NamedTuple):
    """A line of the index, what the model sees of it, and whether it begins
    inside a comment.
    """

    line: str
    shown: str
    inside: bool = False

    @property
    def pointer(self) -> re.Match[str] | None:
        """The pointer in it, if it is one."""
        if self.inside or not self.shown or "](" not in self.line:
            return None
        return _POINTER.fullmatch(self.line)


def index_rows(text: str) -> list[IndexRow]:
    """Split an index into its lines.

    A comment may begin in a line of text, and then ends in it. One that is
    never closed is text.
    """
    header = _HEADER.match(text)
    above = _LINE.findall(header[0]) if header else []
    rows = [IndexRow(line, "") for line in above]
    at = header.end() if header else 0
    if _COMMENT not in text:
        # the usual case, and it has to be fast for a large index
        return [
            *rows,
            *(IndexRow(one, one) for one in _LINE.findall(text[at:])),
        ]
    last_end = text.rfind("-->")
    inside = False
    for line in _LINE.findall(text[at:]):
        shown = ""
        place = 0
        begins_inside = inside
        while place < len(line):
            if inside:
                end = line.find("-->", place)
                inside = end < 0
                place = len(line) if inside else end + 3
                continue
            start = line.find(_COMMENT, place)
            if start < 0:
                shown += line[place:]
                break
            shown += line[place:start]
            end = line.find("-->", start + 4)
            if end >= 0:
                place = end + 3
            elif shown.strip() or last_end < at + start:
                shown += line[start:]
                break
            else:
                inside = True
                place = len(line)
        has_text = shown == line or shown.strip("\ufeff \t\r\n")
        shown = shown if has_text else ""
        rows.append(IndexRow(line, shown, begins_inside))
        at += len(line)
    return rows


def shown_index(text: str) -> str:
    """Give the part of an index that counts: no frontmatter, no comments."""
    if _COMMENT not in text:
        header = _HEADER.match(text)
        return text[header.end() :] if header else text
    return "".join(row.shown for row in index_rows(text))


@dataclass(frozen=True)
class Pointer:
    """A line of the index that names a memory."""

    file: str
    title: str
    hook: str


def parse_pointers(text: str) -> list[Pointer]:
    """Find the pointers of an index, top to bottom; all other lines are
    people's own.
    """
    if _COMMENT in text:
        matches = [row.pointer for row in index_rows(text)]
    else:
        lines = _LINE.findall(shown_index(text))
        matches = [_POINTER.fullmatch(one) for one in lines if "](" in one]
    return [
        Pointer(found["file"], found["title"], found["hook"])
        for found in matches
        if found
    ]


def pointer_to(file: str, title: str, hook: str) -> Pointer:
    """Make a pointer that fits on one line and is all visible.

    Square brackets in the title become round ones, and what would begin or
    end a comment is shortened.
    """
    plain = _without_comments(title).replace("[", "(").replace("]", ")")
    return Pointer(file, plain or file, _without_comments(hook))


def _without_comments(text: str) -> str:
    return re.sub("-{2,}>", "->", re.sub("<!-{2,}", "<-", fold_space(text)))


def set_pointer(
    text: str, pointer: Pointer, *, was: Pointer | None = None
) -> str:
    """Put a pointer above the others, or bring the one that is there up to
    date.

    Of one that is there, title and hook change only where they still read as
    in ``was``: what a person has written instead wins. A hook that is the
    beginning of the one before says nothing of its own, and goes with it.
    """
    rows = index_rows(text)
    lines = [row.line for row in rows]
    for number, row in enumerate(rows):
        found = row.pointer
        if found and found["file"] == pointer.file:
            lines[number] = _updated_line(found, pointer, was)
            return "".join(lines)
    return _on_top(text, [pointer])


def _updated_line(
    found: re.Match[str], pointer: Pointer, was: Pointer | None
) -> str:
    title = found["title"]
    hook = found["hook"]
    if was and title == was.title:
        title = pointer.title
    is_ours = was and hook == was.hook
    is_cut = was and pointer.hook != was.hook and _begins(hook, was.hook)
    if is_ours or is_cut:
        hook = pointer.hook
    if (title, hook) == (found["title"], found["hook"]):
        return found[0]
    dash = found["dash"] if found["hook"] else " — "
    if not hook:
        dash = ""
    return (
        f"{found['lead']}[{title}]({pointer.file}){dash}{hook}{found['end']}"
    )


def _begins(hook: str, whole: str) -> bool:
    beginning = hook.rstrip(" .…")
    return bool(beginning) and whole.startswith(beginning)


def remove_pointer(text: str, file: str) -> str:
    """Take out every pointer to a file."""
    matches = [
        (line, _POINTER.fullmatch(line)) for line in _LINE.findall(text)
    ]
    return "".join(
        line for line, found in matches if not found or found["file"] != file
    )


def settle_edit(
    old: str, new: str, files: Collection[str]
) -> tuple[str, list[tuple[str, str]]]:
    """Accept a new text of the index, and keep it one pointer a memory.

    Gives the text and what was set right, as pairs of file and sentence: a
    second pointer to one file and a pointer to none of ``files`` are left out,
    a lost pointer to one of them is put back, unless another index has it.
    """
    kept: list[str] = []
    seen: set[str] = set()
    said: list[tuple[str, str]] = []
    for row in index_rows(new):
        found = row.pointer
        if found and found["file"] in seen:
            said.append(
                (found["file"], "a second pointer to one memory was left out")
            )
        elif found and found["file"] not in files:
            said.append(
                (
                    found["file"],
                    "a pointer to a file that does not exist was left out",
                )
            )
        else:
            kept.append(row.line)
            seen.update([found["file"]] if found else [])
    text = "".join(kept)
    for pointer in reversed(parse_pointers(old)):
        belongs_here = index_of(pointer.file) == INDEX
        if belongs_here and pointer.file in files and pointer.file not in seen:
            text = set_pointer(text, pointer)
            seen.add(pointer.file)
            said.append(
                (
                    pointer.file,
                    "its pointer was put back: the memory still exists",
                )
            )
    return text, said


def take_back_lines(live: str, after: str, before: str) -> tuple[str, bool]:
    """Take a change from ``before`` to ``after`` back in an index that has
    changed since.

    Lines that were added or edited since stay as they are. Also says whether
    the whole change was taken back: it is not where one of its own lines has
    been edited since.
    """
    here, new, old = (_LINE.findall(text) for text in (live, after, before))
    place = _same_lines(new, here)
    steps = SequenceMatcher(
        None, _stripped(new), _stripped(old), autojunk=False
    ).get_opcodes()
    whole = True
    # so that places stay right
    for kind, start, end, old_start, old_end in reversed(steps):
        if kind == "equal":
            continue
        if any(number not in place for number in range(start, end)):
            whole = False
            continue
        if start in place:
            at = place[start]
        else:
            at = place[start - 1] + 1 if start - 1 in place else len(here)
        for number in reversed(range(start, end)):
            del here[place[number]]
        here[at:at] = old[old_start:old_end]
    ended = [
        line if line.endswith("\n") else f"{line}\n" for line in here[:-1]
    ]
    return "".join([*ended, *here[-1:]]), whole


def _same_lines(one: list[str], other: list[str]) -> dict[int, int]:
    """Map the numbers of lines to those of the same lines in another text, in
    their order.
    """
    matcher = SequenceMatcher(
        None, _stripped(one), _stripped(other), autojunk=False
    )
    return {
        block.a + number: block.b + number
        for block in matcher.get_matching_blocks()
        for number in range(block.size)
    }


def _stripped(lines: list[str]) -> list[str]:
    return [line.rstrip("\r\n") for line in lines]


def _on_top(text: str, pointers: Sequence[Pointer]) -> str:
    rows = index_rows(text)
    lines = [row.line for row in rows]
    first = (n for n, row in enumerate(rows) if row.pointer)
    beginning = (
        n + row.inside
        for n, row in enumerate(rows)
        if row.shown.strip("\ufeff \t\r\n") and row.shown[0] != "#"
    )
    place = next(first, next(beginning, len(rows)))
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    above, below = "".join(lines[:place]), "".join(lines[place:])
    if above and not above.endswith("\n"):
        above += end
    mark = "\ufeff" if below.startswith("\ufeff") else ""
    new = "".join(f"{_line(pointer)}{end}" for pointer in pointers)
    return above + mark + new + below.removeprefix("\ufeff")


def _line(pointer: Pointer) -> str:
    return pointer_line(pointer.file, pointer.title, pointer.hook)


def pointer_line(file: str, title: str, hook: str) -> str:
    """Write the line of the index for one memory."""
    line = f"- [{title}]({file})"
    if hook:
        line += f" — {hook}"
    return line


NAMED = 20


@dataclass(frozen=True)
class IndexCaps:
    """How much of an index a client shows: so many lines, then so many of its
    units.
    """

    client: str
    lines: int
    size: int
    unit: str
    encoding: str
    unit_bytes: int

    def measure(self, text: str) -> int:
        """Give the size of a text in units."""
        raw = text.encode(self.encoding, "surrogatepass")
        return len(raw) // self.unit_bytes

    def clip(self, text: str) -> str:
        """Cut a text to the size, never inside a character."""
        raw = text.encode(self.encoding, "surrogatepass")
        most = self.size * self.unit_bytes
        if len(raw) <= most:
            return text
        return raw[:most].decode(self.encoding, "ignore")

    def sizes(self, text: str) -> tuple[int, int]:
        """Count the lines and the units of an index that count."""
        shown = shown_index(text)
        return len(_LINE.findall(shown)), self.measure(shown)

    def excess(self, text: str) -> tuple[int, int]:
        """Give the lines and the units that are too many; 0 where none is."""
        lines, size = self.sizes(text)
        return max(lines - self.lines, 0), max(size - self.size, 0)

    def __str__(self) -> str:
        return f"{self.lines:,} lines and {self.size:,} {self.unit}"


def memlab_caps(settings: Settings | None = None) -> IndexCaps:
    """Give the limits of memlab's own prompts."""
    limit = settings or Settings()
    return IndexCaps(
        "memlab",
        limit.index_max_lines,
        limit.index_max_bytes,
        "bytes",
        "utf-8",
        1,
    )


def claude_code_caps(settings: Settings | None = None) -> IndexCaps:
    """Give the limits of Claude Code's prompts."""
    limit = settings or Settings()
    return IndexCaps(
        "Claude Code",
        limit.index_max_lines,
        limit.index_max_utf16,
        "UTF-16 characters",
        "utf-16-le",
        2,
    )


@dataclass(frozen=True)
class ShownIndex:
    """An index as a prompt shows it: at most so many lines and bytes, and what
    is missing.

    ``lines`` and ``bytes`` are the size of what counts; ``fired`` is "", "lines",
    "bytes" or "both"; ``fallen`` has the files whose pointers are not shown.
    ``warning`` is for the model, ``notice`` for the person, about a file that
    was not read as a whole.
    """

    text: str
    lines: int
    bytes: int
    fired: str
    fallen: tuple[str, ...]
    warning: str
    notice: str = ""

    @property
    def prompt(self) -> str:
        """The text with the warning below it; the warning does not count
        towards the caps.
        """
        return (
            f"{self.text.rstrip()}\n\n{self.warning}"
            if self.warning
            else self.text
        )


def index_for_prompt(
    text: str,
    settings: Settings | None = None,
    prompts: Prompts = SHIPPED,
) -> ShownIndex:
    """Cut an index to ``index_max_lines``, then to ``index_max_bytes`` of
    UTF-8 at a line end.

    A first line that is longer than the byte cap is cut between two
    characters.
    """
    caps = memlab_caps(settings)
    cut = cut_index(text, caps)
    size = caps.measure(cut.whole)
    lines = len(_LINE.findall(cut.whole))
    warning = ""
    if cut.fired:
        warning = _warning(lines, size, cut, caps, prompts)
    return ShownIndex(cut.text, lines, size, cut.fired, cut.fallen, warning)


class CutIndex(NamedTuple):
    """What of an index counts, how much of that fits, which cap cut it, and
    whose pointers are lost.
    """

    whole: str
    text: str
    fired: str
    fallen: tuple[str, ...]


def cut_index(text: str, caps: IndexCaps) -> CutIndex:
    """Cut an index to a client's limits, whose units may be other than bytes."""
    whole = shown_index(text)
    lines = _LINE.findall(whole)
    first = "".join(lines[: caps.lines])
    most = len(caps.clip(first).encode("utf-8", "surrogatepass"))
    kept = truncate_index(whole, caps.lines, most) if most else ""
    fired = {
        (True, False): "lines",
        (False, True): "bytes",
        (True, True): "both",
    }.get((len(lines) > caps.lines, len(kept) < len(first)), "")
    shown = {pointer.file for pointer in parse_pointers(kept)}
    pointed = dict.fromkeys(pointer.file for pointer in parse_pointers(whole))
    fallen = tuple(file for file in pointed if file not in shown)
    return CutIndex(whole, kept, fired, fallen)


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


def limit_in_words(fired: str, caps: IndexCaps) -> str:
    """Name the limits that cut an index."""
    return {
        "lines": f"the limit of {caps.lines:,} lines",
        "bytes": f"the limit of {caps.size:,} {caps.unit}",
        "both": (
            f"both limits, {caps.lines:,} lines and {caps.size:,} {caps.unit}"
        ),
    }[fired]


def _warning(
    lines: int, size: int, cut: CutIndex, caps: IndexCaps, prompts: Prompts
) -> str:
    missing = ""
    if cut.fallen:
        section = prompts.section(
            "reminders", "index_cut_missing", files=named(cut.fallen)
        )
        missing = f" {section}"
    return prompts.section(
        "reminders",
        "index_cut",
        limit=limit_in_words(cut.fired, caps),
        lines=f"{lines:,}",
        bytes=f"{size:,}",
        missing=missing,
    )


_ALL = 1_000_000


@dataclass(frozen=True)
class Reconciled:
    """An index that fits its directory again, and the files of the pointers
    that changed.
    """

    text: str
    dropped: tuple[str, ...]
    added: tuple[str, ...]


def rebuild_index(
    directory: Path | str, settings: Settings | None = None
) -> str:
    """Make the index from frontmatter alone, newest memory first; hand-written
    hooks are lost.
    """
    return "".join(
        set_pointer("", one) for one in _pointers(directory, settings).values()
    )


def reconcile_index(
    text: str, directory: Path | str, settings: Settings | None = None
) -> Reconciled:
    """Drop pointers to no file and add missing ones on top, newest first; all
    else stays.

    A pointer to a file that is there but cannot be read stays too: mending the
    file is better.
    """
    wanted = _pointers(directory, settings)
    pointed = dict.fromkeys(pointer.file for pointer in parse_pointers(text))
    dropped = [
        file
        for file in pointed
        if not os.path.isfile(os.path.join(directory, file))
    ]
    for file in dropped:
        text = remove_pointer(text, file)
    added = [file for file in wanted if file not in pointed]
    for file in reversed(added):
        text = set_pointer(text, wanted[file])
    return Reconciled(text, tuple(dropped), tuple(added))


def all_headers(
    directory: Path | str, settings: Settings | None = None
) -> Sequence[MemoryHeader]:
    """Scan without the cap on files: an index of all memories is made from all
    of them.
    """
    limit = (settings or Settings()).with_changes(scan_max_files=_ALL)
    return scan_memory_files(directory, limit).headers


def _pointers(
    directory: Path | str, settings: Settings | None, index: str = INDEX
) -> dict[str, Pointer]:
    folder = index.removesuffix(INDEX)
    found = {
        header.filename.removeprefix(folder): header
        for header in all_headers(directory, settings)
        if index_of(header.filename) == index
    }
    return {
        file: pointer_to(file, header.name, header.description)
        for file, header in found.items()
        if _can_be_named(file)
    }


def _can_be_named(file: str) -> bool:
    """Tell whether a line of an index can name a file, as it cannot name one
    with a line end in its name.
    """
    line = _line(Pointer(file, "title", ""))
    return [one.file for one in parse_pointers(line)] == [file]


@dataclass(frozen=True)
class Tidied:
    """An index that obeys its rules again, and the files of the lines that
    code changed.

    ``not_in_index`` has the memories for which the caps leave no room, newest
    first. ``still_over`` gives the lines and bytes of an index that lines
    written by hand keep over a cap.
    """

    text: str
    dropped: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    renewed: tuple[str, ...] = ()
    not_in_index: tuple[str, ...] = ()
    still_over: tuple[int, int] | None = None

    @property
    def report(self) -> tuple[str, ...]:
        """What was done, in a line each, for a receipt."""
        parts = (
            ("removed dead or double pointers", self.dropped),
            ("added missing pointers", self.added),
            ("shortened or renewed generated lines", self.renewed),
            ("not in the index, because it is full", self.not_in_index),
        )
        done = [
            f"{what}, {len(files):,}: {named(files)}"
            for what, files in parts
            if files
        ]
        if self.still_over:
            lines, size = self.still_over
            done.append(
                f"still over its limit, with {lines:,} lines and {size:,}"
                " bytes: code does not change or drop lines written by hand"
            )
        return tuple(done)


def named(files: Sequence[str]) -> str:
    """Name the first of many files, and count the others."""
    more = f" and {len(files) - NAMED:,} more" if len(files) > NAMED else ""
    return ", ".join(files[:NAMED]) + more


@dataclass(frozen=True)
class _Line:
    """A line of the index; ``file`` is "" for one that code leaves alone."""

    text: str
    file: str = ""


def tidy_index(
    text: str,
    pointers: Mapping[str, Pointer],
    *,
    exists: Callable[[str], bool],
    earlier: Callable[[str], Collection[Pointer]] = lambda file: (),
    settings: Settings | None = None,
) -> Tidied:
    """Drop dead pointers, add missing ones on top, and keep to both caps.

    ``pointers`` has the pointer that code makes from each memory's header,
    newest memory first. A line is taken as generated only if it is exactly
    what code makes from the header of its memory as it is now or as it was
    ``earlier``. Every other line that leads to a file stays byte for byte.
    Where the caps leave no room, the generated pointers to the oldest memories
    go, and nothing else does.
    """
    limit = settings or Settings()
    current = {
        file: _short(pointer, limit) for file, pointer in pointers.items()
    }
    rows: list[_Line] = []
    dropped: list[str] = []
    renewed: list[str] = []
    by_hand: set[str] = set()
    for each in index_rows(text):
        line = each.line
        found = each.pointer
        file = _inside(found["file"]) if found else ""
        if not file:
            rows.append(_Line(line))
        elif not exists(file):
            dropped.append(file)
        elif _is_generated(line, file, pointers, earlier, limit):
            rows.append(_Line(line, file))
        else:
            by_hand.add(file)
            rows.append(_Line(line))

    kept: list[_Line] = []
    seen = set(by_hand)
    for row in rows:
        if row.file in seen:
            dropped.append(row.file)
            continue
        if row.file:
            seen.add(row.file)
        if row.file in current:
            body = row.text.strip("\ufeff\r\n")
            wanted = _line(current[row.file])
            if body != wanted:
                renewed.append(row.file)
                row = replace(row, text=row.text.replace(body, wanted, 1))
        kept.append(row)

    missing = [file for file in current if file not in seen]
    oldest_first = [*reversed(current)]
    unread = [row.file for row in kept if row.file and row.file not in current]
    removable = iter([*unread, *oldest_first])
    # more than a full index can never be added
    left_out = set(missing[limit.index_max_lines :])
    while True:
        lines = [row.text for row in kept if row.file not in left_out]
        added = [file for file in missing if file not in left_out]
        result = "".join(lines)
        if added:
            result = _on_top(result, [current[file] for file in added])
        lines_over, bytes_over = memlab_caps(limit).excess(result)
        # how many lines at least are too many
        excess = max(lines_over, int(bytes_over > 0))
        if not excess:
            break
        candidates = [
            file
            for file in removable
            if file not in left_out and file not in by_hand
        ]
        if not candidates:
            break
        removable = iter(candidates[excess:])
        left_out.update(candidates[:excess])
    return Tidied(
        result,
        tuple(dict.fromkeys(dropped)),
        tuple(added),
        tuple(file for file in renewed if file not in left_out),
        tuple(file for file in [*current, *unread] if file in left_out),
        memlab_caps(limit).sizes(result) if excess else None,
    )


def not_in_index(
    text: str,
    pointers: Mapping[str, Pointer],
    settings: Settings | None = None,
    caps: IndexCaps | None = None,
) -> list[str]:
    """List the memories without a pointer in an index that has no room for
    one; none if it has room.

    Without ``caps`` it is memlab's limits that leave no room.
    """
    limit = settings or Settings()
    pointed = {_inside(one.file) for one in parse_pointers(text)}
    missing = [file for file in pointers if file not in pointed]
    if not missing:
        return []
    newest = _short(pointers[missing[0]], limit)
    fuller = _on_top(text, [newest])
    return missing if any((caps or memlab_caps(limit)).excess(fuller)) else []


def current_pointers(
    directory: Path | str,
    settings: Settings | None = None,
    index: str = INDEX,
) -> dict[str, Pointer]:
    """Make the pointer of each memory of an index from its header, newest
    memory first.
    """
    return _pointers(directory, settings, index)


def readable_lines(data: bytes) -> str | None:
    """Give the lines of an index that are text; None if all of it is."""
    with suppress(UnicodeDecodeError):
        text = data.decode("utf-8")
        if "\0" not in text:
            return None
    if b"\0" in data:
        return ""
    lines = []
    for line in data.splitlines(keepends=True):
        with suppress(UnicodeDecodeError):
            lines.append(line.decode("utf-8"))
    return "".join(lines)


def _is_generated(
    line: str,
    file: str,
    pointers: Mapping[str, Pointer],
    earlier: Callable[[str], Collection[Pointer]],
    limit: Settings,
) -> bool:
    body = line.strip("\ufeff\r\n")

    def makes(pointer: Pointer) -> bool:
        return body in (_line(pointer), _line(_short(pointer, limit)))

    now = pointers.get(file)
    if now and makes(now):
        return True
    return any(makes(pointer) for pointer in earlier(file))


def short_line(pointer: Pointer, settings: Settings) -> str:
    """Write a pointer as a line that is not longer than it should be."""
    return _line(_short(pointer, settings))


def _short(pointer: Pointer, limit: Settings) -> Pointer:
    """Cut a hook so that its line is not longer than a line of the index
    should be: after a sentence, else after a word.
    """
    over = len(_line(pointer)) - limit.index_line_characters
    if over <= 0 or not pointer.hook:
        return pointer
    width = max(len(pointer.hook) - over, 1)
    sentences = re.match(
        rf".{{20,{max(width - 1, 20)}}}[.!?](?=\s)", pointer.hook
    )
    if sentences and len(sentences[0]) <= width:
        return replace(pointer, hook=sentences[0])
    cut = shorten(pointer.hook, width)
    words, gap, _ = cut.rpartition(" ")
    return replace(pointer, hook=f"{words.rstrip(' ,;:')}…" if gap else cut)


def _inside(target: str) -> str:
    """Give the path of a memory that a pointer names; "" for one that leads
    elsewhere.
    """
    if "://" in target or target.startswith(("/", "~/")):
        return ""
    path = posixpath.normpath(target)
    return "" if path.startswith("../") else path
