"""The record of what each notebook's stored outputs were made from: ``notebooks/.stored.txt``.

It has one line per version of a file: a short hash of its content, the numbers of the notebooks
that read it when they were last stored, and the path. A path that ends in ``/`` is a folder whose
names were listed. So it is known which notebooks are out of date without running any of them.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from tests.notebooks.page import NOTEBOOKS, ROOT, find_notebooks

RECORD = NOTEBOOKS / ".stored.txt"
LOCK = "requirements.lock"
"""The versions of the packages, on which every output depends."""
NOT_OURS = re.compile(r"(^|/)\.|^my/|/(site-packages|__pycache__)/")
"""Paths that belong to the machine or to the learner."""


def read_record() -> dict[str, dict[str, str]]:
    """Give, for each notebook's number, the hash of every path that it read.

    What a merge has left unreadable or twice counts as out of date.
    """
    record: dict[str, dict[str, str]] = defaultdict(dict)
    text = RECORD.read_text("utf-8") if RECORD.exists() else ""
    for version, numbers, path in re.findall(r"(?m)^([0-9a-f]{16})  ([\d ]+)  (.+)$", text):
        for number in numbers.split():
            record[number][path] = "" if path in record[number] else version
    return record


def add_to_record(notebook: Path, opened: Iterable[str]) -> None:
    """Record what a notebook was made from: itself, the lock file and what it ``opened``."""
    paths = {path for path in opened if not NOT_OURS.search(path)}
    paths |= {notebook.relative_to(ROOT).as_posix(), LOCK}
    record = read_record()
    record[notebook.name[:2]] = {path: now for path in paths if (now := digest(path))}
    readers = defaultdict(list)
    for number in (path.name[:2] for path in find_notebooks()):
        for row in record[number].items():
            readers[row].append(number)
    rows = sorted(readers.items())
    lines = [f"{version}  {' '.join(numbers)}  {path}\n" for (path, version), numbers in rows]
    RECORD.write_text("".join(lines), encoding="utf-8", newline="\n")


def changes_since_stored(notebook: Path) -> list[str]:
    """Name what has changed since a notebook was stored; nothing if it is up to date."""
    known = read_record()[notebook.name[:2]]
    if not known:
        return ["there is no record of how it was stored"]
    now = {path: digest(path) for path in known}
    changed = [path for path, version in known.items() if now[path] != version]
    return [f"{path} {'changed' if now[path] else 'is gone'}" for path in changed]


def digest(path: str) -> str:
    """Hash a file's content, or the names in a folder; "" if there is no such thing."""
    found = ROOT / path
    if path.endswith("/") and found.is_dir():
        names = sorted(one.name for one in found.iterdir())
        seen = [name for name in names if not name.startswith((".", "__pycache__"))]
        content = "\n".join(seen).encode()
    elif found.is_file():
        content = found.read_bytes()
    else:
        return ""
    return hashlib.sha256(content).hexdigest()[:16]
