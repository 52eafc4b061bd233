"""The search itself, as a script of its own: a regular expression cannot be stopped, a process can.

A task comes in as JSON, lines of text go out. Nothing of memlab is imported, so that starting it
costs little. Links are not followed, nor hidden folders entered unless the glob names one. Left
out: ignore files such as ``.gitignore``, and matches across lines.
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

SKIPPED = {".git", ".memlab", "node_modules", "__pycache__"}
FILE_BYTES, LINE_CHARACTERS = 50_000_000, 400


def expand(glob: str) -> list[str]:
    """Write a glob with ``{a,b}`` as several without."""
    found = re.match(r"([^{]*)\{([^{}]*)\}(.*)", glob)
    if not found:
        return [f"{glob}/*" if glob.endswith("**") else glob]
    start, choices, rest = found.groups()
    return [one for choice in choices.split(",") for one in expand(start + choice + rest)]


def files(task: dict[str, Any]) -> dict[str, Path]:
    """Find plain files by a glob: how each is shown, in alphabetical order, and where it is."""
    root, shown, glob = Path(os.path.realpath(task["root"])), task["shown"], task["glob"]
    if root.is_file():
        return {shown: root}
    hidden = glob.startswith(".") or "/." in glob
    below = {path.relative_to(root): path for one in expand(glob) for path in root.glob(one)}
    return {
        f"{shown}/{name.as_posix()}": path
        for name, path in sorted(below.items())
        if not SKIPPED & set(name.parts)
        and (hidden or not any(part.startswith(".") for part in name.parts))
        and os.path.realpath(path) == str(path)
        and path.is_file()
    }


def results(task: dict[str, Any]) -> Iterator[str]:
    """Give the lines that answer a task."""
    found, mode = files(task), task["mode"]
    if mode == "glob":
        yield from sorted(found, key=lambda shown: -found[shown].stat().st_mtime_ns)
        return
    wanted = re.compile(task["pattern"], re.IGNORECASE if task["ignore_case"] else 0)
    for shown, path in found.items():
        lines = text_lines(path)
        hits = {number for number, line in enumerate(lines) if wanted.search(line)}
        if mode == "content":
            near = {n for hit in hits for n in range(hit - task["before"], hit + task["after"] + 1)}
            for number in sorted(near & set(range(len(lines)))):
                mark = ":" if number in hits else "-"
                yield f"{shown}{mark}{number + 1}{mark}{lines[number][:LINE_CHARACTERS]}"
        elif hits:
            yield shown if mode == "files_with_matches" else f"{shown}:{len(hits)}"


def text_lines(path: Path) -> list[str]:
    """Read a file's lines; none if it is binary, too big, or may not be read."""
    try:
        data = path.read_bytes() if path.stat().st_size <= FILE_BYTES else b""
    except OSError:
        return []
    text = "" if b"\0" in data[:8_192] else data.decode("utf-8", "replace")
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    task = json.load(sys.stdin)
    for line in itertools.islice(results(task), task["limit"] + 1):
        print(line, flush=True)
