"""What belongs in each of memlab's directories, and what is astray in them.

There are three kinds of directory: the memory of a project, with the team's
memories in ``team/`` and the daily logs in ``logs/``; the personal memories;
and the notes of a project's sessions, ``session-memory/SESSION/memory.md``.
Everything here only looks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from memlab.memdir.daily_log import LOG_PATTERN, log_day
from memlab.memdir.folder import Folder
from memlab.memdir.places import (
    INDEX,
    LOGS,
    NOTES,
    PERSONAL,
    SESSION_MEMORY,
    STORE_FOLDER,
    TEAM,
    personal_folder,
)


class Layout(StrEnum):
    """The kind of a directory."""

    memory = "memory"
    personal = "personal"
    notes = "notes"


class Astray(NamedTuple):
    """What is where nobody looks for it, by its path below the directory, and
    what to do about it.
    """

    path: str
    message: str
    suggestion: str


def layout_of(directory: Path, base: Path) -> Layout:
    """Say what kind of directory this is, by its place."""
    place = Path(os.path.abspath(directory))
    if place in (
        Path(os.path.abspath(base)) / PERSONAL,
        personal_folder(base),
    ):
        return Layout.personal
    if place.name == SESSION_MEMORY:
        return Layout.notes
    return Layout.memory


def memory_with_logs(directory: Path) -> Path | None:
    """Give the memory directory whose daily logs are in this folder or around
    it; None if it is no such folder.
    """
    place = Path(os.path.abspath(directory))
    for folder in (place, *place.parents):
        memory = folder.parent
        if folder.name == LOGS and any(
            os.path.lexists(memory / name) for name in (INDEX, STORE_FOLDER)
        ):
            return memory
    return None


def is_notes(path: str) -> bool:
    """Tell whether a path below the folder of a project's sessions is that of
    a session's notes.
    """
    return path.count("/") == 1 and path.endswith(f"/{NOTES}")


def texts_beside(top: Path, layout: Layout) -> list[str]:
    """Name the files with text that are no memories: the logs of a memory, or
    the notes of sessions.
    """
    if layout is Layout.notes:
        return [path for path in _files(top) if is_notes(path)]
    return [path for path in _files(top, LOGS) if path.endswith(".md")]


def find_astray(top: Path, layout: Layout) -> Iterator[Astray]:
    """Find what is not read where it is."""
    if layout is Layout.notes:
        for path in _files(top):
            if not is_notes(path):
                yield Astray(
                    path,
                    "this file is not a session's notes",
                    f"The notes of a session are in SESSION/{NOTES}."
                    " Remove this file, or put it where it belongs",
                )
        return
    if (top / SESSION_MEMORY).is_dir():
        yield Astray(
            SESSION_MEMORY,
            "the notes of sessions are not kept in a memory directory, where"
            f" a file {NOTES} counts as an index",
            "Move the folder one level up, beside the memory directory",
        )
    if layout is Layout.personal:
        for name in (TEAM, LOGS):
            if (top / name).is_dir():
                yield Astray(
                    name,
                    "personal memory has no such folder",
                    "Move it to the memory of the project that it belongs to",
                )
        return
    if (top / PERSONAL).is_dir():
        yield Astray(
            PERSONAL,
            "this name is reserved for personal memories, which are not kept"
            " in a project; its files hide personal ones of the same name",
            "Give it another name, or move its files up",
        )
    for path in _files(top, LOGS):
        if log_day(path) is None:
            yield Astray(
                path,
                "this is not where the log of a day is kept",
                f"Call it {LOG_PATTERN}, with the day that it"
                " is about, or remove it",
            )


def team_trouble(top: Path) -> tuple[str, bool]:
    """Say what is wrong with ``team/``, and whether it is doubtful; ("",
    False) if nothing is, or if there is none.
    """
    team = top / TEAM
    if team.is_symlink():
        return "it is a link, and links are not followed", False
    if team.is_dir() and not os.path.lexists(team / ".git"):
        # other programs share such a folder in their own way
        ours = (top / STORE_FOLDER).is_dir()
        message = "it is not a git clone, so nobody else gets what is in it"
        return (message, True) if ours else ("", False)
    if os.path.lexists(team) and not team.is_dir():
        return "it is a file, and the team's memories are in a folder", False
    return "", False


def _files(top: Path, below: str = "") -> list[str]:
    """List the files below a folder of the directory by their paths from the
    directory on; hidden ones do not count.
    """
    folder = top / below
    if folder.is_symlink():
        return []
    prefix = f"{below}/" if below else ""
    return sorted(
        f"{prefix}{path}"
        for path, entry in Folder(folder).walk(
            [], lambda path: "/." not in f"/{path}"
        )
        if entry.name[0] != "." and not entry.is_dir(follow_symlinks=False)
    )
