"""The twelve questions, the scoreboard, and the two weeks without dreams."""

from __future__ import annotations

import asyncio

import pytest

from memlab.course import begin, evidence_in, my, replay_story, scoreboard
from memlab.course.story import question_requests
from memlab.text import request_text
from tests.notebooks.states import FOLDER, state_files

FOUND = ["0 / 12", "0 / 12", "4 / 12", "9 / 12", "11 / 12", "11 / 12"]


def test_each_stage_finds_more_for_more_tokens() -> None:
    lab = begin(12)
    rows = scoreboard(lab).rows
    assert [row[2] for row in rows] == FOUND
    (lab.memory / "MEMORY.md").write_text("", encoding="utf-8")
    assert evidence_in(lab, lab.memory, recalls=False).found == 0
    with my.completed(keyword_rank=lambda *given: [], contains_evidence=lambda *given: False):
        assert evidence_in(lab, lab.memory).found == 0
        assert scoreboard(lab, ours=True).rows == rows, "nor what is done to its memory"


@pytest.mark.behaviour("F6")
def test_recall_attaches_in_front_of_the_question_and_not_in_the_system_prompt() -> None:
    lab = begin(4)
    plain, hooks, recalled = (
        question_requests(lab, memory, recalls=recalls)[6]
        for memory, recalls in ((None, True), (lab.memory, False), (lab.memory, True))
    )
    assert recalled["system"] == hooks["system"]
    assert hooks["messages"] == plain["messages"]
    *attached, question = [block["text"] for block in recalled["messages"][0]["content"]]
    assert question == lab.questions[6].question
    (text,) = [text for text in attached if "stop-after-two-failures.md" in text]
    assert text.startswith("<system-reminder>")
    assert "7 days ago" in text, "its age"
    assert str(lab.home) not in request_text(recalled)


@pytest.mark.slow
def test_two_weeks_without_dreams_end_as_they_are_stored() -> None:
    learned = asyncio.run(replay_story(begin(8), "learned", dreams=False))
    stored = {path.name: path.read_bytes() for path in (FOLDER / "learned").iterdir()}
    assert state_files(learned.memory) == stored, "if wanted: python -m tests.notebooks.states"
