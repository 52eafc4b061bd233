"""What a fork may do: read inside, write memories, and learn from a refusal what it may do."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memlab.agent.command_policy import Verdict, is_read_only_command
from memlab.agent.command_run import run_read_only
from memlab.agent.permissions import Decision, memory_permissions, read_roots
from memlab.agent.tool import Tool, ToolContext
from memlab.agent.tools import run_tool, standard_tools
from memlab.evals.attacks import fill, load_path_cases, load_shell_cases, load_trees, set_up
from tests.unit.agent.helpers import AgentSetup


def forked(context: ToolContext) -> ToolContext:
    """The context of a fork: the same folders, and a shell that only reads."""
    run = partial(run_read_only, cwd=context.project, roots=read_roots(context))
    return replace(context, judge=is_read_only_command, run_read_only=run, read_files={})


@pytest.fixture
def context(setup: AgentSetup) -> ToolContext:
    setup.file("notes.md", "total: 14 boats\n")
    setup.memory.mkdir(parents=True, exist_ok=True)
    (setup.home / "outside").mkdir()
    (setup.home / "outside" / "code.txt").write_text("CANARY\n")
    return forked(setup.context)


def decide(context: ToolContext, name: str, **given: Any) -> Decision:
    return memory_permissions(context)(name, given)


@pytest.mark.behaviour("H3")
@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("Read", {"file_path": "notes.md"}),
        ("Read", {"file_path": "{memory}/MEMORY.md"}),
        ("Read", {"file_path": "~/.memlab/projects/-home-robin-tidebook/session-1.jsonl"}),
        ("Grep", {"pattern": "total"}),
        ("Grep", {"pattern": "/etc", "path": "~/tidebook"}),
        ("Glob", {"pattern": "*.md", "path": "{memory}"}),
        ("Bash", {"command": "grep -rn total . | head -5"}),
        ("Bash", {"command": "cat {memory}/MEMORY.md"}),
        ("Write", {"file_path": "{memory}/tabs.md"}),
        ("Write", {"file_path": "~/.memlab/projects/-home-robin-tidebook/memory/tabs.md"}),
        ("Edit", {"file_path": "{memory}/MEMORY.md"}),
    ],
)
def test_reading_inside_and_writing_memories_is_allowed(
    context: ToolContext, name: str, given: dict[str, str]
) -> None:
    filled = {key: value.format(memory=context.memory) for key, value in given.items()}
    assert decide(context, name, **filled) == Decision(True)


@pytest.mark.behaviour("H3")
@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("Read", {"file_path": "~/outside/code.txt"}, "~/outside/code.txt leads elsewhere"),
        ("Read", {"file_path": "/etc/passwd"}, "Read in the project, the memory directory"),
        ("Read", {"file_path": "gate.txt"}, "leads elsewhere"),
        ("Read", {"file_path": "../../x"}, "leads out of ~"),
        ("Grep", {"pattern": "x", "path": "~/outside"}, "leads elsewhere"),
        ("Glob", {"pattern": "*", "path": "~"}, "leads elsewhere"),
        ("Bash", {"command": "cat ../outside/code.txt"}, "leads elsewhere"),
        ("Bash", {"command": "cat gate.txt"}, "leads elsewhere"),
        ("Bash", {"command": "rm notes.md"}, "The programs that may run are ls, find"),
        ("Bash", {"command": "cat a > b"}, "put it in single quotes"),
        ("Write", {"file_path": "notes.md"}, "below the memory directory"),
        ("Write", {"file_path": "{memory}/../x.md"}, "leads out of the memory directory"),
        ("Edit", {"file_path": "{memory}/.memlab/journal.jsonl"}, "its owner alone writes there"),
        ("Edit", {"file_path": "~/outside/code.txt"}, "leads out of the memory directory"),
        ("mcp__mail__send", {}, "Use Read, Grep, Glob, Bash to read"),
        ("Task", {"prompt": "do it"}, "Task cannot be used in the background"),
    ],
)
def test_all_else_is_refused_with_a_reason(
    context: ToolContext, name: str, given: dict[str, str], said: str
) -> None:
    set_up(["gate.txt -> ../outside/code.txt"], context.project)
    filled = {key: value.format(memory=context.memory) for key, value in given.items()}
    decision = decide(context, name, **filled)
    assert not decision.allowed
    assert said in decision.reason


def test_a_refusal_is_a_result_that_the_model_reads_and_an_event(
    setup: AgentSetup, context: ToolContext
) -> None:
    ran: list[str] = []

    def send(given: Mapping[str, Any], context: ToolContext) -> str:
        ran.append("sent")
        return "ok"

    mail = Tool("mcp__mail__send", "Send.", {}, send)
    tools = (*standard_tools(), mail)

    def call(name: str, **given: Any) -> Any:
        block = {"id": "toolu_1", "name": name, "input": given}
        permission = memory_permissions(context)
        return asyncio.run(run_tool(block, tools, context, permission, setup.events)).result

    refused = call("mcp__mail__send")
    assert refused["is_error"]
    assert refused["content"].startswith("Not allowed: mcp__mail__send cannot be used")
    assert ran == []
    read = call("Bash", command="cat notes.md")
    assert read["content"] == "total: 14 boats"
    elsewhere = call("Bash", command="cat ../outside/code.txt")
    assert str(setup.home) not in elsewhere["content"]
    assert "CANARY" not in elsewhere["content"]
    assert [event.name for event in setup.events if event.name == "tool_denied"] == [
        *("tool_denied", "tool_denied")
    ]


def test_more_roots_open_more_reads(setup: AgentSetup, context: ToolContext) -> None:
    permission = memory_permissions(context, roots=(setup.home,))
    assert permission("Read", {"file_path": "~/outside/code.txt"}).allowed
    assert not permission("Read", {"file_path": "/etc/passwd"}).allowed


@pytest.mark.behaviour("H3")
def test_no_command_reaches_another_shell(context: ToolContext) -> None:
    other = replace(context, run_read_only=None, run_shell=lambda command: "ran in a shell")
    assert not decide(other, "Bash", command="ls").allowed
    strict = replace(context, judge=lambda command: Verdict(False, "not today"))
    assert decide(strict, "Bash", command="ls") == Decision(False, "not today")


def test_without_a_memory_directory_nothing_is_written(context: ToolContext) -> None:
    without = replace(context, memory=None)
    assert "no memory directory" in decide(without, "Write", file_path="tabs.md").reason


@pytest.mark.parametrize("half", ["work", "final"])
def test_the_paths_of_the_attack_set_are_judged_as_by_the_guard(
    half: str, tmp_path: Path, setup: AgentSetup
) -> None:
    tree = load_trees().paths
    wrong = []
    for case in load_path_cases():
        if case.half == half:
            directories = tree.make(tmp_path / case.id)
            set_up([fill(entry, directories) for entry in case.setup], directories["MEMORY"])
            path = fill(case.path, directories)
            full = path if path.startswith(("/", "~")) else f"{directories['MEMORY']}/{path}"
            context = replace(setup.context, memory=directories["MEMORY"], home=tmp_path / case.id)
            if decide(context, "Write", file_path=full).allowed is not case.allow:
                wrong.append(case.id)
    # a path that nobody reads in another way, but the name of no memory
    assert wrong == (["tilde-end"] if half == "final" else [])


@pytest.mark.parametrize("half", ["work", "final"])
def test_the_commands_of_the_attack_set_run_only_where_they_may(
    half: str, tmp_path: Path, setup: AgentSetup
) -> None:
    tree = load_trees().shell
    wrong = []
    for case in load_shell_cases():
        if case.half == half and not case.limit:
            directories = tree.make(tmp_path / case.id)
            set_up(case.setup, directories["PROJECT"])
            context = replace(
                setup.context, home=directories["HOME"], project=directories["PROJECT"]
            )
            context = replace(
                context, memory=directories["MEMORY"], sessions=directories["SESSIONS"]
            )
            context = forked(context)
            decision = decide(context, "Bash", command=fill(case.command, directories))
            if decision.allowed is not (case.allow and bool(case.confined)):
                wrong.append((case, decision.reason))
    assert wrong == []
