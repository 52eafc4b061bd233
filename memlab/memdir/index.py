"""The index ``MEMORY.md``: one pointer per line, ``- [Title](file.md) —
hook``, newest on top.

A change touches only the line it is about. Every other line, the order of the
lines and their line endings stay byte for byte, because people write in this
file too. A prompt shows the index up to a number of lines and of bytes, and
says what is missing. An index that was lost is rebuilt from the memories, and
one that no longer fits the directory is reconciled with it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from memlab.memdir.paths import INDEX as INDEX
from memlab.memdir.paths import TEAM
from memlab.memdir.scan import MemoryHeader, scan_memory_files
from memlab.prompts import SHIPPED, Prompts
from memlab.settings import Settings
from memlab.text import clip_bytes, fold_space

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_POINTER = re.compile(
    r"(?P<lead>\ufeff?\s*[-*+]\s+)\[(?P<title>(?:[^\]]|\](?!\())*)\]\((?P<file>.+?\.md)\)"
    r"(?P<dash>[ \t]*[—–:-]*[ \t]*)(?P<hook>.*\S|)(?P<end>\s*)"
)


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
    matches = map(_POINTER.fullmatch, _LINE.findall(text))
    return [
        Pointer(found["file"], found["title"], found["hook"])
        for found in matches
        if found
    ]


def pointer_to(file: str, title: str, hook: str) -> Pointer:
    """Make a pointer that fits on one line; square brackets in the title
    become round ones.
    """
    plain = fold_space(title).replace("[", "(").replace("]", ")")
    return Pointer(file, plain or file, fold_space(hook))


def set_pointer(
    text: str, pointer: Pointer, *, was: Pointer | None = None
) -> str:
    """Put a pointer above the others, or bring the one that is there up to
    date.

    Of one that is there, title and hook change only where they still read as
    in ``was``: what a person has written instead wins. A hook that is the
    beginning of the one before says nothing of its own, and goes with it.
    """
    lines = _LINE.findall(text)
    for number, line in enumerate(lines):
        found = _POINTER.fullmatch(line)
        if found and found["file"] == pointer.file:
            title = (
                pointer.title
                if was and found["title"] == was.title
                else found["title"]
            )
            ours = was and found["hook"] == was.hook
            cut = (
                was
                and pointer.hook != was.hook
                and _begins(found["hook"], was.hook)
            )
            hook = pointer.hook if ours or cut else found["hook"]
            if (title, hook) != (found["title"], found["hook"]):
                dash = found["dash"] if found["hook"] else " — "
                target = f"{found['lead']}[{title}]({pointer.file})"
                lines[number] = f"{target}{dash}{hook}{found['end']}"
            return "".join(lines)
    return _on_top(lines, pointer)


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
    a lost pointer to one of them is put back.
    """
    kept: list[str] = []
    seen: set[str] = set()
    said: list[tuple[str, str]] = []
    for line in _LINE.findall(new):
        found = _POINTER.fullmatch(line)
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
            kept.append(line)
            seen.update([found["file"]] if found else [])
    text = "".join(kept)
    for pointer in reversed(parse_pointers(old)):
        if pointer.file in files and pointer.file not in seen:
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


def _on_top(lines: list[str], pointer: Pointer) -> str:
    heading = (
        n
        for n, line in enumerate(lines)
        if line.strip("\ufeff \t\r\n") and line[0] != "#"
    )
    first = (n for n, line in enumerate(lines) if _POINTER.fullmatch(line))
    place = next(first, next(heading, len(lines)))
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    above, below = "".join(lines[:place]), "".join(lines[place:])
    if above and not above.endswith("\n"):
        above += end
    mark = "\ufeff" if below.startswith("\ufeff") else ""
    hook = f" — {pointer.hook}" if pointer.hook else ""
    line = f"- [{pointer.title}]({pointer.file}){hook}{end}"
    return above + mark + line + below.removeprefix("\ufeff")


NAMED = 20


@dataclass(frozen=True)
class ShownIndex:
    """An index as a prompt shows it: at most so many lines and bytes, and what
    is missing.

    ``lines`` and ``bytes`` are the real size; ``fired`` is "", "lines",
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


def truncate_index(
    text: str,
    settings: Settings | None = None,
    prompts: Prompts = SHIPPED,
) -> ShownIndex:
    """Cut an index to ``index_max_lines``, then to ``index_max_bytes`` of
    UTF-8 at a line end.

    A first line that is longer than the byte cap is cut between two
    characters.
    """
    limit = settings or Settings()
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    first = "".join(lines[: limit.index_max_lines])
    kept = clip_bytes(first, limit.index_max_bytes)
    if len(kept) < len(first) and "\n" in kept:
        kept = kept[: kept.rindex("\n") + 1]
    cut = [len(lines) > limit.index_max_lines, len(kept) < len(first)]
    fired = {
        (True, False): "lines",
        (False, True): "bytes",
        (True, True): "both",
    }.get((cut[0], cut[1]), "")
    shown = {pointer.file for pointer in parse_pointers(kept)}
    pointed = dict.fromkeys(pointer.file for pointer in parse_pointers(text))
    fallen = [file for file in pointed if file not in shown]
    size = len(text.encode("utf-8", "surrogatepass"))
    warning = ""
    if fired:
        warning = _warning(len(lines), size, fired, fallen, limit, prompts)
    return ShownIndex(kept, len(lines), size, fired, tuple(fallen), warning)


def _warning(
    lines: int,
    size: int,
    fired: str,
    fallen: list[str],
    limit: Settings,
    prompts: Prompts,
) -> str:
    which = {
        "lines": f"the limit of {limit.index_max_lines:,} lines",
        "bytes": f"the limit of {limit.index_max_bytes:,} bytes",
        "both": (
            f"both limits, {limit.index_max_lines:,} lines and"
            f" {limit.index_max_bytes:,} bytes"
        ),
    }[fired]
    more = f" and {len(fallen) - NAMED} more" if len(fallen) > NAMED else ""
    missing = ""
    if fallen:
        files = f"{', '.join(fallen[:NAMED])}{more}"
        section = prompts.section(
            "reminders", "index_cut_missing", files=files
        )
        missing = f" {section}"
    return prompts.section(
        "reminders",
        "index_cut",
        limit=which,
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
    directory: Path | str, settings: Settings | None
) -> dict[str, Pointer]:
    own = (
        one
        for one in all_headers(directory, settings)
        if not one.filename.startswith(f"{TEAM}/")
    )
    return {
        one.filename: pointer_to(one.filename, one.name, one.description)
        for one in own
    }
