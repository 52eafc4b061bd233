"""The command `bench` and its recorded answers: what is asked, kept, resumed, judged and shown."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memlab.bench import recorded, replay, run, tasks, variants
from memlab.bench.compare import compare
from memlab.bench.tasks import TASKS
from memlab.cli import bench as command
from memlab.cli.commands import guarded
from memlab.errors import ModelError
from memlab.evals import metrics
from tests.unit.bench.endpoint import Flaky, bodies, served

Bench = Callable[..., int]
Capture = pytest.CaptureFixture[str]


def test_the_page_about_the_prompts_is_up_to_date() -> None:
    """It comes first: what it compares is kept, and other tests ask of fewer cases."""
    assert replay.PAGE.read_text("utf-8") == replay.prompts_page()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Run the command on the first 24 cases, with a log in a scratch folder."""
    every = tasks.Task.cases
    monkeypatch.setattr(tasks.Task, "cases", lambda task, half: every(task, half)[:24])
    monkeypatch.setattr(metrics, "DRAWS", 300)
    monkeypatch.setattr(command, "LOGS", tmp_path / "logs")
    rest = ("--jobs", "1")
    return lambda *words: guarded("bench", lambda: command.main([*words, *rest]))


def lines(tmp_path: Path) -> list[dict[str, Any]]:
    logs = [path.read_text("utf-8") for path in (tmp_path / "logs").glob("*.jsonl")]
    return [json.loads(line) for line in "".join(logs).splitlines()]


def test_two_versions_are_asked_compared_and_no_answer_is_paid_for_twice(
    bench: Bench, tmp_path: Path, capsys: Capture
) -> None:
    model, mine = Flaky(), tmp_path / "mine"
    mine.mkdir()
    with served(model) as url:
        words = ("select", "--model", "live", "--base-url", url, "--prompts", f"base,{mine}")
        asked = []
        for text in ("Choose well.", "Choose well.", "Choose badly."):
            (mine / "select.md").write_text(f"{text}\n\n{{{{manifest}}}}\n{{{{limit}}}}", "utf-8")
            assert bench(*words) == 0
            asked.append(model.calls)
        assert asked == [48, 48, 72]  # a changed prompt is asked again
        assert "mine: no difference shown" in capsys.readouterr().out
        assert sum("Choose well." in json.dumps(body) for body in bodies(model)) == 24
        (log,) = (tmp_path / "logs").glob("*.jsonl")  # killed in the middle of a line
        log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:64]) + b'{"case')
        assert (bench(*words), model.calls) == (0, 72 + 8)
    assert str(tmp_path) not in json.dumps(bodies(model))


def test_a_budget_stops_before_it_is_exceeded(
    bench: Bench, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(Flaky()) as url:
        words = ("select", "--model", "live", "--base-url", url, "--budget")
        asked = []
        for _ in range(2):  # what was spent before counts
            assert bench(*words, "30000") == 2
            asked.append(len(lines(tmp_path)))
        assert asked[0] == asked[1]
        assert 0 < sum(one["tokens"] for one in lines(tmp_path)) <= 30_000
        assert bench(*words, "9000000") == 0
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")
    assert bench("select", "--model", "live") == 2  # nobody pays without one
    assert "--budget" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("fails", "kept", "status", "said"),
    [
        (lambda n: 404, 0, 2, "404"),
        (lambda n: b"no message", 0, 2, "gave no answer"),
        (lambda n: 400 if n == 3 else "", 23, 0, ""),
    ],
)
def test_a_call_that_fails_is_no_answer(
    bench: Bench, tmp_path: Path, capsys: Capture, fails: Any, kept: int, status: int, said: str
) -> None:
    with served(Flaky(fails)) as url:
        assert bench("select", "--model", "live", "--base-url", url) == status
    assert said in capsys.readouterr().err
    assert len(lines(tmp_path)) == kept


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("select --prompts nobody", 2, "without_unsure"),
        ("follow", 2, "--model live"),
        ("select --model replay --prompts base,nobody", 2, "Choose from"),
        ("extract --fail-below 95", 1, ""),
        ("extract --fail-below 10", 0, ""),
        ("follow --model replay --prompts base,without", 0, "without: worse"),
    ],
)
def test_what_a_run_says_and_its_status(
    bench: Bench, capsys: Capture, words: str, status: int, said: str
) -> None:
    assert bench(*words.split()) == status
    printed = capsys.readouterr()
    assert said in printed.out + printed.err
    assert ("replay" in words and not status) == (recorded.LABEL in printed.out)


