"""What the main agent may do, and what it is told when it may not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from memlab.agent.command_policy import Verdict
from memlab.agent.permissions import Ask, main_permissions
from memlab.events import ToolDenied
from tests.platforms import needs_links
from tests.unit.agent.helpers import AgentSetup, results, run, use

MEMORY = "~/.memlab/projects/-home-robin-tidebook/memory"


def judge(command: str) -> Verdict:
    return Verdict(command.startswith("ls"), "it is not ls")


class Person:
    """Answers each question alike and remembers it."""

    def __init__(self, answer: bool) -> None:
        self.answer, self.asked = answer, list[str]()

    def __call__(self, question: str) -> bool:
        self.asked.append(question)
        return self.answer


def decide(
    setup: AgentSetup, name: str, ask: Ask | None = None, shell: bool = False, **given: Any
) -> Any:
    permission = main_permissions(setup.context, ask, shell=shell)

    async def asked() -> Any:
        return await permission(name, given)

    return asyncio.run(asked())


@pytest.mark.behaviour("G5")
@pytest.mark.parametrize("name", ["Read", "Grep", "Glob"])
def test_reading_is_free_inside_and_needs_a_yes_elsewhere(setup: AgentSetup, name: str) -> None:
    operand = "file_path" if name == "Read" else "path"
    for path in ("a.py", MEMORY, "~/.memlab/projects/-home-robin-tidebook"):
        assert decide(setup, name, **{operand: path}).allowed
    for answer in (True, False):
        person = Person(answer)
        assert decide(setup, name, person, **{operand: "/etc/hosts"}).allowed is answer
        assert person.asked == [
            f"{name} /etc/hosts?\nIt is outside the project, its memory and its transcripts."
        ]
    assert not decide(setup, name, **{operand: "/etc/hosts"}).allowed


class TestFiles:
    @pytest.mark.behaviour("G5")
    @pytest.mark.parametrize("name", ["Edit", "Write"])
    @pytest.mark.parametrize("path", ["a.py", "~/notes.txt", "/srv/x", "~/tidebook/../x"])
    def test_outside_memory_a_change_needs_a_yes(
        self, setup: AgentSetup, name: str, path: str
    ) -> None:
        for answer in (True, False):
            person = Person(answer)
            assert decide(setup, name, person, file_path=path).allowed is answer
            assert len(person.asked) == 1
        refusal = decide(setup, name, file_path=path)
        assert not refusal.allowed
        assert refusal.reason.endswith("and nobody is here to ask")

    def test_the_question_names_the_file_as_the_person_knows_it(self, setup: AgentSetup) -> None:
        person = Person(True)
        decide(setup, "Edit", person, file_path=str(setup.project / "a.py"))
        assert person.asked == ["Edit ~/tidebook/a.py?"]

    def test_in_memory_it_is_free(self, setup: AgentSetup) -> None:
        person = Person(False)
        for path in (f"{MEMORY}/tabs.md", f"{MEMORY}/team/ci.md", f"{MEMORY}/MEMORY.md"):
            assert decide(setup, "Write", person, file_path=path).allowed
        assert person.asked == []
        beside = f"{MEMORY}-old/tabs.md"
        assert not decide(setup, "Write", person, file_path=beside).allowed

    @pytest.mark.parametrize(
        "path",
        [
            f"{MEMORY}/.memlab/journal.jsonl",
            f"{MEMORY}/.MemLab/images/x",
            "~/.memlab/settings.json",
            "~/.memlab/projects/-home-robin-tidebook/session-1.jsonl",
            f"{MEMORY}/../settings.json",
            "~/tidebook/.memlab/x.md",
        ],
    )
    def test_memlabs_own_records_not_even_with_a_yes(self, setup: AgentSetup, path: str) -> None:
        person = Person(True)
        for name in ("Edit", "Write"):
            refusal = decide(setup, name, person, file_path=path)
            assert not refusal.allowed
            assert "which no tool changes" in refusal.reason
        assert person.asked == []

    @needs_links
    def test_a_link_is_judged_by_where_it_leads(self, setup: AgentSetup) -> None:
        setup.memory.mkdir(parents=True, exist_ok=True)
        (setup.project / "memo").symlink_to(setup.memory)
        (setup.project / "base").symlink_to(setup.base)
        (setup.memory / "out").symlink_to(setup.project)
        assert decide(setup, "Write", file_path="memo/tabs.md").allowed
        assert not decide(setup, "Write", Person(True), file_path="base/settings.json").allowed
        assert not decide(setup, "Write", file_path=f"{MEMORY}/out/a.py").allowed

    def test_nobody_is_asked_about_what_the_tool_will_refuse(self, setup: AgentSetup) -> None:
        setup.file("a.py", "x = 1\n")
        edit = use("Edit", file_path="a.py", old_string="1", new_string="2")
        setup.plays({"Edit it.": [[edit], [use("Read", file_path="a.py")], [edit], "Done."]})
        person = Person(True)
        agent = setup.agent(permission=main_permissions(setup.context, person))
        run(lambda: agent.run_turn("Edit it."))
        assert person.asked == ["Edit ~/tidebook/a.py?"]
        assert (setup.project / "a.py").read_text() == "x = 2\n"


class TestBash:
    def test_without_a_judge_nothing_runs_and_the_reason_is_said(self, setup: AgentSetup) -> None:
        setup.plays({"List.": [[use("Bash", command="ls")], "No."]})
        agent = setup.agent(permission=main_permissions(setup.context))
        run(lambda: agent.run_turn("List."))
        (result,) = results(agent)
        assert result["is_error"]
        assert result["content"] == (
            "Not allowed: No command can be judged here. Only commands that read may run."
        )
        (denied,) = setup.events.of(ToolDenied)
        assert denied.tool == "Bash"

    def test_what_only_reads_runs_by_the_reading_executor(self, setup: AgentSetup) -> None:
        setup.context.judge = judge
        setup.context.run_read_only = lambda verdict: f"in {setup.project}: {verdict.allowed}"
        setup.plays({"List.": [[use("Bash", command="ls"), use("Bash", command="rm x")], "Done."]})
        agent = setup.agent(permission=main_permissions(setup.context, Person(True)))
        run(lambda: agent.run_turn("List."))
        assert [result["content"] for result in results(agent)] == [
            "in ~/tidebook: True",
            "Not allowed: it is not ls. Only commands that read may run.",
        ]

    @pytest.mark.behaviour("G5")
    def test_with_a_shell_each_other_command_needs_a_yes(self, setup: AgentSetup) -> None:
        setup.context.judge = judge
        person = Person(True)
        assert decide(setup, "Bash", person, shell=True, command="ls -l").allowed
        assert person.asked == []
        assert decide(setup, "Bash", person, shell=True, command="pytest -q").allowed
        assert person.asked == ["Run this command? pytest -q"]
        assert not decide(setup, "Bash", Person(False), shell=True, command="pytest").allowed
        assert not decide(setup, "Bash", shell=True, command="pytest").allowed

    def test_a_command_that_was_allowed_runs_in_the_shell(self, setup: AgentSetup) -> None:
        setup.context.run_shell = lambda command: f"ran {command}"
        setup.plays({"Test.": [[use("Bash", command="pytest -q")], "Done."]})
        agent = setup.agent(permission=main_permissions(setup.context, Person(True), shell=True))
        run(lambda: agent.run_turn("Test."))
        assert results(agent)[0]["content"] == "ran pytest -q"

    def test_allowed_and_no_shell_to_run_it(self, setup: AgentSetup) -> None:
        setup.plays({"Test.": [[use("Bash", command="pytest -q")], "Done."]})
        agent = setup.agent()
        run(lambda: agent.run_turn("Test."))
        assert results(agent)[0]["content"] == "There is no shell here. Use Read, Grep or Glob"


def test_a_tool_of_another_origin_needs_a_yes(setup: AgentSetup) -> None:
    assert decide(setup, "mcp__mail__send", Person(True)).allowed
    assert not decide(setup, "mcp__mail__send", Person(False)).allowed
    assert not decide(setup, "mcp__mail__send").allowed


def test_a_person_may_take_their_time(setup: AgentSetup) -> None:
    async def ask(question: str) -> bool:
        await setup.clock.sleep(120)
        return True

    assert decide(setup, "Write", ask, file_path="a.py").allowed
