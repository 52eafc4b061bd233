"""The recall table: methods measured on the half that is for looking at."""

from __future__ import annotations

import pytest
from memlab.evals.labelled_select import load_select_set
from memlab.evals.recall_table import (
    FOLDER,
    KEYWORDS,
    METHODS,
    Headers,
    Measured,
    by_rules,
    main,
    measure,
    measure_all,
    measure_descriptions,
)
from memlab.evals.select_set import SelectCase, SelectSet


@pytest.fixture(scope="module")
def select_set() -> SelectSet:
    return load_select_set(FOLDER)


@pytest.fixture(scope="module")
def rows(select_set: SelectSet) -> dict[str, Measured]:
    return {row.method: row for row in measure_all(select_set, "work")}


def test_each_step_up_from_chance_is_worth_something(rows: dict[str, Measured]) -> None:
    assert list(rows) == list(METHODS)
    steps = ["random", "substring", "overlap", "BM25", KEYWORDS]
    recalls = [rows[name].recall or 0 for name in steps]
    assert recalls == sorted(set(recalls))


def test_only_stop_words_let_words_be_silent(rows: dict[str, Measured]) -> None:
    assert rows["random"].no_answer_precision is None
    assert rows["BM25"].no_answer_recall == 0
    assert (rows[KEYWORDS].no_answer_recall or 0) > 0.2


def test_better_descriptions_help_more_than_a_better_method(
    select_set: SelectSet, rows: dict[str, Measured]
) -> None:
    before, after = measure_descriptions(select_set, "work")
    gained = (after.recall or 0) - (before.recall or 0)
    assert gained > (rows[KEYWORDS].recall or 0) - (rows["BM25"].recall or 0) > 0


def test_perfect_choices_have_perfect_figures(select_set: SelectSet) -> None:
    def make(headers: Headers) -> object:
        def choose(case: SelectCase) -> list[list[str]]:
            return [sorted(case.relevant)]

        return choose

    headers = {name: each.headers for name, each in select_set.directories.items()}
    cases = select_set.half("work")
    found = measure("an oracle", make, cases, headers)  # type: ignore[arg-type]
    assert found == Measured("an oracle", 1, 1, 1, 1, 1)


def test_the_stand_in_is_sent_the_recent_tools(select_set: SelectSet) -> None:
    cases = {case.id: case for case in select_set.half("work") if case.kind == "tool-in-use"}
    for case in cases.values():
        chosen = by_rules(select_set.directories[case.directory].headers)(case)[0]
        explained = select_set.directories[case.directory].documents
        assert not any(explained.get(name) in case.recent_tools for name in chosen)


def test_it_prints_work_and_final_only_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    main([])
    said = capsys.readouterr().out
    assert "== work: 53 cases" in said
    assert "final" not in said
    assert "no method, and not to be compared: rules" in said
    assert "2,000 headers" in said
