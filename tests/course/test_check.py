"""What a learner notices of ``check``, ``my``, ``hint``, ``start`` and ``progress``."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memlab.agent import permissions
from memlab.course import check, gap_list, hint, my, parts, progress, start
from memlab.course.gap import all_gaps
from memlab.course.own_parts import parts_folder
from memlab.dream import gates
from memlab.errors import CourseError

_NUMBERS = itertools.count()
HOURS = "def hours_gate(hours, least):\n    "
RIGHT = f"{HOURS}return hours is None or hours >= least\n"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a cell, and return what it printed."""
    names: dict[str, Any] = {"__name__": "__main__", "check": check, "my": my}

    def run_cell(source: str) -> str:
        file = f"/tmp/ipykernel_1/{next(_NUMBERS)}.py"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        exec(compile(source, file, "exec"), names)
        return capsys.readouterr().out

    return run_cell


def saved(name: str) -> Path:
    return parts_folder() / f"{name}.py"


@pytest.mark.parametrize("body", ["...", "raise NotImplementedError", '"""Doc."""\n    ...  # you'])
def test_a_starter_is_todo(run: Callable[..., str], body: str) -> None:
    assert run(f"{HOURS}{body}\n\ncheck(hours_gate)\n") == (
        "○ todo  hours_gate is not written yet: until it passes, memlab's version is used"
        ' · hint("hours_gate") · solution("hours_gate")\n'
    )
    assert not saved("hours_gate").exists()


@pytest.mark.parametrize(
    ("name", "cell", "words"),
    [
        (
            "hours_gate",
            f"{HOURS}return hours > least",
            "hours_gate(24, 24) expected: True you returned: False This case is about: at least so",
        ),
        ("hours_gate", f"{HOURS}return int(hours >= least)", "expected: False you returned: 0"),
        ("hours_gate", f"{HOURS}print('hi')\n    return 1 / 0", "in line 3: return 1 / 0"),
        ("hours_gate", f"{HOURS}print('hi')\n    return 1 / 0", "printed: hi"),
        ("hours_gate", f"{HOURS}raise SystemExit", "you raised SystemExit"),
        ("hours_gate", f"{HOURS}return OUTSIDE", "into the same cell"),
        ("hours_gate", f"LEAST = OUTSIDE\n{RIGHT}", "into the same cell"),
        ("hours_gate", f"{HOURS}while True: pass", "It was stopped"),
        ("hours_gate", f"{HOURS}return my.hours_gate(hours, least)", "is what you are writing"),
        ("fork_request", "def fork_request(*given):\n    return given[0]", "- expected, + you"),
        (
            "mark_cache",
            "def mark_cache(blocks):\n    blocks[-1]['cache_control'] = {'type': 'ephemeral'}"
            "\n    return blocks",
            "changed its argument",
        ),
        ("hours_gate", "from memlab.dream.gates import hours_gate", "function that you wrote"),
    ],
)
def test_what_is_wrong_is_explained(
    run: Callable[..., str], monkeypatch: pytest.MonkeyPatch, name: str, cell: str, words: str
) -> None:
    monkeypatch.setattr("memlab.course.gap.SECONDS", 0.3)
    run("OUTSIDE = 24\n")
    said = run(f"{cell}\ncheck({name})\n")
    assert said.startswith("✗ not yet")
    assert words in " ".join(said.split())
    assert not saved(name).exists()


def test_what_passes_is_saved_called_and_counted(run: Callable[..., str]) -> None:
    said = run(f"OPEN = None\nprint('once')\n{RIGHT.replace('None', 'OPEN')}\ncheck(hours_gate)\n")
    assert said.startswith("once\n✓ pass  hours_gate (")
    assert "print" not in saved("hours_gate").read_text("utf-8")
    assert gates.hours_gate(None, 24)
    assert not my.hours_gate(3, 24)
    assert repr(my.counts()).endswith("hours_gate  passed      2")
    assert my.load() == []
    assert "no calls yet" in repr(my.counts()), "only parts that were called are listed"
    assert parts.calls["hours_gate"] == 0, "a new begin counts anew"
    assert gates.hours_gate(24, 24)
    assert parts.calls["hours_gate"] == 1
    cheat = f"{HOURS}return my.hours_gate(hours, least)\ncheck(hours_gate)\n"
    assert "✗" in run(cheat), "also when it has passed before"


