"""The labelled sets: cases, each with what is right for it, read from YAML.

The READMEs in ``data/labelled`` describe the form of each set, and
``tests/unit/evals`` checks every case against it. Whether a label is right,
only a person can judge.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from memlab.clock import to_nanoseconds
from memlab.errors import MemlabError
from memlab.memdir.memory import Memory, MemoryType, format_memory
from memlab.memdir.scan import MemoryHeader, scan_memory_files
from memlab.text import fold_space

LABELLED = Path(__file__).parents[2] / "data" / "labelled"
_TIMES = ("at", "last_dream", "modified", "mtime", "now")
# The loader written in C, where PyYAML has it, is ten times as fast.
_YAML = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Label(dict[str, Any]):
    """A case, or a part of one. Its keys can be read as attributes, and one
    that is missing is an empty text.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.get(name, "")


def load_labels(*paths: Path) -> tuple[Label, ...]:
    """Read the cases of YAML files; raises MemlabError."""
    return tuple(case for path in paths for case in read_yaml(path))


def read_yaml(path: Path) -> Any:
    """Read a YAML file: its mappings as labels, and its times as such.

    Raises MemlabError.
    """
    try:
        text = path.read_text(encoding="utf-8")
        return _part(yaml.load(text, Loader=_YAML))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise MemlabError(
            f"cannot be read: {error}",
            where=path,
            do="Correct it; if it is missing, clone the course's repository,"
            " to which it belongs, and run the command there",
        ) from error


def _part(value: Any) -> Any:
    if isinstance(value, list):
        return [_part(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "repeat" in value:  # a long text
        return (
            value["before"] + value["repeat"] * value["times"] + value["after"]
        )
    return Label(
        (key, datetime.fromisoformat(each) if key in _TIMES else _part(each))
        for key, each in value.items()
    )


def contains_all(text: str, phrases: Iterable[str]) -> bool:
    """Tell whether a text contains every phrase of a label, or one of the
    alternatives that `` | `` separates in it.

    Case, the width of white space and the form of accents do not count.
    """
    folded = _folded(text)
    return all(
        any(_folded(each.strip()) in folded for each in phrase.split(" | "))
        for phrase in phrases
    )


def _folded(text: str) -> str:
    return fold_space(unicodedata.normalize("NFC", text)).casefold()


@dataclass(frozen=True)
class RecallSet:
    """The labelled set of recall: its cases, and by the name of each memory
    directory its headers, newest first, and the time of its questions.
    """

    cases: tuple[Label, ...]
    headers: Mapping[str, tuple[MemoryHeader, ...]]
    now: Mapping[str, datetime]

    def half(self, half: str) -> list[Label]:
        """Give the cases of ``work`` or ``final``."""
        return [case for case in self.cases if case.half == half]


@cache
def load_recall_set() -> RecallSet:
    """Read the labelled set of recall; raises MemlabError.

    The paths of invented memories lead nowhere.
    """
    folder = LABELLED / "select"
    cases = load_labels(folder / "cases.yaml")
    headers = {}
    now = {}
    for name in dict.fromkeys(case.directory for case in cases):
        directory = read_yaml(folder / f"{name}.yaml")
        found = [_header(entry) for entry in directory.entries]
        if directory.memory:
            times = json.loads((folder / directory.mtimes).read_text("utf-8"))
            for header in scan_memory_files(folder / directory.memory):
                at = datetime.fromisoformat(times[f"memory/{header.filename}"])
                found.append(replace(header, mtime=at))  # Git keeps no times
        headers[name] = tuple(sorted(found, key=_newest_first))
        now[name] = directory.now
    return RecallSet(cases, headers, now)


def memory_file(label: Label) -> bytes:
    """Write the memory that a label describes."""
    memory = Memory(label.name, label.description, _kind(label), label.body)
    return format_memory(memory).encode()


def _header(label: Label) -> MemoryHeader:
    path, said = Path(label.file), (label.name, label.description)
    return MemoryHeader(path, label.file, label.mtime, *said, _kind(label))


def _kind(label: Label) -> MemoryType | None:
    return MemoryType(label.type) if label.type else None


def _newest_first(header: MemoryHeader) -> tuple[int, str]:
    return -to_nanoseconds(header.mtime), header.filename
