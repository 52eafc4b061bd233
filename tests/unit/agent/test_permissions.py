"""What the main agent may do, and what it is told when it may not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from memlab.agent.command_policy import Verdict
from memlab.agent.permissions import Ask, main_permissions
from memlab.events import ToolDenied
from tests.platforms import needs_links
from tests.unit.agent.desk import Desk, results, run, use

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


def decide(desk: Desk, name: str, ask: Ask | None = None, shell: bool = False, **given: Any) -> Any:
    permission = main_permissions(desk.context, ask, shell=shell)

    async def asked() -> Any:
        return await permission(name, given)

    return asyncio.run(asked())


@pytest.mark.parametrize("name", ["Read", "Grep", "Glob"])
def test_reading_is_free_inside_and_needs_a_yes_elsewhere(desk: Desk, name: str) -> None:
    operand = "file_path" if name == "Read" else "path"
    for path in ("a.py", MEMORY, "~/.memlab/projects/-home-robin-tidebook"):
        assert decide(desk, name, **{operand: path}).allowed
    for answer in (True, False):
        person = Person(answer)
        assert decide(desk, name, person, **{operand: "/etc/hosts"}).allowed is answer
        assert person.asked == [
            f"{name} /etc/hosts?\nIt is outside the project, its memory and its transcripts."
        ]
    assert not decide(desk, name, **{operand: "/etc/hosts"}).allowed


class TestFiles:
    @pytest.mark.parametrize("name", ["Edit", "Write"])
    @pytest.mark.parametrize("path", ["a.py", "~/notes.txt", "/srv/x", "~/tidebook/../x"])
    def test_outside_memory_a_change_needs_a_yes(self, desk: Desk, name: str, path: str) -> None:
        for answer in (True, False):
            person = Person(answer)
            assert decide(desk, name, person, file_path=path).allowed is answer
            assert len(person.asked) == 1
        refusal = decide(desk, name, file_path=path)
        assert not refusal.allowed
        assert refusal.reason.endswith("and nobody is here to ask")

    def test_the_question_names_the_file_as_the_person_knows_it(self, desk: Desk) -> None:
        person = Person(True)
        decide(desk, "Edit", person, file_path=str(desk.project / "a.py"))
        assert person.asked == ["Edit ~/tidebook/a.py?"]

    def test_in_memory_it_is_free(self, desk: Desk) -> None:
        person = Person(False)
        for path in (f"{MEMORY}/tabs.md", f"{MEMORY}/team/ci.md", f"{MEMORY}/MEMORY.md"):
            assert decide(desk, "Write", person, file_path=path).allowed
        assert person.asked == []
        beside = f"{MEMORY}-old/tabs.md"
        assert not decide(desk, "Write", person, file_path=beside).allowed

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
    def test_memlabs_own_records_not_even_with_a_yes(self, desk: Desk, path: str) -> None:
        person = Person(True)
        for name in ("Edit", "Write"):
            refusal = decide(desk, name, person, file_path=path)
            assert not refusal.allowed
            assert "which no tool changes" in refusal.reason
        assert person.asked == []

    @needs_links
    def test_a_link_is_judged_by_where_it_leads(self, desk: Desk) -> None:
        desk.memory.mkdir(parents=True, exist_ok=True)
        (desk.project / "memo").symlink_to(desk.memory)
        (desk.project / "base").symlink_to(desk.base)
        (desk.memory / "out").symlink_to(desk.project)
        assert decide(desk, "Write", file_path="memo/tabs.md").allowed
        assert not decide(desk, "Write", Person(True), file_path="base/settings.json").allowed
        assert not decide(desk, "Write", file_path=f"{MEMORY}/out/a.py").allowed

    def test_nobody_is_asked_about_what_the_tool_will_refuse(self, desk: Desk) -> None:
        desk.file("a.py", "x = 1\n")
        edit = use("Edit", file_path="a.py", old_string="1", new_string="2")
        desk.plays({"Edit it.": [[edit], [use("Read", file_path="a.py")], [edit], "Done."]})
        person = Person(True)
        agent = desk.agent(permission=main_permissions(desk.context, person))
        run(lambda: agent.run_turn("Edit it."))
        assert person.asked == ["Edit ~/tidebook/a.py?"]
        assert (desk.project / "a.py").read_text() == "x = 2\n"


class TestBash:
    def test_without_a_judge_nothing_runs_and_the_reason_is_said(self, desk: Desk) -> None:
        desk.plays({"List.": [[use("Bash", command="ls")], "No."]})
        agent = desk.agent(permission=main_permissions(desk.context))
        run(lambda: agent.run_turn("List."))
        (result,) = results(agent)
        assert result["is_error"]
        assert result["content"] == (
            "Not allowed: No command can be judged here. Only commands that read may run."
        )
        (denied,) = desk.events.of(ToolDenied)
        assert denied.tool == "Bash"

    def test_what_only_reads_runs_by_the_reading_executor(self, desk: Desk) -> None:
        desk.context.judge = judge
        desk.context.run_read_only = lambda verdict: f"in {desk.project}: {verdict.allowed}"
        desk.plays({"List.": [[use("Bash", command="ls"), use("Bash", command="rm x")], "Done."]})
        agent = desk.agent(permission=main_permissions(desk.context, Person(True)))
        run(lambda: agent.run_turn("List."))
        assert [result["content"] for result in results(agent)] == [
            "in ~/tidebook: True",
            "Not allowed: it is not ls. Only commands that read may run.",
        ]

    def test_with_a_shell_each_other_command_needs_a_yes(self, desk: Desk) -> None:
        desk.context.judge = judge
        person = Person(True)
        assert decide(desk, "Bash", person, shell=True, command="ls -l").allowed
        assert person.asked == []
        assert decide(desk, "Bash", person, shell=True, command="pytest -q").allowed
        assert person.asked == ["Run this command? pytest -q"]
        assert not decide(desk, "Bash", Person(False), shell=True, command="pytest").allowed
        assert not decide(desk, "Bash", shell=True, command="pytest").allowed

    def test_a_command_that_was_allowed_runs_in_the_shell(self, desk: Desk) -> None:
        desk.context.run_shell = lambda command: f"ran {command}"
        desk.plays({"Test.": [[use("Bash", command="pytest -q")], "Done."]})
        agent = desk.agent(permission=main_permissions(desk.context, Person(True), shell=True))
        run(lambda: agent.run_turn("Test."))
        assert results(agent)[0]["content"] == "ran pytest -q"

    def test_allowed_and_no_shell_to_run_it(self, desk: Desk) -> None:
        desk.plays({"Test.": [[use("Bash", command="pytest -q")], "Done."]})
        agent = desk.agent()
        run(lambda: agent.run_turn("Test."))
        assert results(agent)[0]["content"] == "There is no shell here. Use Read, Grep or Glob"


def test_a_tool_of_another_origin_needs_a_yes(desk: Desk) -> None:
    assert decide(desk, "mcp__mail__send", Person(True)).allowed
    assert not decide(desk, "mcp__mail__send", Person(False)).allowed
    assert not decide(desk, "mcp__mail__send").allowed


def test_a_person_may_take_their_time(desk: Desk) -> None:
    async def ask(question: str) -> bool:
        await desk.clock.sleep(120)
        return True

    assert decide(desk, "Write", ask, file_path="a.py").allowed
