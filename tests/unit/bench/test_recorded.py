"""The recorded answers: judged by today's labels, and never taken for another request's."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from memlab.bench import recorded, replay, variants
from memlab.bench.compare import compare
from memlab.bench.recorded import reply
from memlab.bench.run import RULES, ask_variant, connect
from memlab.bench.tasks import TASKS, Task
from memlab.cli.bench import main
from memlab.errors import MemlabError, ModelError
from tests.unit.bench.endpoint import Flaky, served

SOME: dict[str, Any] = {
    "model": "m",
    "max_tokens": 9,
    "system": "Be brief.",
    "messages": [{"role": "user", "content": "Hello"}],
}


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_every_recorded_answer_is_one_to_a_case_and_can_be_judged(task: Task) -> None:
    cases = {case.id for case in task.load()}
    assert {one.case for one in recorded.recorded(task.name)} <= cases
    assert "base" in {row.name for row in replay.rows(task, "work")}


@pytest.mark.parametrize(
    ("task", "case"), [("select", "t03"), ("extract", "agrees-1"), ("dream", "mixed-1")]
)
def test_a_request_is_today_what_was_recorded(task: str, case: str) -> None:
    runtime, kept = connect(RULES)
    label = next(one for one in TASKS[task].load() if one.id == case)
    asyncio.run(ask_variant(TASKS[task], label, variants.load_variant("base"), runtime))
    found = [
        one
        for one in recorded.recorded(task)
        if (one.case, one.variant, one.run) == (case, "base", "a")
    ]
    for part in recorded.PARTS:
        assert kept.calls[0][part] == found[0].calls[0][part], part


def test_an_answer_to_another_request_is_refused_by_the_part_that_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded.recorded, "__defaults__", (tmp_path,))
    monkeypatch.setattr(recorded.append, "__defaults__", (tmp_path,))
    with pytest.raises(ModelError, match="no answer was recorded"):
        asyncio.run(reply("a case", SOME))

    contexts = tmp_path / "contexts"
    contexts.mkdir()
    (contexts / "n1.jsonl").write_text('{"key": "offline_0001"}\n', "utf-8")
    monkeypatch.setenv("MEMLAB_CONTEXTS", str(contexts))
    with served(Flaky()) as url:
        monkeypatch.setenv("MEMLAB_RECORD", url)
        said = asyncio.run(reply("a case", SOME))
    monkeypatch.delenv("MEMLAB_RECORD")
    (line,) = (tmp_path / "notebooks.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["context"] == "n1"
    assert asyncio.run(reply("a case", SOME)) == said
    marked = {**SOME, "system": [{"type": "text", "text": "Be brief."}]}
    marked["system"][0]["cache_control"] = {"type": "ephemeral"}
    with pytest.raises(ModelError, match="as recorded: system"):
        asyncio.run(reply("a case", {**SOME, "system": "Be long."}))
    with pytest.raises(ModelError, match="as recorded: options"):
        asyncio.run(reply("a case", {**SOME, "max_tokens": 10}))


def test_recording_adds_to_the_course_s_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memlab.cli import bench

    every = Task.cases
    monkeypatch.setattr(Task, "cases", lambda task, half: every(task, half)[:2])
    monkeypatch.setattr(bench, "RECORDED", tmp_path)
    with served(Flaky()) as url:
        monkeypatch.setenv("MEMLAB_RECORD", url)
        assert main(["follow", "--prompts", "base,without"]) == 0
    lines = [json.loads(x) for x in (tmp_path / "follow.jsonl").read_text("utf-8").splitlines()]
    assert {(one["variant"], one["run"]) for one in lines} == {("base", "a"), ("without", "a")}
    assert all(one["calls"][0].keys() >= {*recorded.PARTS, "answer"} for one in lines)
    assert not any("id" in one["calls"][0] for one in lines)


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "select.jsonl").write_bytes(b"{}\n")
    with pytest.raises(MemlabError, match=r"select\.jsonl:1"):
        recorded.recorded("select", tmp_path)
    (tmp_path / "select.jsonl").write_bytes(b'{"case": "not fin')
    assert recorded.recorded("select", tmp_path) == []


def votes(right: int, of: int) -> dict[str, list[bool]]:
    return {str(number): [number < right] for number in range(of)}


@pytest.mark.parametrize(
    ("before", "after", "of", "verdict"),
    [
        (10, 20, 30, "better"),
        (20, 10, 30, "worse"),
        (15, 17, 30, "no difference"),
        (0, 19, 19, "too few cases"),
    ],
)
def test_the_verdict_of_a_comparison(before: int, after: int, of: int, verdict: str) -> None:
    base, mine = compare({"base": votes(before, of), "mine": votes(after, of)}, "base")
    assert base.base is None
    assert verdict in mine.verdict
    low, high = mine.interval
    assert low <= mine.change <= high
    assert len(mine.fixed) - len(mine.broken) == after - before


def test_only_the_cases_that_both_have_are_compared_and_repeats_vote() -> None:
    base = {"a": [True, True, False], "b": [False] * 3}
    _, mine, again = compare(
        {"base": base, "mine": {"a": [True, False, False], "c": [True] * 3}, "base again": base},
        "base",
    )
    assert (mine.shared, mine.broken, mine.fixed) == (1, ("a",), ())
    assert mine.change == pytest.approx(-1 / 3)
    assert again.p is None
    assert "noise" in again.line


def test_the_page_of_prompts_is_that_of_the_repository() -> None:
    assert replay.PAGE.read_text("utf-8") == replay.prompts_page()


def test_the_replay_of_a_variant_shows_what_flipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["follow", "--model", "replay", "--prompts", "base,without"]) == 0
    shown = capsys.readouterr().out
    assert "without: worse" in shown
    assert "broken: f" in shown
    assert recorded.LABEL in shown
