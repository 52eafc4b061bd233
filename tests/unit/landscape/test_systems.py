"""The one idea of each memory system, on a few facts and on the history; the SDK's memory tool."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from anthropic.lib.tools import ToolError

from memlab.landscape.cognee import Cognee
from memlab.landscape.compare import all_systems, ask_questions, score
from memlab.landscape.files import Files
from memlab.landscape.graph import Mem0Graph
from memlab.landscape.hindsight import Hindsight
from memlab.landscape.history import DATA, Fact, Turn, load_history, load_questions
from memlab.landscape.letta import Letta
from memlab.landscape.mem0 import Mem0
from memlab.landscape.memory_tool import StoreMemoryTool
from memlab.landscape.system import by_labels
from tests.house import House, note


def told(system: Any, *facts: tuple[str, str], kind: str = "world") -> Any:
    """Tell facts with what they are about, one a month; the second replaces the first."""
    for number, (text, about) in enumerate(facts):
        at, replaces = datetime(2026, 3 + bool(number), 2, tzinfo=UTC), "f0" * (number == 1)
        fact = Fact(f"f{number}", text, text, kind, tuple(about.split()), replaces, at)
        system.remember(Turn(at, "robin", text, (fact,)))
    return system


def shown(system: Any, question: str) -> str:
    return "\n".join(system.recall(question))


@pytest.mark.behaviour("N1", "N3", "N5")
@pytest.mark.parametrize(
    ("system", "now", "then"),
    [(Mem0, 0, 0), (Mem0Graph, 0, 1), (Hindsight, 1, 1), (Files, 0, 0)],
)
def test_what_is_left_of_a_fact_that_was_replaced(system: Any, now: bool, then: bool) -> None:
    old, new = "The deposit is 20 crowns.", "The deposit is 30 crowns now."
    after = told(system(by_labels), (old, "deposit"), (new, "deposit"), kind="opinion")
    assert new in shown(after, "What is the deposit?")
    assert (old in shown(after, "What is the deposit?")) == now
    assert (old in shown(after, "What was the deposit in March?")) == then


@pytest.mark.behaviour("N1", "N4")
@pytest.mark.parametrize("system", [Mem0Graph(by_labels), Cognee()])
def test_a_graph_finds_what_shares_no_word_with_the_question(system: Any) -> None:
    facts = [(f"Boat {n} is blue.", f"boat{n}") for n in range(12)]
    facts += [("Iggy owns Puffin.", "Puffin Iggy"), ("Iggy wants Tuva there.", "Iggy Tuva")]
    assert "wants Tuva" in shown(told(system, *facts), "May a guest take Puffin?")


@pytest.mark.behaviour("N2")
def test_letta_always_shows_core_memory_and_pages_out_the_oldest() -> None:
    rules = [(f"Robin wants rule {n}: {'x' * 180}.", "Robin") for n in range(30)]
    letta = told(Letta(by_labels), *rules, kind="opinion")
    assert sum(len(line) + 1 for line in letta.core["human"]) <= 2_000
    assert "rule 29" in letta.core["human"][-1]
    assert "rule 1:" in letta.archive[0]
    assert "rule 29" in shown(letta, "boats")
    assert len({*letta.core["human"], *letta.archive}) == 29  # one was corrected


@pytest.mark.behaviour("N1", "N2", "N3", "N4", "N6")
def test_all_systems_get_the_same_history_and_are_scored_alike() -> None:
    turns, systems = load_history(), all_systems(by_labels)
    work = [one for one in load_questions() if one.half == "work"]
    found = {one.name: score(ask_questions(one, turns, work)) for one in systems}
    assert found["files"][0] > found["Cognee"][0] > found["Mem0"][0]  # evidence
    assert found["files"][2] > found["Letta"][2] > found["Mem0"][2]  # tokens


@pytest.mark.behaviour("N7")
def test_every_row_about_a_product_has_a_source_and_a_date() -> None:
    page = (DATA.parents[1] / "notebooks" / "products.md").read_text("utf-8")
    rows = re.findall(r"^\| \*\*.*$", page, re.MULTILINE)
    assert len(rows) > 20
    sourced = re.compile(r"\]\(https://.+\), .*\w\)? \|$")
    assert [row for row in rows if not sourced.search(row)] == []


TABS, HERE = note("Robin uses tabs."), "/memories/tabs.md"


@pytest.fixture
def tool(house: House) -> StoreMemoryTool:
    house.fill(tabs=TABS)
    return StoreMemoryTool(house.store)


def run(tool: StoreMemoryTool, command: str, path: str = HERE, **more: Any) -> str:
    paths = {"old_path": path} if command == "rename" else {"path": path}
    return asyncio.run(tool.call({"command": command, **paths, **more}))


def files(tool: StoreMemoryTool) -> dict[str, str]:
    top = tool.store.directory
    return {path.relative_to(top).as_posix(): path.read_text() for path in top.rglob("*.md")}


def test_each_command_does_its_work_and_can_be_undone(tool: StoreMemoryTool) -> None:
    before = files(tool)
    text = note("Robin likes tests.", "Tests")
    run(tool, "create", "/memories/style/b.md", file_text=text)
    assert "/memories/style/b.md" in run(tool, "view", "/memories/").splitlines()
    run(tool, "str_replace", old_str="\nRobin uses tabs", new_str="\nHe uses spaces")
    run(tool, "insert", insert_line=7, insert_text="Tabs in Makefiles.\n")
    assert "     8\tTabs in Makefiles." in run(tool, "view", view_range=[8, -1])
    run(tool, "rename", new_path="/memories/indent.md")
    assert "uses spaces.\nTabs in" in files(tool)["indent.md"]
    run(tool, "delete", "/memories/indent.md")
    assert sorted(files(tool)) == ["MEMORY.md", "style/b.md"]
    for _ in range(5):
        tool.store.undo()
    assert files(tool) == before


WRONG = """create /memories/a.md KEY token
create /memories/tabs.md TABS exists
create /memories/team/a.md TABS team
create /memories/../a.md TABS leads
create /memories/%2e%2e/a.md TABS .
view /memories/../../../etc/passwd TABS .
delete /memories/MEMORY.md TABS index
rename /memories/tabs.md TABS exists
str_replace /memories/tabs.md TABS times"""


def test_a_wrong_command_is_explained_and_nothing_is_written(tool: StoreMemoryTool) -> None:
    before, more = files(tool), {"new_path": HERE, "old_str": "tabs", "new_str": ""}
    for command, path, text, word in map(str.split, WRONG.split("\n")):
        given = TABS + "AKIAIOSFODNN7EXAMPLQ\n" * (text == "KEY")
        with pytest.raises(ToolError, match=word) as caught:
            run(tool, command, path, file_text=given, **more)
        assert str(tool.store.directory) not in str(caught.value)
        assert files(tool) == before
