"""Which memories explain a tool in use, and which warn of it."""

from __future__ import annotations

import pytest

from memlab.recall.selection import explains_tool_in_use
from tests.unit.recall.helpers import header

SPAWN = "mcp__queue__spawn"


@pytest.mark.behaviour("F3")
@pytest.mark.parametrize(
    ("filename", "description"),
    [
        ("queue-spawn-usage.md", "starting a worker, its states"),
        ("workers.md", "mcp__queue__spawn: arguments, with an example"),
        ("workers.md", "Reference of MCP__Queue__Spawn"),
    ],
)
def test_documentation_of_a_tool_in_use(filename: str, description: str) -> None:
    note = header(filename, description)
    assert explains_tool_in_use(note, ["Read", SPAWN])
    assert not explains_tool_in_use(note, ["Read", "mcp__queue__list"])
    assert not explains_tool_in_use(note, [])


@pytest.mark.behaviour("F3")
@pytest.mark.parametrize(
    ("filename", "description"),
    [
        ("queue-spawn-trap.md", "known trap: the options of mcp__queue__spawn are ignored"),
        ("workers.md", "a worker of mcp__queue__spawn outlives the session"),
        ("workers-usage.md", "how workers are used"),
        ("spawn-usage.md", "usage of spawn"),
    ],
)
def test_what_is_kept(filename: str, description: str) -> None:
    assert not explains_tool_in_use(header(filename, description), [SPAWN])


def test_a_tool_of_one_word_is_no_sign() -> None:
    note = header("read-first.md", "read the reference before you edit the options")
    assert not explains_tool_in_use(note, ["Read", "Edit"])
