"""The parts of notebook 14 in the machine, where they are called."""

from __future__ import annotations

import asyncio

from memlab.course import begin, harness_for
from memlab.course.own_parts import my
from memlab.memdir.toggles import Toggles

OPENING = (
    "Maren wants to open at 10:00 on Saturday, not at 09:00. The crew has to be there at 08:30."
)


def test_a_session_in_either_mode_calls_the_learners_parts() -> None:
    lab = begin(14)

    async def scene() -> None:
        settings = lab.settings.with_changes(
            compact_at_tokens=1, session_keep_min_tokens=20, session_keep_min_texts=1
        )
        noted = harness_for(
            lab,
            "noted",
            toggles=Toggles(session_memory=True, recall=False),
            runtime=lab.runtime.with_changes(settings=settings),
        )
        for words in ("Please keep the list short.", "Sort it by name.", "What is on it?"):
            await noted.say(words)
            await noted.drain()
        for name in ("morning", "afternoon"):
            logging = harness_for(lab, name, toggles=Toggles(daily_log=True, recall=False))
            await logging.say(OPENING)
            await logging.drain()

    with my.completed() as called:
        asyncio.run(scene())
        assert all(called[name] for name in ("keep_tail", "may_append", "log_tail")), called
