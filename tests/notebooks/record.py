"""The record of what each notebook's stored outputs were made from: ``notebooks/.stored.txt``.

It has one line per version of a file: a short hash of its content, the numbers of the notebooks
that read it when they were last stored, and the path. A path that ends in ``/`` is a folder whose
names were listed. So it is known which notebooks are out of date without running any of them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

RECORD = "notebooks/.stored.txt"
LOCK = "requirements.lock"
"""The versions of the packages, on which every output depends."""

Record = dict[str, dict[str, str]]
"""For each notebook's number, the hash of every path that it read."""


def read_record(root: Path) -> Record:
    """Read the record; what a merge has left unreadable or twice counts as out of date."""
    record: Record = {}
    file = root / RECORD
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    for line in lines:
        if match := re.fullmatch(r"([0-9a-f]{16})  (\d\d(?: \d\d)*)  (.+)", line):
            for number in match[2].split():
                paths = record.setdefault(number, {})
                paths[match[3]] = "" if match[3] in paths else match[1]
    return record


def add_to_record(root: Path, notebook: Path, opened: Iterable[str]) -> None:
    """Record what a notebook was made from: itself, the lock file and what it ``opened``.

    What is no longer there, and what belongs to the machine or to the learner, is left out.
    """
    paths = {
        path
        for path in opened
        if not re.search(r"(^|/)\.|^my/|/(site-packages|__pycache__)/", path)
    }
    paths |= {notebook.relative_to(root).as_posix(), LOCK}
    record = read_record(root)
    record[notebook.name[:2]] = {path: now for path in paths if (now := digest(root, path))}
    readers: dict[tuple[str, str], list[str]] = {}
    for number in sorted(record):
        if any(notebook.parent.glob(f"{number}_*.ipynb")):
            for path, version in record[number].items():
                readers.setdefault((path, version), []).append(number)
    rows = sorted(readers.items())
    lines = [f"{version}  {' '.join(numbers)}  {path}\n" for (path, version), numbers in rows]
    (root / RECORD).write_text("".join(lines), encoding="utf-8", newline="\n")


def changes_since_stored(root: Path, notebook: Path, record: Record) -> list[str]:
    """Name what has changed since a notebook was stored; nothing if it is up to date."""
    known = record.get(notebook.name[:2])
    if known is None:
        return ["there is no record of how it was stored"]
    now = {path: digest(root, path) for path in known}
    changed = [path for path, version in known.items() if now[path] != version]
    return [f"{path} {'changed' if now[path] else 'is gone'}" for path in changed]


def digest(root: Path, path: str) -> str:
    """Hash a file's content, or the names in a folder; "" if there is no such thing."""
    found = root / path
    if path.endswith("/") and found.is_dir():
        names = sorted(one.name for one in found.iterdir())
        seen = [name for name in names if not name.startswith((".", "__pycache__"))]
        content = "\n".join(seen).encode()
    elif found.is_file():
        content = found.read_bytes()
    else:
        return ""
    return hashlib.sha256(content).hexdigest()[:16]
