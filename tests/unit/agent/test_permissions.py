"""What the main agent and a fork may do, what they are told when they may not, and that what was
granted is what is opened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memlab.agent.fork import fork_context
from memlab.agent.permissions import Ask, Decision, main_permissions, memory_permissions
from memlab.agent.tool import Access, Tool, ToolContext
from memlab.agent.tools import run_tool, standard_tools
from memlab.evals.attacks import fill, load_path_cases, load_shell_cases, load_trees, set_up
from memlab.events import ToolDenied
from memlab.memdir.folder import Folder, Found
from tests.platforms import needs_links, needs_posix
from tests.unit.agent.helpers import AgentSetup, results, run, use

SESSIONS = "~/.memlab/projects/-home-robin-tidebook"
MEMORY = f"{SESSIONS}/memory"
TABS = "---\nname: tabs\ndescription: Robin types code with tabs\ntype: reference\n---\n\nTabs.\n"


class Person:
    """Answers each question alike and remembers it."""

    def __init__(self, answer: bool) -> None:
        self.answer, self.asked = answer, list[str]()

    async def __call__(self, question: str) -> bool:
        self.asked.append(question)
        return self.answer


def decide(
    setup: AgentSetup, name: str, ask: Ask | None = None, shell: bool = False, **given: Any
) -> Decision:
    permission = main_permissions(setup.context, ask, shell=shell)

    async def asked() -> Decision:
        return await permission(name, given)

    return asyncio.run(asked())


@pytest.fixture
def context(setup: AgentSetup) -> ToolContext:
    """What a fork's tools work in."""
    setup.file("notes.md", "total: 14 boats\n")
    setup.memory.mkdir(parents=True, exist_ok=True)
    (setup.home / "outside").mkdir()
    (setup.home / "outside" / "code.txt").write_text("CANARY\n")
    return fork_context(setup.context, who="extractor")


def forked(context: ToolContext, name: str, **given: Any) -> Decision:
    return memory_permissions(context)(name, given)


