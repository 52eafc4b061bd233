"""A session: begun or resumed, with its transcript, its state, and what of it
is off the record.

A session belongs to a project, which is known by its canonical root: all
worktrees of a repository share that, and a project that was moved is
recognised. Reading a transcript back is in ``resume``.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from memlab.agent.off_record import take_off_record
from memlab.agent.resume import (
    Loaded,
    TranscriptError,
    find_transcript,
    load_transcript,
    new_transcript,
)
from memlab.agent.transcript import SessionState, Transcript
from memlab.clock import Clock
from memlab.memdir.places import Project, Where, find_project
from memlab.text import tilde


@dataclass(frozen=True)
class SessionPlace:
    """Where a session runs: the project, the folder of its transcripts, and
    memlab's base folder.

    ``where`` says which home is shown in place of the real one.
    """

    project: Project
    folder: Path
    base: Path
    where: Where = field(default_factory=Where)

    @property
    def home(self) -> Path:
        """The home that ``~`` means."""
        return self.where.home or Path.home()

    def shown(self, path: Path) -> str:
        """Write a path as a transcript has it."""
        short = tilde(path, self.home)
        if self.where.shown_home and short.startswith("~"):
            return self.where.shown_home + short[1:]
        return str(path)

    def real(self, shown: str) -> Path:
        """Find the path that a transcript means."""
        told = self.where.shown_home
        if told and (shown == told or shown.startswith(f"{told}/")):
            return Path(f"{self.home}{shown.removeprefix(told)}")
        return Path(shown)

    def identity(self) -> dict[str, Any]:
        """Return what a state record says of the project, so that it is
        recognised after a move.
        """
        return {
            "root": self.shown(self.project.root),
            "inode": _inode(self.project.root),
        }


@dataclass
class SessionRecord:
    """A session's transcript, what it was resumed with, and what of it is off
    the record.

    ``history`` is None for a session that has just begun.
    """

    transcript: Transcript
    history: Loaded | None
    base: Path
    _taken_off: set[tuple[str, str]] = field(default_factory=set, init=False)

    @property
    def state(self) -> SessionState:
        """The newest state of the session."""
        return self.transcript.state or SessionState()

    def save_state(self, state: SessionState) -> None:
        """Record the state with the session."""
        self.transcript.save_state(state)

    def decline(self, messages: Sequence[str]) -> None:
        """Take messages off the record because the person did not want
        something in them saved.
        """
        declined = tuple(dict.fromkeys((*self.state.declined, *messages)))
        self.save_state(replace(self.state, declined=declined))
        self.transcript.take_off_record(messages)

    def take_off_record(self, withheld: Mapping[str, Collection[str]]) -> None:
        """Take messages off the record, by session; in other sessions than
        this one, too.

        What cannot be changed on the disk now is tried again with the next
        call.
        """
        for session, messages in withheld.items():
            fresh = {
                uuid
                for uuid in messages
                if (session, uuid) not in self._taken_off
            }
            if not fresh:
                continue
            if session == self.transcript.session:
                self.transcript.take_off_record(fresh)
            else:
                try:
                    take_off_record(find_transcript(self.base, session), fresh)
                except TranscriptError:
                    pass  # a session that is gone has no words left
                except OSError:
                    continue
            self._taken_off |= {(session, uuid) for uuid in fresh}


def begin_session(
    place: SessionPlace, *, clock: Clock, session: str = "", resume: str = ""
) -> SessionRecord:
    """Begin a session, or continue that of ``resume``.

    Raises TranscriptError if there is no such session, or if it belongs to
    another project.
    """
    path = new_transcript(place.folder, session or clock.new_id())
    cwd = place.shown(place.project.top)
    history = None
    if resume:
        path = find_transcript(place.base, resume)
        history = load_transcript(path, cwd=cwd)
        _check_project(path, history, place)
    transcript = Transcript(
        path,
        clock=clock,
        cwd=cwd,
        document=place.base / "conversations" / f"{path.stem}.json",
        parent=history.newest if history else None,
        state=history.state if history else SessionState(),
        project=place.identity(),
        off_record_ids=history.off_record if history else (),
    )
    record = SessionRecord(transcript, history, place.base)
    transcript.take_off_record(
        set(record.state.declined) - transcript.off_record_ids
    )
    return record


def _check_project(path: Path, history: Loaded, place: SessionPlace) -> None:
    """Raise TranscriptError for a session of another project."""
    begun = place.real(history.cwd)
    root = place.real(str(history.project.get("root", history.cwd)))
    if path.parent == place.folder or root == place.project.root:
        return
    if begun.is_dir() and find_project(begun).root == place.project.root:
        return
    inode = history.project.get("inode", 0)
    moved = not root.is_dir() and (
        root.name == place.project.root.name
        or inode == _inode(place.project.root)
    )
    if not moved:
        where = history.cwd or path.parent.name
        what = (
            f"session {path.stem!r} belongs to another project: resume it in"
            f" {where}"
        )
        raise TranscriptError(what)


def _inode(path: Path) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0
