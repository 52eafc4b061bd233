"""``bundle``: a folder of wheels to hand out where there is no network, or a
slow one.

Each wheel is fetched by pip into a folder for unfinished work, checked, and
then moved into place in one step. So every file in the folder is whole, and a
run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from memlab.cli.setup.clone import Clone, python_in
from memlab.cli.setup.console import Activity, Problem, say
from memlab.cli.setup.installer import NoNetwork, NoWheel, download, has_pip
from memlab.cli.setup.packages import COURSE, lock_file, python_version
from memlab.cli.setup.wheels import (
    PLATFORMS,
    PYTHONS,
    Locked,
    Target,
    complete,
    describe,
    fitting,
    is_locked,
    needed,
    target_for,
    this_platform,
    wheels_in,
)

ALL = "all"
PAGE = "README.txt"
UNFINISHED = ".unfinished"
_AT_ONCE = 20  # what an interruption costs at most, in wheels

_TEXT = """\
The packages of the memlab course, to install without a network:
{targets}.

1. Copy this folder ({name}) and the folder of the course to your disk.
2. Open a terminal, change to the folder of the course, and type this, with
   the path of your copy:

   python3 -m memlab lab --wheels ../{name}        Linux, macOS
   py -m memlab lab --wheels ..\\{name}             Windows

Later, python3 -m memlab lab (on Windows, py -m memlab lab) is enough.
"""


def add_options(parser: ArgumentParser) -> None:
    """Describe the options of ``bundle``."""
    parser.add_argument(
        "folder",
        type=Path,
        metavar="DIR",
        help="the folder for the wheels; what is already there is kept",
    )
    parser.add_argument(
        "--platform",
        type=_names(tuple(PLATFORMS)),
        metavar="NAMES",
        help=(
            f"one or more of {', '.join(PLATFORMS)}, separated by commas, or"
            " all (default: this machine's)"
        ),
    )
    parser.add_argument(
        "--python",
        type=_names(PYTHONS),
        metavar="VERSIONS",
        help=(
            f"one or more of {', '.join(PYTHONS)}, separated by commas, or"
            " all (default: this Python's; with --platform, all)"
        ),
    )


def run(clone: Clone, args: Namespace) -> int:
    """Collect the wheels of the course for one or several platforms."""
    folder = Path(os.path.abspath(args.folder))
    targets = _targets(args.platform, args.python)
    python = _python_with_pip(clone)
    lock = lock_file(clone, COURSE)
    with _unfinished(folder) as unfinished:
        lacking = [
            f"{entry} has no wheel for {target}"
            for target in targets
            for entry in _collect(folder, unfinished, lock, target, python)
        ]
    done = complete(folder, lock)
    if done:
        _write_page(folder, done)
    if lacking:
        raise Problem(
            f"{'; '.join(lacking)}. People with such a machine need a network"
            " or another Python version; --platform and --python choose what"
            " to collect. The other wheels are in the folder"
        )
    size = sum((folder / name).stat().st_size for name in wheels_in(folder))
    say(
        f"{folder} has {size / 1e6:.0f} MB of wheels for {describe(done)}. Hand"
        " it out together with this project's folder; in that folder, people"
        f" type: python3 -m memlab lab --wheels ../{folder.name}"
        f" ({PAGE} says so, too)"
    )
    return 0


def _targets(
    platforms: Sequence[str] | None, pythons: Sequence[str] | None
) -> list[Target]:
    if pythons is None:
        pythons = [python_version()] if platforms is None else PYTHONS
    if platforms is None:
        platforms = [this_platform().name]
    return [
        target_for(PLATFORMS[platform], python)
        for platform in platforms
        for python in pythons
    ]


def _collect(
    folder: Path, unfinished: Path, lock: Path, target: Target, python: Path
) -> list[Locked]:
    """Fetch what is missing for one target; gives the entries for which there
    is no wheel.
    """
    entries = needed(lock, target)
    activity = Activity(f"collecting {len(entries)} wheels for {target}")
    missing = []
    for entry in entries:
        activity.show(f"checking {entry.name}")
        if not _is_there(folder, entry, target):
            missing.append(entry)
    lacking: list[Locked] = []
    while missing:
        # one version of each: releases of one Python may need different ones
        group = list({entry.name: entry for entry in missing}.values())
        group = group[:_AT_ONCE]
        done = len(entries) - len(missing)
        try:
            download(
                python,
                group,
                target,
                unfinished,
                activity,
                f"{done} of {len(entries)}",
            )
        except NoWheel as problem:
            # pip names the first one; the others are tried again without it
            absent = [
                entry for entry in group if problem.package == str(entry)
            ]
            if not absent:
                raise
            lacking += absent
            missing.remove(absent[0])
            continue
        except NoNetwork as problem:
            raise NoNetwork(
                f"{problem} (of {len(entries)} wheels for {target},"
                f" {done} are there already)"
            ) from None
        for entry in group:
            for name in fitting(wheels_in(unfinished), entry, target):
                os.replace(unfinished / name, folder / name)
        missing = [entry for entry in missing if entry not in group]
    activity.clear()
    return lacking


def _is_there(folder: Path, entry: Locked, target: Target) -> bool:
    names = fitting(wheels_in(folder), entry, target)
    return bool(names) and all(
        is_locked(folder / name, entry) for name in names
    )


@contextmanager
def _unfinished(folder: Path) -> Iterator[Path]:
    """Make the folder, and one in it for unfinished work, which is removed at
    the end.
    """
    unfinished = folder / UNFINISHED
    if folder.exists() and not folder.is_dir():
        raise Problem(
            f"{folder} is a file. Name a folder, or one that does not exist"
            " yet"
        )
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True, exist_ok=True)
    except (PermissionError, NotADirectoryError, FileNotFoundError) as error:
        raise Problem(
            f"cannot write {folder} ({error.strerror}). Name a folder that you"
            " own"
        ) from None
    try:
        yield unfinished
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _write_page(folder: Path, done: Sequence[Target]) -> None:
    """Say in the folder itself what it is, for whoever is handed it."""
    targets = describe(done).replace("; ", ",\n")
    half = folder / f"{PAGE}.new"
    half.write_text(
        _TEXT.format(targets=targets, name=folder.name),
        "utf-8",
        newline="\r\n",
    )
    os.replace(half, folder / PAGE)


def _python_with_pip(clone: Clone) -> Path:
    if importlib.util.find_spec("pip") is not None:
        return Path(sys.executable)
    if has_pip(clone.venv):
        return python_in(clone.venv)
    raise Problem(
        f"{sys.executable} has no pip to download with. Set up the course"
        " first, with: python3 -m memlab lab --prepare"
    )


def _names(known: tuple[str, ...]) -> Callable[[str], list[str]]:
    def parse(text: str) -> list[str]:
        if text == ALL:
            return list(known)
        names = [name.strip() for name in text.split(",")]
        for name in names:
            if name not in known:
                raise ArgumentTypeError(
                    f"{name!r} is unknown; choose from {', '.join(known)}, or"
                    f" {ALL}"
                )
        return list(dict.fromkeys(names))

    return parse
