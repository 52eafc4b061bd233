"""A session: begun, or read back and resumed, and what of it is withheld.

The conversation is the chain of messages that leads back from the last line of
a transcript to the first one, or to the newest summary. What was taken back is
not in it, and neither is what another program's side chains say. Off the
record is what a person says while saving is switched off, what they declined
to have saved, and what a forgotten memory came from: a session can be resumed
with it, and nothing else ever reads it.

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
    Transcript,
    TranscriptError,
    hidden_file,
    load_transcript,
    session_file,
    take_off_record,
)
from memlab.clock import Clock
from memlab.memdir.places import MemoryPaths, Where
from memlab.text import persons_text, tilde

Pairs = tuple[tuple[str, Message], ...]


@dataclass
class SessionRecord:
    """A session's transcript, and what it was resumed with; ``history`` is
    None for a session that has just begun.
    """

    transcript: Transcript
    history: Loaded | None
    base: Path
    _done: set[tuple[str, str]] = field(default_factory=set, init=False)

    def take_off_record(self, withheld: Mapping[str, Collection[str]]) -> None:
        """Take messages off the record, by session; in other sessions than
        this one, too.

        What cannot be changed on the disk now is tried again with the next
        call.
        """
        for session, messages in withheld.items():
            new = {(session, uuid) for uuid in messages} - self._done
            if new and session == self.transcript.session:
                if not self.transcript.take_off_record(messages):
                    continue
            elif new:
                try:
                    for path in transcripts(self.base):
                        if path.stem == session:  # or a copy of it
                            take_off_record(path, messages)
                except OSError:
                    continue
            self._done |= new


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
    root, base = paths.project.root, paths.conversations_dir.parent
    # the inode stays the same when a project is moved
    project = {"root": _shown(root, where), "inode": root.stat().st_ino}
    path = new_transcript(paths.project_dir, session or clock.new_id())
    history = None
    if resume:
        path = find_transcript(base, resume)
        history = load_transcript(path)
        begun = history.project
        same = begun.get("root") == project["root"]
        if begun.get("inode") == project["inode"]:
            # another disk, or a later folder, may have the same number
            was = _real(str(begun.get("root", "")), where)
            same = same or not was.exists() or was.samefile(root)
        if path.parent != paths.project_dir and not same:
            what = f"session {path.stem!r} belongs to another project"
            raise TranscriptError(f"{what}: resume it in {begun.get('cwd')}")
    transcript = Transcript(
        path, clock=clock, cwd=_shown(paths.project.top, where)
    )
    transcript.document = paths.conversations_dir / f"{path.stem}.json"
    transcript.project = project
    transcript.sweep()
    if history:
        transcript.parent, transcript.state = history.newest, history.state
    return SessionRecord(transcript, history, base)


def new_transcript(folder: Path, session: str) -> Path:
    """Return the path of a session's transcript in a folder; raises
    TranscriptError for a name that could lead out of the folder.
    """
    if not fullmatch(r"[\w-](?:[\w .-]{0,98}[\w-])?", session):
        what = f"{session[:80]!r} cannot be the name of a session"
        raise TranscriptError(what, do="Use letters, digits, and hyphens")
    return folder / f"{session}.jsonl"


def find_transcript(base: Path, session: str) -> Path:
    """Find a session's transcript whichever folder it was begun in; the
    beginning of an id is enough if no other one begins so. Raises
    TranscriptError.
    """
    known = transcripts(base)
    begun = [
        path for path in known if session and path.stem.startswith(session)
    ]
    found = [path for path in begun if path.stem == session] or begun
    if len(found) == 1:
        return found[0]
    if found:
        files = ", ".join(str(session_file(path)) for path in found)
        what = f"{session!r} matches more than one file: {files}"
        raise TranscriptError(what, do="Type more of it, or move one away")
    newest = ", ".join(path.stem for path in known[:-4:-1])
    what = f"there is no session {session[:80]!r}"
    do = f"The newest: {newest}" if newest else "There is none yet"
    raise TranscriptError(what, do=do)


def transcripts(base: Path) -> list[Path]:
    """List the transcripts of all projects, the newest last.

    A path is where the transcript is, or would be if something in it were on
    the record.
    """
    there = sorted(base.glob("projects/*/*.jsonl"), key=_written)
    hidden = [
        base / "projects" / path.parent.name / path.name
        for path in base.glob(f"{FOLDER}/*/*.jsonl")
        if not path.stem.endswith(".words")
    ]
    return [*dict.fromkeys((*hidden, *there))]


def latest_session(folder: Path) -> str:
    """Name the session of a project in which something was said last, on the
    record or off; raises TranscriptError if there is none.
    """
    hidden = hidden_file(folder / "any.jsonl").parent
    files = (*folder.glob("*.jsonl"), *hidden.glob("*.jsonl"))
    if not files:
        what = "there is no session yet to continue"
        raise TranscriptError(what, do="Start one without --continue")
    return max(files, key=_written).stem.removesuffix(".words")


def _written(path: Path) -> int:
    return path.lstat().st_mtime_ns  # of a link that leads nowhere, too


def without_exchanges(
    prefix: RequestPrefix, ids: Collection[str]
) -> RequestPrefix:
    """Return a conversation without every exchange of which a message is in
    ``ids``.

    The service refuses thinking behind which the conversation has changed, so
    that is left out along with an exchange.
    """
    pairs = tuple(zip(prefix.uuids, prefix.messages, strict=False))
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


def _real(shown: str, where: Where) -> Path:
    """Give the path that a transcript has for a folder."""
    if where.shown_home and shown.startswith(f"{where.shown_home}/"):
        home = where.home or Path.home()
        return home / shown[len(where.shown_home) + 1 :]
    return Path(shown)


def _shown(path: Path, where: Where) -> str:
    """Write a path as a transcript has it."""
    home = where.home or Path.home()
    if where.shown_home and path.is_relative_to(home):
        return where.shown_home + tilde(path, home)[1:]
    return str(path)
