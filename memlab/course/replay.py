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
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from memlab.clock import CourseClock
from memlab.course.data_files import data_folder
from memlab.course.lab import ROBINS_HOME, Lab
from memlab.events import EventLog
from memlab.harness import Harness, HarnessOptions
from memlab.ledger import Ledger
from memlab.memdir.places import Where
from memlab.memdir.toggles import Toggles
from memlab.models.connect import make_runtime
from memlab.models.standin.scripts import Script, Turn, load_script
from memlab.text import as_blocks, fold_space

LEFT_OPEN = 3_600.0
"""Seconds for which the terminal stays open after the last word; a dream takes
a minute.
"""


class StoryTurn(NamedTuple):
    """When a person said something, what, and what the model said and called."""

    at: datetime
    words: str
    steps: list[dict[str, Any]]


class SessionEnd(NamedTuple):
    """When a session ended, a copy of the memory directory at that moment, the
    notice of the session's dream, and all its notices.
    """

    at: datetime
    turns: int
    copy: Path
    dream: str
    notices: tuple[str, ...]


@dataclass
class Replay:
    """What came of it: the memory directory, every event and call, and the
    end of each session.
    """

    memory: Path
    events: EventLog
    ledger: Ledger
    session_ends: list[SessionEnd] = field(default_factory=list)


async def replay_story(
    lab: Lab,
    name: str = "story",
    *,
    dreams: bool = True,
    sessions: int = 14,
    before_session: Callable[[Any], object] = lambda model: None,
    scripted: bool = True,
) -> Replay:
    """Replay the first ``sessions`` of the story, in a new folder below the
    lab's home.

    With ``dreams`` off, extraction alone keeps it. ``before_session`` gets the
    model before each session, to script its faults. With ``scripted`` off, the
    fallback rules alone decide what is saved, forgotten and dreamt.
    """
    from memlab.models.offline import OfflineModel

    paths = sorted((lab.example / "sessions").glob("*.jsonl"))[:sessions]
    clock = CourseClock(story_turns(paths[0])[0].at)
    model = OfflineModel(clock=clock, settings=lab.settings)
    ledger = Ledger(lab.settings)
    home = lab.home / name
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(lab.project, home / "tidebook")
    (home / ".memlab").mkdir()
    runtime = make_runtime(
        "offline", model=model, ledger=ledger, settings=lab.settings
    )
    options = HarnessOptions(
        runtime=runtime,
        base=home / ".memlab",
        where=Where(home, ROBINS_HOME),
        environ={},
        toggles=Toggles(auto_dream=dreams),
    )
    memory = home / lab.memory.relative_to(lab.home)
    replay = Replay(memory, runtime.events, ledger)
    for path in paths:
        turns = story_turns(path)
        model.scripts[:] = [story_script(turns, scripted)]
        before_session(model)
        await _wait_until(clock, turns[0].at)
        harness = Harness(
            home / "tidebook", replace(options, session=path.stem)
        )
        for turn in turns:
            await _wait_until(clock, turn.at)
            await harness.say(turn.words)
        await harness.drain(LEFT_OPEN)
        copy = home / "session_ends" / path.stem
        copy.mkdir(parents=True)
        for file in memory.glob("*.md"):
            shutil.copy2(file, copy)
        task = harness.dreams.task
        dream = task.notice if task else ""
        notices = tuple(harness.notices)
        end = SessionEnd(clock.now(), len(turns), copy, dream, notices)
        replay.session_ends.append(end)
    return replay


async def _wait_until(clock: CourseClock, at: datetime) -> None:
    """Let time pass, so that background work can go on."""
    if at > clock.now():
        await clock.sleep((at - clock.now()).total_seconds())


def story_turns(path: Path) -> list[StoryTurn]:
    """Read a transcript of the story, turn by turn; paths begin with ``~``,
    wherever the home directory is now.
    """
    turns: list[StoryTurn] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line.replace(ROBINS_HOME, "~"))
        blocks = as_blocks(entry["message"]["content"])
        words = "\n".join(
            one["text"] for one in blocks if one["type"] == "text"
        )
        if entry["type"] == "assistant":
            calls = [
                {"name": one["name"], "input": one["input"]}
                for one in blocks
                if one["type"] == "tool_use"
            ]
            turns[-1].steps.append({"say": words, "tools": calls})
        elif words:
            at = datetime.fromisoformat(entry["timestamp"])
            turns.append(StoryTurn(at, words, []))
    return turns


def story_script(turns: list[StoryTurn], scripted: bool = True) -> Script:
    """Make the script of a session: what the model says and calls in it, and
    with ``scripted`` what it saves, forgets and dreams in the two weeks.
    """
    two_weeks = load_script(data_folder("scripts") / "two_weeks.yaml")
    asked = {fold_space(turn.user) for turn in two_weeks.main}
    told = tuple(
        Turn.model_validate({"user": turn.words, "steps": turn.steps})
        for turn in turns
        if fold_space(turn.words) not in asked
    )
    if not scripted:
        return Script(title=two_weeks.title, main=told)
    return two_weeks.model_copy(update={"main": (*two_weeks.main, *told)})
