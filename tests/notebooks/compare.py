"""Compare a cell's fresh outputs with the stored ones, as nbval's strict mode does.

Needed where nbval cannot be used: ``forked.py`` stops at the first difference. Left out: showing
the difference at length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from tests.notebooks.page import joined

Output = Mapping[str, Any]

NOT_COMPARED = re.compile(
    r"metadata|traceback|prompt_number|output_type|name|execution_count|image/(png|jpeg)"
    r"|application/vnd\.jupyter\.widget-view\+json"
)
"""Parts of an output in which two good runs may differ; the list is nbval's."""
_OVERWRITTEN = re.compile(r"^.*\r(?=[^\n])", re.MULTILINE)


def first_difference(stored: Iterable[Output], fresh: Iterable[Output]) -> str | None:
    """Say in a few words what differs first, or return ``None``."""
    expected, came = _by_kind(stored), _by_kind(fresh)
    for kind in sorted(expected.keys() | came.keys()):
        old, new = expected.get(kind, []), came.get(kind, [])
        if len(old) != len(new):
            shown = f": {str(new[0]).strip()[:40]!r}" if new else ""
            return f"{len(new)} outputs of {kind} instead of {len(old)}{shown}"
        for one, other in zip(old, new, strict=True):
            if one != other:
                return f"{kind}: {_first_changed_line(str(one), str(other))}"
    return None


def _by_kind(outputs: Iterable[Output]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for output in outputs:
        if output["output_type"] == "stream":
            text = "".join(found.pop(output["name"], [])) + joined(output["text"])
            found[output["name"]] = [text]
            continue
        flat = {**output, **output.get("data", {})}
        flat.pop("data", None)
        for kind, value in flat.items():
            if not NOT_COMPARED.fullmatch(kind):
                found.setdefault(kind, []).append(joined(value))
    for name in {"stdout", "stderr"} & found.keys():
        found[name] = [_OVERWRITTEN.sub("", found[name][0])]
    return found


def _first_changed_line(old: str, new: str) -> str:
    before, after = old.splitlines(), new.splitlines()
    for one, other in zip(before, after, strict=False):
        if one != other:
            same = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
            start = max(0, same - 20)
            return f"{one[start : start + 40]!r} became {other[start : start + 40]!r}"
    return f"{len(before)} lines became {len(after)}"
