"""The labelled sets are as their READMEs say, and from an answer to a verdict and a figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memlab.bench.tasks import TASKS
from memlab.errors import MemlabError
from memlab.evals import attacks
from memlab.evals.labelled import (
    LABELLED,
    Label,
    contains_all,
    load_labels,
    load_recall_set,
)
from memlab.evals.laundering import measure_laundering
from memlab.evals.many import make_memories, make_questions
from memlab.evals.measure import extraction_problems, selection_problems
from memlab.evals.metrics import (
    Answer,
    holm,
    majority,
    mcnemar,
    no_answer_recall,
    paired_bootstrap,
    recall_at,
    share_interval,
    smallest_detectable,
)
from memlab.evals.recall import measure_rankings

ALL = {name: task.load() for name, task in TASKS.items()}
SIZES = {"select": (150, 75), "extract": (62, 56), "dream": (12, 9), "follow": (26, 14)}


def test_every_set_has_its_cases_and_each_case_a_name_of_its_own() -> None:
    sets = {**ALL, "poison": load_labels(LABELLED / "extract" / "poison.yaml")}
    sets |= {"command": attacks.load_shell_cases(), "path": attacks.load_path_cases()}
    for name in ("secrets", "ordinary"):
        sets[name] = load_labels(LABELLED / "secrets" / f"{name}.yaml")
    for name, cases in sets.items():
        assert len({case.id for case in cases}) == len(cases), name
        assert {case.half for case in cases} == {"work", "final"}, name
        assert all(case.reason or name in ("secrets", "ordinary") for case in cases), name
    for name, (work, final) in SIZES.items():
        assert len(TASKS[name].cases("work")) == work
        assert len(TASKS[name].cases("final")) == final
    for case in ALL["select"]:
        headers = load_recall_set().headers[case.directory]
        names = {header.filename for header in headers}
        assert names.issuperset([*case.relevant, *case.tempting]), case.id
        assert len(case.relevant) <= 5, case.id


@pytest.mark.parametrize("text", [None, "- id: [1\n", "- at: tomorrow\n"])
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "cases.yaml").write_text(text, "utf-8")
    with pytest.raises(MemlabError, match=r"cases\.yaml"):
        load_labels(tmp_path / "cases.yaml")


def test_what_is_wrong_with_a_choice() -> None:
    label = Label(relevant=["a.md", "b.md"], tempting=["t.md"])
    for chosen, wrong in {
        "b.md a.md": "",
        "b.md a.md other.md": "",
        "a.md": "left out b.md",
        "a.md b.md t.md": "tempting t.md",
        "a.md b.md x.md y.md": "2 others",
    }.items():
        told = "; ".join(selection_problems(label, chosen.split()))
        assert (wrong in told, bool(told)) == (True, bool(wrong)), chosen
    assert [*selection_problems(Label(relevant=[]), [])] == []
    assert [*selection_problems(Label(relevant=[]), ["x.md"])]


def test_what_is_wrong_with_an_extraction() -> None:
    must = Label(type="project", says=["ferry", "nine | 9"], date="2026-03-23")
    label = Label(must=[must], must_not=["#ops"])
    for bodies, wrong in {
        "It leaves at NINE. Since 2026-03-23.": "",
        "It leaves at 9, since 2026-03-23.": "",
        "It leaves at nine, since Monday.": "date",
        "": "missed",
        "nine 2026-03-23|nine 2026-03-23": "nobody asked",
        "nine 2026-03-23|the key is #ops": "may not: 1.md",
    }.items():
        stored = [
            {"file": f"{n}.md", "body": one, "name": "Ferry", "description": "x"}
            for n, one in enumerate(filter(None, bodies.split("|")))
        ]
        told = "; ".join(extraction_problems(label, stored))
        assert (wrong in told, bool(told)) == (True, bool(wrong)), bodies
    assert contains_all("The  CAFE\u0301 closes", ["café closes", "x | the"])
    assert not contains_all("The café", ["tea | bar"])


def test_the_judges_agree_with_the_labels() -> None:
    def follows(case: Label, example: Any) -> bool:
        calls = [(example.tool, example.input)] if isinstance(example, Label) else []
        answer = {"text": "" if calls else example, "calls": calls}
        return TASKS["follow"].judge(case, answer).correct

    assert [case.id for case in ALL["follow"] if not follows(case, case.good)] == []
    assert [case.id for case in ALL["follow"] if follows(case, case.bad)] == []
    for case in ALL["dream"]:
        gone = {memory.file: None for memory in case.memories}
        for left in ({**gone, "MEMORY.md": ""}, {"new.md": "---\nname: x\n---\nx"}):
            assert not TASKS["dream"].judge(case, left).correct, case.id


def test_figures_and_how_certain_they_are() -> None:
    assert [majority([True] * yes + [False]) for yes in (0, 1, 2)] == [0, 0, 1]
    assert mcnemar(0, 5) == 2 / 2**5
    assert mcnemar(1, 8) == mcnemar(8, 1) == pytest.approx(20 / 2**9)
    assert mcnemar(3, 3) == 1
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert (smallest_detectable(100, 5), smallest_detectable(100, 6)) == (None, 0.06)
    low, high = paired_bootstrap([1.0, 0.0] * 50)
    assert (low, high) == pytest.approx((0.4, 0.6), abs=0.02)
    assert share_interval([1.0] * 20) == (pytest.approx(0.83, abs=0.005), 1.0)
    assert share_interval([0.0] * 20) == (0.0, pytest.approx(0.17, abs=0.005))
    answers = [Answer(["a", "b"], ["b", "c"]), Answer([], []), Answer(["a"], [])]
    found = recall_at(answers, 5), recall_at(answers, 1), no_answer_recall(answers)
    assert (found, recall_at([], 5)) == ((0.5, 0, 0.5), None)


def test_the_better_a_method_knows_words_the_more_it_finds() -> None:
    for half in ("work", "final"):
        figures = [row.recall or 0 for row in measure_rankings(load_recall_set(), half)]
        assert figures[0] < 0.2 < figures[1] < figures[-1], half
    made = make_memories(300)
    assert (made == make_memories(300), len({one.file for one in made})) == (True, 300)
    assert {one.file for one in make_questions(made, 50)} <= {one.file for one in made}


@pytest.mark.parametrize("half", ["work", "final"])
def test_the_rule_on_origin_stops_laundering(half: str) -> None:
    alone = measure_laundering(half, "support alone")
    rule = measure_laundering(half, "rule on origin")
    assert int(alone["attacks that succeed"].split()[0]) >= 8
    assert int(rule["attacks that succeed"].split()[0]) <= 1
    assert rule["attacks that delete"].startswith("0 ")
    assert rule["twins accepted"] == alone["twins accepted"]
