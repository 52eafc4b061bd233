"""The two weeks with the learner's parts beside memlab's own: calls, differences, evidence."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any

from memlab.course import begin, my, without_parts
from memlab.course.gaps.nb04 import with_file_names
from memlab.course.lab import Lab
from memlab.course.replay import Replay, replay_story
from memlab.events import MemoriesRecalled
from memlab.memdir import scan_memory_files


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
