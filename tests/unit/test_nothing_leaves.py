"""A repository reaches nothing outside its folder unless the person says yes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memlab.agent.permissions import Ask
from memlab.harness import Harness, HarnessOptions
from memlab.memdir.places import Where, forget_paths
from tests.platforms import needs_links
from tests.unit.agent.helpers import results, use
from tests.unit.test_harness import MEMORY, TABS, House, system, talk, write

pytestmark = needs_links

SECRET = "the key of the boat house"
HANGS = 600
"""Seconds after which a process is taken to wait forever; only a failure takes so long."""


class Person:
    """Gives one answer to every question, and remembers the questions."""

    def __init__(self, answer: bool) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def __call__(self, question: str) -> bool:
        self.asked.append(question)
        return self.answer


@pytest.fixture
def house(tmp_path: Path) -> House:
    forget_paths()
    house = House(tmp_path / "home")
    ssh = house.home / ".ssh"
    ssh.mkdir()
    (ssh / "id_rsa").write_text(SECRET + "\n")
    (house.project / "docs").symlink_to(ssh)
    (house.project / "key.txt").symlink_to(ssh / "id_rsa")
    (house.project / "notes.md").write_text("14 boats\n")
    return house


def called(house: House, ask: Ask | None, *calls: dict[str, Any], **more: Any) -> tuple[Any, ...]:
    """Have the main agent make these calls in one turn, and give their results."""
    house.plays({"Look.": [list(calls), "Done."]})
    harness = house.harness("looking", ask=ask, **more)
    talk(harness, "Look.")
    return tuple(results(harness.agent))


OUTSIDE = [
    use("Read", file_path="~/.ssh/id_rsa"),
    use("Read", file_path="key.txt"),
    use("Read", file_path="docs/id_rsa"),
    use("Grep", pattern="key", path="~/.ssh", output_mode="content"),
    use("Grep", pattern="key", path="docs", output_mode="content"),
    use("Grep", pattern="key", path="key.txt", output_mode="content"),
    use("Glob", pattern="*", path="docs"),
]
COMMANDS = [
    use("Bash", command="cat key.txt"),
    use("Bash", command="cat docs/*"),
    use("Bash", command="ls -l notes.md docs/"),
]


class TestOneRuleForEveryOperand:
    @pytest.mark.parametrize("call", OUTSIDE, ids=str)
    def test_what_leads_outside_is_shown_only_after_a_yes(
        self, house: House, call: dict[str, Any]
    ) -> None:
        person = Person(True)
        (shown,) = called(house, person, call)
        (question,) = person.asked
        assert "~/.ssh" in question, "the question names where it leads"
        assert SECRET in shown["content"] or "id_rsa" in shown["content"]
        assert not shown.get("is_error")

    @pytest.mark.behaviour("G5")
    @pytest.mark.parametrize("call", [*OUTSIDE, *COMMANDS], ids=str)
    @pytest.mark.parametrize("ask", [Person(False), None], ids=["no", "nobody"])
    def test_without_a_yes_nothing_of_it_is_shown(
        self, house: House, call: dict[str, Any], ask: Ask | None
    ) -> None:
        (refused,) = called(house, ask, call)
        assert refused["is_error"]
        assert SECRET not in refused["content"]
        assert "Not allowed: " in refused["content"]

    def test_inside_nobody_is_asked(self, house: House) -> None:
        person = Person(False)
        (house.project / "AGENTS.md").write_text("Use tabs.\n")
        (house.project / "CLAUDE.md").symlink_to("AGENTS.md")
        shown = called(
            house,
            person,
            use("Read", file_path="CLAUDE.md"),
            use("Grep", pattern="boats"),
            use("Glob", pattern="*.md"),
            use("Bash", command="cat notes.md"),
            use("Bash", command="ls"),
            use("Glob", pattern="*", path=f"~/{house.folder.relative_to(house.home)}"),
        )
        assert person.asked == []
        assert [one.get("is_error", False) for one in shown] == [False] * 6

    def test_a_yes_is_for_one_call(self, house: House) -> None:
        person = Person(True)
        key = use("Read", file_path="key.txt")
        other = use("Glob", pattern="*", path="~")
        called(house, person, key, other, key)
        assert len(person.asked) == 3

    @pytest.mark.parametrize("call", COMMANDS, ids=str)
    def test_a_command_reads_nothing_outside_whatever_the_person_would_say(
        self, house: House, call: dict[str, Any]
    ) -> None:
        person = Person(True)
        (refused,) = called(house, person, call)
        assert person.asked == []
        assert "leads elsewhere" in refused["content"]
        assert SECRET not in refused["content"]

    def test_a_command_for_the_shell_is_confirmed_as_a_whole(self, house: House) -> None:
        person = Person(True)
        ran: list[str] = []

        def shell(command: str) -> str:
            ran.append(command)
            return "ok"

        called(house, person, use("Bash", command="cp docs/id_rsa /srv"), run_shell=shell)
        assert person.asked == ["Run this command? cp docs/id_rsa /srv"]
        assert ran == ["cp docs/id_rsa /srv"]

    def test_grep_does_not_leave_a_folder_through_the_links_in_it(self, house: House) -> None:
        person = Person(False)
        (found,) = called(
            house, person, use("Grep", pattern=".", glob="**/*", output_mode="content")
        )
        assert SECRET not in found["content"]


class TestWhereAYesLeads:
    def test_the_question_names_the_real_target(self, house: House) -> None:
        person = Person(True)
        call = use("Write", file_path="docs/authorized_keys", content="ssh-rsa theirs\n")
        called(house, person, call)
        (question,) = person.asked
        assert question.startswith("Write ~/.ssh/authorized_keys?")
        assert "~/tidebook/docs/authorized_keys" in question
        assert (house.home / ".ssh" / "authorized_keys").read_text() == "ssh-rsa theirs\n"

    @pytest.mark.parametrize("name", ["Write", "Edit"])
    def test_a_link_that_is_turned_while_the_person_thinks_leads_nowhere(
        self, house: House, name: str
    ) -> None:
        docs = house.project / "docs"
        docs.unlink()
        docs.mkdir()
        (docs / "a.md").write_text("one\n")
        (house.home / ".ssh" / "a.md").write_text("one\n")

        def turn(question: str) -> bool:
            docs.rename(house.project / "aside")
            docs.symlink_to(house.home / ".ssh")
            return True

        change: dict[str, Any] = {"file_path": "docs/a.md"}
        change |= {"content": "two\n"} if name == "Write" else {"old_string": "one"}
        change |= {} if name == "Write" else {"new_string": "two"}
        house.plays(
            {"Change it.": [[use("Read", file_path="docs/a.md")], [use(name, **change)], "."]}
        )
        harness = house.harness("turning", ask=turn)
        talk(harness, "Change it.")
        assert results(harness.agent)[-1]["is_error"]
        assert (house.home / ".ssh" / "a.md").read_text() == "one\n"

    def test_a_file_that_vanishes_does_not_turn_a_refusal_into_a_write(self, house: House) -> None:
        """Write of a file nobody has read is refused without a question, so it may not happen."""
        path = house.project / "run.sh"
        path.write_text("echo\n")
        person = Person(True)
        house.plays({"Go.": [[use("Write", file_path="run.sh", content="theirs\n")], "."]})
        harness = house.harness("vanishing", ask=person)
        permission = harness.agent.permission

        async def then_gone(name: str, given: Any) -> Any:
            try:
                return await permission(name, given)  # type: ignore[misc]
            finally:
                path.unlink()

        harness.agent.permission = then_gone
        talk(harness, "Go.")
        assert (path.exists(), person.asked) == (False, [])


class TestFilesInThePrompt:
    def prompt(self, house: House) -> tuple[str, Harness]:
        house.plays({"Hello.": ["Hello."]})
        harness = house.harness("prompt")
        talk(harness, "Hello.")
        return system(house.sent()[-1]), harness

    def test_a_claude_md_that_leads_outside_is_left_out_and_named(self, house: House) -> None:
        (house.project / "CLAUDE.md").symlink_to("docs/id_rsa")
        shown, harness = self.prompt(house)
        assert SECRET not in shown
        (notice,) = [one for one in harness.notices if "CLAUDE.md" in one]
        assert "~/.ssh/id_rsa" in notice

    def test_a_claude_md_that_is_a_link_in_the_project_is_read(self, house: House) -> None:
        (house.project / "AGENTS.md").write_text("Use tabs in Go.\n")
        (house.project / "CLAUDE.md").symlink_to("AGENTS.md")
        shown, harness = self.prompt(house)
        assert "Use tabs in Go." in shown
        assert harness.notices == []

    def test_a_claude_md_of_many_megabytes_is_cut(self, house: House) -> None:
        (house.project / "CLAUDE.md").write_text("Use tabs.\n" * 400_000)
        shown, harness = self.prompt(house)
        assert shown.count("Use tabs.") == 6_400
        (notice,) = [one for one in harness.notices if "CLAUDE.md" in one]
        assert "64,000 bytes" in notice

    def test_an_index_that_leads_outside_is_left_out_and_named(self, house: House) -> None:
        house.memory.mkdir(parents=True)
        (house.memory / "MEMORY.md").symlink_to(house.home / ".ssh" / "id_rsa")
        shown, harness = self.prompt(house)
        assert SECRET not in shown
        assert [one for one in harness.notices if "MEMORY.md" in one]

    @pytest.mark.slow
    def test_an_index_of_many_megabytes_is_cut(self, house: House) -> None:
        house.memory.mkdir(parents=True)
        (house.memory / "MEMORY.md").write_text("- [A](a.md) — one\n" * 100_000)
        _, harness = self.prompt(house)
        (notice,) = [one for one in harness.notices if "MEMORY.md" in one]
        assert "1,000,000 bytes" in notice

    def test_a_sparse_index_is_not_read_whole(self, house: House) -> None:
        house.memory.mkdir(parents=True)
        with (house.memory / "MEMORY.md").open("wb") as index:
            index.truncate(2_000_000_000)
        _, harness = self.prompt(house)
        assert [one for one in harness.notices if "MEMORY.md" in one]

    @pytest.mark.slow
    def test_what_is_no_regular_file_is_not_read(self, tmp_path: Path) -> None:
        """In one process with limits: a naive reader would wait forever, or take all memory."""
        files: dict[Path, str] = {}
        for kind in ("pipe", "zeros", "folder"):
            for file in ("CLAUDE.md", "MEMORY.md"):
                house = House(tmp_path / f"{kind}-{file}")
                house.memory.mkdir(parents=True)
                path = (house.project if file == "CLAUDE.md" else house.memory) / file
                if kind == "pipe":
                    os.mkfifo(path)
                elif kind == "folder":
                    path.mkdir()
                else:
                    path.symlink_to("/dev/zero")
                files[house.home] = file
        script = (
            "import resource, sys\n"
            "from pathlib import Path\n"
            "from tests.unit.test_harness import House\n"
            "resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))\n"
            "for home in sys.argv[1:]:\n"
            "    print(home, House(Path(home)).harness('limits').notices, flush=True)\n"
        )
        root = Path(__file__).parents[2]
        ran = subprocess.run(
            [sys.executable, "-c", script, *files],
            capture_output=True,
            text=True,
            timeout=HANGS,
            cwd=root,
            env=os.environ | {"PYTHONPATH": str(root)},
        )
        assert ran.returncode == 0, ran.stderr[-500:]
        for (home, file), line in zip(files.items(), ran.stdout.splitlines(), strict=True):
            assert line.startswith(f"{home} ['{file} ")
            says = "was left out: " if file == "CLAUDE.md" else ", so it was built again from"
            assert says in line


class TestProjectsOutsideHome:
    def outside(self, house: House, told: str) -> Harness:
        project = house.home.parent / "srv" / "app"
        project.mkdir(parents=True)
        (project / "notes.md").write_text("14 boats\n")
        house.plays(
            {
                "Look.": [
                    [
                        use("Read", file_path="notes.md"),
                        use("Grep", pattern="boats", output_mode="content"),
                        use("Glob", pattern="*.md", path="."),
                        use("Bash", command="cat notes.md"),
                        use("Write", file_path="new.md", content="new\n"),
                        use("Read", file_path="../app/notes.md"),
                    ],
                    "Done.",
                ]
            }
        )
        harness = Harness(
            project,
            HarnessOptions(
                runtime=house.runtime(),
                base=house.base,
                where=Where(house.home, told),
                environ={},
                ask=lambda question: True,
            ),
        )
        talk(harness, "Look.")
        return harness

    @pytest.mark.parametrize("told", ["", "/home/robin"])
    def test_relative_paths_work_as_anywhere(self, house: House, told: str) -> None:
        harness = self.outside(house, told)
        shown = results(harness.agent)
        assert [one["content"] for one in shown if one.get("is_error")] == []
        assert "14 boats" in shown[0]["content"]
        assert (house.home.parent / "srv" / "app" / "new.md").read_text() == "new\n"

    def test_the_transcript_names_the_project_as_it_is(self, house: House) -> None:
        harness = self.outside(house, "/home/robin")
        assert harness.agent.transcript is not None
        text = harness.agent.transcript.path.read_text()
        assert f'"{house.home.parent}/srv/app"' in text

    def test_out_of_the_home_by_dots_stays_refused(self, house: House) -> None:
        person = Person(True)
        shown = called(
            house,
            person,
            use("Read", file_path="../../outside.txt"),
            use("Read", file_path="~/../outside.txt"),
        )
        assert all("leads out of ~" in one["content"] for one in shown)
        assert person.asked == []


def test_memories_are_written_as_before(house: House) -> None:
    person = Person(False)
    (done,) = called(house, person, write("tabs.md"))
    assert (done.get("is_error", False), person.asked, house.names()) == (False, [], ["tabs.md"])


def test_before_saving_the_question_names_the_memory_and_not_the_link(house: House) -> None:
    house.memory.mkdir(parents=True)
    (house.project / "memo").symlink_to(house.memory)
    person = Person(True)
    call = use("Write", file_path="memo/tabs.md", content=TABS)
    called(house, person, call, saving="ask")
    (question,) = person.asked
    assert question.startswith(f"Save this as {MEMORY}/tabs.md?")
    assert house.names() == ["tabs.md"]
