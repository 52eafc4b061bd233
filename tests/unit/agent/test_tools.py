"""The six tools: what they take and answer, files, searches, and memory, where the store writes."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memlab.agent import tools_search
from memlab.agent.request import RequestPrefix
from memlab.agent.tool import Tool, ToolContext, ToolError
from memlab.agent.tools import check_input, run_tool, standard_tools, tool_result
from memlab.agent.tools_files import READ_BYTES, READ_LINES
from memlab.agent.tools_search import GLOB_RESULTS, GREP_RESULTS
from memlab.clock import STORY_START
from memlab.events import EventLog
from memlab.memdir.index import parse_pointers
from memlab.memdir.store import MemoryStore
from tests.platforms import needs_file_modes, needs_links, needs_posix
from tests.unit.agent.helpers import AgentSetup, allow_all, check_whole, results, run, use

TOOLS = {tool.name: tool for tool in standard_tools()}
PATH = "~/.memlab/projects/-home-robin-tidebook/memory"
INDEX = f"{PATH}/MEMORY.md"
TABS = "---\nname: tabs\ndescription: Robin types code with tabs\ntype: user\n---\n\nTabs.\n"


def call(context: ToolContext, name: str, **given: Any) -> tuple[str, bool]:
    """One call's text, and whether it is an error."""
    block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": given}
    work = run_tool(block, standard_tools(), context, allow_all, EventLog(context.clock))
    result = asyncio.run(work).result
    assert result["tool_use_id"] == "toolu_1"
    return result["content"], result.get("is_error", False)


def done(setup: AgentSetup, name: str, **given: Any) -> str:
    text, wrong = call(setup.context, name, **given)
    assert not wrong, text
    return text


def refused(setup: AgentSetup, name: str, **given: Any) -> str:
    text, wrong = call(setup.context, name, **given)
    assert wrong, text
    assert str(setup.home) not in text
    return text


class TestCalls:
    @pytest.mark.parametrize(
        ("name", "given", "told"),
        [
            ("Read", {}, "Read: file_path is missing. It takes: file_path, offset, limit"),
            ("Read", {"file_path": "a", "offset": "3"}, "offset must be of type integer"),
            ("Read", {"path": "a"}, "file_path is missing; path is not known"),
            ("Grep", {"pattern": "a", "output_mode": "x"}, "one of files_with_matches, content"),
            ("Read", ["a"], "Read takes an object with file_path"),
        ],
    )
    def test_everything_that_is_wrong_is_named(self, name: str, given: Any, told: str) -> None:
        with pytest.raises(ToolError) as error:
            check_input(TOOLS[name], given)
        assert told in str(error.value)

    def test_an_empty_option_is_left_out_and_another_tool_may_take_anything(self) -> None:
        given = {"file_path": "a", "offset": None}
        assert check_input(TOOLS["Read"], given) == {"file_path": "a"}
        tool = Tool("free", "…", {"type": "object"}, lambda given, context: "")
        assert check_input(tool, {"x": [1]}) == {"x": [1]}

    def test_a_result_is_never_empty_and_always_valid_text(self) -> None:
        assert tool_result({"id": "t"}, "\n\n")["content"] == "(no output)"
        assert tool_result({"id": "t"}, "a\udc80b")["content"] == "a?b"
        assert tool_result({"id": "t"}, "a", error=True)["is_error"] is True
        content = tool_result({"id": "t"}, "ä" * 30_000)["content"]
        assert content.startswith("ä" * 19_999)
        assert "\ufffd" not in content

    def test_what_is_said_of_limits_is_so(self) -> None:
        assert f"at most {READ_LINES:,} lines" in TOOLS["Read"].description
        assert f"at most {GLOB_RESULTS}" in TOOLS["Glob"].description
        grep = TOOLS["Grep"].input_schema["properties"]
        assert f"by default {GREP_RESULTS}" in grep["head_limit"]["description"]

    @pytest.mark.parametrize(
        ("bad", "told"),
        [
            (use("Fly", high=True), "There is no tool 'Fly'"),
            (use("Read", file_path="tides.bin"), "binary"),
            (use("Read", file_path="../../../../etc/passwd"), "leads out of ~"),
            (use("Edit", file_path="a.py", old_string="1", new_string="2"), "has not been read"),
            (use("Grep", pattern="("), "cannot be searched for"),
            (use("Bash", command="rm -rf /"), "rm is not among them"),
        ],
        ids=lambda value: value["name"] if isinstance(value, dict) else "",
    )
    def test_a_bad_call_is_a_result_and_the_turn_goes_on(
        self, setup: AgentSetup, bad: dict[str, Any], told: str
    ) -> None:
        setup.file("a.py", "1\n")
        setup.file("tides.bin", b"\0\1")
        setup.plays({"Try.": [[bad, use("Read", file_path="a.py")], "I tried."]})
        agent = setup.agent(transcript=setup.transcript())
        result = run(lambda: agent.run_turn("Try."))
        assert (result.text, result.error) == ("I tried.", "")
        first, second = results(agent)
        assert told in first["content"]
        assert first["is_error"]
        assert second["content"] == "     1\t1"
        check_whole(agent)
        assert str(setup.home) not in str(agent.messages)


