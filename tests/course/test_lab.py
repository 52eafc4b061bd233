"""What a notebook works with: its lab, the agents and dreams in it, and a chat."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from memlab import course
from memlab.course import begin, data_files, harness_for, script_dream
from memlab.course.lab import NeedsStandInError
from memlab.errors import CourseError, ModelError


def files(memory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in memory.glob("*.md")}


def test_begin_says_what_is_there_and_begin_and_reset_restore_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lab = begin(0)
    said = capsys.readouterr().out
    assert "Notebook 00 · ~/tidebook: 20 memories, 14 sessions · Mon 2026-03-30" in said
    assert "not a language model" in said
    before, file = files(lab.memory), lab.memory / "season-opening.md"
    assert before == files(lab.example / "memory")
    assert file.stat().st_mtime_ns == 1_774_427_754 * 10**9, "the time of the story"
    course.Session(lab, "one").say("How do I like my code?")
    for restore in (lab.reset, lambda: begin(0)):
        file.unlink()
        (lab.memory / "sql-first.md").write_text("spoilt", encoding="utf-8")
        (lab.memory / "mine.md").write_text("mine", encoding="utf-8")
        restore()
        assert files(lab.memory) == before
    assert (lab.model.requests, len(lab.ledger), lab.answered_by) == ([], 0, "")
    assert begin(1).memory != lab.memory


def test_work_in_the_background_ends_with_the_next_begin() -> None:
    async def scene() -> tuple[float, bool]:
        lab = begin(0)
        before = lab.clock.now()
        await lab.start(lab.clock.sleep(90))
        left = lab.start(asyncio.Event().wait())
        begin(0)
        await asyncio.sleep(0)
        return (lab.clock.now() - before).total_seconds(), left.cancelled()

    assert asyncio.run(scene()) == (90, True)


@pytest.mark.parametrize("number", ["0", -1, 99, None])
def test_what_is_no_number_of_a_notebook_is_refused(number: Any, home: Path) -> None:
    with pytest.raises(CourseError, match="Give a number from 0"):
        begin(number)
    assert not home.exists()


def test_what_is_missing_is_named_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = begin(15)
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(CourseError, match=r"Install it from git-scm\.com"):
        course.two_developers(lab)
    monkeypatch.setattr(data_files, "CLONE", tmp_path)
    with pytest.raises(CourseError, match="Clone the whole repository"):
        data_files.data_folder("example")


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


def test_ones_own_agent_remembers_across_a_begin() -> None:
    async def said(words: str) -> str:
        agent = course.own_agent(begin(12))
        answer = await agent.say(words)
        await agent.drain()
        return answer.text

    asyncio.run(said("From now on, keep your answers to three lines."))
    assert "answers to three lines" in asyncio.run(said("What do you know about me?"))


def test_the_planted_disorder_is_put_in_order() -> None:
    lab = begin(11)
    task = asyncio.run(course.dream_once(lab, harness_for(lab, "night", dreams=False)))
    assert (task.phase, len(task.sessions)) == ("done", 14)
    now = files(lab.memory)
    assert "keep-replies-short.md" not in now
    assert b"keep-replies-short.md" not in now["MEMORY.md"]
    assert b"2026-04-03" in now["price-list-printing.md"]
    assert b"were removed on 2026-03-26" in now["round-departures-down.md"]


def test_what_is_said_in_cells_is_answered_and_shown() -> None:
    async def cells() -> str:
        lab = begin(8)
        talk = course.Conversation(lab, lambda **more: harness_for(lab, dreams=False, **more))
        for line in ("Remember that I take my coffee black.", "/memry", "/exit"):
            await talk.send(line)
        forget = asyncio.create_task(talk.send("/forget coffee"))
        while not talk.question:
            await asyncio.sleep(0)
        await talk.send("y")
        await forget
        assert "take-my-coffee-black.md" not in files(lab.memory)
        return str(talk)

    said = asyncio.run(cells())
    for shown in ("you: Remember", "\nagent: Saved: ", "• Saved to memory: ", "See /help"):
        assert shown in said
