"""The command `bench`: what is asked, kept, resumed and shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memlab.bench import run as running
from memlab.bench import tasks
from memlab.bench.tasks import TASKS
from memlab.cli.bench import main
from memlab.evals import metrics
from memlab.prompts import SHIPPED
from tests.unit.bench.endpoint import Flaky, bodies, served

Bench = Callable[..., int]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Run the command on the first 24 cases, with a log in a scratch folder."""
    every = tasks.Task.cases
    monkeypatch.setattr(tasks.Task, "cases", lambda task, half: every(task, half)[:24])
    monkeypatch.setitem(metrics.paired_bootstrap.__kwdefaults__, "draws", 300)
    return lambda *words: main([*words, "--out", str(tmp_path / "logs"), "--jobs", "1"])


def lines(tmp_path: Path) -> list[dict[str, Any]]:
    (log,) = (tmp_path / "logs").glob("*.jsonl")
    return [json.loads(line) for line in log.read_text("utf-8").splitlines()]


def mine(tmp_path: Path, text: str) -> str:
    folder = tmp_path / "mine"
    folder.mkdir(exist_ok=True)
    (folder / "select.md").write_text(f"{text}\n\n{{{{manifest}}}}\n{{{{limit}}}}", "utf-8")
    return str(folder)


def test_two_versions_are_asked_and_compared(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = Flaky()
    with served(model) as url:
        words = ("select", "--model", "live", "--base-url", url, "--model-name", "qwen")
        assert bench(*words, "--prompts", f"base,{mine(tmp_path, 'Choose well.')}") == 0
        shown = capsys.readouterr().out
        assert "qwen at 127.0.0.1" in shown
        assert "mine: no difference shown" in shown
        assert {body["model"] for body in bodies(model)} == {"qwen"}
        assert sum("Choose well." in json.dumps(body) for body in bodies(model)) == 24

        calls = model.calls
        assert bench(*words, "--prompts", f"base,{mine(tmp_path, 'Choose well.')}") == 0
        assert model.calls == calls, "what the log has is not asked again"
        assert bench(*words, "--prompts", f"base,{mine(tmp_path, 'Choose badly.')}") == 0
        assert model.calls == calls + 24, "a changed prompt is asked again"
    assert str(tmp_path) not in json.dumps(bodies(model))


def test_a_run_that_is_killed_goes_on_with_what_is_missing(bench: Bench, tmp_path: Path) -> None:
    model = Flaky()
    with served(model) as url:
        words = ("select", "--model", "live", "--base-url", url, "--repeat", "2")
        assert bench(*words) == 0
        (log,) = (tmp_path / "logs").glob("*.jsonl")
        whole = log.read_bytes()
        log.write_bytes(b"".join(whole.splitlines(keepends=True)[:40]) + b'{"case": "half a li')
        assert bench(*words) == 0
        assert model.calls == 48 + 8
    assert len({(one["case"], one["run"]) for one in lines(tmp_path)}) == 48


def test_a_budget_stops_before_it_is_exceeded(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with served(Flaky()) as url:
        words = ("select", "--model", "live", "--base-url", url)
        assert bench(*words, "--budget", "30000") == 2
        assert "larger budget" in capsys.readouterr().err
        spent = sum(one["tokens"] for one in lines(tmp_path))
        assert 0 < spent <= 30_000
        asked = len(lines(tmp_path))
        assert bench(*words, "--budget", "30000") == 2, "what was spent before counts"
        assert len(lines(tmp_path)) == asked
        assert bench(*words, "--budget", "9000000") == 0


@pytest.mark.parametrize(
    ("fails", "kept", "status", "said"),
    [
        (lambda n: 404, 0, 2, "404"),
        (lambda n: b"no message", 0, 2, "gave no answer"),
        (lambda n: 400 if n == 3 else "", 23, 0, ""),
    ],
)
def test_a_call_that_fails_is_no_answer(
    bench: Bench,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    fails: Callable[[int], int | str | bytes],
    kept: int,
    status: int,
    said: str,
) -> None:
    with served(Flaky(fails)) as url:
        assert bench("select", "--model", "live", "--base-url", url) == status
    assert said in capsys.readouterr().err
    assert len(lines(tmp_path) if kept else []) == kept


def test_nobody_is_asked_for_money_without_a_budget(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")
    assert bench("select", "--model", "live") == 2
    assert "--budget" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("select", "--prompts", "nobody"), "without_unsure"),
        (("follow",), "--model live"),
        (("select", "--model", "replay", "--prompts", "base,nobody"), "Choose from"),
    ],
)
def test_what_is_typed_wrongly_is_named(
    bench: Bench, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    assert bench(*words) == 2
    assert said in capsys.readouterr().err


def test_the_rules_are_too_bad_for_a_job_that_wants_more(bench: Bench) -> None:
    assert bench("extract", "--fail-below", "10") == 0
    assert bench("extract", "--fail-below", "95") == 1


def test_a_recorded_variant_is_asked_only_what_it_can_affect() -> None:
    variant = running.plan(TASKS["select"], [tasks_variant("without_warning")], "work")
    kinds = {one.label.kind for one in variant}
    assert kinds == {"tool-in-use", "gotcha"}
    assert len(running.plan(TASKS["select"], [tasks_variant("bare")], "work", 2)) == 150


def tasks_variant(name: str) -> Any:
    from memlab.bench.variants import load_variant

    variant = load_variant(name)
    assert variant.prompts.text("select") != SHIPPED.text("select")
    return variant
