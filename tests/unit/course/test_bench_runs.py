"""A replayed run of the bench: the recorded answers, and a clear word where there are none."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from memlab.bench.budget import BenchLedger
from memlab.bench.endpoint import Endpoint
from memlab.bench.log import open_log
from memlab.bench.plan import plan, some_cases
from memlab.bench.run import run
from memlab.bench.tasks import TASKS
from memlab.bench.variants import load_variants
from memlab.course import begin, replay_run
from memlab.course.noisy import NoisySelector
from memlab.errors import CourseError
from memlab.models import OfflineModel
from memlab.models.connect import choose_model, make_runtime
from memlab.models.tape import Tape
from tests.model_server import ModelServer

FEW = 6


def record(tape: Path, folder: Path) -> list[str]:
    """Record a run on a few cases, answered by the noisy selector behind a server."""
    cases = some_cases(TASKS["select"].cases("work"), limit=FEW)
    labels = [case.entry[0] for case in cases]
    headers = {case.entry[0].directory: case.entry[1] for case in cases}
    model = OfflineModel()
    model.roles["select"] = NoisySelector(labels, headers, wrong=0.5, seed=4).role

    async def ask(address: str) -> list[str]:
        choice = choose_model("record", tape=tape, base_url=address)
        runtime = make_runtime(choice)
        endpoint = Endpoint(runtime, BenchLedger(), "a model", "live")
        with open_log(folder / "log.jsonl") as writer:
            planned = plan(
                TASKS["select"],
                load_variants(["base"]),
                half="work",
                repeats=1,
                model="a model",
                mode="live",
                log=writer.log,
                cases=cases,
            )
            assert (await run(planned, endpoint, writer)).how == "finished"
        await runtime.client.close()
        return [answer.said for answer in planned.answers(writer.log)]

    with ModelServer(model).start() as server:
        return asyncio.run(ask(server.url))


def test_a_replay_gives_the_recorded_answers_and_a_changed_prompt_is_not_on_the_tape(
    tmp_path: Path,
) -> None:
    tape = tmp_path / "few.jsonl"
    said = record(tape, tmp_path)
    lab = begin(13)
    for _ in range(2):
        answers = asyncio.run(replay_run(lab, "select", ["base"], tape, limit=FEW))
        assert [answer.said for answer in answers] == said
        assert {answer.mode for answer in answers} == {"replay"}
    assert answers[0].model.startswith(Tape.read(tape).model)

    mine = tmp_path / "mine"
    mine.mkdir()
    text = load_variants(["base"])[0].prompts.text("select")
    changed = text.replace("Don't choose what was already shown.", "Choose boldly.")
    (mine / "select.md").write_text(changed, "utf-8")
    with pytest.raises(CourseError, match="the system prompt") as failure:
        asyncio.run(replay_run(lab, "select", [str(mine)], tape, limit=FEW))
    assert "Choose boldly" in str(failure.value)
    # pick asks something else, and has no answers there either
    with pytest.raises(CourseError, match="not on the tape"):
        asyncio.run(replay_run(lab, "pick", ["base"], tape, limit=2))
