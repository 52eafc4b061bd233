"""``store``: says which notebooks' outputs are out of date, or runs notebooks
and stores them.

``notebooks/.stored.txt`` records what each notebook's stored outputs were made
from. It has one line per version of a file: a short hash of its content, the
numbers of the notebooks that read this version when they were last stored, and
the path. A path that ends in ``/`` is a folder whose names were listed.
Comparing the record with the files shows which notebooks are out of date
without running any of them.
"""

from __future__ import annotations

import hashlib
import os
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path

from memlab.cli.setup.clone import Clone
from memlab.cli.setup.console import COMMAND, Problem, say
from memlab.cli.setup.interpreter import add_environment_options, prepare
from memlab.cli.setup.process import environment, run_child

RUNNER = "tests/notebooks/store.py"
_REASONS_SHOWN = 3

RECORD = "notebooks/.stored.txt"
LOCK = "requirements.lock"
"""The exact versions of the packages that notebooks run with: every output
depends on them.
"""

Record = dict[str, dict[str, str]]
"""For each notebook's number, the hash of every path that it read."""

_LINE = re.compile(r"([0-9a-f]{16})  (\d\d(?: \d\d)*)  (.+)")
_HASH_LENGTH = 16


def add_options(parser: ArgumentParser) -> None:
    """Describe the options of ``store``."""
    parser.add_argument(
        "notebooks",
        nargs="*",
        metavar="NN",
        help="run and store these notebooks",
    )
    parser.add_argument(
        "--changed",
        action="store_true",
        help="run and store what is out of date",
    )
    parser.add_argument(
        "--all", action="store_true", help="run and store every notebook"
    )
    add_environment_options(parser)


def run(clone: Clone, args: Namespace) -> int:
    """Store the notebooks that are named, those that are out of date, or all
    of them.

    Without any of the three, only say which ones are out of date and why:
    nothing is installed, run or written.
    """
    numbers: list[str] = args.notebooks
    if bool(numbers) + args.changed + args.all > 1:
        raise Problem(
            f"choose one of these: numbers of notebooks ({COMMAND} store 03),"
            " --changed, --all"
        )
    if not (clone.root / RUNNER).is_file():
        raise Problem(
            f"{RUNNER} is missing from this clone, so nothing can be stored"
        )
    known = notebooks(clone.root)
    if not numbers and not args.all:
        stale = _report(clone, known)
        if not args.changed:
            if stale:
                say(f"to run and store them: {COMMAND} store --changed")
            return 0
        if not stale:
            return 0
        numbers = [path.name[:2] for path in stale]
    numbers = _checked(known, numbers)
    chosen = prepare(clone, here=args.here, wheels=args.wheels)
    return run_child(
        [chosen.python, "-m", "tests.notebooks.store", *numbers],
        cwd=clone.root,
        env=environment(JUPYTER_PREFER_ENV_PATH="1"),
    )


def notebooks(root: Path) -> list[Path]:
    """List the notebooks of the course, in order."""
    return sorted((root / "notebooks").glob("[0-9][0-9]_*.ipynb"))


def read_record(root: Path) -> Record:
    """Read the record; empty if there is none, or if a merge left it
    unreadable.
    """
    record: Record = {}
    try:
        lines = (root / RECORD).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is None:
            return {}
        for number in match[2].split():
            paths = record.setdefault(number, {})
            if match[3] in paths:
                return {}
            paths[match[3]] = match[1]
    return record


def add_to_record(root: Path, notebook: Path, opened: Iterable[str]) -> None:
    """Record what ``notebook`` was made from: itself, the lock, and what it
    ``opened``.

    Paths are relative to ``root``, with forward slashes. Those that are gone,
    and those that belong to the machine or to the learner, are left out. So
    are notebooks that no longer exist.
    """
    paths = {path for path in opened if _is_of_the_project(path)}
    paths.add(notebook.relative_to(root).as_posix())
    paths.add(LOCK)
    record = read_record(root)
    record[notebook.name[:2]] = {
        path: found for path in paths if (found := digest(root, path))
    }

    readers: dict[tuple[str, str], list[str]] = {}
    for number in sorted(path.name[:2] for path in notebooks(root)):
        for path, version in record.get(number, {}).items():
            readers.setdefault((path, version), []).append(number)
    lines = [
        f"{version}  {' '.join(numbers)}  {path}\n"
        for (path, version), numbers in sorted(readers.items())
    ]
    half = root / f"{RECORD}.new"
    half.write_text("".join(lines), encoding="utf-8", newline="\n")
    os.replace(half, root / RECORD)


def changes_since_stored(
    root: Path, notebook: Path, record: Record
) -> list[str]:
    """Say what has changed since ``notebook`` was stored; nothing if its
    outputs are up to date.
    """
    if notebook.name[:2] not in record:
        return ["there is no record of how it was stored"]
    own_path = notebook.relative_to(root).as_posix()
    found: list[str] = []
    for path, version in record[notebook.name[:2]].items():
        now = digest(root, path)
        if now == version:
            continue
        if path == own_path:
            found.insert(0, "the notebook itself changed")
        elif now:
            found.append(f"{path} changed")
        else:
            found.append(f"{path} is gone")
    return found


def digest(root: Path, path: str) -> str:
    """Hash a file's content, or the names in a folder; empty if there is no
    such thing.
    """
    found = root / path
    if path.endswith("/"):
        content = (
            "\n".join(_names_in(found)).encode() if found.is_dir() else None
        )
    else:
        content = found.read_bytes() if found.is_file() else None
    return (
        ""
        if content is None
        else hashlib.sha256(content).hexdigest()[:_HASH_LENGTH]
    )


def _report(clone: Clone, known: list[Path]) -> list[Path]:
    """Print the notebooks that are out of date, each with its reasons; give
    them.
    """
    stale = []
    record = read_record(clone.root)
    for path in known:
        reasons = changes_since_stored(clone.root, path, record)
        if not reasons:
            continue
        stale.append(path)
        shown = ", ".join(reasons[:_REASONS_SHOWN])
        if len(reasons) > _REASONS_SHOWN:
            shown += f", and {len(reasons) - _REASONS_SHOWN} more"
        print(f"  {path.stem}: {shown}", flush=True)
    say(f"{len(known) - len(stale)} of {len(known)} notebooks are up to date")
    return stale


def _checked(known: list[Path], numbers: list[str]) -> list[str]:
    """Return the numbers with two digits; raises ``Problem`` for one that no
    notebook has.
    """
    there = [path.name[:2] for path in known]
    wanted = [number.zfill(2) for number in numbers]
    for number in wanted:
        if number not in there:
            raise Problem(
                f"there is no notebook {number}. The notebooks are:"
                f" {', '.join(there) or 'none'}"
            )
    return wanted


def _is_of_the_project(path: str) -> bool:
    parts = path.rstrip("/").split("/")
    if parts[0] == "my" or "site-packages" in parts:
        return False
    return not any(part.startswith(".") for part in parts)


def _names_in(folder: Path) -> Iterator[str]:
    """Name what is in a folder, apart from what Python and editors leave
    there.
    """
    for path in sorted(folder.iterdir()):
        if not path.name.startswith((".", "__pycache__")):
            yield path.name
