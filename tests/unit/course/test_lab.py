from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from memlab.course import (
    Lab,
    agent_for,
    begin,
    build_request,
    harness_for,
    summary_reminder,
)
from memlab.course.dreaming import script_dream
from memlab.course.gap import all_gaps, stand_alone
from memlab.course.kernel_state import KERNEL_STATE
from memlab.course.lab import NeedsStandInError
from memlab.course.own_parts import write_part
from memlab.errors import CourseError, ModelError, PromptError
from memlab.events import Compacted
from memlab.prompts import FOLDER
from memlab.settings import Settings

ASK = "What do you know about how I like my code?"


async def ask(lab: Lab, words: str, *reminders: str) -> str:
    answer = await lab.client.messages.create(
        model=lab.settings.main_model, max_tokens=500, **build_request(lab, words, *reminders)
    )
    return "".join(block.text for block in answer.content if block.type == "text")


def test_begin_says_in_short_lines_what_is_there(
    capsys: pytest.CaptureFixture[str], homes: Path
) -> None:
    lab = begin(0)
    memories = [file for file in lab.memory.glob("*.md") if file.name != "MEMORY.md"]
    prepared = f"Notebook 00 · ~/tidebook: {len(memories)} memories, 14 sessions"
    said = capsys.readouterr().out
    assert said == (
        f"{prepared} · Mon 2026-03-30 09:00 UTC\n"
        "Scripts and rules answer here, not a language model.\n"
    )
    assert all(len(line) < 80 for line in said.splitlines())


@pytest.mark.parametrize("by_setting", [True, False])
def test_a_prompt_of_ones_own_reaches_the_requests_of_a_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, homes: Path, by_setting: bool
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    text = (FOLDER / "agent.md").read_text(encoding="utf-8")
    (mine / "agent.md").write_text(f"Answer in rhymes.\n\n{text}", encoding="utf-8")
    if by_setting:
        monkeypatch.setenv("MEMLAB_PROMPTS", str(mine))
    lab = begin(5) if by_setting else begin(5, prompts=mine)
    assert lab.model
    for ask in (agent_for(lab, "one").run_turn, harness_for(lab, "two").say):
        asyncio.run(ask("Hello"))
        assert "Answer in rhymes." in str(lab.model.requests[-1].body["system"])
    with pytest.raises(PromptError, match="no such folder"):
        begin(5, prompts=tmp_path / "missing")


def test_begin_counts_the_parts_that_are_the_learners(capsys: pytest.CaptureFixture[str]) -> None:
    gap = all_gaps()["contains_evidence"]
    write_part(gap, stand_alone(gap.ours), "passed")
    begin(0)
    assert "Your parts: 1 of" in capsys.readouterr().out


def test_everything_lies_below_the_labs_own_home(homes: Path) -> None:
    lab = begin(0)
    assert lab.home == homes.resolve() / "00"
    assert lab.show(lab.project) == "~/tidebook"
    assert lab.show(lab.memory) == "~/.memlab/projects/-home-robin-tidebook/memory"
    assert lab.memory.parent == lab.sessions
    assert lab.base == lab.home / ".memlab"
    assert len(lab.questions) == 12


def test_a_second_begin_starts_afresh() -> None:
    first = begin(0)
    first.events.emit(Compacted(messages=2, tokens=10))
    (first.memory / "mine.md").write_text("mine", encoding="utf-8")
    second = begin(0)
    assert second.home == first.home
    assert not (second.memory / "mine.md").exists()
    assert len(second.events) == 0
    assert second.clock is not first.clock


def test_work_left_from_before_is_cancelled_by_the_next_begin() -> None:
    async def scene() -> tuple[bool, bool]:
        lab = begin(0)
        left = lab.start(asyncio.Event().wait())
        other = asyncio.create_task(asyncio.Event().wait())
        begin(0)
        await asyncio.wait([left])
        outcome = left.cancelled(), other.cancelled()
        other.cancel()
        return outcome

    assert asyncio.run(scene()) == (True, False)


def test_started_work_gives_its_result() -> None:
    async def scene() -> float:
        lab = begin(0)
        before = lab.clock.now()
        await lab.start(lab.clock.sleep(90))
        return (lab.clock.now() - before).total_seconds()

    assert asyncio.run(scene()) == 90