def test_while_a_gap_is_judged_no_part_is_in_memlab(run: Callable[..., str]) -> None:
    my.use(all_gaps()["hours_gate"], lambda hours, least: "mine")
    run(
        "from memlab.dream import gates\ndef terms(text):\n    raise ValueError("
        "gates.hours_gate(0, 1), my.hours_gate(0, 1))\n"
    )
    assert "ValueError: (False, False)" in run("check(terms)")
    assert gates.hours_gate(0, 1) == "mine"
    assert parts.calls["hours_gate"] == 1


def test_if_a_part_raises_ours_is_used_and_one_line_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    my.use(all_gaps()["hours_gate"], lambda hours, least: 1 / 0)
    assert [gates.hours_gate(hours, 24) for hours in (3, 30)] == [False, True]
    (line,) = capsys.readouterr().out.splitlines()
    assert "your hours_gate raised ZeroDivisionError: division by zero" in line


@pytest.mark.parametrize(("mine", "allowed"), [(True, False), (False, False)])
def test_a_guard_may_only_refuse_more(mine: bool, allowed: bool, tmp_path: Path) -> None:
    my.use(all_gaps()["is_inside"], lambda path, folder: mine)
    assert permissions.is_inside("/etc/passwd", str(tmp_path)) is allowed
    assert permissions.is_inside(str(tmp_path / "a"), str(tmp_path)) is mine


def test_a_complete_set_is_counted_for_a_while_and_then_as_before() -> None:
    ours = gates.hours_gate
    my.use(all_gaps()["hours_gate"], lambda hours, least: "mine")
    with my.completed(count_sessions=lambda *given: 7) as calls:
        assert gates.hours_gate(3, 24) == "mine"
        assert gates.count_sessions([], None, "a") == 7
    assert dict(calls) == {"hours_gate": 1, "count_sessions": 1}
    assert gates.count_sessions([], None, "a") == 0
    with parts.without_parts():
        assert gates.hours_gate is ours
    assert parts.calls["hours_gate"] == 1


def test_a_file_that_is_broken_is_named_and_the_others_are_used() -> None:
    saved("hours_gate").parent.mkdir(parents=True)
    saved("hours_gate").write_text("def hours_gate(hours, least)\n", "utf-8")
    saved("count_sessions").write_text("def count_sessions(*given):\n    return 7\n", "utf-8")
    (line,) = my.load()
    assert line.startswith("my/parts/hours_gate.py: SyntaxError")
    assert gates.hours_gate(30, 24)
    assert gates.count_sessions([], None, "a") == 7


def test_start_fills_in_what_has_not_passed(
    run: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    mine = f"{RIGHT}    # mine\n"
    run(f"{mine}\ncheck(hours_gate)\n")
    assert start.main(["10"]) == 0
    assert "count_sessions" in capsys.readouterr().out
    assert saved("hours_gate").read_text("utf-8") == mine
    states = {name: state for _, name, state in progress().rows}
    assert [states[name] for name in ("hours_gate", "gate_chain", "is_stale")] == [
        "passed",
        "ours",
        "todo",
    ]
    assert my.load() == []
    assert start.main(["02"]) == 0
    assert gap_list.main([]) == 0
    said = capsys.readouterr().out
    assert "Nothing to fill in: you can begin notebook 02." in said
    assert f"1 of {len(states)} have passed" in said
    assert gap_list.parts_line() == f"Your parts: 1 of {len(states)} · progress()"
    with pytest.raises(SystemExit):
        start.main(["77"])
    assert "yours" in my.system().markdown


def test_hints_come_one_by_one(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        hint("gate_chain")
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("hint")]
    assert [line[:11] for line in said] == ["hint 1 of 2", "hint 2 of 2", "hint 2 of 2"]


@pytest.mark.parametrize("given", [3, len, "hour_gate", lambda text: 1])
def test_what_is_no_gap_is_an_error(given: Any) -> None:
    with pytest.raises(CourseError, match="progress"):
        check(given)