class TestRead:
    def test_lines_are_numbered_and_limited(self, setup: AgentSetup) -> None:
        setup.file("a.txt", "one\n\n\tthree\n")
        for path in ("a.txt", "~/tidebook/a.txt", "./sub/../a.txt", f"{setup.home}/tidebook/a.txt"):
            assert done(setup, "Read", file_path=path) == "     1\tone\n     2\t\n     3\t\tthree"
        text = done(setup, "Read", file_path="a.txt", offset=2, limit=1)
        assert text == "     2\t\n[3 lines in all; read on with offset 3]"
        assert done(setup, "Read", file_path="a.txt", offset=4) == "[~/tidebook/a.txt has 3 lines]"
        setup.file("empty.txt", "")
        assert done(setup, "Read", file_path="empty.txt") == "[~/tidebook/empty.txt has 0 lines]"
        setup.file("long.txt", "x\n" * 5_000)
        rows = done(setup, "Read", file_path="long.txt").split("\n")
        assert rows[-1] == f"[5000 lines in all; read on with offset {READ_LINES + 1}]"
        setup.file("one.json", "x" * 9_000)
        assert done(setup, "Read", file_path="one.json").endswith("x… [line cut]")

    def test_a_wide_file_can_be_read_to_its_end(self, setup: AgentSetup) -> None:
        setup.file("wide.txt", "".join(f"{n:03} {'ä' * 900}\n" for n in range(100)))
        seen, offset = list[str](), 1
        while offset:
            text = done(setup, "Read", file_path="wide.txt", offset=offset)
            assert len(text.encode()) < READ_BYTES + 3_000
            *rows, note = text.split("\n")
            offset = int(note.split()[-1].rstrip("]")) if note.startswith("[") else 0
            seen += [row.split("\t")[1][:3] for row in (rows if offset else [*rows, note])]
        assert seen == [f"{n:03}" for n in range(100)]

    @needs_posix
    def test_only_text_files_are_read(
        self, setup: AgentSetup, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        setup.file("boat.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
        setup.file("big.log", b"x" * 10_000_001)
        assert "an image" in refused(setup, "Read", file_path="boat.png")
        assert "over 10 MB. Search in it with Grep" in refused(setup, "Read", file_path="big.log")
        assert refused(setup, "Read", file_path="~/tidebook") == (
            "~/tidebook is a directory. Use Glob to see what is in it"
        )
        os.mkfifo(setup.project / "pipe")
        monkeypatch.chdir(setup.project)
        with socket.socket(socket.AF_UNIX) as one:
            one.bind("socket")
        for path in ("pipe", "socket", "/dev/zero"):
            assert "is no plain file" in refused(setup, "Read", file_path=path)

    def test_a_missing_file_comes_with_what_may_be_meant(self, setup: AgentSetup) -> None:
        setup.file("boats.py", "")
        text = refused(setup, "Read", file_path="~/tidebook/boat.py")
        assert text == "~/tidebook/boat.py does not exist. There is ~/tidebook/boats.py"
        assert refused(setup, "Read", file_path="deep/down/x.py").endswith("Use Glob to find it")
        for path in ("", "a\0b", "../../../etc/passwd", "~/../other/x"):
            refused(setup, "Read", file_path=path)

    def test_odd_bytes_are_replaced_and_line_ends_of_windows_not_shown(
        self, setup: AgentSetup
    ) -> None:
        setup.file("dos.txt", b"\xef\xbb\xbfcaf\xe9\r\ntwo\r\n")
        assert done(setup, "Read", file_path="dos.txt") == "     1\tcaf\ufffd\n     2\ttwo"


class TestChanges:
    @pytest.mark.behaviour("G4")
    def test_a_file_has_to_be_read_as_it_is_now(self, setup: AgentSetup) -> None:
        path = setup.file("a.py", "\tx = 1\n\ty = 2\n")
        given = {"file_path": "a.py", "old_string": "\tx = 1", "new_string": "\tx = 3"}
        assert refused(setup, "Edit", **given).endswith("has not been read. Read it first")
        assert "has not been read" in refused(setup, "Write", file_path="a.py", content="new\n")
        done(setup, "Read", file_path="a.py")
        os.utime(path)
        assert done(setup, "Edit", **given) == "Edited ~/tidebook/a.py: 1 replacement."
        assert path.read_bytes() == b"\tx = 3\n\ty = 2\n"
        # what was written counts as read
        done(setup, "Edit", file_path="a.py", old_string="\ty = 2\n", new_string="")
        path.write_text("x = 1 \n")
        text = refused(setup, "Write", file_path="a.py", content="new\n")
        assert text == "~/tidebook/a.py has changed since it was read. Read it again"
        assert path.read_text() == "x = 1 \n"

    @pytest.mark.behaviour("G4")
    def test_an_ambiguous_text_is_named_with_its_lines(self, setup: AgentSetup) -> None:
        path = setup.file("a.py", "x = 1\ny = 1\nz = 1\n")
        done(setup, "Read", file_path="a.py")
        given = {"file_path": "a.py", "old_string": " = 1", "new_string": " = 2"}
        assert "has old_string 3 times, on lines 1, 2, 3" in refused(setup, "Edit", **given)
        assert "3 replacements" in done(setup, "Edit", replace_all=True, **given)
        assert path.read_text() == "x = 2\ny = 2\nz = 2\n"
        assert "copy the text exactly" in refused(setup, "Edit", **given)
        for old, new in (("x", "x"), ("", "y")):
            refused(setup, "Edit", file_path="a.py", old_string=old, new_string=new)
        missing = refused(setup, "Edit", **given | {"file_path": "no.py"})
        assert "~/tidebook/no.py does not exist" in missing

    def test_line_ends_odd_bytes_and_links_stay(self, setup: AgentSetup) -> None:
        path = setup.file("dos.txt", b"\xef\xbb\xbfone\r\ntwo\r\ncaf\xe9\r\n")
        done(setup, "Read", file_path="dos.txt")
        done(setup, "Edit", file_path="dos.txt", old_string="one\ntwo", new_string="1\n2\n2.5")
        assert path.read_bytes() == b"\xef\xbb\xbf1\r\n2\r\n2.5\r\ncaf\xe9\r\n"
        done(setup, "Write", file_path="dos.txt", content="one\ntwo\n")
        assert path.read_bytes() == b"one\r\ntwo\r\n"

    @needs_links
    def test_a_link_stays_a_link(self, setup: AgentSetup) -> None:
        target = setup.file("real.txt", "one\n")
        (setup.project / "link.txt").symlink_to(target)
        done(setup, "Read", file_path="link.txt")
        done(setup, "Edit", file_path="link.txt", old_string="one", new_string="two")
        assert (setup.project / "link.txt").is_symlink()
        assert target.read_text() == "two\n"

    @needs_file_modes
    def test_the_mode_is_kept_and_the_time_is_the_clocks(self, setup: AgentSetup) -> None:
        path = setup.file("run.sh", "echo one\n")
        path.chmod(0o750)
        setup.clock.advance(90)
        done(setup, "Read", file_path="run.sh")
        done(setup, "Edit", file_path="run.sh", old_string="one", new_string="two")
        assert stat.S_IMODE(path.stat().st_mode) == 0o750
        assert path.stat().st_mtime == (STORY_START + timedelta(seconds=90)).timestamp()
        text = done(setup, "Write", file_path="~/tidebook/docs/new.md", content="a\nb\n")
        assert text == "Wrote ~/tidebook/docs/new.md, 2 lines."
        mask = os.umask(0o022)
        os.umask(mask)
        new = setup.project / "docs" / "new.md"
        assert stat.S_IMODE(new.stat().st_mode) == 0o666 & ~mask
        assert stat.S_IMODE(new.parent.stat().st_mode) == 0o777 & ~mask

    @pytest.mark.behaviour("G4")
    def test_a_failed_write_leaves_the_old_file_and_no_other(
        self, setup: AgentSetup, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = setup.file("a.py", "kept\n")
        done(setup, "Read", file_path="a.py")
        refused(setup, "Write", file_path="a.py/b.txt", content="x")

        def full(*_: Any) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("os.fsync", full)
        assert "No space left" in refused(setup, "Write", file_path="a.py", content="new\n")
        assert path.read_text() == "kept\n"
        assert [entry.name for entry in setup.project.iterdir()] == ["a.py"]


class TestMemory:
    """Inside the memory directory the store writes: checks, index and journal take part."""

    @pytest.mark.behaviour("B5")
    def test_a_write_brings_its_pointer_and_its_journal_line(self, setup: AgentSetup) -> None:
        setup.context.session, setup.context.turn = "session-1", "turn-1"
        text = done(setup, "Write", file_path=f"{PATH}/tabs.md", content=TABS)
        assert text.startswith(f"Wrote {PATH}/tabs.md, 7 lines.")
        assert "(tabs.md)" in (setup.memory / "MEMORY.md").read_text()
        (entry,) = MemoryStore(setup.memory, clock=setup.clock).history()
        assert (entry.who, entry.session, entry.turn) == ("main agent", "session-1", "turn-1")
        done(setup, "Edit", file_path=f"{PATH}/tabs.md", old_string="Tabs.", new_string="Tabs!")
        assert len(MemoryStore(setup.memory, clock=setup.clock).history()) == 2

    @pytest.mark.behaviour("B5")
    def test_what_a_check_refuses_comes_back_with_its_reason(self, setup: AgentSetup) -> None:
        content = TABS.replace("type: user", "type: taste")
        text = refused(setup, "Write", file_path=f"{PATH}/tabs.md", content=content)
        assert "user, feedback, project, reference" in text
        refused(setup, "Write", file_path=f"{PATH}/notes.txt", content="x")
        setup.context.store = None
        text = refused(setup, "Write", file_path=f"{PATH}/tabs.md", content=TABS)
        assert "memory cannot be written here" in text
        assert [path.name for path in setup.memory.iterdir()] in ([], [".memlab"])

    @pytest.mark.parametrize("tool", ["Edit", "Write"])
    def test_the_index_is_edited_only_where_it_was_read(self, setup: AgentSetup, tool: str) -> None:
        done(setup, "Write", file_path=f"{PATH}/tabs.md", content=TABS)
        line = "- [quotes](quotes.md) — how Robin quotes\n"
        unread = {
            "Edit": {"old_string": "- [tabs]", "new_string": f"{line}- [tabs]"},
            "Write": {"content": line},
        }[tool]
        assert "read" in refused(setup, tool, file_path=INDEX, **unread)
        done(setup, "Read", file_path=INDEX)
        quotes = TABS.replace("tabs", "quotes")
        done(setup, "Write", file_path=f"{PATH}/quotes.md", content=quotes)
        # that the store has changed it is no news
        change = {"old_string": "Robin types code with tabs", "new_string": "tabs, always"}
        done(setup, "Edit", file_path=INDEX, **change)
        index = (setup.memory / "MEMORY.md").read_text()
        assert "tabs, always" in index
        assert [one.file for one in parse_pointers(index)] == ["quotes.md", "tabs.md"]

    @pytest.mark.behaviour("B2")
    def test_an_edit_that_leaves_the_index_over_a_cap_is_an_error_and_a_save_is_not(
        self, setup: AgentSetup
    ) -> None:
        done(setup, "Write", file_path=f"{PATH}/tabs.md", content=TABS)
        done(setup, "Read", file_path=INDEX)
        before = (setup.memory / "MEMORY.md").read_text()
        full = before + "A line of the model's.\n" * 199
        text = refused(setup, "Write", file_path=INDEX, content=full + "x\n")
        assert "201 lines" in text
        assert "200 lines and 25,000 bytes" in text
        assert (setup.memory / "MEMORY.md").read_text() == before
        done(setup, "Write", file_path=INDEX, content=full)
        quotes = TABS.replace("tabs", "quotes")
        done(setup, "Write", file_path=f"{PATH}/quotes.md", content=quotes)
        # one that is over a cap may be made smaller step by step
        index = setup.memory / "MEMORY.md"
        index.write_text(index.read_text() + "By hand.\n" * 300)
        done(setup, "Read", file_path=INDEX)
        fewer = index.read_text().replace("By hand.\n", "", 50)
        done(setup, "Write", file_path=INDEX, content=fewer)
        refused(setup, "Write", file_path=INDEX, content=fewer + "More.\n")

    @pytest.mark.behaviour("B6")
    def test_a_tombstone_removes_and_says_so(self, setup: AgentSetup) -> None:
        done(setup, "Write", file_path=f"{PATH}/tabs.md", content=TABS)
        grave = "---\nname: tabs\ndropped: Robin uses spaces now\n---\n"
        text = done(setup, "Write", file_path=f"{PATH}/tabs.md", content=grave)
        assert text.startswith(f"Removed {PATH}/tabs.md.")
        assert not (setup.memory / "tabs.md").exists()

    @pytest.mark.parametrize("folder", ["docs/memory", "node_modules/memory", PATH])
    def test_only_what_the_memory_directory_holds_is_known_already(
        self, setup: AgentSetup, folder: str
    ) -> None:
        said = "Every deployment goes to the server of the mirror."
        given = {"file_path": f"{folder}/x.md"}
        read = {"type": "tool_use", "id": "t", "name": "Read", "input": given}
        result = {"type": "tool_result", "tool_use_id": "t", "content": said}
        messages = (
            {"role": "assistant", "content": [read]},
            {"role": "user", "content": [result]},
        )
        sent = RequestPrefix("m", "", (), messages, ("m1", "m2"))
        setup.context = replace(setup.context, who="extractor", conversation=lambda: sent)
        text = TABS.replace("Tabs.", said)
        call(setup.context, "Write", file_path=f"{PATH}/tabs.md", content=text)
        assert (setup.memory / "tabs.md").exists() is (folder == PATH)

    @needs_links
    def test_a_link_into_memory_is_no_way_around_the_store(self, setup: AgentSetup) -> None:
        setup.memory.mkdir(parents=True, exist_ok=True)
        (setup.project / "notes").symlink_to(setup.memory)
        done(setup, "Write", file_path="notes/tabs.md", content=TABS)
        assert "(tabs.md)" in (setup.memory / "MEMORY.md").read_text()


@pytest.fixture
def tree(setup: AgentSetup) -> AgentSetup:
    setup.file("tidebook/board.py", "def state():\n\treturn 'LATE'\n\n\ndef render():\n\tpass\n")
    setup.file("tidebook/boats.py", "def free_boats():\n\tpass\n")
    setup.file("tests/test_board.py", "def test_late():\n\tassert state() == 'LATE'\n")
    setup.file("README.md", "late in the day\n")
    setup.file(".github/workflows/test.yml", "LATE\n")
    for name in (".git/config", "node_modules/x/index.js"):
        setup.file(name, "LATE\n")
    setup.file("tides.bin", b"LATE\0")
    return setup


class TestSearch:
    @pytest.mark.parametrize(
        ("given", "files"),
        [
            ({"pattern": "LATE"}, ["tests/test_board.py", "tidebook/board.py"]),
            ({"pattern": "late", "-i": True, "glob": "*.md"}, ["README.md"]),
            ({"pattern": "late", "-i": True, "glob": "tests/**/*.py"}, ["tests/test_board.py"]),
            ({"pattern": "pass", "glob": "*.{py,md}"}, ["tidebook/board.py", "tidebook/boats.py"]),
            ({"pattern": "LATE", "path": "~/tidebook/tidebook/board.py"}, ["tidebook/board.py"]),
            ({"pattern": "LATE", "glob": ".github/**"}, [".github/workflows/test.yml"]),
            (
                {"pattern": "^def ", "path": "tidebook", "output_mode": "count"},
                ["tidebook/board.py:2", "tidebook/boats.py:1"],
            ),
            (
                {"pattern": "'LATE'", "output_mode": "content", "glob": "board.py", "-C": 1},
                [
                    "tidebook/board.py-1-def state():",
                    "tidebook/board.py:2:\treturn 'LATE'",
                    "tidebook/board.py-3-",
                ],
            ),
        ],
    )
    def test_grep(self, tree: AgentSetup, given: dict[str, Any], files: list[str]) -> None:
        assert done(tree, "Grep", **given).split("\n") == [f"~/tidebook/{one}" for one in files]

    @pytest.mark.parametrize(
        ("pattern", "files"),
        [
            ("*.md", {"README.md"}),
            ("tests/**", {"tests/test_board.py"}),
            ("**/*board*", {"tests/test_board.py", "tidebook/board.py"}),
            ("./t*/*[!e].py", {"tests/test_board.py", "tidebook/board.py", "tidebook/boats.py"}),
            ("{tests,tidebook}/*d.py", {"tests/test_board.py", "tidebook/board.py"}),
            (".github/**/*.yml", {".github/workflows/test.yml"}),
            ("*", {"README.md", "tests/", "tidebook/", "tides.bin"}),
        ],
    )
    def test_glob(self, tree: AgentSetup, pattern: str, files: set[str]) -> None:
        found = set(done(tree, "Glob", pattern=pattern).split("\n"))
        assert found == {f"~/tidebook/{file}" for file in files}

    def test_a_glob_shows_the_logs_that_ls_cannot_list(self, setup: AgentSetup) -> None:
        (setup.memory / "logs" / "2026" / "03").mkdir(parents=True)
        assert done(setup, "Glob", pattern="*", path=PATH) == f"{PATH}/logs/"
        assert "Use Glob" in refused(setup, "Bash", command=f"ls {PATH}")

    def test_the_newest_first_and_equal_times_in_alphabetical_order(self, tree: AgentSetup) -> None:
        for age, name in ((1, "b.sql"), (1, "c.sql"), (2, "d.sql"), (1, "a.sql")):
            os.utime(tree.file(name, ""), ns=(age * 10**18, age * 10**18))
        rows = done(tree, "Glob", pattern="*.sql").split("\n")
        assert rows == [f"~/tidebook/{name}.sql" for name in "dabc"]

    @pytest.mark.parametrize("pattern", ["../*", "/etc/*", "~", "~/x", "a/../../b", ""])
    def test_a_pattern_stays_below_its_folder(self, tree: AgentSetup, pattern: str) -> None:
        assert "Give the folder as path" in refused(tree, "Glob", pattern=pattern)

    def test_what_cannot_be_searched_for(self, tree: AgentSetup) -> None:
        assert done(tree, "Grep", pattern="submarine") == "No matches."
        assert "unterminated" in refused(tree, "Grep", pattern="(late")
        assert "~/tidebook/none does not exist" in refused(tree, "Grep", pattern="x", path="none")

    @pytest.mark.behaviour("G4")
    def test_results_are_bounded(self, tree: AgentSetup) -> None:
        tree.file("many.txt", "boat\n" * 1_000)
        given = {"pattern": "boat", "path": "many.txt", "output_mode": "content"}
        rows = done(tree, "Grep", **given).split("\n")
        assert len(rows) == 201
        assert rows[-1] == "[the first 200; there are more: ask more narrowly]"
        assert len(done(tree, "Grep", head_limit=3, **given).split("\n")) == 4
        tree.file("wide.json", "boat" + "x" * 90_000)
        assert len(done(tree, "Grep", **given | {"path": "wide.json"})) < 500
        for number in range(130):
            tree.file(f"many/{number:03}.txt", "")
        rows = done(tree, "Glob", pattern="many/*").split("\n")
        assert rows[100:] == ["[the first 100; there are more: ask more narrowly]"]

    @pytest.mark.behaviour("G4")
    def test_a_regular_expression_that_never_ends_is_ended(
        self, tree: AgentSetup, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(tools_search, "SECONDS", 1.0)
        tree.file("aa.txt", "found: " + "a" * 4 + "\n")
        tree.file("zz.txt", "a" * 60 + "!\n")
        text = done(tree, "Grep", pattern="(a+)+$", glob="*.txt")
        assert text == "~/tidebook/aa.txt\n[stopped after 1 s: ask for less]"

    @needs_links
    def test_links_are_not_followed(self, tree: AgentSetup) -> None:
        outside = tree.home / "outside"
        outside.mkdir()
        (outside / "secret.txt").write_text("LATE\n")
        (tree.project / "link").symlink_to(outside)
        (tree.project / "file.txt").symlink_to(outside / "secret.txt")
        assert done(tree, "Grep", pattern="LATE", glob="*.txt") == "No matches."
        assert done(tree, "Glob", pattern="link/*") == "No files."
