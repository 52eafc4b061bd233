"""Memories and headers for the tests of recall."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from memlab.clock import STORY_START
from memlab.memdir.scan import MemoryHeader


def header(file: str, about: str = "", days: float = 1, name: str = "") -> MemoryHeader:
    """Make a header of a memory that is so many days old."""
    moment = STORY_START - timedelta(days=days)
    return MemoryHeader(Path("nowhere", file), file, moment, name, about, None)


def put(folder: Path, file: str, content: bytes, days: float = 1) -> MemoryHeader:
    """Write any bytes, so many days ago."""
    made = replace(header(file, days=days), path=folder / file)
    made.path.parent.mkdir(parents=True, exist_ok=True)
    made.path.write_bytes(content)
    os.utime(made.path, (made.mtime.timestamp(),) * 2)
    return made


def write(
    folder: Path, file: str, about: str = "", body: str = "", days: float = 1
) -> MemoryHeader:
    """Write a memory; JSON spells any text as YAML reads it."""
    keys = f"name: {json.dumps(file)}\ndescription: {json.dumps(about)}\ntype: project"
    return put(folder, file, f"---\n{keys}\n---\n{body}\n".encode(), days)


def names(headers: Iterable[Any]) -> list[str]:
    """Give the file names of headers, attachments or what was left out."""
    return [each.filename for each in headers]
