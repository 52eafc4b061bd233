"""The labelled set of recall, read from its folder and checked.

Left out: metrics (``metrics.py``) and every method of choosing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from memlab.errors import MemlabError
from memlab.evals.select_rules import broken_rules
from memlab.evals.select_set import LabelledDirectory, SelectCase, SelectSet
from memlab.memdir.memory import MemoryType
from memlab.memdir.scan import MemoryHeader, scan_memory_files

__all__ = [
    "LabelError",
    "LabelledDirectory",
    "SelectCase",
    "SelectSet",
    "lint_select_set",
    "load_select_set",
]

_CASES = "cases.yaml"
_BETTER = "better_descriptions.yaml"
_FORM = "Keep to the form in the folder's README.md."

_ABOUT = {"what": str, "person": str, "now": str}
_ENTRY = {"file": str, "name": str, "description": str, "mtime": str}
_MORE_OF_ENTRY = {"type": str, "body": str, "documents": str, "warns_about": str}
_CASE = {"id": str, "directory": str, "query": str, "recent_tools": list, "relevant": list}
_CASE |= {"kind": str, "half": str, "reason": str}
_MORE_OF_CASE = {"tempting": list, "language": str}


class LabelError(MemlabError):
    """A file of a labelled set is missing, or not of the form it must have."""


def load_select_set(folder: Path | str) -> SelectSet:
    """Read the set in that folder.

    The paths of invented memories lead nowhere. Raises LabelError where a file is missing or not
    of the form its README describes; what a well-formed set can still do wrong is for
    ``lint_select_set``.
    """
    top = Path(folder)
    named = sorted(path for path in top.glob("*.yaml") if path.name not in (_CASES, _BETTER))
    cases = _read(top / _CASES)
    if not isinstance(cases, list):
        raise LabelError("not a list of cases", where=top / _CASES, do=_FORM)
    better = _keys(
        _read(top / _BETTER), {"directory": str, "descriptions": dict}, {}, top / _BETTER
    )
    return SelectSet(
        directories={path.stem: _directory(path) for path in named},
        cases=tuple(_case(item, f"{_CASES}, case {n}") for n, item in enumerate(cases, 1)),
        better_directory=better["directory"],
        better={str(file): str(line) for file, line in better["descriptions"].items()},
    )


def lint_select_set(folder: Path | str) -> list[str]:
    """Say everything that is wrong with the set in that folder; an empty list means nothing."""
    try:
        select_set = load_select_set(folder)
    except LabelError as error:
        return [str(error)]
    return list(broken_rules(select_set))


def _directory(path: Path) -> LabelledDirectory:
    content = _read(path)
    if isinstance(content, dict) and "memory" in content:
        about = _keys(content, _ABOUT | {"memory": str, "mtimes": str}, {}, path)
        headers = _real_headers(path.parent / about["memory"], path.parent / about["mtimes"])
        entries = []
    else:
        about = _keys(content, _ABOUT | {"entries": list}, {}, path)
        entries = [
            _keys(entry, _ENTRY, _MORE_OF_ENTRY, f"{path.name}, entry {n}")
            for n, entry in enumerate(about["entries"], 1)
        ]
        headers = [_invented_header(entry, path.with_suffix("")) for entry in entries]

    def labels(key: str) -> dict[str, str]:
        return {entry["file"]: entry[key] for entry in entries if key in entry}

    return LabelledDirectory(
        name=path.stem,
        what=about["what"],
        person=about["person"],
        now=_moment(about["now"], path.name),
        headers=tuple(
            sorted(headers, key=lambda header: (-header.mtime.timestamp(), header.filename))
        ),
        bodies=labels("body"),
        documents=labels("documents"),
        warns_about=labels("warns_about"),
    )


def _real_headers(memory: Path, mtimes: Path) -> list[MemoryHeader]:
    """Scan a directory and give each header the time it has in the story: Git keeps none."""
    try:
        times = json.loads(mtimes.read_text(encoding="utf-8"))
        return [
            replace(header, mtime=_moment(times[f"memory/{header.filename}"], mtimes))
            for header in scan_memory_files(memory)
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LabelError(f"no time for each memory: {error}", where=mtimes, do=_FORM) from error


def _invented_header(entry: Mapping[str, Any], directory: Path) -> MemoryHeader:
    where = f"{directory.name}.yaml, {entry['file']}"
    kind = entry.get("type")
    if kind is not None and kind not in MemoryType.__members__:
        raise LabelError(f"no type is {kind!r}", where=where, do=f"Use {', '.join(MemoryType)}.")
    return MemoryHeader(
        path=directory / entry["file"],
        filename=entry["file"],
        mtime=_moment(entry["mtime"], where),
        name=entry["name"],
        description=entry["description"],
        type=MemoryType(kind) if kind else None,
    )


def _case(item: object, where: str) -> SelectCase:
    case = _keys(item, _CASE, _MORE_OF_CASE, where)
    case.setdefault("tempting", [])
    for key in ("recent_tools", "relevant", "tempting"):
        values = case[key]
        if not all(isinstance(value, str) for value in values) or len({*values}) < len(values):
            raise LabelError(f"{key} must be texts, each once", where=where, do=_FORM)
    return SelectCase(
        **{key: case[key] for key in ("id", "directory", "query", "kind", "half", "reason")},
        recent_tools=tuple(case["recent_tools"]),
        relevant=frozenset(case["relevant"]),
        tempting=frozenset(case["tempting"]),
        language=case.get("language"),
    )


def _read(path: Path) -> object:
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise LabelError(f"cannot be read: {error}", where=path, do=_FORM) from error


def _keys(
    item: object, needed: Mapping[str, type], optional: Mapping[str, type], where: object
) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise LabelError("not a mapping", where=where, do=_FORM)
    known = {**needed, **optional}
    if odd := sorted(map(str, (needed.keys() - item.keys()) | (item.keys() - known.keys()))):
        raise LabelError(f"missing or unknown: {', '.join(odd)}", where=where, do=_FORM)
    for key, value in item.items():
        if not isinstance(value, known[key]):
            kind = known[key].__name__
            raise LabelError(f"{key} is {value!r} and no {kind}", where=where, do=_FORM)
    return dict(item)


def _moment(text: str, where: object) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError as error:
        raise LabelError(f"no time: {text!r}", where=where, do=_FORM) from error
