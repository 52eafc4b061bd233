"""The search itself, as a script of its own: a regular expression cannot be
stopped, a process can.

A task comes in as JSON, lines of text go out. Of memlab only ``folder``
is loaded, from its file, so that starting costs little. Links are not
followed, nor hidden folders entered unless the glob names one. Left out:
ignore files such as ``.gitignore``, and matches across lines.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# at the end, since modules there have the names of others
sys.path.append(str(Path(__file__).parents[1] / "memdir"))
from folder import Folder  # type: ignore[import-not-found]

SKIPPED = {".git", ".memlab", "node_modules", "__pycache__"}
FILE_BYTES, LINE_CHARACTERS = 50_000_000, 400
MOST_FOLDERS = 200

# what each part of a glob stands for in a regular expression
_PARTS = {
    "**/": "(?:.*/)?",
    "**": ".*",
    "*": "[^/]*",
    "?": "[^/]",
    "{": "(?:",
    ",": "|",
    "}": ")",
}


def compiled(glob: str) -> re.Pattern[str]:
    """Compile a glob: ``**`` stands for any folders, ``{a,b}`` for either."""
    found = ""
    for part in re.findall(r"\*\*/?|\[[^\]]+\]|(?s:.)", glob):
        if len(part) > 2 and part[0] == "[":
            found += part.replace("[!", "[^")
        elif part == "," and "{" not in glob:
            found += ","
        else:
            found += _PARTS.get(part) or re.escape(part)
    return re.compile(found)


def entries(task: dict[str, Any]) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Find what matches a glob below a folder, plain files and folders."""
    glob = task["glob"].removeprefix("./")
    fits = compiled(glob).fullmatch
    hidden = glob.startswith(".") or "/." in glob
    deepest = MOST_FOLDERS if "**" in glob else glob.count("/")

    def shown(path: str) -> bool:
        name = path.rpartition("/")[2]
        if name in SKIPPED or path in task["closed"]:
            return False
        return hidden or not name.startswith(".")

    def enter(path: str) -> bool:
        return shown(path) and path.count("/") < deepest

    found = Folder(task["root"]).walk([], enter, deepest=MOST_FOLDERS)
    for path, entry in found:
        if shown(path) and fits(path) and not entry.is_symlink():
            yield path, entry


def results(task: dict[str, Any]) -> Iterator[str]:
    """Return the lines that answer a task."""
    root, shown, mode = Path(task["root"]), task["shown"], task["mode"]
    if os.path.realpath(root) != str(root):
        raise ValueError(f"{shown} leads elsewhere than a moment ago")
    if mode == "glob":
        rows = []
        for path, entry in entries(task):
            slash = "/" * entry.is_dir()
            if slash or entry.is_file():
                age = -entry.stat(follow_symlinks=False).st_mtime_ns
                rows.append((age, f"{shown}/{path}{slash}"))
        yield from (row for _, row in sorted(rows))
        return
    flags = re.IGNORECASE if task["ignore_case"] else 0
    search = re.compile(task["pattern"], flags).search
    if root.is_file():
        files = {shown: root}
    else:
        names = sorted(one for one, entry in entries(task) if entry.is_file())
        files = {f"{shown}/{name}": root / name for name in names}
    for name, file in files.items():
        lines = text_lines(file)
        hits = {number for number, line in enumerate(lines) if search(line)}
        if mode == "content":
            yield from around(name, lines, hits, task)
        elif hits:
            yield name + (f":{len(hits)}" if mode == "count" else "")


def around(
    name: str, lines: list[str], hits: set[int], task: dict[str, Any]
) -> Iterator[str]:
    """Return the lines that match, and those around them."""
    before, after = task["before"], task["after"]
    near = {
        number
        for hit in hits
        for number in range(hit - before, hit + after + 1)
        if 0 <= number < len(lines)
    }
    for number in sorted(near):
        mark = ":" if number in hits else "-"
        line = lines[number][:LINE_CHARACTERS]
        yield f"{name}{mark}{number + 1}{mark}{line}"


def text_lines(path: Path) -> list[str]:
    """Read a file's lines; none if it is binary, too big, or no longer the one
    that was found.
    """
    try:
        name = path.relative_to(path.anchor).as_posix()
        data = Folder(path.anchor).read(name, FILE_BYTES + 1).data or b""
    except OSError:
        return []
    if len(data) > FILE_BYTES or b"\0" in data[:8_192]:
        return []
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n")


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    task = json.load(sys.stdin)
    for line in itertools.islice(results(task), task["limit"] + 1):
        print(line, flush=True)
