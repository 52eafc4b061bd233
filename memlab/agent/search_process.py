"""The search itself, as a script of its own: a regular expression cannot be
stopped, a process can.

A task comes in as JSON, lines of text go out. Of memlab only ``folder``
is loaded, from its file, so that starting costs little. Links are not
followed, nor hidden folders entered unless the glob names one. Left out:
ignore files such as ``.gitignore``, and matches across lines.
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import re
import sys
from collections.abc import Collection, Iterator
from fnmatch import translate
from pathlib import Path
from typing import Any

_spec = importlib.util.spec_from_file_location(
    "folder", Path(__file__).parents[1] / "memdir" / "folder.py"
)
assert _spec is not None
assert _spec.loader is not None
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
Folder = _module.Folder

SKIPPED = {".git", ".memlab", "node_modules", "__pycache__"}
FILE_BYTES, LINE_CHARACTERS = 50_000_000, 400
MOST_FOLDERS = 200


def expand(glob: str) -> list[str]:
    """Write a glob with ``{a,b}`` as several without."""
    found = re.match(r"([^{]*)\{([^{}]*)\}(.*)", glob)
    if not found:
        return [f"{glob}/*" if glob.endswith("**") else glob]
    start, choices, rest = found.groups()
    return [
        one
        for choice in choices.split(",")
        for one in expand(start + choice + rest)
    ]


def files(task: dict[str, Any]) -> dict[str, Path]:
    """Find plain files by a glob: how each is shown, in alphabetical order,
    and where it is.
    """
    root, shown, glob = Path(task["root"]), task["shown"], task["glob"]
    if os.path.realpath(root) != str(root):
        raise ValueError(f"{shown} leads elsewhere than a moment ago")
    if root.is_file():
        return {shown: root}
    hidden = glob.startswith(".") or "/." in glob
    found: set[tuple[str, ...]] = set()
    for one in expand(glob):
        found.update(below(str(root), compiled(one), hidden, task["closed"]))
    return {
        f"{shown}/{'/'.join(names)}": root.joinpath(*names)
        for names in sorted(found)
    }


def compiled(glob: str) -> list[re.Pattern[str] | None]:
    """Compile each part of a glob; None is ``**``, any number of folders."""
    parts: list[re.Pattern[str] | None] = []
    for part in glob.split("/"):
        if part == "**":
            parts.append(None)
        elif "**" in part:
            raise ValueError(f"in {glob!r}, ** has to be a whole part")
        elif part not in ("", "."):
            parts.append(re.compile(translate(part)))
    if glob.endswith("/") or not parts:
        raise ValueError(f"{glob!r} names no file")
    return parts


def below(
    root: str,
    parts: list[re.Pattern[str] | None],
    hidden: bool,
    closed: Collection[str],
) -> Iterator[tuple[str, ...]]:
    """Find the files below a folder that match, following no link, at most
    ``MOST_FOLDERS`` deep, and not in the ``closed`` folders.

    ``reached`` has, for each folder, the parts of the glob that a name in it
    may match.
    """
    reached = {"": after(parts, {0})}

    def matched(path: str) -> set[int]:
        folder, _, name = path.rpartition("/")
        if name in SKIPPED or (name.startswith(".") and not hidden):
            return set()
        if path in closed:
            return set()
        return {
            n
            for n in reached[folder]
            if n < len(parts) and fits(parts[n], name)
        }

    def enter(path: str) -> bool:
        reached[path] = after(
            parts, {n if parts[n] is None else n + 1 for n in matched(path)}
        )
        return bool(reached[path])

    for path, entry in Folder(root).walk([], enter, deepest=MOST_FOLDERS):
        last = len(parts) - 1
        is_match = last in matched(path) and parts[last] is not None
        if is_match and entry.is_file(follow_symlinks=False):
            yield tuple(path.split("/"))


def after(parts: list[re.Pattern[str] | None], reached: set[int]) -> set[int]:
    """Add the parts that can be reached because ``**`` may match no folder at
    all.
    """
    found = set(reached)
    for n, part in enumerate(parts):
        if n in found and part is None:
            found.add(n + 1)
    return found


def fits(part: re.Pattern[str] | None, name: str) -> bool:
    """Tell whether a part of a glob matches a name."""
    return part is None or part.match(name) is not None


def mtime(path: Path) -> int:
    """Return a file's mtime, or 0 if it has gone meanwhile."""
    try:
        return path.lstat().st_mtime_ns
    except OSError:
        return 0


def results(task: dict[str, Any]) -> Iterator[str]:
    """Return the lines that answer a task."""
    found, mode = files(task), task["mode"]
    if mode == "glob":
        yield from sorted(found, key=lambda shown: -mtime(found[shown]))
        return
    wanted = re.compile(
        task["pattern"], re.IGNORECASE if task["ignore_case"] else 0
    )
    for shown, path in found.items():
        lines = text_lines(path)
        hits = {
            number for number, line in enumerate(lines) if wanted.search(line)
        }
        if mode == "content":
            near = {
                n
                for hit in hits
                for n in range(hit - task["before"], hit + task["after"] + 1)
            }
            for number in sorted(near & set(range(len(lines)))):
                mark = ":" if number in hits else "-"
                yield (
                    f"{shown}{mark}{number + 1}{mark}{lines[number][:LINE_CHARACTERS]}"
                )
        elif hits:
            yield (
                shown
                if mode == "files_with_matches"
                else f"{shown}:{len(hits)}"
            )


def text_lines(path: Path) -> list[str]:
    """Read a file's lines; none if it is binary, too big, or no longer the one
    that was found.
    """
    try:
        name = path.relative_to(path.anchor).as_posix()
        data = Folder(path.anchor).read(name, FILE_BYTES + 1).data or b""
    except OSError:
        return []
    if len(data) > FILE_BYTES:
        return []
    text = "" if b"\0" in data[:8_192] else data.decode("utf-8", "replace")
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    task = json.load(sys.stdin)
    for line in itertools.islice(results(task), task["limit"] + 1):
        print(line, flush=True)
