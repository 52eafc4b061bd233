"""The bridge from a lab to an agent: it works in the lab's home and tells nothing more."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest

from memlab.agent.transcript import TranscriptError, load_transcript
from memlab.course import (
    Conversation,
    Lab,
    agent_for,
    begin,
    harness_for,
    my,
    own_agent,
    scripted_messages,
    tool_context,
)
from memlab.course.own_parts import parts_folder
from memlab.events import Prefetched
from memlab.memdir.scan import MemoryHeader
from memlab.recall import Surfaced, recall


def sent(lab: Lab) -> str:
    assert lab.model
    return json.dumps([one.body for one in lab.model.requests if one.purpose == "main"])


def test_an_agent_reads_the_labs_repository_and_writes_its_transcript() -> None:
    lab = begin(5)
    agent = agent_for(lab, "one")
    result = asyncio.run(agent.run_turn(scripted_messages(lab)[0]))
    assert result.tools_used == ("Read", "Grep")
    assert "Two tests in ~/tidebook/tests/test_board.py" in result.text
    loaded = load_transcript(lab.sessions / "one.jsonl")
    assert list(loaded.messages) == agent.messages
    written = (lab.sessions / "one.jsonl").read_text(encoding="utf-8")
    assert '"cwd": "/home/robin/tidebook"' in written
    assert "Maren, who is responsible for the boats" in sent(lab)
    assert str(lab.home) not in sent(lab)


@pytest.mark.parametrize("name", ["../../x", "a/b", "/tmp/x", ".hidden", "x\0y", "x" * 300])
@pytest.mark.parametrize("make", [agent_for, harness_for])
def test_a_session_is_named_so_that_its_file_stays_in_the_sessions_folder(
    make: Callable[[Lab, str], object], name: str
) -> None:
    lab = begin(5)
    before = sorted(lab.home.parent.rglob("*"))
    with pytest.raises(TranscriptError, match="cannot be the name of a session"):
        make(lab, name)
    assert [path for path in sorted(lab.home.parent.rglob("*")) if path not in before] == []


def test_a_resumed_agent_goes_on_in_the_same_chain() -> None:
    lab = begin(5)
    late, _, margin = scripted_messages(lab)
    asyncio.run(agent_for(lab, "one").run_turn(late))
    path = lab.sessions / "one.jsonl"
    agent = agent_for(lab, "one", history=load_transcript(path))
    asyncio.run(agent.run_turn(margin))
    assert list(load_transcript(path).messages) == agent.messages
    assert len(agent.messages) == 8


def test_nothing_is_changed_outside_memory_without_a_yes() -> None:
    lab = begin(5)
    readme = scripted_messages(lab)[1]
    before = (lab.project / "README.md").read_bytes()
    asyncio.run(agent_for(lab, "nobody").run_turn(readme))
    assert (lab.project / "README.md").read_bytes() == before
    asyncio.run(agent_for(lab, "yes", ask=lambda question: True).run_turn(readme))
    assert b"one laptop in the hut" in (lab.project / "README.md").read_bytes()


def test_a_bare_agent_recalls_nothing() -> None:
    lab = begin(5)
    asyncio.run(agent_for(lab, "without").run_turn(scripted_messages(lab)[0]))
    assert "/memory/" not in sent(lab)
    assert lab.events.of(Prefetched) == []


def test_the_learners_ranking_stands_in_when_the_model_is_away() -> None:
    asked: list[str] = []

    def keyword_rank(query: str, headers: list[MemoryHeader], limit: int) -> list[MemoryHeader]:
        asked.append(query)
        return []

    lab = begin(5)
    lab.model.faults.add("timeout", purpose="select")
    with my.completed(keyword_rank=keyword_rank):
        asyncio.run(recall("Tests?", lab.memory, lab.runtime, surfaced=Surfaced()))
    assert asked == ["Tests?"]


def test_tools_work_in_the_labs_home() -> None:
    lab = begin(5)
    context = tool_context(lab)
    assert context.show(context.path("README.md")) == "~/tidebook/README.md"
    assert context.memory_name(lab.memory / "tabs.md") == "tabs.md"
    assert context.judge
    assert context.judge("ls").allowed
    assert not context.judge("rm README.md").allowed


def test_what_is_said_to_your_own_agent_today_is_there_tomorrow_and_after_another_begin() -> None:
    async def scene(*said: str) -> str:
        lab = begin(12)
        talk = Conversation(lab, lambda **options: own_agent(lab, **options))
        for words in said:
            await talk.send(words)
        return str(talk)

    asyncio.run(scene("From now on, keep your answers to three lines."))
    assert "keep your answers to three lines" in asyncio.run(scene("What do you know about me?"))
    memories = list((parts_folder().parent / "agent").rglob("*keep-your-answers*.md"))
    assert [one.parent.name for one in memories] == ["memory"]
