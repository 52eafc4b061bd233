"""Each rule of the labelled set, broken once on purpose."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from memlab.evals.labelled_select import SelectSet, load_select_set
from memlab.evals.select_rules import broken_rules

FOLDER = Path(__file__).resolve().parents[3] / "data" / "labelled" / "select"


@pytest.fixture(scope="module")
def whole() -> SelectSet:
    return load_select_set(FOLDER)


def with_case(whole: SelectSet, id: str, /, **changes: Any) -> SelectSet:
    assert any(case.id == id for case in whole.cases)
    return replace(
        whole,
        cases=tuple(replace(case, **changes) if case.id == id else case for case in whole.cases),
    )


def with_header(whole: SelectSet, directory_name: str, /, **changes: Any) -> SelectSet:
    directory = whole.directories[directory_name]
    headers = (replace(directory.headers[0], **changes), *directory.headers[1:])
    return with_directory(whole, directory_name, headers=headers)


def with_directory(whole: SelectSet, name: str, **changes: Any) -> SelectSet:
    changed = replace(whole.directories[name], **changes)
    return replace(whole, directories={**whole.directories, name: changed})


def test_the_set_breaks_no_rule(whole: SelectSet) -> None:
    assert list(broken_rules(whole)) == []


@pytest.mark.parametrize(
    ("id", "changes", "says"),
    [
        ("t01", {"relevant": frozenset({"gone.md"})}, "tidebook has no gone.md"),
        ("t01", {"directory": "elsewhere"}, "no directory is 'elsewhere'"),
        ("t01", {"half": "both"}, "no half is 'both'"),
        ("t01", {"query": " "}, "no query"),
        ("t01", {"reason": "Because"}, "the reason must be one sentence"),
        ("t01", {"id": "t02"}, "case t02: used twice"),
        ("t01", {"language": "de"}, "and no other kind, has a language"),
        ("t01", {"relevant": frozenset()}, "paraphrase needs a relevant file"),
        ("t01", {"query": "the order?"}, "a paraphrase shares order with order-of-the-board.md"),
        ("t09", {"relevant": frozenset({"sql-first.md"})}, "no-answer must have no relevant file"),
        ("t13", {"language": None}, "and no other kind, has a language"),
        ("t17", {"query": "who boards"}, "shares boards, which are no little words"),
        ("t17", {"query": "who"}, "shares fewer than two little words"),
        ("t19", {"tempting": frozenset()}, "near-miss needs a tempting file"),
        ("t19", {"tempting": frozenset({"sql-first.md"})}, "so it is not near"),
        (
            "t19",
            {"tempting": frozenset({"tide-times-from-gullwing.md"})},
            "cannot be relevant and tempting",
        ),
        ("t21", {"relevant": frozenset({"sql-first.md"})}, "multi needs two relevant files"),
        ("l07", {"recent_tools": ("mcp__slots__hold",)}, "documents a tool in use"),
        ("l15", {"recent_tools": ("Read",)}, "no tempting file documents a recent tool"),
        ("l19", {"recent_tools": ("Read",)}, "no relevant file warns about a recent tool"),
        ("l15", {"recent_tools": ()}, "asked before, with the same tools"),
        ("l15", {"half": "final"}, "its query stands in both halves"),
        ("g11", {"half": "final"}, "direct in galley: 1 cases in work, 3 in final"),
    ],
)
def test_a_spoilt_case_is_named(
    whole: SelectSet, id: str, changes: dict[str, Any], says: str
) -> None:
    assert says in "\n".join(broken_rules(with_case(whole, id, **changes)))


def test_six_relevant_files_are_too_many(whole: SelectSet) -> None:
    six = frozenset(header.filename for header in whole.directories["galley"].headers[:6])
    assert "6 relevant files" in "\n".join(broken_rules(with_case(whole, "g49", relevant=six)))


def test_a_kind_that_is_too_rare_is_named(whole: SelectSet) -> None:
    fewer = replace(whole, cases=tuple(case for case in whole.cases if case.kind != "gotcha"))
    assert list(broken_rules(fewer)) == ["0 cases of gotcha; at least 6 are needed"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"description": "two\nlines"}, "must be one line"),
        ({"description": "x" * 301}, "must be one line"),
        ({"name": ""}, "no name"),
        ({"filename": "MEMORY.md"}, "no name of a memory file"),
        ({"filename": "small-commits.md"}, "small-commits.md stands 2 times"),
    ],
)
def test_a_spoilt_entry_is_named(whole: SelectSet, changes: dict[str, Any], says: str) -> None:
    assert says in "\n".join(broken_rules(with_header(whole, "lightbox", **changes)))


def test_a_memory_from_the_future_is_named(whole: SelectSet) -> None:
    tomorrow = whole.directories["galley"].now + timedelta(days=1)
    assert "younger than now" in "\n".join(
        broken_rules(with_header(whole, "galley", mtime=tomorrow))
    )


def test_a_directory_of_the_wrong_size_or_name_is_named(whole: SelectSet) -> None:
    few = with_directory(whole, "galley", headers=whole.directories["galley"].headers[:50])
    assert "galley: 50 files; must be 110 to 130" in "\n".join(broken_rules(few))
    missing = replace(whole, directories={"galley": whole.directories["galley"]})
    assert "directories are ['galley']" in next(broken_rules(missing))


def test_a_word_that_is_no_tool_is_named(whole: SelectSet) -> None:
    odd = with_directory(whole, "lightbox", documents={"deploy-run-usage.md": "deploy"})
    assert "deploy is no name of a tool" in "\n".join(broken_rules(odd))


@pytest.mark.parametrize(
    ("better", "says"),
    [
        ({"gone.md": "A line"}, "galley has no gone.md"),
        ({"drone.md": "Pictures from the drone"}, "drone.md needs one new line"),
        ({"drone.md": "two\nlines"}, "drone.md needs one new line"),
        ({"small.md": "A line"}, "at least 25 are needed"),
        ({"no-emoji.md": "A line"}, "no-emoji.md has no body it could be written from"),
    ],
)
def test_a_spoilt_better_description_is_named(
    whole: SelectSet, better: dict[str, str], says: str
) -> None:
    assert says in "\n".join(broken_rules(replace(whole, better=better)))


def test_better_descriptions_need_their_directory(whole: SelectSet) -> None:
    assert "no directory is 'nowhere'" in "\n".join(
        broken_rules(replace(whole, better_directory="nowhere"))
    )
