"""The story of notebook 05: every tool call is carried out, and the answers hang on the results."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from memlab.agent.loop import Agent, TurnResult
from memlab.agent.permissions import main_permissions
from memlab.models import load_script
from memlab.prompts import SHIPPED
from memlab.prompts.blocks import block
from tests.unit.agent.helpers import AgentSetup, check_whole, results, run

EXAMPLE = Path(__file__).parents[3] / "data" / "example"
PLAY = EXAMPLE.parent / "scripts" / "05_agent_loop.yaml"
BOARD, README, MARGIN = (turn.user for turn in load_script(PLAY).main)


@pytest.fixture
def story(setup: AgentSetup) -> AgentSetup:
    shutil.copytree(EXAMPLE / "repo", setup.project, dirs_exist_ok=True)
    setup.model.scripts.append(load_script(PLAY))
    return setup


def agent(setup: AgentSetup, yes: bool | None = True) -> Agent:
    ask = None if yes is None else lambda question: bool(yes)
    rules = (setup.project / "CLAUDE.md").read_text(encoding="utf-8").strip()
    return setup.agent(
        permission=main_permissions(setup.context, ask),
        system=SHIPPED.load(
            "agent", project="~/tidebook", instructions=block("instructions", rules)
        ),
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
    board, readme, margin = say(one, BOARD, README, MARGIN)
    assert "`state` in ~/tidebook/tidebook/board.py decides it" in board.text
    assert "Two tests in ~/tidebook/tests/test_board.py" in board.text
    assert board.tools_used == ("Read", "Grep")
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


def test_with_the_ferry_in_the_request_the_rewrite_waits(story: AgentSetup) -> None:
    async def turn() -> TurnResult:
        return await agent(story).run_turn(
            BOARD, attachments=["Robin has to catch the 17:10 ferry."]
        )

    assert "You have to catch the 17:10 ferry" in run(turn).text
    (without,) = say(agent(story), BOARD)
    assert "So let's start the rewrite" in without.text


@pytest.mark.parametrize(
    ("offered", "asked"), [((), ()), (("Read",), ("Read",)), (("Read", "Grep"), ("Read", "Grep"))]
)
def test_the_model_asks_only_for_tools_that_are_offered(
    story: AgentSetup, offered: tuple[str, ...], asked: tuple[str, ...]
) -> None:
    one = agent(story)
    one.tools = [tool for tool in one.tools if tool.name in offered]
    (result,) = say(one, BOARD)
    assert result.tools_used == asked
    assert ("I can't open your files" in result.text) == (not offered)


@pytest.mark.parametrize("yes", [False, None])
def test_without_a_yes_the_readme_stays(story: AgentSetup, yes: bool | None) -> None:
    before = (story.project / "README.md").read_bytes()
    (result,) = say(agent(story, yes), README)
    assert (story.project / "README.md").read_bytes() == before
    assert result.text == "I did not make the change. The file is as it was."


def test_a_changed_repository_changes_the_answers(story: AgentSetup) -> None:
    path = story.project / "tests" / "test_board.py"
    path.write_text(path.read_text().replace("'LATE'", "'OVERDUE'").replace("'LATE ", "'OVERDUE "))
    bookings = story.project / "tests" / "test_bookings.py"
    bookings.write_text(bookings.read_text().replace("the_margin", "the_reserve"))
    (story.project / "README.md").write_text("Kayaks.\n")
    board, readme, margin = say(agent(story), BOARD, README, MARGIN)
    assert "I know of no test that mentions the word" in board.text
    assert "so I have left the file alone" in readme.text
    assert "No test has margin in its name" in margin.text


def test_one_other_word_of_the_person_and_the_story_is_left(story: AgentSetup) -> None:
    one: Any = agent(story)
    (result,) = say(one, BOARD.replace("twenty", "ten"))
    assert "Not a language model" in result.text