class TestMainAgent:
    @pytest.mark.behaviour("G5")
    @pytest.mark.parametrize("name", ["Read", "Grep", "Glob"])
    def test_reading_is_free_inside_and_needs_a_yes_elsewhere(
        self, setup: AgentSetup, name: str
    ) -> None:
        operand = "file_path" if name == "Read" else "path"
        for path in ("a.py", MEMORY, SESSIONS):
            assert decide(setup, name, **{operand: path})
        for answer in (True, False):
            person = Person(answer)
            assert decide(setup, name, person, **{operand: "/etc/hosts"}).allowed is answer
            outside = "outside the project, its memory and its transcripts"
            assert person.asked == [f"{name} /etc/hosts?\nIt reads /etc/hosts, {outside}."]
        assert not decide(setup, name, **{operand: "/etc/hosts"})

    @pytest.mark.behaviour("G5")
    @pytest.mark.parametrize("name", ["Edit", "Write"])
    def test_a_change_is_free_in_memory_and_needs_a_yes_elsewhere(
        self, setup: AgentSetup, name: str
    ) -> None:
        for path in ("a.py", "~/notes.txt", "/srv/x", "~/tidebook/../x", f"{MEMORY}-old/tabs.md"):
            for answer in (True, False):
                person = Person(answer)
                refused = decide(setup, name, person, file_path=path)
                if "-old" in path:
                    assert "which no tool changes" in refused.reason
                    continue
                assert refused.allowed is answer
                assert len(person.asked) == 1
        refusal = decide(setup, name, file_path="a.py")
        assert refusal.reason.endswith("and nobody is here to ask")
        person = Person(True)
        decide(setup, name, person, file_path=str(setup.project / "a.py"))
        for path in (f"{MEMORY}/tabs.md", f"{MEMORY}/team/ci.md", f"{MEMORY}/MEMORY.md"):
            assert decide(setup, name, person, file_path=path)
        assert person.asked == [f"{name} ~/tidebook/a.py?"]

    @pytest.mark.parametrize(
        "path",
        [
            f"{MEMORY}/.memlab/journal.jsonl",
            f"{MEMORY}/.MemLab/images/x",
            "~/.memlab/settings.json",
            f"{SESSIONS}/session-1.jsonl",
            f"{MEMORY}/../settings.json",
            "~/tidebook/.memlab/x.md",
        ],
    )
    def test_memlabs_own_records_not_even_with_a_yes(self, setup: AgentSetup, path: str) -> None:
        person = Person(True)
        for name in ("Edit", "Write"):
            refusal = decide(setup, name, person, file_path=path)
            assert not refusal
            assert "which no tool changes" in refusal.reason
        assert person.asked == []

    @needs_links
    def test_a_link_is_judged_by_where_it_leads(self, setup: AgentSetup) -> None:
        setup.memory.mkdir(parents=True, exist_ok=True)
        (setup.project / "memo").symlink_to(setup.memory)
        (setup.project / "base").symlink_to(setup.base)
        (setup.memory / "out").symlink_to(setup.project)
        person = Person(True)
        assert decide(setup, "Write", file_path="memo/tabs.md")
        assert not decide(setup, "Write", person, file_path="base/settings.json")
        assert not decide(setup, "Write", file_path=f"{MEMORY}/out/a.py")
        assert decide(setup, "Write", person, file_path=f"{MEMORY}/out/a.py")
        assert person.asked == [f"Write ~/tidebook/a.py? That is where {MEMORY}/out/a.py leads."]

    def test_nobody_is_asked_about_what_the_tool_will_refuse(self, setup: AgentSetup) -> None:
        setup.file("a.py", "x = 1\n")
        edit = use("Edit", file_path="a.py", old_string="1", new_string="2")
        setup.plays({"Edit it.": [[edit], [use("Read", file_path="a.py")], [edit], "Done."]})
        person = Person(True)
        agent = setup.agent(permission=main_permissions(setup.context, person))
        run(lambda: agent.run_turn("Edit it."))
        assert person.asked == ["Edit ~/tidebook/a.py?"]
        assert (setup.project / "a.py").read_text() == "x = 2\n"

    @needs_posix
    @pytest.mark.behaviour("G5")
    def test_what_only_reads_runs_and_all_else_needs_a_shell_and_a_yes(
        self, setup: AgentSetup
    ) -> None:
        setup.file("notes.md", "total: 14 boats\n")
        setup.context.run_shell = lambda command: f"ran {command}"
        calls = [use("Bash", command="cat notes.md"), use("Bash", command="git log")]
        setup.plays({"Look.": [calls, "Done."], "Log.": [calls[1:], "Done."]})
        person = Person(True)
        agent = setup.agent(permission=main_permissions(setup.context, person))
        run(lambda: agent.run_turn("Look."))
        read, refused = results(agent)
        assert read["content"] == "total: 14 boats"
        assert "git is not among them" in refused["content"]
        assert [event.tool for event in setup.events.of(ToolDenied)] == ["Bash"]
        assert not decide(setup, "Bash", command="cat /etc/hosts /etc/group")
        agent.permission = main_permissions(setup.context, person, shell=True)
        run(lambda: agent.run_turn("Log."))
        assert results(agent)[-1]["content"] == "ran git log"
        assert person.asked == ["Run this command? git log"]
        assert not decide(setup, "Bash", Person(False), shell=True, command="pytest")
        assert not decide(setup, "Bash", shell=True, command="pytest")

    def test_a_tool_of_another_origin_needs_a_yes(self, setup: AgentSetup) -> None:
        assert decide(setup, "mcp__mail__send", Person(True))
        assert not decide(setup, "mcp__mail__send", lambda question: False)
        assert not decide(setup, "mcp__mail__send")


def test_no_tool_opens_what_the_store_keeps_of_earlier_memories(
    setup: AgentSetup, context: ToolContext
) -> None:
    assert setup.context.store
    setup.context.store.write_text("tabs.md", TABS)
    setup.context.store.remove("tabs.md")
    images = f"{MEMORY}/.memlab/images"
    image = next((setup.memory / ".memlab" / "images").iterdir()).name
    given: Mapping[str, Any]
    for name, given in {
        "Read": {"file_path": f"{images}/{image}"},
        "Grep": {"pattern": "Tabs", "path": images},
        "Glob": {"pattern": "*", "path": f"{MEMORY}/.memlab"},
    }.items():
        assert "memlab's own record" in forked(context, name, **given).reason
        assert "memlab's own record" in decide(setup, name, Person(True), **given).reason


class Shut(Access):
    def closed(self) -> Mapping[str, str]:
        return {"team": "the team is switched off"}

    async def agrees(self, context: ToolContext, file: str, text: str) -> bool:
        assert context.memory
        if file == "edited.md":  # by hand, while the person thinks
            (context.memory / file).write_text(TABS)
        return "spaces" not in text


