"""The SDK's memory tool on the course's store: the contract, the store's rules, hostile paths."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from anthropic.lib.tools import ToolError

from memlab.evals.attacks import fill, load_path_cases, load_trees, set_up
from memlab.landscape.memory_tool import StoreMemoryTool
from memlab.memdir import MemoryStore
from tests.platforms import needs_posix

TABS = (
    "---\nname: Tabs\ndescription: Robin indents with tabs.\ntype: user\n---\n\nRobin uses tabs.\n"
)
RULES = TABS.replace("abs", "ests").replace("indents with", "likes")
HERE = "/memories/tabs.md"


@pytest.fixture
def tool(tmp_path: Path) -> StoreMemoryTool:
    store = MemoryStore(tmp_path / "memory")
    store.write_text("tabs.md", TABS)
    return StoreMemoryTool(store)


def run(tool: StoreMemoryTool, command: str, path: str = HERE, **more: Any) -> str:
    paths = {"old_path": path} if command == "rename" else {"path": path}
    return asyncio.run(tool.call({"command": command, **paths, **more}))


def files(tool: StoreMemoryTool) -> dict[str, str]:
    top = tool.store.directory
    return {path.relative_to(top).as_posix(): path.read_text() for path in top.rglob("*.md")}


def test_each_command_does_its_work_and_can_be_undone(tool: StoreMemoryTool) -> None:
    before = files(tool)
    run(tool, "create", "/memories/style/b.md", file_text=RULES)
    assert "(style/b.md)" in files(tool)["MEMORY.md"]
    assert run(tool, "view", "/memories/").splitlines()[1:] == [
        "/memories/MEMORY.md",
        "/memories/style/b.md",
        HERE,
    ]
    run(tool, "str_replace", old_str="uses tabs", new_str="uses spaces")
    run(tool, "insert", insert_line=7, insert_text="Tabs in Makefiles.\n")
    assert files(tool)["tabs.md"].endswith("uses spaces.\nTabs in Makefiles.\n")
    assert run(tool, "view", view_range=[8, -1]).startswith("     8\tTabs in Makefiles.")
    run(tool, "rename", new_path="/memories/indent.md")
    run(tool, "delete", "/memories/indent.md")
    assert sorted(files(tool)) == ["MEMORY.md", "style/b.md"]
    for _ in range(5):
        tool.store.undo()
    assert files(tool) == before


@pytest.mark.parametrize(
    ("command", "path", "more", "word"),
    [
        ("create", "/memories/a.md", {"file_text": "Robin uses tabs."}, "frontmatter"),
        ("create", "/memories/a.md", {"file_text": TABS + "AKIAIOSFODNN7EXAMPLQ\n"}, "token"),
        ("create", HERE, {"file_text": TABS}, "exists"),
        ("create", "/memories/a.md", {}, "file_text"),
        ("create", "/memories/team/a.md", {"file_text": TABS}, "team"),
        ("create", "/etc/a.md", {"file_text": TABS}, "begins with /memories/"),
        ("create", "/memories/../a.md", {"file_text": TABS}, "leads out"),
        ("delete", "/memories/MEMORY.md", {}, "index"),
        ("rename", "/memories/MEMORY.md", {"new_path": "/memories/c.md"}, "index"),
        ("rename", "/memories/b.md", {"new_path": HERE}, "exists"),
        ("view", "/memories/b.md", {}, "no such memory"),
        ("str_replace", HERE, {"old_str": "tabs", "new_str": "x"}, "2 times"),
        ("clear_all_memory", HERE, {}, "clear_all_memory"),
    ],
)
def test_a_wrong_command_is_explained_and_nothing_is_written(
    tool: StoreMemoryTool, command: str, path: str, more: dict[str, Any], word: str
) -> None:
    shared = tool.store.directory / "team" / "shared.md"
    shared.parent.mkdir()
    shared.write_text(TABS)
    before = files(tool)
    assert "team" not in run(tool, "view", "/memories")
    with pytest.raises(ToolError) as caught:
        run(tool, command, path, **more)
    assert word in str(caught.value)
    assert str(tool.store.directory) not in str(caught.value)
    assert files(tool) == before


MORE = {"view": {}, "delete": {}, "create": {"file_text": TABS}, "rename": {"new_path": HERE}}


@needs_posix
@pytest.mark.parametrize("half", ["work", pytest.param("final", marks=pytest.mark.slow)])
def test_no_command_follows_a_path_of_the_attack_set(half: str, tmp_path: Path) -> None:
    passed = []
    for case in [one for one in load_path_cases() if one.half == half and not one.allow]:
        directories = load_trees().paths.make(tmp_path / case.id)
        tool = StoreMemoryTool(MemoryStore(directories["MEMORY"]))
        set_up([fill(entry, directories) for entry in case.setup], directories["MEMORY"])
        path = fill(case.path, directories)
        for tried in (path, f"/memories/{path}"):
            for command, more in MORE.items():
                try:
                    run(tool, command, tried, **more)
                except ToolError:
                    continue
                if tried.rstrip("/") != "/memories":  # the folder itself may be listed
                    passed.append((case.id, command, tried))
    assert passed == []
