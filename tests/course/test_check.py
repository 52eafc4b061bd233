"""What a learner notices of ``check``, ``my``, ``hint``, ``start`` and ``progress``."""

from __future__ import annotations

import itertools
import linecache
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memlab.course import begin, check, gap_list, hint, my, parts, progress, start
from memlab.course.gap import all_gaps
from memlab.course.own_parts import parts_folder
from memlab.dream import gates
from memlab.errors import CourseError

Run = Callable[[str], str]
NUMBERS = itertools.count()
HOURS = "def hours_gate(hours, least):\n    "
RIGHT = f"{HOURS}return hours is None or hours >= least\n\ncheck(hours_gate)\n"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a cell, and return what it printed."""
    names: dict[str, Any] = {"__name__": "__main__", "check": check, "my": my, "OUTSIDE": 24}

    def run_cell(source: str) -> str:
        file = f"/tmp/ipykernel_1/{next(NUMBERS)}.py"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        exec(compile(source, file, "exec"), names)
        return " ".join(capsys.readouterr().out.split())

    return run_cell


def saved(name: str) -> Path:
    return parts_folder() / f"{name}.py"


HOURLY = {
    "...": "○ todo",
    '"""Doc."""\n    ...  # you': "○ todo",
    "raise NotImplementedError": "○ todo",
    "return hours > least": "✗ not yet hours_gate(24, 24) expected: True you returned: False",
    "return hours  > least": "This case is about: at least",
    "return int(hours >= least)": "expected: False you returned: 0",
    "print('hi')\n    return 1 / 0": "in line 3: return 1 / 0",
    "print('hi')\n    return 1  / 0": "printed: hi",
    "raise SystemExit": "you raised SystemExit",
    "return OUTSIDE": "into the same cell",
    "while True: pass": "stopped",
    "return my.hours_gate(hours, least)": "is what you are writing",
}
OTHERS = {
    f"LEAST = OUTSIDE\n{RIGHT}": "into the same cell",
    "from memlab.dream.gates import hours_gate\ncheck(hours_gate)": "that you wrote",
    "def fork_request(*given):\n    return given[0]\ncheck(fork_request)": "- expected, +",
    "def mark_cache(b):\n    b[-1]['cache_control'] = {'type': 'ephemeral'}\n    return b\n"
    "check(mark_cache)": "changed its argument",
}


@pytest.mark.parametrize(
    ("cell", "words"),
    [(f"{HOURS}{body}\n\ncheck(hours_gate)", w) for body, w in HOURLY.items()] + [*OTHERS.items()],
)
def test_what_is_missing_or_wrong_is_explained_and_not_saved(
    run: Run, monkeypatch: pytest.MonkeyPatch, cell: str, words: str
) -> None:
    monkeypatch.setattr("memlab.course.gap.SECONDS", 0.3)
    assert words in run(cell)
    assert not parts_folder().exists()


def test_what_has_passed_is_used_and_nothing_but_a_better_answer_takes_its_place(run: Run) -> None:
    said = run(f"OPEN = None\nprint('once')\n{RIGHT.replace('None', 'OPEN')}")
    assert said.startswith("once ✓ pass hours_gate (")
    assert repr(my.counts()).endswith("hours_gate  passed      0"), "until now, memlab's was called"
    assert "in my/parts/hours_gate.py is used" in run(f"{HOURS}...\n\ncheck(hours_gate)")
    mine = saved("hours_gate").read_text("utf-8")
    assert "OPEN = None" in mine
    assert "print" not in mine
    for worse in ("...", "return hours > least", "return my.hours_gate(hours, least)"):
        assert "pass hours" not in run(f"{HOURS}{worse}\n\ncheck(hours_gate)")
    begin(9).reset()
    assert start.main(["12"]) == 0
    assert saved("hours_gate").read_text("utf-8") == mine
    assert gates.hours_gate(None, 24)
    assert not my.hours_gate(3, 24)
    assert repr(my.counts()).endswith("hours_gate  passed      2")
    begin(9)
    assert "no calls yet" in repr(my.counts()), "a new begin counts anew"


def test_while_a_gap_is_judged_no_part_is_in_memlab(run: Run) -> None:
    my.use(all_gaps()["hours_gate"], lambda hours, least: "mine")
    seen = "gates.hours_gate(0, 1), my.hours_gate(0, 1)"
    terms = f"def terms(text):\n    raise ValueError({seen})\n"
    assert "(False, False)" in run(f"from memlab.dream import gates\n{terms}\ncheck(terms)")
    assert gates.hours_gate(0, 1) == "mine"
    assert parts.calls["hours_gate"] == 1


def test_if_a_part_raises_ours_is_used_and_one_line_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    my.use(all_gaps()["hours_gate"], lambda hours, least: 1 / 0)
    assert [gates.hours_gate(hours, 24) for hours in (3, 30)] == [False, True]
    (line,) = capsys.readouterr().out.splitlines()
    assert "your hours_gate raised ZeroDivisionError: division by zero" in line


def test_a_file_that_is_broken_is_kept_and_named_and_the_others_are_used(
    capsys: pytest.CaptureFixture[str],
) -> None:
    saved("hours_gate").parent.mkdir(parents=True)
    saved("hours_gate").write_text("def hours_gate(hours, least)\n", "utf-8")
    saved("count_sessions").write_text("def count_sessions(*given):\n    return 7\n", "utf-8")
    begin(9)
    assert "my/parts/hours_gate.py: SyntaxError" in capsys.readouterr().out
    assert saved("hours_gate").read_text("utf-8") == "def hours_gate(hours, least)\n"
    assert gates.hours_gate(30, 24)
    assert gates.count_sessions([], None, "a") == 7


def test_start_fills_in_what_has_not_passed(capsys: pytest.CaptureFixture[str]) -> None:
    saved("pointer_line").parent.mkdir(parents=True)
    saved("pointer_line").write_text("def pointer_line(*given):\n    return ''\n", "utf-8")
    assert start.main(["03"]) == 0
    assert "truncate_index" in capsys.readouterr().out
    states = {name: state for _, name, state in progress().rows}
    names = ("pointer_line", "truncate_index", "is_memory_file")
    assert [states[name] for name in names] == ["passed", "ours", "todo"]
    assert my.load() == []
    saved("truncate_index").write_text("def truncate_index(*given):\n    return ''\n", "utf-8")
    assert ("02", "truncate_index", "passed") in progress().rows, "one's own goes first"
    assert start.main(["02"]) == gap_list.main([]) == 0
    said = capsys.readouterr().out
    assert "Nothing to fill in" in said
    assert f"2 of {len(states)} have passed" in said
    with pytest.raises(SystemExit):
        start.main(["77"])


def test_hints_come_one_by_one(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        hint("gate_chain")
    assert re.findall(r"hint (\d) of 2:", capsys.readouterr().out) == ["1", "2", "2"]


@pytest.mark.parametrize("given", [3, len, "hour_gate", lambda text: 1])
def test_what_is_no_gap_is_an_error(given: Any) -> None:
    with pytest.raises(CourseError, match="progress"):
        check(given)
