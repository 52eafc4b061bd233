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
        if _reads(mode, flags) and _is_clear(path, mode):
            _note(path, "")
    elif event in ("os.listdir", "os.scandir"):
        # The import system lists every folder on the path. The notebook learns nothing from that.
        caller = sys._getframe(1).f_code.co_filename
        if "<frozen importlib" not in caller and f"{os.sep}importlib{os.sep}" not in caller:
            _note("." if arguments[0] is None else arguments[0], "/")


def _reads(mode: str | None, flags: int) -> bool:
    if mode is not None and any(letter in mode for letter in "wax"):
        return False
    return flags & (os.O_WRONLY | os.O_RDWR) != os.O_WRONLY


def _is_clear(path: object, mode: str | None) -> bool:
    """Tell whether the event says which file is meant.

    A relative name given to ``os.open``, which has no mode, usually belongs to a folder's
    descriptor and not to the working directory.
    """
    if not isinstance(path, (str, bytes, os.PathLike)):
        return False
    return mode is not None or os.path.isabs(path)


def _note(path: str | bytes | os.PathLike[str] | int, suffix: str) -> None:
    if isinstance(path, int):  # a descriptor; its path was seen when it was opened
        return
    whole = os.path.abspath(os.fsdecode(path))
    if not whole.startswith(ROOT + os.sep) or whole + suffix in _seen:
        return
    _seen.add(whole + suffix)
    line = os.path.relpath(whole, ROOT) + suffix + "\n"
    descriptor = os.open(RECORD, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, line.encode("utf-8", "surrogateescape"))
    finally:
        os.close(descriptor)


if RECORD and ROOT:
    sys.addaudithook(_hook)
