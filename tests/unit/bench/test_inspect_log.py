from __future__ import annotations

import json
from pathlib import Path

import pytest

from memlab.bench.compare import CompareError
from memlab.bench.inspect_log import inspect_logs, write_inspect_logs
from tests.unit.bench.helpers import answer, run


def test_each_variant_is_a_log_and_each_repeat_an_epoch() -> None:
    logs = inspect_logs(run({"a": "++ +-", "b": "-- ++"}))
    base, mine = logs.values()
    assert [log["eval"]["task"] for log in (base, mine)] == [
        "memlab-select-base",
        "memlab-select-mine",
    ]
    assert base["version"] == 2
    assert base["status"] == "success"
    assert base["eval"]["model"] == "test model"
    assert base["eval"]["config"]["epochs"] == 2
    assert base["eval"]["dataset"]["sample_ids"] == ["a", "b"]
    assert base["results"]["scores"][0]["metrics"]["accuracy"]["value"] == 0.5
    assert mine["results"]["scores"][0]["metrics"]["accuracy"]["value"] == 0.75

    samples = [
        (each["id"], each["epoch"], each["scores"]["correct"]["value"]) for each in mine["samples"]
    ]
    assert samples == [("a", 1, "C"), ("a", 2, "I"), ("b", 1, "C"), ("b", 2, "C")]
    first = mine["samples"][0]
    assert first["input"] == "case a"
    assert first["target"] == "the label of a"
    assert first["output"]["completion"] == "mine said this about a"
    assert first["scores"]["correct"]["explanation"] == "as the label says"
    assert first["completed_at"] == "2026-11-23T04:11:02+00:00"
    assert mine["stats"]["model_usage"]["test model"] == {
        "input_tokens": 400,
        "input_tokens_cache_write": 80,
        "input_tokens_cache_read": 1120,
        "output_tokens": 40,
        "total_tokens": 1640,
        "total_cost": pytest.approx(0.004),
    }


def test_the_same_answers_write_the_same_files(tmp_path: Path) -> None:
    answers = run({"a": "+ -"})
    first = {path: path.read_bytes() for path in write_inspect_logs(answers, tmp_path / "logs")}
    again = {path: path.read_bytes() for path in write_inspect_logs(answers, tmp_path / "logs")}
    assert first == again
    assert [json.loads(each)["version"] for each in first.values()] == [2, 2]


def test_a_hostile_name_stays_in_the_folder(tmp_path: Path) -> None:
    hostile = answer("../../x\x1b/<b>", said="\x1b[2J\udc80")
    (path,) = write_inspect_logs([hostile], tmp_path / "logs")
    assert path.parent == tmp_path / "logs"
    assert [each.name for each in tmp_path.iterdir()] == ["logs"]
    assert "\x1b" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("ended", "status"),
    [("finished", "success"), ("interrupted", "cancelled"), ("endpoint", "error")],
)
def test_only_a_whole_run_is_a_success(ended: str, status: str) -> None:
    (log,) = inspect_logs([answer()], ended).values()
    assert log["status"] == status


def test_two_models_are_not_mixed_in_one_log() -> None:
    with pytest.raises(CompareError, match="2 models"):
        inspect_logs([answer(), answer(case="b", model="another")])