def test_a_recorded_variant_is_asked_only_what_it_can_affect() -> None:
    planned = run.plan(TASKS["select"], [variants.load_variant("without_warning")], "work")
    assert {label.kind for label, *_ in planned} == {"tool-in-use", "gotcha"}


@pytest.mark.parametrize("case", ["select t03", "extract agrees-1", "dream mixed-1"])
def test_a_request_is_today_what_was_recorded_and_its_answer_can_be_judged(
    monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    name, wanted = case.split()
    task, every = TASKS[name], recorded.recorded(name)
    one = [one for one in every if (one.case, one.variant) == (wanted, "base")]
    with monkeypatch.context() as only:
        only.setattr(replay, "recorded", lambda name: one)
        differs = asyncio.run(replay.stale(task))
    if differs:  # which takes a minute
        pytest.fail(replay.RECORD_AGAIN.format(len(asyncio.run(replay.stale(task))), task.name))
    assert {one.case for one in every} <= {label.id for label in task.load()}
    assert "base" in {row.name for row in replay.rows(task, "work")}


def test_a_changed_prompt_makes_recorded_answers_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    few = {"select": recorded.recorded("select")[:1]}
    monkeypatch.setattr(replay, "recorded", lambda name: few.get(name, []))
    monkeypatch.setattr(replay, "PAGE", tmp_path / "prompts.md")
    replay.main(["--stale"])
    assert capsys.readouterr().out == ""
    (tmp_path / "select.md").write_text("Choose.\n{{manifest}}\n{{limit}}\n", "utf-8")
    monkeypatch.setattr(replay, "load_variant", lambda name: variants.load_variant(str(tmp_path)))
    replay.main(["--stale"])
    *listed, last = capsys.readouterr().out.splitlines()
    assert listed == [f"select base a: ask {few['select'][0].case} again"]
    assert last.startswith("1 ")
    assert "CONTRIBUTING.md" in last
    assert not (tmp_path / "prompts.md").exists()


SOME: dict[str, Any] = {"model": "m", "max_tokens": 9, "system": "Be brief."}
SOME["messages"] = [{"role": "user", "content": "Hello"}]


def test_an_answer_to_another_request_is_refused_by_the_part_that_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded.recorded, "__defaults__", (tmp_path,))
    monkeypatch.setattr(recorded.append, "__defaults__", (tmp_path,))
    with pytest.raises(ModelError, match="no answer was recorded"):
        asyncio.run(recorded.reply("a case", SOME))
    with served(Flaky()) as url:
        monkeypatch.setenv("MEMLAB_RECORD", url)
        said = asyncio.run(recorded.reply("a case", SOME))
    monkeypatch.delenv("MEMLAB_RECORD")
    assert asyncio.run(recorded.reply("a case", SOME)) == said
    for part, changed in (("system", {"system": "Be long."}), ("options", {"max_tokens": 10})):
        with pytest.raises(ModelError, match=f"as recorded: {part}"):
            asyncio.run(recorded.reply("a case", SOME | changed))
    (tmp_path / "select.jsonl").write_bytes(b'{"case": "not fin')
    assert recorded.recorded("select", tmp_path) == []


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
    base, again, mine = (
        {str(n): [n < right] for n in range(of)} for right in (before, before, after)
    )
    mine["only here"] = [True]
    _, noise, told = compare({"base": base, "base again": again, "mine": mine}, "base")
    assert (verdict in told.verdict, told.shared, "noise" in noise.line) == (True, of, True)
    assert told.interval[0] <= told.change <= told.interval[1]
    assert len(told.fixed) - len(told.broken) == after - before