@needs_posix
def test_a_closed_folder_is_left_out_and_the_person_may_be_asked_before_saving(
    setup: AgentSetup, context: ToolContext
) -> None:
    (setup.memory / "team").mkdir()
    (setup.memory / "team" / "tabs.md").write_text(TABS)
    shut = replace(context, access=Shut())
    given: Mapping[str, Any]
    for name, given in {
        "Read": {"file_path": f"{MEMORY}/team/tabs.md"},
        "Write": {"file_path": f"{MEMORY}/team/new.md"},
        "Bash": {"command": f"grep -r Tabs {setup.memory}"},
    }.items():
        assert forked(context, name, **given), name
        assert "the team is switched off" in forked(shut, name, **given).reason
    for path in (MEMORY, SESSIONS):
        found = call(setup, shut, "Glob", pattern="**/*.md", path=path)
        assert found["content"] == "No files."
    saved = call(setup, shut, "Write", file_path=f"{MEMORY}/tabs.md", content=TABS)
    assert "is_error" not in saved
    other = TABS.replace("tabs", "spaces")
    declined = call(setup, shut, "Write", file_path=f"{MEMORY}/spaces.md", content=other)
    assert declined["content"] == "The person does not want this saved. Go on without it"
    assert not (setup.memory / "spaces.md").exists()
    late = call(setup, shut, "Write", file_path=f"{MEMORY}/edited.md", content=TABS + "More.\n")
    assert "has not been read" in late["content"]
    assert (setup.memory / "edited.md").read_text() == TABS


class TestFork:
    @pytest.mark.behaviour("H3")
    @pytest.mark.parametrize(
        ("name", "given"),
        [
            ("Read", {"file_path": "notes.md"}),
            ("Read", {"file_path": "{memory}/MEMORY.md"}),
            ("Read", {"file_path": f"{SESSIONS}/session-1.jsonl"}),
            ("Grep", {"pattern": "/etc", "path": "~/tidebook"}),
            ("Glob", {"pattern": "*.md", "path": "{memory}"}),
            ("Bash", {"command": "grep -rn total . | head -5"}),
            ("Bash", {"command": "cat {memory}/MEMORY.md"}),
            ("Write", {"file_path": f"{MEMORY}/tabs.md"}),
            ("Edit", {"file_path": "{memory}/MEMORY.md"}),
        ],
    )
    def test_reading_inside_and_writing_memories_is_allowed(
        self, context: ToolContext, name: str, given: dict[str, str]
    ) -> None:
        filled = {key: value.format(memory=context.memory) for key, value in given.items()}
        assert forked(context, name, **filled) == Decision(True)

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
            ("Bash", {"command": "git log"}, "git is not among them"),
            ("Bash", {"command": "cat a > b"}, "put it in single quotes"),
            ("Write", {"file_path": "notes.md"}, "leads out of the memory directory"),
            ("Write", {"file_path": f"{MEMORY}/../x.md"}, "which no tool changes"),
            ("Edit", {"file_path": f"{MEMORY}/.memlab/journal.jsonl"}, "which no tool changes"),
            ("mcp__mail__send", {}, "Use Read, Grep, Glob, Bash to read"),
            ("Task", {"prompt": "do it"}, "Task cannot be used in the background"),
        ],
    )
    def test_all_else_is_refused_with_a_reason(
        self, context: ToolContext, name: str, given: dict[str, str], said: str
    ) -> None:
        set_up(["gate.txt -> ../outside/code.txt"], context.project)
        decision = forked(context, name, **given)
        assert not decision
        assert said in decision.reason

    def test_a_refusal_is_a_result_that_the_model_reads_and_an_event(
        self, setup: AgentSetup, context: ToolContext
    ) -> None:
        ran: list[str] = []
        mail = Tool("mcp__mail__send", "Send.", {}, lambda given, context: ran.append("") or "ok")
        refused = call(setup, context, "mcp__mail__send", tools=(mail,))
        assert refused["is_error"]
        assert refused["content"].startswith("Not allowed: mcp__mail__send cannot be used")
        assert ran == []
        elsewhere = call(setup, context, "Read", file_path="~/outside/code.txt")
        assert str(setup.home) not in elsewhere["content"]
        assert len(setup.events.of(ToolDenied)) == 2

    def test_a_switch_opens_all_reads_and_no_memory_directory_no_writes(
        self, context: ToolContext
    ) -> None:
        opened = replace(context, reads_anywhere=True)
        assert forked(opened, "Read", file_path="~/outside/code.txt")
        without = replace(context, memory=None)
        assert "no memory directory" in forked(without, "Write", file_path="tabs.md").reason

    @pytest.mark.parametrize("half", ["work", "final"])
    def test_the_paths_of_the_attack_set_are_judged_as_by_the_guard(
        self, half: str, tmp_path: Path, setup: AgentSetup
    ) -> None:
        wrong = []
        for case in load_path_cases():
            if case.half == half:
                home = tmp_path / case.id
                directories = load_trees().paths.make(home)
                memory = directories["MEMORY"]
                set_up([fill(entry, directories) for entry in case.setup], memory)
                path = fill(case.path, directories)
                full = path if path.startswith(("/", "~")) else f"{memory}/{path}"
                context = replace(setup.context, memory=memory, home=home)
                if forked(context, "Write", file_path=full).allowed is not case.allow:
                    wrong.append(case.id)
        # a path that nobody reads in another way, but the name of no memory
        assert wrong == (["tilde-end"] if half == "final" else [])

    @needs_posix
    @pytest.mark.parametrize("half", ["work", "final"])
    def test_the_commands_of_the_attack_set_run_only_where_they_may(
        self, half: str, tmp_path: Path, setup: AgentSetup
    ) -> None:
        wrong = []
        for case in load_shell_cases():
            if case.half == half and not case.limit:
                directories = load_trees().shell.make(tmp_path / case.id)
                set_up(case.setup, directories["PROJECT"])
                context = replace(
                    setup.context,
                    project=directories["PROJECT"],
                    memory=directories["MEMORY"],
                    sessions=directories["SESSIONS"],
                    home=directories["HOME"],
                )
                command = fill(case.command, directories)
                allowed = forked(context, "Bash", command=command).allowed
                if allowed is not (case.allow and case.confined):
                    wrong.append(case.id)
        assert wrong == []


