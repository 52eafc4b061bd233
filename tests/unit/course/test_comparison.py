"""The two weeks with the learner's parts beside memlab's own: calls, differences, evidence."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from pkgutil import resolve_name
from typing import Any

import pytest

from memlab.course import begin, my, part_calls, without_parts
from memlab.course.comparison import NEVER, NOTEBOOK_ONLY
from memlab.course.gap import all_gaps
from memlab.course.gaps.nb04 import with_file_names
from memlab.course.lab import Lab
from memlab.course.own_parts import LAST_OF_SYSTEM
from memlab.course.replay import Replay, replay_story
from memlab.events import MemoriesRecalled
from memlab.memdir import scan_memory_files

SYSTEM = {name for name, gap in all_gaps().items() if gap.notebook <= LAST_OF_SYSTEM}
PLACES = [gap.place for gap in all_gaps().values() if gap.place]


def first_sessions(lab: Lab, name: str, count: int, **more: Any) -> Replay:
    return asyncio.run(replay_story(lab, name, sessions=count, **more))


def files(replay: Replay) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in replay.memory.glob("*.md")}


def no_side_query(model: Any) -> None:
    model.faults.clear()
    model.faults.add("overloaded", purpose="select", times=100)


def nothing(query: str, headers: Sequence[Any], limit: int) -> list[Any]:
    return []


def played(count: int = 2, **parts: Any) -> tuple[Replay, Replay, Counter[str]]:
    """Play the first sessions twice: with memlab's own parts, and with a complete set. Words alone
    choose what is recalled.
    """
    lab = begin(12)
    with without_parts():
        ours = first_sessions(lab, "ours", count, before_session=no_side_query)
    with my.completed(**parts) as calls:
        yours = first_sessions(lab, "yours", count, before_session=no_side_query)
    return ours, yours, calls


@pytest.mark.slow
def test_with_every_official_solution_two_weeks_are_the_same_byte_for_byte() -> None:
    lab = begin(12)
    with without_parts():
        ours = asyncio.run(replay_story(lab, "ours"))
    with my.completed() as calls:
        yours = asyncio.run(replay_story(lab, "yours"))
    assert sum(calls.values()) > 1_000
    assert len(ours.session_ends) == 14
    assert files(ours) == files(yours)
    assert ours.ledger.total() == yours.ledger.total()


def test_if_every_part_raises_nothing_of_the_memory_is_lost() -> None:
    def raises(*given: Any, **named: Any) -> Any:
        raise RuntimeError("a mistake of the learner's")

    class Raises:
        def __init__(self, *given: Any) -> None:
            self.turn_ended = raises

    parts = {
        name: Raises if isinstance(gap.ours, type) else raises for name, gap in all_gaps().items()
    }
    ours, yours, calls = played(3, **parts)
    assert files(ours)
    assert files(ours) == files(yours)
    assert sum(count > 0 for count in calls.values()) > 15


def test_a_part_that_finds_nothing_recalls_nothing() -> None:
    ours, yours, calls = played(3, keyword_rank=nothing)
    assert calls["keyword_rank"] > 5
    recalled = [
        sum(len(event.attached) for event in one.events.of(MemoriesRecalled))
        for one in (ours, yours)
    ]
    assert recalled[0] > 0 == recalled[1]


def test_a_part_that_writes_something_else_is_seen_in_the_files() -> None:
    def pointer_line(file: str, title: str, hook: str) -> str:
        return f"- [{title}]({file}) — {hook}!"

    ours, yours, _ = played(1, pointer_line=pointer_line)
    before, after = files(ours), files(yours)
    assert [name for name in before if before[name] != after[name]] == ["MEMORY.md"]


def test_every_part_of_the_system_is_listed_and_says_why_it_was_not_called() -> None:
    shown = part_calls(Counter({"truncate_index": 7}))
    assert {row[1] for row in shown.rows} == SYSTEM
    rows = {row[1]: row for row in shown.rows}
    assert rows["truncate_index"][4:] == ("7", "")
    for name, row in rows.items():
        if name != "truncate_index":
            assert row[5] == (NEVER if all_gaps()[name].place else NOTEBOOK_ONLY)


def test_after_a_complete_run_everything_is_as_before() -> None:
    before = [resolve_name(place) for place in PLACES]
    with my.completed(keyword_rank=nothing):
        meanwhile = [resolve_name(place) for place in PLACES]
        assert not any(one is other for one, other in zip(before, meanwhile, strict=True))
    assert [resolve_name(place) for place in PLACES] == before


def test_the_system_on_one_page_is_a_python_file_with_every_part() -> None:
    system = my.system()
    assert repr(system) == f"{system.splitlines()[0][2:]} (print shows the code)"
    assert system._repr_markdown_().startswith("<details><summary>")
    text = str(system)
    names: dict[str, Any] = {}
    exec(compile(text, "system", "exec"), names)
    assert set(names) >= SYSTEM
    assert text.startswith("# ")
    assert text.count(": our solution ----") == len(SYSTEM)
    assert "def mcnemar" not in text, "the bench is no part of the memory system"


def test_a_ranking_in_the_machine_gets_the_words_of_the_file_name() -> None:
    described = []

    def rank(query: str, headers: Sequence[Any], limit: int) -> list[Any]:
        described.extend(header.description for header in headers)
        return list(headers)[:limit]

    lab = begin(12)
    headers = list(scan_memory_files(lab.memory))
    assert with_file_names(rank, None)("ferry", headers, 3) == headers[:3]
    assert described[0].startswith(headers[0].description)
    assert [text for text in described if text.endswith(" last ferry home")]
    assert not [header for header in headers if header.description.endswith("last ferry home")]
