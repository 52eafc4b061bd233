"""The labelled set of recall keeps its rules, and the table measured on it says what it should."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from memlab.evals.labelled import HALVES, Directory, RecallCase, load_recall_set
from memlab.evals.recall import (
    KEYWORDS,
    RANKINGS,
    Headers,
    Measured,
    by_rules,
    main,
    measure_descriptions,
    measure_ranking,
    measure_rankings,
)
from memlab.text import STOP_WORDS, words

SET = load_recall_set()
CASES = {case.id: case for case in SET.cases}

LEAST_OF_KIND = {
    "direct": 6,
    "gotcha": 6,
    "multi": 6,
    "near-miss": 8,
    "no-answer": 12,
    "other-language": 6,
    "paraphrase": 10,
    "stop-word-trap": 6,
    "tool-in-use": 6,
}
MAY_HAVE_NOTHING = ("no-answer", "stop-word-trap", "tool-in-use")
NEEDS_TEMPTING = ("near-miss", "stop-word-trap", "tool-in-use")
# Say as little about a subject as stop words do, but keyword ranking counts them.
VAGUE = {"first", "right"}


def shared_words(text: str, other: str) -> set[str]:
    """The content words of a text that share five letters with one of another text.

    This is rougher than any stemmer: words that it finds unrelated share nothing
    that a search could find.
    """
    beginnings = {word[:5] for word in words(other)}
    return {word for word in words(text) if word[:5] in beginnings} - STOP_WORDS - VAGUE


def wrong_with(case: RecallCase, directory: Directory) -> Iterator[str]:
    """Say why a case is not of the kind it says."""
    seen = {
        header.filename: f"{header.name} {header.description} {header.filename.removesuffix('.md')}"
        for header in directory.headers
    }
    missing = (case.relevant | case.tempting) - seen.keys()
    if missing:
        yield f"no such file: {sorted(missing)}"
        return
    used = {
        key: {
            file
            for file, entry in directory.entries.items()
            if getattr(entry, key) in case.recent_tools
        }
        for key in ("documents", "warns_about")
    }
    shared = {file: shared_words(case.query, text) for file, text in seen.items()}
    stop_words = {
        file: STOP_WORDS & set(words(case.query)) & set(words(text)) for file, text in seen.items()
    }
    rules = {
        "a file is both relevant and tempting": not case.relevant & case.tempting,
        "a relevant file documents a tool in use": not case.relevant & used["documents"],
        "needs a relevant file": case.relevant or case.kind in MAY_HAVE_NOTHING,
        "must have no relevant file": not case.relevant or case.kind != "no-answer",
        "needs a tempting file": case.tempting or case.kind not in NEEDS_TEMPTING,
        "needs a language, and no other kind has one": bool(case.language)
        == (case.kind == "other-language"),
        "needs two relevant files": case.kind != "multi" or len(case.relevant) > 1,
        "no tempting file documents a recent tool": case.kind != "tool-in-use"
        or case.tempting & used["documents"],
        "no relevant file warns about a recent tool": case.kind != "gotcha"
        or case.relevant & used["warns_about"],
        "shares a word with a relevant file": case.kind != "paraphrase"
        or not any(shared[file] for file in case.relevant),
        "shares no word with a tempting file": case.kind != "near-miss"
        or all(shared[file] for file in case.tempting),
        "shares more than stop words": case.kind != "stop-word-trap"
        or not any(shared[file] for file in case.tempting),
        "shares fewer than two stop words": case.kind != "stop-word-trap"
        or all(len(stop_words[file]) > 1 for file in case.tempting),
    }
    yield from (rule for rule, kept in rules.items() if not kept)


@pytest.mark.parametrize("id", CASES)
def test_a_case_is_of_its_kind(id: str) -> None:
    case = CASES[id]
    assert list(wrong_with(case, SET.directories[case.directory])) == []


@pytest.mark.parametrize(
    ("id", "changes", "says"),
    [
        ("t01", {"relevant": {"gone.md"}}, "no such file: ['gone.md']"),
        ("t01", {"language": "de"}, "needs a language, and no other kind has one"),
        ("t13", {"language": None}, "needs a language, and no other kind has one"),
        ("t01", {"relevant": frozenset()}, "needs a relevant file"),
        ("t01", {"query": "the order?"}, "shares a word with a relevant file"),
        ("t09", {"relevant": frozenset({"sql-first.md"})}, "must have no relevant file"),
        ("t17", {"query": "who boards"}, "shares more than stop words"),
        ("t17", {"query": "who"}, "shares fewer than two stop words"),
        ("t19", {"tempting": frozenset()}, "needs a tempting file"),
        ("t19", {"tempting": frozenset({"sql-first.md"})}, "shares no word with a tempting file"),
        ("t19", {"tempting": CASES["t19"].relevant}, "a file is both relevant and tempting"),
        ("t21", {"relevant": frozenset({"sql-first.md"})}, "needs two relevant files"),
        ("l07", {"recent_tools": ("mcp__slots__hold",)}, "a relevant file documents a tool in use"),
        ("l15", {"recent_tools": ("Read",)}, "no tempting file documents a recent tool"),
        ("l19", {"recent_tools": ("Read",)}, "no relevant file warns about a recent tool"),
    ],
)
def test_a_case_that_is_not_of_its_kind_is_noticed(
    id: str, changes: dict[str, Any], says: str
) -> None:
    case = CASES[id].model_copy(update=changes)
    assert says in wrong_with(case, SET.directories[case.directory])


@pytest.mark.parametrize(
    ("text", "other", "related"),
    [
        ("boat", "the Boat", True),
        ("corrected", "a correction", True),
        ("decided", "the decision", False),
        ("20", "in 2026", False),
        ("who is out on it", "who was out on it", False),
    ],
)
def test_words_are_related_if_they_begin_alike(text: str, other: str, related: bool) -> None:
    assert bool(shared_words(text, other)) == related


def test_the_set_is_large_enough_and_balanced() -> None:
    assert len(CASES) == len(SET.cases) >= 72
    kinds = Counter(case.kind for case in SET.cases)
    assert kinds.keys() == LEAST_OF_KIND.keys()
    assert all(kinds[kind] >= least for kind, least in LEAST_OF_KIND.items())
    cells = [Counter((case.kind, case.directory) for case in SET.half(half)) for half in HALVES]
    assert cells[0] == cells[1]
    assert {case.language for case in SET.cases} == {None, "de", "es", "fr"}


def test_no_question_is_asked_twice() -> None:
    halves: dict[tuple[str, str], set[str]] = {}
    for case in SET.cases:
        question = (case.directory, " ".join(case.query.casefold().split()))
        halves.setdefault(question, set()).add(case.half)
    assert [question for question, found in halves.items() if len(found) > 1] == []
    asked = Counter(
        (case.directory, case.query.casefold(), case.recent_tools) for case in SET.cases
    )
    assert max(asked.values()) == 1


def test_the_directories_are_as_a_scan_would_give_them() -> None:
    sizes = {name: len(headers) for name, headers in SET.headers.items()}
    assert sizes["tidebook"] == 20
    assert 40 <= sizes["lightbox"] <= 60
    assert 110 <= sizes["galley"] <= 130
    for directory in SET.directories.values():
        names = {header.filename.casefold() for header in directory.headers}
        assert len(names) == len(directory.headers)
        assert directory.headers[0].mtime <= directory.now
        assert all(newer.mtime >= older.mtime for newer, older in pairwise(directory.headers))


def test_the_examples_files_are_real_and_have_the_storys_times() -> None:
    headers = {header.filename: header for header in SET.headers["tidebook"]}
    assert all(header.path.is_file() for header in headers.values())
    assert f"{headers['last-ferry-home.md'].mtime:%Y-%m-%dT%H:%M:%SZ}" == "2026-03-18T16:19:09Z"


def test_better_descriptions_change_their_lines_and_nothing_else() -> None:
    directory, better = SET.directories[SET.better.directory], SET.better.descriptions
    pairs = list(zip(directory.headers, SET.better_headers(), strict=True))
    assert [old.filename for old, _ in pairs] == [new.filename for _, new in pairs]
    changed = {new.filename for old, new in pairs if old.description != new.description}
    assert changed == better.keys()
    assert len(better) >= 25
    assert all(directory.entries[file].body for file in better)
    for half in HALVES:
        assert sum(bool(case.relevant & better.keys()) for case in SET.half(half)) >= 5


# The table


@pytest.fixture(scope="module")
def rows() -> dict[str, Measured]:
    return {row.method: row for row in measure_rankings(SET, "work")}


def test_each_step_up_from_chance_is_worth_something(rows: dict[str, Measured]) -> None:
    assert list(rows) == list(RANKINGS)
    steps = ["random", "substring", "overlap", "BM25", KEYWORDS]
    recalls = [rows[name].recall or 0 for name in steps]
    assert recalls == sorted(set(recalls))


def test_only_stop_words_let_words_be_silent(rows: dict[str, Measured]) -> None:
    assert rows["random"].no_answer_precision is None
    assert rows["BM25"].no_answer_recall == 0
    assert (rows[KEYWORDS].no_answer_recall or 0) > 0.2


def test_better_descriptions_help_more_than_a_better_method(rows: dict[str, Measured]) -> None:
    before, after = measure_descriptions(SET, "work")
    gained = (after.recall or 0) - (before.recall or 0)
    assert gained > (rows[KEYWORDS].recall or 0) - (rows["BM25"].recall or 0) > 0


def test_perfect_choices_have_perfect_figures() -> None:
    def oracle(headers: Headers) -> Any:
        return lambda case: [sorted(case.relevant)]

    found = measure_ranking("an oracle", oracle, SET.half("work"), SET.headers)
    assert found == Measured("an oracle", 1, 1, 1, 1, 1)


def test_the_stand_in_is_sent_the_recent_tools() -> None:
    for case in SET.half("work"):
        if case.kind == "tool-in-use":
            entries = SET.directories[case.directory].entries
            [chosen] = by_rules(SET.headers[case.directory])(case)
            assert not any(entries[file].documents in case.recent_tools for file in chosen)


def test_it_prints_work_and_final_only_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    main([])
    printed = capsys.readouterr().out
    assert "== work: 53 cases" in printed
    assert "final" not in printed
    assert "no method, and not to be compared: rules" in printed
    assert "2,000 headers" in printed
