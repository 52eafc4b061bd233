"""What a notebook works with: its lab, the agents and dreams in it, sessions, and a crash."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from memlab.agent import load_transcript
from memlab.course import (
    Lab,
    Session,
    agent_for,
    begin,
    crash_while_writing,
    dream_once,
    harness_for,
    own_agent,
    read,
    script_dream,
    scripted_messages,
    tombstone,
    write,
)
from memlab.course.lab import NeedsStandInError
from memlab.dream import DreamTask, snapshot
from memlab.errors import CourseError, ModelError


def dreamt(lab: Lab, **more: Any) -> DreamTask:
    return asyncio.run(dream_once(lab, harness_for(lab, "night", dreams=False), **more))


def test_begin_says_what_is_there_and_reset_restores_it(
    capsys: pytest.CaptureFixture[str], homes: Path
) -> None:
    lab = begin(0)
    said = capsys.readouterr().out
    assert "Notebook 00 · ~/tidebook: 20 memories, 14 sessions · Mon 2026-03-30" in said
    assert "not a language model" in said
    assert lab.home.name == "00"
    assert lab.show(lab.memory) == "~/.memlab/projects/-home-robin-tidebook/memory"
    file = lab.memory / "sql-first.md"
    before = file.read_bytes()
    file.write_text("spoilt", encoding="utf-8")
    Session(lab, "one").say("How do I like my code?")
    lab.reset()
    assert file.read_bytes() == before
    assert (lab.model.requests, len(lab.ledger)) == ([], 0)


def test_work_in_the_background_ends_with_the_next_begin() -> None:
    async def scene() -> tuple[float, bool]:
        lab = begin(0)
        before = lab.clock.now()
        await lab.start(lab.clock.sleep(90))
        left = lab.start(asyncio.Event().wait())
        begin(0)
        await asyncio.wait([left])
        return (lab.clock.now() - before).total_seconds(), left.cancelled()

    assert asyncio.run(scene()) == (90, True)


@pytest.mark.parametrize("number", ["0", -1, 99, None])
def test_what_is_no_number_of_a_notebook_is_refused(number: object, homes: Path) -> None:
    with pytest.raises(CourseError, match="Give a number from 0"):
        begin(number)  # type: ignore[arg-type]
    assert not homes.exists()


def test_a_live_lab_says_who_answers_and_which_cells_need_the_stand_in(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = begin(0).memory / "mine.md"
    mine.write_text("mine", encoding="utf-8")
    for mode in ("live", "dream"):
        with pytest.raises(ModelError):
            begin(0, mode=mode)
    assert mine.is_file(), "without a key, nothing is copied"
    monkeypatch.setenv("MEMLAB_MODEL", "live")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://localhost:1234/v1")
    monkeypatch.setenv("MEMLAB_MAIN_MODEL", "qwen3")
    lab = begin(0)
    assert "Live: answers of qwen3, at http://localhost:1234" in capsys.readouterr().out
    with pytest.raises(NeedsStandInError, match="needs the stand-in"):
        script_dream(lab, "Done.")
    with pytest.raises(NeedsStandInError, match="needs the stand-in"):
        asyncio.run(lab.clock.sleep(600))


def test_an_agent_works_in_the_labs_home_and_can_be_resumed() -> None:
    lab = begin(5)
    late, readme, margin = scripted_messages(lab)
    asyncio.run(agent_for(lab, "one").run_turn(late))
    path = lab.sessions / "one.jsonl"
    agent = agent_for(lab, "one", history=load_transcript(path))
    asyncio.run(agent.run_turn(margin))
    assert list(load_transcript(path).messages) == agent.messages
    assert str(lab.home) not in str([one.body for one in lab.model.requests])
    file = lab.project / "README.md"
    for answer in (False, True):
        asyncio.run(agent_for(lab, f"{answer}", ask=lambda _, yes=answer: yes).run_turn(readme))
        assert ("one laptop in the hut" in file.read_text("utf-8")) == answer


def test_ones_own_agent_remembers_across_a_begin() -> None:
    async def said(words: str) -> str:
        agent = own_agent(begin(12))
        answer = await agent.say(words)
        await agent.drain()
        return answer.text

    asyncio.run(said("From now on, keep your answers to three lines."))
    assert "answers to three lines" in asyncio.run(said("What do you know about me?"))


def test_the_planted_disorder_is_put_in_order() -> None:
    lab = begin(11)
    task = dreamt(lab)
    assert (task.phase, len(task.sessions)) == ("done", 14)
    now = snapshot(lab.memory).files
    assert "keep-replies-short.md" not in now
    assert b"keep-replies-short.md" not in now["MEMORY.md"]
    assert b"2026-04-03" in now["price-list-printing.md"]
    assert b"were removed on 2026-03-26" in now["round-departures-down.md"]


def test_a_written_dream_is_reviewed_like_any_other() -> None:
    lab = begin(11)
    kept = [lab.memory / "last-ferry-home.md", lab.project / "CLAUDE.md"]
    before = [path.read_bytes() for path in kept]
    gone = tombstone("last-ferry-home.md", superseded_by="sql-first.md")
    outside = write("../../../../tidebook/CLAUDE.md", "---\nname: New\n---\nTabs.\n")
    script_dream(lab, read("last-ferry-home.md"), [gone, outside], "Tidy.")
    task = dreamt(lab)
    assert task.last_text == "Tidy."
    assert any(change.refused for change in task.receipt.changes)
    assert [path.read_bytes() for path in kept] == before
    script_dream(lab)
    assert "tidied the index" in dreamt(lab).last_text


@pytest.mark.parametrize("step", ["append the journal", "replace MEMORY.md"])
def test_a_process_dies_before_the_step(step: str) -> None:
    lab = begin(1)
    text = "---\nname: Boat nine\ndescription: on boat nine\ntype: user\n---\nIt leaks.\n"
    crash_while_writing(lab, "boat-nine.md", text, before=step)
    assert (lab.memory / "boat-nine.md").exists() == (step == "replace MEMORY.md")
    assert "boat-nine.md" not in (lab.memory / "MEMORY.md").read_text("utf-8")
    with pytest.raises(CourseError, match="never comes to 'sleep'"):
        crash_while_writing(lab, "boat-ten.md", text, before="sleep")
