"""The SDK's memory tool on the course's store: the contract, the store's rules, hostile paths."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anthropic import Anthropic
from anthropic.lib.tools import ToolError

from memlab.evals.attacks import fill, load_path_cases, load_trees, set_up
from memlab.landscape.memory_tool import StoreMemoryTool
from memlab.memdir.store import MemoryStore
from memlab.models import OfflineModel, Script
from tests.model_server import ModelServer
from tests.platforms import needs_posix

TABS = (
    "---\nname: Tabs\ndescription: Robin indents with tabs.\ntype: user\n---\n\nRobin uses tabs.\n"
)
TEAMS = TABS.replace("user", "project")
SECRET = (
    TABS + "The key is AKIAIOSFODNN7EXAMPLQ, secret wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzzzzzzzzz.\n"
)


@pytest.fixture
def tool(tmp_path: Path) -> StoreMemoryTool:
    return StoreMemoryTool(MemoryStore(tmp_path / "memory"))


def run(tool: StoreMemoryTool, command: str, path: str = "/memories/tabs.md", **more: Any) -> str:
    return tool.call({"command": command, "path": path, **more})


def refused(tool: StoreMemoryTool, command: str, *args: str, **more: Any) -> str:
    with pytest.raises(ToolError) as caught:
        run(tool, command, *args, **more)
    return str(caught.value)


def files(tool: StoreMemoryTool) -> dict[str, str]:
    folder = tool.store.directory
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.md")}


def test_hidden_files_are_neither_shown_nor_touched(tool: StoreMemoryTool) -> None:
    run(tool, "create", "/memories/style/tabs.md", file_text=TABS)
    hidden = tool.store.directory / "style" / "._tabs.md"
    hidden.write_text("what a file system adds")
    assert "._tabs.md" not in run(tool, "view", "/memories")
    assert "._tabs.md" not in run(tool, "view", "/memories/style")
    tool.call({"command": "rename", "old_path": "/memories/style", "new_path": "/memories/form"})
    run(tool, "delete", "/memories/form")
    assert sorted(files(tool)) == ["MEMORY.md", "style/._tabs.md"]


def test_a_memory_is_made_shown_edited_moved_and_deleted_and_each_step_can_be_undone(
    tool: StoreMemoryTool,
) -> None:
    assert "created successfully at: /memories/tabs.md" in run(tool, "create", file_text=TABS)
    assert "[Tabs](tabs.md)" in files(tool)["MEMORY.md"]
    assert "     7\tRobin uses tabs." in run(tool, "view")
    assert run(tool, "view", view_range=[7, -1]).splitlines()[1] == "     7\tRobin uses tabs."

    edited = run(tool, "str_replace", old_str="uses tabs.", new_str="uses two spaces.")
    assert "     7\tRobin uses two spaces." in edited
    run(tool, "insert", insert_line=7, insert_text="Tabs only in Makefiles.\n")
    assert files(tool)["tabs.md"].endswith("uses two spaces.\nTabs only in Makefiles.\n")

    moved = {
        "command": "rename",
        "old_path": "/memories/tabs.md",
        "new_path": "/memories/style/indent.md",
    }
    tool.call(moved)
    assert sorted(files(tool)) == ["MEMORY.md", "style/indent.md"]
    assert "(style/indent.md)" in files(tool)["MEMORY.md"]
    listing = run(tool, "view", "/memories").splitlines()
    assert [line.split("\t")[1] for line in listing[1:]] == [
        "/memories",
        "/memories/MEMORY.md",
        "/memories/style/",
        "/memories/style/indent.md",
    ]

    run(tool, "delete", "/memories/style")
    assert "indent" not in "".join(files(tool).values())

    history = tool.store.history()
    assert {entry.who for entry in history} == {"main agent"}
    for _ in range(4):
        tool.store.undo()
    assert files(tool)["tabs.md"] == TABS


def test_what_the_store_does_not_take_is_explained_and_nothing_is_written(
    tool: StoreMemoryTool,
) -> None:
    run(tool, "create", file_text=TABS)
    before = files(tool)
    said = {
        "no header": refused(tool, "create", "/memories/a.md", file_text="Robin uses tabs."),
        "no type": refused(tool, "create", "/memories/a.md", file_text="---\nname: A\n---\nB\n"),
        "secret": refused(tool, "create", "/memories/a.md", file_text=SECRET),
        "not Markdown": refused(tool, "create", "/memories/notes.txt", file_text=TABS),
        "exists": refused(tool, "create", file_text=TABS),
        "index": refused(tool, "delete", "/memories/MEMORY.md"),
        "root": refused(tool, "delete", "/memories"),
        "team": refused(tool, "create", "/memories/team/a.md", file_text=TEAMS),
        "log": refused(tool, "create", "/memories/logs/2026/11/2026-11-23.md", file_text=TABS),
        "missing": refused(tool, "view", "/memories/b.md"),
        "twice": refused(tool, "str_replace", old_str="tabs", new_str="spaces"),
        "nowhere": refused(tool, "str_replace", old_str="emacs", new_str="vi"),
        "empty": refused(tool, "str_replace", old_str="", new_str="vi"),
        "line": refused(tool, "insert", insert_line=99, insert_text="x"),
        "range": refused(tool, "view", view_range=[9, 12]),
        "command": refused(tool, "clear_all_memory"),
        "parameter": refused(tool, "create", "/memories/a.md"),
    }
    assert files(tool) == before
    for key in ("no header", "no type"):
        assert "description: <one line that says when it helps>" in said[key]
    words = {
        "no header": "no frontmatter",
        "no type": "it has no type",
        "secret": "this looks like a token",
        "not Markdown": "no memory can have this name",
        "exists": "already exists",
        "index": "the index, which follows its memories",
        "root": "Cannot delete the /memories directory itself",
        "team": "belongs to the person's team",
        "log": "only grows by new lines",
        "missing": "does not exist",
        "twice": "in lines: 3, 7",
        "nowhere": "did not appear verbatim",
        "empty": "old_str is empty",
        "line": "within the range [0, 7]",
        "range": "lines 1 to 8",
        "command": "There is no command 'clear_all_memory'",
        "parameter": "`file_text` of create",
    }
    assert {key: text for key, text in said.items() if words[key] not in text} == {}
    assert str(tool.store.directory) not in "".join(said.values())


def test_a_teams_folder_is_neither_shown_nor_read_nor_moved(tool: StoreMemoryTool) -> None:
    run(tool, "create", file_text=TABS)
    shared = tool.store.directory / "team" / "deploy.md"
    shared.parent.mkdir()
    shared.write_text(TEAMS)
    assert "team" not in run(tool, "view", "/memories")
    for command in ("view", "delete"):
        assert "belongs to the person's team" in refused(tool, command, "/memories/team/deploy.md")
        assert shared.exists()
        refused(tool, command, "/memories/team")
    with pytest.raises(ToolError, match="team"):
        tool.call(
            {
                "command": "rename",
                "old_path": "/memories/tabs.md",
                "new_path": "/memories/Team/tabs.md",
            }
        )
    assert shared.read_text() == TEAMS


def test_a_file_with_windows_line_ends_keeps_them(tool: StoreMemoryTool) -> None:
    run(tool, "create", file_text=TABS)
    path = tool.store.directory / "tabs.md"
    path.write_bytes(TABS.replace("\n", "\r\n").encode())
    run(tool, "str_replace", old_str="---\n\nRobin uses", new_str="---\n\nIn Python:\nRobin uses")
    run(tool, "insert", insert_line=8, insert_text="And Makefiles.")
    data = path.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") == 9


def test_a_destination_that_exists_is_left_alone(tool: StoreMemoryTool) -> None:
    run(tool, "create", file_text=TABS)
    run(tool, "create", "/memories/b.md", file_text=TABS.replace("abs", "wo spaces"))
    before = files(tool)
    with pytest.raises(ToolError, match="already exists"):
        tool.call(
            {"command": "rename", "old_path": "/memories/tabs.md", "new_path": "/memories/b.md"}
        )
    assert files(tool) == before


def test_a_destination_that_appears_during_the_move_is_kept_and_so_is_the_source(
    tool: StoreMemoryTool, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tool, "create", file_text=TABS)
    commit = tool.store.commit

    def somebody_else_first(*args: Any, **more: Any) -> Any:
        (tool.store.directory / "b.md").write_text("theirs")
        return commit(*args, **more)

    monkeypatch.setattr(tool.store, "commit", somebody_else_first)
    with pytest.raises(ToolError, match=r"/memories/b.md has changed in the meantime"):
        tool.call(
            {"command": "rename", "old_path": "/memories/tabs.md", "new_path": "/memories/b.md"}
        )
    assert files(tool)["tabs.md"] == TABS
    assert files(tool)["b.md"] == "theirs"


CALLS: tuple[Callable[[str], dict[str, Any]], ...] = (
    lambda path: {"command": "view", "path": path},
    lambda path: {"command": "create", "path": path, "file_text": TABS},
    lambda path: {"command": "str_replace", "path": path, "old_str": "Robin", "new_str": "X"},
    lambda path: {"command": "insert", "path": path, "insert_line": 0, "insert_text": "X"},
    lambda path: {"command": "delete", "path": path},
    lambda path: {"command": "rename", "old_path": path, "new_path": "/memories/x.md"},
    lambda path: {"command": "rename", "old_path": "/memories/there.md", "new_path": path},
)


def everything(top: Path) -> dict[Path, object]:
    """All below a folder: what kind it is, and what it says."""
    found: dict[Path, object] = {}
    for path in sorted(top.rglob("*")):
        if path.is_symlink():
            found[path] = path.readlink()
        elif path.is_file():
            found[path] = path.read_bytes()
        else:
            found[path] = None
    return found


@needs_posix
@pytest.mark.parametrize("half", ["work", pytest.param("final", marks=pytest.mark.slow)])
def test_no_command_follows_a_path_of_the_attack_set(half: str, tmp_path: Path) -> None:
    passed = []
    cases = [case for case in load_path_cases() if case.half == half and not case.allow]
    for case in cases:
        top = tmp_path / case.id
        directories = load_trees().paths.make(top)
        memory = directories["MEMORY"]
        tool = StoreMemoryTool(MemoryStore(memory))
        run(tool, "create", "/memories/there.md", file_text=TABS)
        set_up([fill(entry, directories) for entry in case.setup], memory)
        before = everything(top)
        path = fill(case.path, directories)
        for make in CALLS:
            for tried in (path, f"/memories/{path}"):
                try:
                    tool.call(make(tried))
                except ToolError:
                    continue
                if tried != "/memories/":  # an empty name is the folder, which may be listed
                    passed.append((case.id, make(tried)))
        assert everything(top) == before, case.id
    assert len(cases) > 20
    assert passed == []


def test_the_sdks_runner_uses_the_tool_and_the_model_reads_the_refusal(tmp_path: Path) -> None:
    create = {"command": "create", "path": "/memories/tabs.md"}
    steps = [
        {"tools": [{"name": "memory", "input": {"command": "view", "path": "/memories"}}]},
        {"tools": [{"name": "memory", "input": {**create, "file_text": "Robin uses tabs."}}]},
        {"tools": [{"name": "memory", "input": {**create, "file_text": TABS}}]},
        {"say": "I will remember that."},
    ]
    story = {"title": "tabs", "main": [{"user": "I use tabs.", "steps": steps}]}
    model = OfflineModel(scripts=[Script.model_validate(story)])
    tool = StoreMemoryTool(MemoryStore(tmp_path / "memory"))
    server = ModelServer(model).start()
    with Anthropic(base_url=server.url, api_key="local") as client:
        runner = client.beta.messages.tool_runner(
            model="claude-opus-5-5",
            max_tokens=400,
            tools=[tool],
            messages=[{"role": "user", "content": "I use tabs."}],
            thread=False,
        )
        last = runner.until_done()
    server.stop()

    assert last.content[0].text == "I will remember that."
    assert files(tool)["tabs.md"] == TABS
    sent = model.requests[-1].body
    assert sent["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    results = [
        block
        for message in sent["messages"]
        if message["role"] == "user" and not isinstance(message["content"], str)
        for block in message["content"]
    ]
    assert [block.get("is_error", False) for block in results] == [False, True, False]
    assert "no frontmatter" in str(results[1]["content"])
