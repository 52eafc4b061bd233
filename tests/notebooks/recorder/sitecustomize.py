"""Records which files of the project a notebook's processes read.

Python imports a module of this name when it starts. ``tests.notebooks.store`` puts this folder on
the kernel's path, and the processes that a notebook starts inherit it. Each path is written at
once, because kernels and crash experiments end without warning. What a program that is not Python
reads is not seen.
"""

import os
import sys
from typing import Any

RECORD = os.environ.get("NOTEBOOK_READS_RECORD", "")
ROOT = os.environ.get("NOTEBOOK_READS_ROOT", "")

_seen: set[str] = set()


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        path, mode, flags = arguments
        reads = not {*(mode or "")} & {*"wax"} and flags & os.O_ACCMODE != os.O_WRONLY
        # without a mode, a relative name usually belongs to a folder's descriptor
        if reads and not isinstance(path, int) and (mode or os.path.isabs(path)):
            _note(path, "")
    elif event in ("os.listdir", "os.scandir") and not isinstance(arguments[0], int):
        caller = sys._getframe(1).f_code.co_filename
        if "importlib" in caller:  # it lists every folder on the path
            return
        _note(arguments[0] or ".", "/")


def _note(path: str | bytes | os.PathLike[str], suffix: str) -> None:
    whole = os.path.abspath(os.fsdecode(path)) + suffix
    if not whole.startswith(ROOT + os.sep) or whole in _seen:
        return
    _seen.add(whole)
    line = os.path.relpath(whole, ROOT) + suffix + "\n"
    descriptor = os.open(RECORD, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, line.encode("utf-8", "surrogateescape"))
    finally:
        os.close(descriptor)


if RECORD and ROOT:
    sys.addaudithook(_hook)