def test_reset_restores_the_files_and_empties_the_records(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lab = begin(0)
    asyncio.run(ask(lab, ASK))
    file = lab.memory / "sql-first.md"
    before = file.read_bytes()
    file.write_text("spoilt", encoding="utf-8")
    capsys.readouterr()
    lab.reset()
    assert capsys.readouterr().out == ""
    assert file.read_bytes() == before
    assert len(lab.ledger) == 0
    assert lab.model is not None
    assert lab.model.requests == []
    assert "Nothing. This request" in asyncio.run(ask(lab, ASK))
    assert len(lab.ledger) == 1


def test_the_answer_depends_on_the_memory_in_the_request() -> None:
    lab = begin(0)
    assert "Nothing. This request" in asyncio.run(ask(lab, ASK))
    assert "doesn't say what" in asyncio.run(ask(lab, ASK, summary_reminder(lab)))
    remembered = (lab.memory / "tabs-and-single-quotes.md").read_text(encoding="utf-8")
    assert "Tabs, not spaces" in asyncio.run(ask(lab, ASK, remembered))
    assert [call.purpose for call in lab.ledger] == ["main"] * 3


def test_a_mode_that_does_not_exist_is_refused_before_anything_is_laid_down(homes: Path) -> None:
    with pytest.raises(ModelError, match="there is no mode 'dream'"):
        begin(0, mode="dream")
    assert not homes.exists()


def test_the_environment_chooses_the_mode_and_the_argument_wins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MEMLAB_MODEL", "live")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    assert begin(0).mode == "live"
    assert begin(0, mode="offline").mode == "offline"


def test_a_live_cell_that_needs_the_stand_in_says_so_in_one_line_and_does_not_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    lab = begin(0, mode="live")
    cells: list[Callable[[], object]] = [
        lambda: lab.model.requests[-1],
        lambda: lab.model.faults.add("overloaded"),
        lambda: lab.clock.advance(60),
        lambda: asyncio.run(lab.clock.sleep(600)),
        lambda: script_dream(lab, "Done."),
    ]
    for cell in cells:
        with pytest.raises(NeedsStandInError, match="this cell needs the stand-in") as raised:
            cell()
        (line,) = raised.value._render_traceback_()
        assert "begin(" in line
    assert lab.runtime.clock is not lab.clock, "what runs in memlab may wait as long as it has to"


def test_a_live_lab_takes_the_names_of_the_models_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://localhost:1234/v1")
    monkeypatch.setenv("MEMLAB_MAIN_MODEL", "qwen3")
    assert begin(0, mode="live").settings.main_model == "qwen3"
    assert "Live: answers of qwen3, at http://localhost:1234" in capsys.readouterr().out
    assert begin(0, mode="offline").settings == Settings()


def test_live_says_so_and_does_not_speak_of_rules(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    begin(0, mode="live")
    line = capsys.readouterr().out
    assert "Live: answers of claude-opus-5-5" in line
    assert "at https://api.anthropic.com. You pay for each call." in line
    assert "rules" not in line
    assert "2026-03-30" not in line


def test_live_without_a_key_keeps_what_is_there() -> None:
    lab = begin(0)
    mine = lab.memory / "mine.md"
    mine.write_text("mine", encoding="utf-8")
    with pytest.raises(ModelError, match="needs a key"):
        begin(0, mode="live")
    assert mine.is_file()


@pytest.mark.parametrize("number", ["0", -1, 99, 100, True, None])
def test_what_is_no_number_of_a_notebook_is_refused(number: object, homes: Path) -> None:
    with pytest.raises(CourseError, match=r"no notebook with the number .* Give a number from 0"):
        begin(number)  # type: ignore[arg-type]
    assert not homes.exists()


def test_a_kernel_beside_another_says_where_it_works(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, homes: Path
) -> None:
    monkeypatch.setattr(KERNEL_STATE, "claim", lambda root, name: root / f"{name}-2")
    lab = begin(0)
    assert lab.home.name == "00-2"
    assert "Another kernel has this notebook open, so this one works in 00-2" in (
        capsys.readouterr().out
    )


def test_tree_shows_files_with_the_times_of_the_story() -> None:
    lab = begin(0)
    shown = lab.tree(lab.memory)
    assert repr(shown) == str(shown)
    lines = shown.splitlines()
    assert lines[0] == "~/.memlab/projects/-home-robin-tidebook/memory/"
    line = next(line for line in lines if "season-opening.md" in line)
    size = (lab.memory / "season-opening.md").stat().st_size
    assert line.split() == ["season-opening.md", str(size), "B", "2026-03-25", "08:35"]
    assert shown == lab.tree("~/.memlab/projects/-home-robin-tidebook/memory")


def test_tree_counts_what_lies_deeper_and_hides_what_is_the_courses_own() -> None:
    lab = begin(0)
    assert "sql/  (1 file)" in lab.tree("tidebook", depth=1)
    assert "schema.sql" in lab.tree("tidebook", depth=2)
    assert ".memlab-course" not in lab.tree(depth=9)
    (lab.project / "notes.txt").write_text("x", encoding="utf-8")
    assert "notes.txt" in lab.tree("tidebook", depth=1)


def test_tree_of_nothing_says_where(homes: Path) -> None:
    lab = begin(0)
    with pytest.raises(CourseError, match="~/nowhere: is not a folder"):
        lab.tree("nowhere")
