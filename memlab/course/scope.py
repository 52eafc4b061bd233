"""The names that a notebook has after ``begin`` without importing them.

A cell that overwrites one of them gets it back, with a line that says so.
Outside IPython nothing happens, and the names are imported as usual.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

_PUT: dict[str, Any] = {}
_SHELLS: list[Any] = []


def put_in_scope(names: Mapping[str, Any]) -> None:
    """Put names into the notebook, and keep them there."""
    shell = _shell()
    if shell is None:
        return
    _PUT.update(names)
    shell.user_ns.update(names)
    if shell not in _SHELLS:
        _SHELLS.append(shell)
        shell.events.register("pre_run_cell", _before_cell)
        shell.events.register("post_run_cell", _after_cell)


def _shell() -> Any:
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def _before_cell(info: Any) -> None:
    _restore()


def _after_cell(result: Any) -> None:
    for name in _restore():
        print(
            f"{name} belongs to the course, so it means what it meant before."
            " Please use another name for yours."
        )


def _restore() -> list[str]:
    """Put back the names that are something else now; gives those that a cell
    has overwritten.
    """
    shell = _shell()
    if shell is None:
        return []
    names = shell.user_ns
    overwritten = [
        name
        for name, thing in _PUT.items()
        if name in names and names[name] is not thing
    ]
    names.update(_PUT)
    return overwritten
