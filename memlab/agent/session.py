"""A session: begun or resumed, and what of it is off the record.

Off the record is what a person says while saving is switched off, what they
declined to have saved, and what a forgotten memory came from: a session can be
resumed with it, and nothing else ever reads it. Messages go off the record by
whole exchanges, the person's message and everything up to their next one,
because answers and tool calls repeat the words. So may the session's notes:
they are removed, and written anew from what is left.

A session belongs to a project, which is known by its canonical root: all
worktrees of a repository share that, and a project that was moved is
recognised. Left out: who decides what goes off the record, and files that
tools had read, which may have changed and have to be read again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from re import fullmatch

from memlab.agent.request import RequestPrefix, without_thinking
from memlab.agent.transcript import (
    FOLDER,
    Loaded,
    Message,
    SessionState,
    Transcript,
    TranscriptError,
    load_transcript,
    take_off_record,
)
from memlab.clock import Clock
from memlab.memdir.places import MemoryPaths, Where
from memlab.text import persons_text, tilde

SHORT_NAME = 8  # by so many characters a session may be named
Pairs = tuple[tuple[str, Message], ...]


@dataclass
class SessionRecord:
    """A session's transcript, and what it was resumed with; ``history`` is
    None for a session that has just begun.
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

    def take_off_record(self, withheld: Mapping[str, Collection[str]]) -> None:
        """Take messages off the record, by session; in other sessions than
        this one, too.

        What cannot be changed on the disk now is tried again with the next
        call.
        """
        for session, messages in withheld.items():
            fresh = {(session, uuid) for uuid in messages} - self._taken_off
            if not fresh:
                continue
            if session == self.transcript.session:
                self.transcript.take_off_record(messages)
            else:
                try:
                    take_off_record(
                        find_transcript(self.base, session), messages
                    )
                except TranscriptError:
                    pass  # a session that is gone has no words left
                except OSError:
                    continue
            self._taken_off |= fresh


def begin_session(
    paths: MemoryPaths,
    where: Where,
    *,
    clock: Clock,
    session: str = "",
    resume: str = "",
) -> SessionRecord:
    """Begin a session, or continue that of ``resume``.

    ``where`` says which home is shown in place of the real one. Raises
    TranscriptError if there is no such session, or if it belongs to another
    project.
    """
    base, project = paths.conversations_dir.parent, paths.project
    cwd, root = _shown(project.top, where), _shown(project.root, where)
    inode = project.root.stat().st_ino
    history = None
    if resume:
        path = find_transcript(base, resume)
        history = load_transcript(path, cwd=cwd)
        begun = history.project.get("root", history.cwd)
        # the inode stays the same when a project is moved
        if (
            path.parent != paths.project_dir
            and begun != root
            and history.project.get("inode") != inode
        ):
            place = history.cwd or path.parent.name
            raise TranscriptError(
                f"session {path.stem!r} belongs to another project: resume it"
                f" in {place}"
            )
    else:
        path = new_transcript(paths.project_dir, session or clock.new_id())
    transcript = Transcript(
        path,
        clock=clock,
        cwd=cwd,
        document=paths.conversations_dir / f"{path.stem}.json",
        history=history,
        state=SessionState(),
        project={"root": root, "inode": inode},
    )
    return SessionRecord(transcript, history, base)


def new_transcript(folder: Path, session: str) -> Path:
    """Return the path of a session's transcript in a folder; raises
    TranscriptError for a name that could lead out of the folder.
    """
    if not fullmatch(r"[\w-](?:[\w .-]{0,98}[\w-])?", session):
        raise TranscriptError(
            f"{session[:80]!r} cannot be the name of a session",
            do="Use letters, digits, spaces, dots, hyphens and underscores,"
            " at most 100",
        )
    return folder / f"{session}.jsonl"


def find_transcript(base: Path, session: str) -> Path:
    """Find a session's transcript whichever folder it was begun in; raises
    TranscriptError.

    A name may be cut after eight characters if no other begins so. The path is
    where the transcript is, or would be if something in it were on the record.
    """
    hidden = base.glob(f"{FOLDER}/*/*.jsonl")
    there = {
        path.stem: base / "projects" / path.parent.name / path.name
        for path in (*hidden, *base.glob("projects/*/*.jsonl"))
    }
    begun = [name for name in there if name.startswith(session)]
    if session in there or (len(session) >= SHORT_NAME and len(begun) == 1):
        return there.get(session) or there[begun[0]]
    known = [path for path in there.values() if path.exists()]
    known.sort(key=lambda path: -path.stat().st_mtime_ns)
    names = ", ".join(path.stem for path in known[:3])
    said = f"the newest are {names}" if names else "there is none yet"
    raise TranscriptError(f"there is no session {session[:80]!r}; {said}")


def without_exchanges(
    prefix: RequestPrefix, ids: Collection[str]
) -> RequestPrefix:
    """Return a conversation without every exchange of which a message is in
    ``ids``.

    The service refuses thinking behind which the conversation has changed, so
    that is left out along with an exchange.
    """
    if not ids or not prefix.uuids:
        return prefix
    pairs = tuple(zip(prefix.uuids, prefix.messages, strict=True))
    kept = _without(pairs, ids)
    prefix = replace(prefix, replaced=_without(prefix.replaced, ids))
    if kept == pairs:
        return prefix
    return replace(
        prefix,
        messages=without_thinking(message for _, message in kept),
        uuids=tuple(uuid for uuid, _ in kept),
    )


def _without(pairs: Pairs, ids: Collection[str]) -> Pairs:
    begins = [persons_text(message) is not None for _, message in pairs]
    numbered = list(zip(accumulate(begins), pairs, strict=True))
    gone = {number for number, (uuid, _) in numbered if uuid in ids}
    return tuple(pair for number, pair in numbered if number not in gone)


def _shown(path: Path, where: Where) -> str:
    """Write a path as a transcript has it."""
    short = tilde(path, where.home or Path.home())
    if where.shown_home and short.startswith("~"):
        return where.shown_home + short[1:]
    return str(path)
