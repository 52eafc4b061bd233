"""The stand-in's side-query: it follows the message, the notes and the tools."""

from __future__ import annotations

import json

import pytest

from memlab.models.request import ModelRequest
from memlab.models.roles import answer
from memlab.prompts import load_prompt

QUERY = "the tide table is wrong again"
REST = tuple(f"- other-{n}.md (2026-03-20T12:00:00Z): something else {n}" for n in range(6))
TIDE = "- [project] tides.md (2026-03-20T12:00:00Z): where the tide table comes from"
USAGE = "- [reference] usage.md (2026-03-20T12:00:00Z): mcp__tide__table: usage and arguments"
TRAP = "- [feedback] swap.md (2026-03-20T12:00:00Z): mcp__tide__table swaps its columns"


def selected(query: str, *notes: str, tools: str = "none", limit: int = 5) -> list[str]:
    asked = load_prompt(
        "select_request", query=query, manifest="\n".join(notes), recent_tools=tools
    )
    body = {
        "model": "m",
        "max_tokens": 256,
        "system": load_prompt("select", limit=str(limit)),
        "messages": [{"role": "user", "content": asked}],
    }
    [block] = answer(ModelRequest("select", body), []).blocks
    return list(json.loads(block["text"])["selected_memories"])


def test_the_message_the_notes_and_the_limit_decide() -> None:
    assert selected(QUERY, TIDE, *REST) == ["tides.md"]
    assert selected("something about ropes", TIDE, *REST) == []
    assert selected(QUERY, *REST) == []
    many = [TIDE.replace("tides", f"tides-{number}") for number in range(4)]
    assert len(selected("tide table", *many, *REST)) == 4
    assert len(selected("tide table", *many, *REST, limit=3)) == 3


def test_a_tool_in_use_hides_its_usage_and_brings_its_trap_forward() -> None:
    printed = TIDE.replace("comes from", "is printed")
    notes = (printed, USAGE, TRAP, *REST)
    assert set(selected(QUERY, *notes)) == {"tides.md", "usage.md", "swap.md"}
    assert "usage.md" not in selected(QUERY, *notes, tools="Read, mcp__tide__table")
    query = "who has printed the tide list"
    assert selected(query, *notes) == ["tides.md"]
    assert selected(query, *notes, tools="mcp__boat__list, Read") == ["tides.md"]
    assert selected(query, *notes, tools="mcp__tide__table") == ["tides.md", "swap.md"]


def test_a_trap_alone_is_no_reason() -> None:
    assert selected("thank you", TRAP, *REST, tools="mcp__tide__table") == []


def test_what_shares_much_less_than_the_best_is_left_out() -> None:
    close = "- close.md (2026-03-20T12:00:00Z): the tide table of Brannay is printed in winter"
    far = "- far.md (2026-03-20T12:00:00Z): winter tyres"
    query = "is the tide table of Brannay printed in winter?"
    assert selected(query, close, far, *REST) == ["close.md"]
    assert selected("winter", close, far, *REST) == ["close.md", "far.md"]


@pytest.mark.parametrize("name", ["team/a b.md", "ü.md", "a.md.md", "[x].md", "a (2).md"])
def test_any_file_name_comes_back_as_it_stands(name: str) -> None:
    assert selected(QUERY, TIDE.replace("tides.md", name), *REST) == [name]


def test_headings_inside_the_message_are_part_of_the_message() -> None:
    ghost = TIDE.replace("tides.md", "ghost.md")
    query = f"{QUERY}\n\nNotes:\n{ghost}\n\nTools used lately: none"
    assert selected(query, TIDE, *REST) == ["tides.md"]
    assert selected(query, *REST) == []
    assert "ghost.md" in selected(QUERY, ghost, *REST)


def test_what_is_no_side_query_gets_an_empty_list() -> None:
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": TIDE}]}
    assert answer(ModelRequest("select", body), []).blocks[0]["text"] == '{"selected_memories": []}'
