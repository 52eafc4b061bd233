"""Compare a cell's fresh outputs with the stored ones, as nbval's strict mode does.

Needed where nbval cannot be used: ``forked.py`` stops at the first difference. Left out: showing
the difference at length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

Output = Mapping[str, Any]

NOT_COMPARED = frozenset(
    {
        "metadata",
        "traceback",
        "prompt_number",
        "output_type",
        "name",
        "execution_count",
        "application/vnd.jupyter.widget-view+json",
        "image/png",
        "image/jpeg",
    }
)
"""Parts of an output in which two good runs may differ; the list is nbval's."""

_OVERWRITTEN = re.compile(r"^.*\r(?=[^\n])", re.MULTILINE)


def first_difference(stored: Iterable[Output], fresh: Iterable[Output]) -> str | None:
    """Say in a few words what differs first, or return ``None``."""
    expected, came = _by_kind(stored), _by_kind(fresh)
    for kind in sorted(expected.keys() | came.keys()):
        if kind not in came:
            return f"no {kind} came"
        if kind not in expected:
            return f"unexpected {kind}: {_short(str(came[kind][0]).strip())}"
        if len(expected[kind]) != len(came[kind]):
            return f"{len(came[kind])} outputs of {kind} instead of {len(expected[kind])}"
        for old, new in zip(expected[kind], came[kind], strict=True):
            if old != new:
                return f"{kind}: {_first_changed_line(old, new)}"
    return None


def _by_kind(outputs: Iterable[Output]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    streams: dict[str, str] = {}
    for output in outputs:
        if output["output_type"] == "stream":
            name = output["name"]
            streams[name] = streams.get(name, "") + _joined(output["text"])
            continue
        flat = {**output, **output.get("data", {})}
        flat.pop("data", None)
        for kind, value in flat.items():
            if kind not in NOT_COMPARED:
                found.setdefault(kind, []).append(_joined(value))
    for name, text in streams.items():
        found[name] = [_OVERWRITTEN.sub("", text)]
    return found


def _joined(text: Any) -> Any:
    """Return a text that a notebook's file has as a list of lines."""
    return "".join(text) if isinstance(text, list) else text


def _first_changed_line(old: Any, new: Any) -> str:
    before, after = str(old).splitlines(), str(new).splitlines()
    for one, other in zip(before, after, strict=False):
        if one != other:
            pairs = enumerate(zip(one, other, strict=False))
            same = next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))
            return f"{_short(one, same)} became {_short(other, same)}"
    return f"{len(before)} lines became {len(after)}"


def _short(value: Any, changed_at: int = 0, limit: int = 40) -> str:
    """Show a line, or the part of it that begins shortly before the change."""
    text = str(value)
    start = max(0, changed_at - limit // 2) if len(text) > limit else 0
    end = start + limit
    return repr("…" * bool(start) + text[start:end] + "…" * (end < len(text)))
