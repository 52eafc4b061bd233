"""Replays the story with the real harness: fourteen sessions, from an empty
memory directory.

The person's words and the times are the story's. What the model says to the
person is in the transcripts, and what it saves, forgets and dreams is in the
script ``two_weeks``; every tool call runs again. The repository is in its last
state from the start, so some edits find nothing to change.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memlab.agent.transcript import load_transcript
from memlab.clock import Clock, CourseClock
from memlab.course.lab import ROBINS_HOME, Lab
from memlab.course.notebook_folder import NotebookFolder
from memlab.dream.dream import DreamTask
from memlab.errors import CourseError
from memlab.events import EventLog
from memlab.harness import Harness, HarnessOptions
from memlab.ledger import Ledger
from memlab.memdir.places import INDEX, Where
from memlab.memdir.toggles import Toggles
from memlab.models.connect import make_runtime
from memlab.models.standin.scripts import (
    Script,
    Turn,
    load_script,
    scripts_folder,
)
from memlab.text import as_blocks, fold_space

if TYPE_CHECKING:
    from memlab.models.offline import OfflineModel

LEFT_OPEN = 3_600.0
"""Seconds for which the terminal stays open after the last word; a dream takes
a minute.
"""


@dataclass(frozen=True)
class SessionEnd:
    """What was in the memory directory when a session ended; ``dream`` is the
    notice of its dream.

    ``copy`` is a copy of the directory as it was at that moment.
    """

    session: str
    at: datetime
    turns: int
    files: int
    index_bytes: int
    dream: str
    copy: Path


@dataclass
class Replay:
    """What came of it: the folders, every event and call, the end of each
    session, and each dream.

    ``requests`` has the body of every request, in the order in which they were
    sent.
    """

    home: Path
    events: EventLog
    ledger: Ledger
    session_ends: list[SessionEnd] = field(default_factory=list)
    dreams: list[DreamTask] = field(default_factory=list)
    requests: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def folder(self) -> NotebookFolder:
        """The paths below the home."""
        return NotebookFolder(self.home)

    @property
    def sessions(self) -> Path:
        """The folder of the transcripts."""
        return self.folder.sessions

    @property
    def memory(self) -> Path:
        """The memory directory."""
        return self.folder.memory

    def files(self) -> dict[str, bytes]:
        """Return every memory and the index, by name."""
        return {
            path.name: path.read_bytes()
            for path in sorted(self.memory.glob("*.md"))
        }


@dataclass(frozen=True)
class StoryTurn:
    """One turn of the story: when, the person's words, and what the model said
    and called.
    """

    at: datetime
    words: str
    steps: tuple[tuple[str, tuple[Mapping[str, Any], ...]], ...]


async def replay_story(
    lab: Lab,
    name: str = "story",
    *,
    dreams: bool = True,
    sessions: int = 14,
    before_session: Callable[[OfflineModel], object] = lambda model: None,
    scripted: bool = True,
    **more: Any,
) -> Replay:
    """Replay the first ``sessions`` of the story, in a new folder below the
    lab's home.

    With ``dreams`` off, extraction alone keeps it. ``before_session`` gets the
    model before each session, to script its faults. With ``scripted`` off, the
    fallback rules alone decide what is saved, forgotten and dreamt. ``more``
    are further options of each harness.
    """
    from memlab.models.offline import OfflineModel

    paths = story_sessions(lab)[:sessions]
    story = [(path.stem, story_turns(path)) for path in paths]
    clock = CourseClock(story[0][1][0].at)
    model = OfflineModel(clock=clock, settings=lab.settings)
    ledger = Ledger(lab.settings)
    runtime = make_runtime(
        "offline", model=model, ledger=ledger, settings=lab.settings
    )
    replay = Replay(new_home(lab, name), runtime.events, ledger)
    script = story_script()
    for session, turns in story:
        conversation = as_told(turns, script)
        model.scripts[:] = [
            with_conversation(script, turns)
            if scripted
            else Script(title=script.title, main=conversation)
        ]
        before_session(model)
        options = HarnessOptions(
            runtime=runtime,
            base=replay.home / ".memlab",
            where=Where(replay.home, ROBINS_HOME),
            environ={},
            toggles=Toggles(auto_dream=dreams),
            session=session,
        )
        harness = await live_session(replay, turns, replace(options, **more))
        end_session(replay, harness, len(turns))
    replay.requests += [request.body for request in model.requests]
    return replay


async def live_session(
    replay: Replay,
    turns: Sequence[StoryTurn],
    options: HarnessOptions,
) -> Harness:
    """Have one session at the story's times, and wait for what it leaves
    running; returns its harness.
    """
    assert options.runtime is not None
    clock = options.runtime.clock
    await wait_until(clock, turns[0].at)
    harness = Harness(replay.folder.project, options)
    for turn in turns:
        await wait_until(clock, turn.at)
        await harness.say(turn.words)
    await harness.drain(LEFT_OPEN)
    return harness


def end_session(replay: Replay, harness: Harness, turns: int) -> None:
    """Note how a session has ended, with a copy of its memory."""
    task = harness.dreams.task
    if task is not None:
        replay.dreams.append(task)
    now = harness.runtime.clock.now()
    ended = _session_end(replay, harness.session, now, turns, task)
    replay.session_ends.append(ended)


def _session_end(
    replay: Replay,
    session: str,
    now: datetime,
    turns: int,
    task: DreamTask | None,
) -> SessionEnd:
    contents = replay.files()
    index = len(contents.pop(INDEX, b""))
    copy = replay.home / "session_ends" / session
    copy.mkdir(parents=True)
    for path in replay.memory.glob("*.md"):
        shutil.copy2(path, copy)
    notice = task.notice if task else ""
    return SessionEnd(session, now, turns, len(contents), index, notice, copy)


def new_home(lab: Lab, name: str) -> Path:
    """Copy the repository alone, into a home directory without any memory."""
    home = lab.home / name
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(lab.project, home / "tidebook")
    (home / ".memlab").mkdir()
    return home


async def wait_until(clock: Clock, at: datetime) -> None:
    """Let time pass, so that background work can go on."""
    if at > clock.now():
        await clock.sleep((at - clock.now()).total_seconds())


def story_script() -> Script:
    """Read the script of the two weeks; raises CourseError outside a clone."""
    folder = scripts_folder()
    if folder is None:
        raise CourseError(
            "the scripts of the story are not part of an installed package",
            where="data/scripts",
            do="Clone the repository",
        )
    return load_script(folder / "two_weeks.yaml")


def story_sessions(lab: Lab) -> list[Path]:
    """Return the transcripts of the story, in the order of their times."""
    return sorted((lab.example / "sessions").glob("*.jsonl"))


def story_turns(path: Path) -> list[StoryTurn]:
    """Read a transcript of the story as turns: when, the person's words, the
    model's steps.
    """
    loaded, times = load_transcript(path), _times(path)
    turns: list[StoryTurn] = []
    for uuid, message in zip(loaded.uuids, loaded.messages, strict=True):
        if message["role"] == "user":
            if words := _said(message):
                turns.append(StoryTurn(times[uuid], words, ()))
            continue
        calls = tuple(
            {"name": block["name"], "input": _as_now(block["input"])}
            for block in as_blocks(message["content"])
            if block["type"] == "tool_use"
        )
        last = turns.pop()
        turns.append(
            StoryTurn(
                last.at, last.words, (*last.steps, (_said(message), calls))
            )
        )
    return turns


def _said(message: Mapping[str, Any]) -> str:
    blocks = as_blocks(message["content"])
    return "\n".join(
        block["text"] for block in blocks if block["type"] == "text"
    )


def _as_now(given: Mapping[str, Any]) -> dict[str, Any]:
    """Let paths begin with ``~``, wherever the home directory is now."""
    return {
        key: (
            value.replace(ROBINS_HOME, "~")
            if isinstance(value, str)
            else value
        )
        for key, value in given.items()
    }


def _times(path: Path) -> dict[str, datetime]:
    lines = [
        json.loads(line)
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return {
        line["uuid"]: datetime.fromisoformat(line["timestamp"])
        for line in lines
    }


def with_conversation(script: Script, turns: Sequence[StoryTurn]) -> Script:
    """Add what the model says and calls in a session to a script."""
    conversation = as_told(turns, script)
    return script.model_copy(update={"main": (*script.main, *conversation)})


def as_told(turns: Sequence[StoryTurn], script: Script) -> tuple[Turn, ...]:
    """Give what the model says and calls in a session, without the turns that
    the script itself contains.
    """
    scripted = {fold_space(turn.user) for turn in script.main}
    return tuple(
        Turn.model_validate(
            {
                "user": turn.words,
                "steps": [
                    {"say": say, "tools": calls} for say, calls in turn.steps
                ],
            }
        )
        for turn in turns
        if fold_space(turn.words) not in scripted
    )
