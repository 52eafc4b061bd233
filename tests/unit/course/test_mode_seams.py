"""The parts of notebook 14 in the machine, where they are called, and its picture."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from memlab.agent import compaction
from memlab.agent.compaction import TailMessage
from memlab.course import (
    all_exercises,
    begin,
    draw_tails,
    harness_for,
    my,
)
from memlab.course.my_parts import run_solution
from memlab.course.seams import install_seams, remove_seams
from memlab.errors import MemoryRefusedError
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles
from memlab.modes import daily_log

TALK = [TailMessage(9, True, False), TailMessage(40, False, True), TailMessage(5, True, False)]
LOG = "logs/2026/03/2026-03-30.md"
OPENING = (
    "Maren wants to open at 10:00 on Saturday, not at 09:00. The crew has to be there at 08:30."
)


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    yield
    remove_seams()


def solutions() -> dict[str, Any]:
    parts = {one.part: one for one in all_exercises() if one.notebook == 14 and one.part}
    return {
        name: my.counted(name, run_solution(one.name, one.solution)) for name, one in parts.items()
    }


def test_a_session_in_either_mode_calls_the_learners_parts() -> None:
    async def scene() -> dict[str, int]:
        lab = begin(14)
        install_seams(solutions())
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
        return my.calls()

    called = asyncio.run(scene())
    assert all(called[name] for name in ("keep_tail", "may_append", "log_tail")), called


@pytest.mark.parametrize(
    "answer", [1, -1, 4, 0, True, "2", ValueError], ids=lambda answer: str(answer)
)
def test_a_tail_that_is_torn_too_large_or_no_position_is_replaced(answer: Any) -> None:
    def keep_tail(*given: Any) -> Any:
        if answer is ValueError:
            raise ValueError
        return answer

    install_seams({"keep_tail": keep_tail})
    assert compaction.keep_tail(TALK, 1, 1, 50) == 2


def test_a_tail_that_may_be_cut_there_is_the_learners() -> None:
    install_seams({"keep_tail": lambda *given: 3})
    assert compaction.keep_tail(TALK, 1, 1, 50) == 3


def test_the_learner_can_refuse_a_line_and_never_allow_one() -> None:
    lab = begin(14)
    store = MemoryStore(lab.memory, clock=lab.clock)
    today = lab.clock.now().date()
    install_seams({"may_append": lambda *given: False})
    with pytest.raises(MemoryRefusedError, match="your may_append"):
        store.append_log(LOG, "- Tabs.\n", today=today)
    install_seams({"may_append": lambda *given: True})
    store.append_log(LOG, "- Tabs.\n", today=today)
    with pytest.raises(MemoryRefusedError, match="an earlier line"):
        store.append_log(LOG, "- Spaces.\n", today=today)


@pytest.mark.parametrize("kept", ["- Tea.", "- Tabs.\n", "- Tabs.\n- Tea.\n", None])
def test_what_is_no_end_of_the_log_or_too_long_is_not_shown(kept: Any) -> None:
    install_seams({"log_tail": lambda text, most: kept})
    assert daily_log.log_tail("- Tabs.\n- Tea.\n", 8) == "- Tea.\n"


def test_the_picture_says_in_words_what_it_shows() -> None:
    tails = draw_tails([(9, "text"), (40, "result"), (5, "text")], {"ours": 2, "none": 3})
    assert "ours: 1 message, 5 tokens, 1 text, begins with a text" in tails.alt
    assert "none: 0 messages, 0 tokens, 0 texts, empty" in tails.alt
