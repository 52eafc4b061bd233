"""A session begun, or taken up again: its transcript, its document, and what was said so far.

Left out: reading a transcript back, which is ``resume``.
"""

from __future__ import annotations

from pathlib import Path

from memlab.agent.resume import Loaded, find_transcript, load_transcript
from memlab.agent.transcript import Transcript
from memlab.clock import Clock


def begin_session(
    base: Path, folder: Path, *, clock: Clock, cwd: str, session: str = "", resume: str = ""
) -> tuple[Transcript, Loaded | None]:
    """Begin a transcript in ``folder``, or go on with that of ``resume``, wherever below ``base``.

    ``cwd`` is the folder that the transcript names. Raises TranscriptError if there is no session
    to resume.
    """
    path = folder / f"{session or clock.new_id()}.jsonl"
    history = None
    if resume:
        path = find_transcript(base, resume)
        history = load_transcript(path, cwd=cwd)
    document = base / "conversations" / f"{path.stem}.json"
    parent = history.uuids[-1] if history and history.uuids else None
    return Transcript(path, clock=clock, cwd=cwd, document=document, parent=parent), history
