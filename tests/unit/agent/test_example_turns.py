"""The story of notebook 05: every tool call is carried out, and the answers hang on the results."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from memlab.agent.loop import Agent, TurnResult
from memlab.agent.permissions import main_permissions
from memlab.models import load_screenplay
from memlab.prompts import load_prompt
from tests.unit.agent.helpers import AgentSetup, check_whole, results, run

EXAMPLE = Path(__file__).parents[3] / "data" / "example"
PLAY = EXAMPLE / "screenplays" / "05_agent_loop.yaml"
LATE, README, MARGIN = (turn["user"] for turn in yaml.safe_load(PLAY.read_text("utf-8"))["turns"])


@pytest.fixture
def story(setup: AgentSetup) -> AgentSetup:
    shutil.copytree(EXAMPLE / "repo", setup.project, dirs_exist_ok=True)
    setup.model.screenplays.append(load_screenplay(PLAY))
    return setup


def agent(setup: AgentSetup, yes: bool | None = True) -> Agent:
    ask = None if yes is None else lambda question: bool(yes)
    rules = (setup.project / "CLAUDE.md").read_text(encoding="utf-8").strip()
    return setup.agent(
        permission=main_permissions(setup.context, ask),
        system=load_prompt("agent", project="~/tidebook", claude_md=rules),
        transcript=setup.transcript(),
    )


def say(one: Agent, *words: str) -> list[TurnResult]:
    async def turns() -> list[TurnResult]:
        return [await one.run_turn(said) for said in words]

    told = run(turns)
    check_whole(one)
    assert [result.error for result in told] == [""] * len(words)
    return list(told)


def test_the_whole_story(story: AgentSetup) -> None:
    one = agent(story)
    late, readme, margin = say(one, LATE, README, MARGIN)
    assert "`state` in ~/tidebook/tidebook/board.py decides it" in late.text
    assert "`test_states_are_words`" in late.text
    assert late.tools_used == ("Read", "Grep")
    assert readme.tools_used == ("Edit", "Read", "Edit")
    assert "one laptop in the hut, and no other" in (story.project / "README.md").read_text()
    assert "test_the_margin_before_closing_is_kept" in margin.text
    assert [block.get("is_error", False) for block in results(one)].count(True) == 1
    assert str(story.home) not in json.dumps([one.body for one in story.model.requests])


def test_the_lines_it_names_are_the_lines(story: AgentSetup) -> None:
    rows = (story.project / "tests" / "test_bookings.py").read_text().split("\n")
    assert rows[28].startswith("def test_the_margin_before_closing_is_kept")
    assert "WINDOWS = [Window(at(13, 5), at(17, 35))]" in rows
    assert "it must be back by 16:50 UTC" in rows[29]


@pytest.mark.parametrize(("yes", "told"), [(False, "without a yes"), (None, "without a yes")])
def test_without_a_yes_the_readme_stays(story: AgentSetup, yes: bool | None, told: str) -> None:
    before = (story.project / "README.md").read_bytes()
    (result,) = say(agent(story, yes), README)
    assert (story.project / "README.md").read_bytes() == before
    assert (
        result.text
        in (
            "The file is as it was: the change was not carried out.",
            told,
        )
        or told in result.text
    )


def test_a_changed_repository_changes_the_answers(story: AgentSetup) -> None:
    board = story.project / "tests" / "test_board.py"
    board.write_text(
        board.read_text().replace("'LATE'", "'OVERDUE'").replace("'LATE ", "'OVERDUE ")
    )
    bookings = story.project / "tests" / "test_bookings.py"
    bookings.write_text(bookings.read_text().replace("the_margin", "the_reserve"))
    (story.project / "README.md").write_text("Kayaks.\n")
    late, readme, margin = say(agent(story), LATE, README, MARGIN)
    assert "I found no test that names the word" in late.text
    assert "so I have left the file alone" in readme.text
    assert "No test has margin in its name" in margin.text


def test_one_other_word_of_the_person_and_the_story_is_left(story: AgentSetup) -> None:
    one: Any = agent(story)
    (result,) = say(one, LATE.replace("Easter", "Whitsun"))
    assert "rules, not a language model" in result.text
