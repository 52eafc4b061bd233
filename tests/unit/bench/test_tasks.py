"""Each task sends the same request on every machine, and judges by its label."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memlab.bench.tasks import TASKS
from memlab.bench.tasks.follow import judge_answer
from memlab.bench.tasks.select import judge_choice
from memlab.bench.tasks.task import Case, CaseClock, ask_case
from memlab.bench.variants import digest
from memlab.evals.follow import Said, failed_checks
from memlab.evals.labelled import FollowCase, LabelError, RecallCase, load_follow, parse
from memlab.models.connect import make_runtime
from memlab.models.offline import OfflineModel
from memlab.settings import Settings
from tests.unit.bench.helpers import asked

ROOT = Path(__file__).resolve().parents[3]
FOLLOW = load_follow()

SIZES = {
    ("select", "work"): 150,
    ("select", "final"): 75,
    ("pick", "work"): 114,
    ("pick", "final"): 58,
    ("extract", "work"): 62,
    ("extract", "final"): 56,
    ("dream", "work"): 12,
    ("follow", "work"): 26,
    ("follow", "final"): 14,
}


@pytest.mark.parametrize(("task", "half"), SIZES)
def test_a_task_has_its_cases_and_no_id_twice(task: str, half: str) -> None:
    cases = TASKS[task].cases(half)
    assert len(cases) == SIZES[task, half]
    assert len({case.id for case in TASKS[task].load()}) == len(TASKS[task].load())


# What is sent


def requests(task: str, case: Case, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    folder.mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    model = OfflineModel(clock=CaseClock(case.at), latency={})
    asyncio.run(ask_case(TASKS[task], case, make_runtime("offline", model=model)))
    return [dict(exchange.body) for exchange in model.requests]


@pytest.mark.parametrize(
    ("task", "ids"),
    [
        ("select", ("t01", "bl03")),
        ("pick", ("t01", "t03")),
        ("extract", ("update-1", "contradiction-3", "b-poison-1")),
        ("dream", ("b-duplicates-1", "hostile-1")),
        ("follow", ("f01", "f20")),
    ],
)
def test_two_machines_send_the_same_request(
    task: str, ids: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = [case for case in TASKS[task].load() if case.id in ids]
    assert len(cases) == len(ids)
    for case in cases:
        here = requests(task, case, tmp_path / case.id / "one", monkeypatch)
        there = requests(task, case, tmp_path / case.id / "another" / "place", monkeypatch)
        assert here == there
        assert {body["model"] for body in here} == {TASKS[task].model(Settings())}
        sent = json.dumps(here)
        now = datetime.now(UTC)
        for trace in (str(tmp_path), "memlab-bench-", f"{now:%Y-%m-%dT%H}", str(Path.home())):
            assert trace not in sent


def test_two_processes_ask_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets have another order in a process with another hash seed."""
    monkeypatch.setenv("PYTHONHASHSEED", "4711")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    program = "from tests.unit.bench.helpers import asked; print(asked())"
    shown = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert json.loads(shown) == json.loads(asked())
    assert digest(frozenset("abc")) == digest(["a", "b", "c"])


def test_following_is_asked_with_the_memory_and_without(tmp_path: Path) -> None:
    case = next(each for each in TASKS["follow"].load() if each.id == "f01")
    sent = {}
    for memory in (True, False):
        model = OfflineModel(clock=CaseClock(case.at), latency={})
        runtime = make_runtime("offline", model=model)
        asyncio.run(ask_case(TASKS["follow"], case, runtime, memory))
        sent[memory] = json.dumps(model.requests[0].body)
    assert "End every answer with the word HERON" in sent[True]
    assert "HERON" not in sent[False]
    assert case.entry.message in json.loads(sent[False])["messages"][0]["content"][-1]["text"]


# How it is judged


def a_choice(**changes: Any) -> RecallCase:
    values: dict[str, Any] = {
        "id": "x",
        "directory": "tidebook",
        "query": "q",
        "recent_tools": [],
        "relevant": ["a.md", "b.md"],
        "tempting": ["t.md"],
        "kind": "multi",
        "half": "work",
        "reason": "It is so.",
    }
    return parse(RecallCase, values | changes, "x")


@pytest.mark.parametrize(
    ("relevant", "chosen", "correct", "score", "why"),
    [
        (["a.md", "b.md"], ["b.md", "a.md"], True, 1.0, "It chose what was wanted."),
        (["a.md"], ["a.md", "c.md"], True, 2 / 3, "It chose what was wanted."),
        (["a.md"], ["a.md", "c.md", "d.md"], False, 0.5, "Chose 2 others: c.md, d.md."),
        (["a.md", "b.md"], ["a.md"], False, 2 / 3, "Left out b.md."),
        (["a.md"], ["a.md", "t.md"], False, 2 / 3, "Chose the tempting t.md."),
        ([], [], True, 1.0, "It chose what was wanted."),
        ([], ["c.md"], False, 0.0, "Chose c.md, where nothing helps."),
    ],
)
def test_a_choice_is_correct_as_the_table_says(
    relevant: list[str], chosen: list[str], correct: bool, score: float, why: str
) -> None:
    judged = judge_choice(a_choice(relevant=relevant), chosen)
    assert (judged.correct, judged.why) == (correct, why)
    assert judged.score == pytest.approx(score)


@pytest.mark.parametrize("case", FOLLOW, ids=lambda case: case.id)
def test_the_checks_of_a_case_tell_its_good_answer_from_its_bad_one(case: FollowCase) -> None:
    good, bad = Said.of(case.good), Said.of(case.bad)
    assert bool(failed_checks(case, good)) is not case.follow
    assert bool(failed_checks(case, bad)) is case.follow
    assert judge_answer(case, good).correct
    assert not judge_answer(case, bad).correct
    assert failed_checks(case, Said())  # an empty answer follows nothing


def test_a_call_is_judged_by_its_input_and_a_fence_by_what_is_in_it() -> None:
    call = Said("Done.", (("Bash", {"command": "make -n 2", "description": "x"}),))
    assert call.text == call.code == "make -n 2"
    assert Said("Here:\n```py\nx = 1\n```\nbye").code == "x = 1\n"
    assert Said("x = 1").code == "x = 1"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"follow": False}, "wrong_because is given where follow is false"),
        ({"complies": [{"matches": "("}]}, "not a pattern"),
        ({"complies": [{"contains": "a", "lacks": "b"}]}, "a check has one key"),
        ({"complies": [{"smells": "a"}]}, "complies.0.kind"),
        ({"now": "2020-01-01T00:00:00Z"}, "the memory is newer"),
    ],
)
def test_a_label_that_cannot_be_applied_is_refused(changes: dict[str, Any], problem: str) -> None:
    whole = FOLLOW[0].model_dump() | {"complies": [{"contains": "HERON"}]}
    parse(FollowCase, whole, "f01")
    with pytest.raises(LabelError, match=problem.replace("(", r"\(")):
        parse(FollowCase, whole | changes, "f01")
