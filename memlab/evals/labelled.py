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
from memlab.memdir.memory import MemoryType
from memlab.memdir.scan import MemoryHeader, scan_memory_files
from memlab.text import fold_space

LABELLED = Path(__file__).parents[2] / "data" / "labelled"
_TIMES = ("at", "last_dream", "modified", "mtime", "now")
_MARKER = "·"  # keeps other scanners from taking a case for a leak
# The loader written in C, where PyYAML has it, is ten times as fast.
_YAML = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class LabelError(MemlabError):
    """A file of a labelled set is missing, or not of the form it must have."""


class Label(dict[str, Any]):
    """A case, or a part of one. Its keys can be read as attributes, and one
    that is missing is an empty text.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.get(name, "")


def load_labels(*paths: Path) -> tuple[Label, ...]:
    """Read the cases of YAML files; raises LabelError."""
    return tuple(case for path in paths for case in read_yaml(path))


def read_yaml(path: Path) -> Any:
    """Read a YAML file: its mappings as labels, and its times as such.

    Raises LabelError.
    """
    try:
        text = path.read_text(encoding="utf-8")
        return _part(yaml.load(text, Loader=_YAML))
    except (OSError, TypeError, ValueError, yaml.YAMLError) as error:
        raise LabelError(
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
def load_recall_set(folder: Path = LABELLED / "select") -> RecallSet:
    """Read the labelled set of recall; raises LabelError.

    The paths of invented memories lead nowhere.
    """
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
        headers[name] = tuple(sorted(found, key=newest_first))
        now[name] = directory.now
    return RecallSet(cases, headers, now)


def _header(entry: Label) -> MemoryHeader:
    return MemoryHeader(
        path=Path(entry.file),
        filename=entry.file,
        mtime=entry.mtime,
        name=entry.name,
        description=entry.description,
        type=MemoryType(entry.type) if entry.type else None,
    )


def newest_first(header: MemoryHeader) -> tuple[int, str]:
    """Return the key that sorts headers as a scan does."""
    return -to_nanoseconds(header.mtime), header.filename


def load_secrets(folder: Path = LABELLED / "secrets") -> tuple[Label, ...]:
    """Read the texts that contain a secret."""
    return tuple(
        Label({key: text.replace(_MARKER, "") for key, text in case.items()})
        for case in load_labels(folder / "secrets.yaml")
    )


def load_ordinary(folder: Path = LABELLED / "secrets") -> tuple[Label, ...]:
    """Read the texts that contain none."""
    return load_labels(folder / "ordinary.yaml")
