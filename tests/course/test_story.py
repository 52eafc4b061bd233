"""The twelve questions, the scoreboard, and the two weeks: replayed, and with a model."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml

from memlab.course import begin, contains_evidence, evidence_in, my, replay_story, scoreboard, weeks
from memlab.course.replay import Replay
from memlab.course.story import question_requests
from memlab.memdir import MemoryStore
from memlab.models.offline import OfflineModel
from memlab.text import request_text
from tests.model_server import ModelServer
from tests.notebooks.states import FOLDER, state_files

STORY = yaml.safe_load((FOLDER.parent / "story.yaml").read_text(encoding="utf-8"))
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
    assert [row[1] for row in scoreboard(begin(0)).rows] == ["nothing", "after a summary"]


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


def test_two_weeks_end_as_they_are_stored(story: Replay) -> None:
    stored = {path.name: path.read_bytes() for path in (FOLDER / "dreamt").iterdir()}
    assert state_files(story.memory) == stored, "if wanted: python -m tests.notebooks.states"
    nights = [(end.copy.name, end.dream != "") for end in story.session_ends]
    slept = {night["after"] for night in STORY["dreams"]}
    assert nights == [(one["id"], one["id"] in slept) for one in STORY["sessions"]]
    times = [end.at for end in story.session_ends]
    assert times == sorted(times)


@pytest.mark.slow
def test_two_weeks_without_dreams_end_as_they_are_stored() -> None:
    learned = asyncio.run(replay_story(begin(8), "learned", dreams=False))
    stored = {path.name: path.read_bytes() for path in (FOLDER / "learned").iterdir()}
    assert state_files(learned.memory) == stored


def test_what_must_not_be_remembered_is_in_no_file_and_no_image(story: Replay) -> None:
    held = "\n".join(
        path.read_text("utf-8", "replace") for path in story.memory.rglob("*") if path.is_file()
    )
    planted = [
        (plant["kind"], text)
        for plant in STORY["planted"]
        if plant["kind"].startswith(("secret", "poison-", "never-")) and "by" in plant
        for text in plant["text"]
    ]
    assert len(planted) > 5
    saved = [text for _, text in planted if contains_evidence(held, text)]
    assert saved == ["MTU of the tunnel to 1380"], "the script saves it; notebook 12 says so"
    history = MemoryStore(story.memory).history()
    assert {entry.who for entry in history} == {"main agent", "extractor", "dream"}


class Stopping(OfflineModel):
    """Answers by rules, and with an error after so many calls."""

    calls = 6

    def respond(self, path: str, *given: Any) -> httpx2.Response:
        if path.endswith("/v1/messages"):
            self.calls -= 1
            if self.calls < 0:
                return httpx2.Response(500, json={"type": "error"})
        return super().respond(path, *given)


@pytest.mark.slow
def test_a_recording_goes_on_after_a_stop_and_is_read_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def two_sessions(*given: Any, **named: Any) -> Replay:
        return await replay_story(*given, sessions=2, **named)

    def record(model: OfflineModel) -> list[Any]:
        server = ModelServer(model).start()
        try:
            asyncio.run(weeks.record(server.url))
        finally:
            server.stop()
        return [dict(exchange.body) for exchange in model.requests]

    monkeypatch.setattr(weeks, "replay_story", two_sessions)
    monkeypatch.setattr(weeks, "RECORDED", tmp_path)
    stops = Stopping(latency={})
    with pytest.raises(SystemExit, match="no answer came"):
        record(stops)
    assert [len(weeks.session_lines(one)) for one in weeks.VARIANTS] == [2, 2, 0]
    later = record(OfflineModel(latency={}))
    assert stops.requests[0].body not in later, "nothing is asked twice"
    model, rules = weeks.session_lines("model"), weeks.session_lines("rules")
    texts = [
        {name: kept["text"] for name, kept in line.stored["memories"].items()}
        for line in (*model, *rules)
    ]
    assert texts[:2] == texts[2:], "the server answers by the rules"
    assert len(weeks.answers("none")) == 12
    memory = weeks.write_memory(model[1].stored["memories"], tmp_path / "memory")
    assert {path.name: path.read_text("utf-8") for path in memory.iterdir()} == texts[1]
    assert str(tmp_path) not in json.dumps((tmp_path / "weeks.jsonl").read_text("utf-8"))