def call(
    setup: AgentSetup,
    context: ToolContext,
    name: str,
    between: Callable[[], None] = lambda: None,
    tools: tuple[Tool, ...] = (),
    **given: Any,
) -> Mapping[str, Any]:
    """Make a call of a fork; ``between`` runs once it is granted."""
    allowed = memory_permissions(context)

    def permission(name: str, given: Mapping[str, Any]) -> Decision:
        decision = allowed(name, given)
        between()
        return decision

    block = {"id": "toolu_1", "name": name, "input": given}
    work = run_tool(block, (*standard_tools(), *tools), context, permission, setup.events)
    return asyncio.run(work).result


TEAM = f"{MEMORY}/team/tabs.md"
CHANGES = {
    "Write": {"file_path": TEAM, "content": TABS.replace("Tabs.", "Spaces.")},
    "Edit": {"file_path": TEAM, "old_string": "Tabs.", "new_string": "Spaces."},
}


@needs_links
class TestRaces:
    """Somebody turns a folder into a link after the permission has looked."""

    @pytest.fixture
    def outside(self, setup: AgentSetup) -> Path:
        """A folder outside, with a file of the same name and content as a memory of the team."""
        outside = setup.home / "outside"
        for folder in (outside, setup.memory / "team"):
            folder.mkdir(parents=True)
            (folder / "tabs.md").write_text(TABS)
        return outside

    @pytest.mark.parametrize("late", [False, True], ids=["once granted", "while it looks"])
    def test_a_read_does_not_follow_a_later_link(
        self, setup: AgentSetup, outside: Path, monkeypatch: pytest.MonkeyPatch, late: bool
    ) -> None:
        (outside / "tabs.md").write_text("CANARY\n")
        setup.file("docs/tabs.md", "Tabs.\n")
        context = fork_context(setup.context, who="extractor")
        read = Folder.read

        def swap() -> None:
            (setup.project / "docs").rename(setup.home / "docs")
            (setup.project / "docs").symlink_to(outside)

        def swap_late(folder: Folder, name: str, most: int = -1) -> Found:
            swap()
            return read(folder, name, most)

        if late:
            monkeypatch.setattr(Folder, "read", swap_late)
        between = (lambda: None) if late else swap
        result = call(setup, context, "Read", between, file_path="docs/tabs.md")
        assert "has changed since it was checked" in result["content"]
        assert "CANARY" not in result["content"]

    @pytest.mark.parametrize("name", ["Write", "Edit"])
    def test_a_write_does_not_follow_a_later_link(
        self, setup: AgentSetup, outside: Path, name: str
    ) -> None:
        def swap() -> None:
            (setup.memory / "team").rename(setup.home / "aside")
            (setup.memory / "team").symlink_to(outside)

        context = fork_context(setup.context, who="extractor")
        assert "Tabs." in call(setup, context, "Read", file_path=TEAM)["content"]
        assert call(setup, context, name, swap, **CHANGES[name])["is_error"]
        assert (outside / "tabs.md").read_text() == TABS
        assert [path.name for path in outside.iterdir()] == ["tabs.md"]
        (setup.memory / "team").unlink()
        (setup.home / "aside").rename(setup.memory / "team")
        assert "is_error" not in call(setup, context, name, **CHANGES[name])
        assert "Spaces." in (setup.memory / "team" / "tabs.md").read_text()
