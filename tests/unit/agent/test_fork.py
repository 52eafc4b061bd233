"""The fork: the same request with one message more, fewer rights, and nothing left behind."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from memlab.agent import Agent, fork_context, run_forked_agent, standard_tools
from memlab.events import ForkEnded, ToolDenied
from tests.house import House, note, run, use, writes

MARK = ', "cache_control": {"type": "ephemeral"}'
LOG = use("Read", file_path="log.txt")
SHORT = writes("short.md", note("Keep it short.", "Short"))


@pytest.fixture
def parent(house: House) -> Agent:
    """An agent that has read a long file."""
    (house.project / "log.txt").write_text("The tide turns at noon.\n" * 400)
    house.plays({"Read the log.": [[LOG], "I have read it."]})
    agent = house.agent(transcript=house.transcript())
    run(agent.run_turn("Read the log."))
    return agent


def fork(house: House, agent: Agent, **more: Any) -> Any:
    parts = {"context": fork_context(agent.context, who="extractor"), "max_turns": 5}
    parts |= {"tools": standard_tools(), "purpose": "fork"} | more
    return run(run_forked_agent(agent.prefix(), "Go.", house.runtime(), **parts))


@pytest.mark.behaviour("H1", "H2", "H6")
def test_it_is_the_parents_request_and_a_message(house: House, parent: Agent) -> None:
    followed: list[Any] = []
    parent.stop_hooks = (followed.append,)  # type: ignore[assignment]
    path, before = house.transcript().path, [*parent.messages]
    known = {**parent.context.read_files}
    lines, last = path.read_bytes(), house.model.requests[-1].account
    house.answers("fork", [LOG], "I have looked.")
    forked = fork(house, parent)
    assert (forked.stopped, forked.turns, forked.error, followed) == ("done", 2, "", [])
    assert (path.read_bytes(), parent.messages) == (lines, before)
    assert (parent.context.read_files, len(known)) == (known, 1)
    assert fork_context(parent.context, who="x").read_files == {}
    first, body = house.sent("fork")[0], parent.prefix().body()
    assert {key for key in body if first[key] != body[key]} == {"messages"}
    told = [json.dumps(one["messages"]) for one in (first, body)]
    whole, start = (re.sub(MARK, "", one) for one in told)
    assert whole.startswith(start[:-1])
    assert len(first["messages"]) == 5
    assert "Go." in json.dumps(first["messages"][-1])
    # all up to the parent's last mark is read from the cache
    assert forked.first.read == last.read + last.created > 2_000
    tokens = forked.tokens
    assert forked.hit_percent == round(100 * tokens.read / tokens.input, 1) > 70
    assert house.events.of(ForkEnded)[0].hit == forked.hit_percent
    parent.tools = parent.tools[:-1]  # and with one tool fewer, nothing is
    assert fork(house, parent, tools=parent.tools).first.read == 0
    assert house.model.requests[-2].account.reason == "tools_changed"


@pytest.mark.behaviour("H1", "H2")
def test_it_writes_memories_and_no_more(house: House, parent: Agent) -> None:
    outside = use("Write", file_path="~/tidebook/new.py", content="x = 1")
    remove = use("Bash", command="rm -rf .")
    house.answers("fork", [outside, remove, SHORT], "So be it.")
    forked = fork(house, parent)
    assert (forked.files, forked.denied, forked.text) == (("short.md",), 2, "So be it.")
    shown = forked.messages[2]["content"]
    assert [one.get("is_error", False) for one in shown] == [True, True, False]
    denied = [(one.by, one.tool) for one in house.events.of(ToolDenied)]
    assert denied == [("fork", "Write"), ("fork", "Bash")]
    assert house.store.history()[-1].who == "extractor"
    assert [one.name for one in house.project.iterdir()] == ["log.txt"]
