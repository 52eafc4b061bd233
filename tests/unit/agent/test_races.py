"""Somebody turns a folder of the memory directory into a link after the permission has looked.

A fork is granted a path, the folder is swapped, the tool runs. Left out: the
operands of a pipeline, which are opened by name.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from memlab.agent import tools_files
from memlab.agent.fork import fork_context
from memlab.agent.permissions import Decision, memory_permissions
from memlab.agent.tools import run_tool, standard_tools
from memlab.bridge import open_real
from tests.platforms import needs_links
from tests.unit.agent.helpers import AgentSetup

pytestmark = needs_links

TABS = "---\nname: tabs\ndescription: Robin types code with tabs\ntype: reference\n---\n\nTabs.\n"
FILE = "~/.memlab/projects/-home-robin-tidebook/memory/team/tabs.md"


@pytest.fixture
def outside(setup: AgentSetup) -> Path:
    """A folder outside, with a file of the same name and content as a memory of the team."""
    outside = setup.home / "outside"
    for folder in (outside, setup.memory / "team"):
        folder.mkdir(parents=True)
        (folder / "tabs.md").write_text(TABS)
    return outside


def acts(setup: AgentSetup, *calls: tuple[str, dict[str, str]], between: Callable[[], None]) -> Any:
    """Let a fork make these calls; ``between`` runs once the last one is granted."""
    context = fork_context(setup.context, who="extractor")
    allowed = memory_permissions(context)
    last: Mapping[str, Any] = calls[-1][1]

    def permission(name: str, given: Mapping[str, Any]) -> Decision:
        decision = allowed(name, given)
        assert decision.allowed
        if given == last:
            between()
        return decision

    async def work() -> Any:
        for name, given in calls:
            call = {"id": "toolu_1", "name": name, "input": given}
            outcome = await run_tool(call, standard_tools(), context, permission, setup.events)
        return outcome.result

    return asyncio.run(work())


READ = ("Read", {"file_path": FILE})
WRITES = [
    ("Write", {"file_path": FILE, "content": TABS.replace("Tabs.", "Spaces.")}),
    ("Edit", {"file_path": FILE, "old_string": "Tabs.", "new_string": "Spaces."}),
]


def turn(setup: AgentSetup, outside: Path) -> None:
    (setup.memory / "team").rename(setup.home / "aside")
    (setup.memory / "team").symlink_to(outside)


def test_a_read_that_was_granted_does_not_follow_a_later_link(
    setup: AgentSetup, outside: Path
) -> None:
    (outside / "tabs.md").write_text("CANARY\n")
    result = acts(setup, READ, between=lambda: turn(setup, outside))
    assert result["is_error"]
    assert "CANARY" not in result["content"]
    assert "leads through a link" in result["content"]


@pytest.mark.parametrize("late", [False, True], ids=["once granted", "while it looks"])
def test_a_file_of_the_project_is_not_followed_out(
    setup: AgentSetup, outside: Path, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    (outside / "tabs.md").write_text("CANARY\n")
    setup.file("docs/tabs.md", "Tabs.\n")

    def swap() -> None:
        (setup.project / "docs").rename(setup.home / "docs")
        (setup.project / "docs").symlink_to(outside)

    def swap_late(real: Path, flags: int) -> int:
        swap()
        return open_real(real, flags)

    read = ("Read", {"file_path": "docs/tabs.md"})
    assert "Tabs." in acts(setup, read, between=lambda: None)["content"]
    if late:
        monkeypatch.setattr(tools_files, "open_real", swap_late)
    result = acts(setup, read, between=(lambda: None) if late else swap)
    assert result["is_error"]
    assert "CANARY" not in result["content"]


@pytest.mark.parametrize("change", WRITES, ids=["Write", "Edit"])
def test_a_write_that_was_granted_does_not_follow_a_later_link(
    setup: AgentSetup, outside: Path, change: tuple[str, dict[str, str]]
) -> None:
    result = acts(setup, READ, change, between=lambda: turn(setup, outside))
    assert (outside / "tabs.md").read_text() == TABS
    assert sorted(path.name for path in outside.iterdir()) == ["tabs.md"]
    assert result["is_error"]
    assert "leads through a link" in result["content"]


@pytest.mark.parametrize("change", WRITES, ids=["Write", "Edit"])
def test_without_a_swap_the_same_write_is_carried_out(
    setup: AgentSetup, outside: Path, change: tuple[str, dict[str, str]]
) -> None:
    read = acts(setup, READ, between=lambda: None)
    assert "Tabs." in read["content"]
    result = acts(setup, READ, change, between=lambda: None)
    assert "is_error" not in result, result
    assert "Spaces." in (setup.memory / "team" / "tabs.md").read_text()
    assert (outside / "tabs.md").read_text() == TABS
