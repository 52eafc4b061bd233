"""Read, Edit and Write, as people who use coding agents know them."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memlab.agent.tool import ToolContext
from memlab.agent.tools import run_tool, standard_tools
from memlab.agent.tools_files import READ_BYTES, READ_LINES
from memlab.clock import STORY_START
from memlab.events import EventLog
from memlab.memdir.index import parse_pointers
from memlab.memdir.store import MemoryStore
from tests.platforms import needs_file_modes, needs_links, needs_posix
from tests.unit.agent.helpers import AgentSetup, allow_all


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


class TestRead:
    def test_lines_are_numbered(self, setup: AgentSetup) -> None:
        setup.file("a.txt", "one\n\n\tthree\n")
        assert done(setup, "Read", file_path="a.txt") == "     1\tone\n     2\t\n     3\t\tthree"

    @pytest.mark.parametrize(
        "path", ["a.txt", "~/tidebook/a.txt", "./sub/../a.txt", "{home}/tidebook/a.txt"]
    )
    def test_a_path_may_be_written_in_every_way(self, setup: AgentSetup, path: str) -> None:
        setup.file("a.txt", "one\n")
        assert "one" in done(setup, "Read", file_path=path.format(home=setup.home))

    def test_offset_and_limit(self, setup: AgentSetup) -> None:
        setup.file("a.txt", "".join(f"line {n}\n" for n in range(1, 11)))
        text = done(setup, "Read", file_path="a.txt", offset=4, limit=2)
        assert text == "     4\tline 4\n     5\tline 5\n[10 lines in all; read on with offset 6]"
        assert done(setup, "Read", file_path="a.txt", offset=10).endswith("    10\tline 10")
        assert (
            done(setup, "Read", file_path="a.txt", offset=11) == "[~/tidebook/a.txt has 10 lines]"
        )

    def test_a_long_file_is_cut_by_lines(self, setup: AgentSetup) -> None:
        setup.file("long.txt", "x\n" * 5_000)
        rows = done(setup, "Read", file_path="long.txt").split("\n")
        assert len(rows) == READ_LINES + 1
        assert rows[-1] == f"[5000 lines in all; read on with offset {READ_LINES + 1}]"

    def test_a_wide_file_is_cut_by_bytes_and_can_be_read_to_its_end(
        self, setup: AgentSetup
    ) -> None:
        setup.file("wide.txt", "".join(f"{n:03} {'ä' * 900}\n" for n in range(100)))
        seen, offset = list[str](), 1
        while offset:
            text = done(setup, "Read", file_path="wide.txt", offset=offset)
            assert len(text.encode()) < READ_BYTES + 3_000
            *rows, note = text.split("\n")
            offset = int(note.split()[-1].rstrip("]")) if note.startswith("[") else 0
            seen += [row.split("\t")[1][:3] for row in (rows if offset else [*rows, note])]
        assert seen == [f"{n:03}" for n in range(100)]

    def test_a_very_long_line_is_cut_and_says_so(self, setup: AgentSetup) -> None:
        setup.file("one.json", "x" * 9_000)
        assert done(setup, "Read", file_path="one.json").endswith("x… [line cut]")

    @pytest.mark.parametrize(
        ("name", "content", "told"),
        [
            ("tides.bin", b"tides\x00\x01", "binary"),
            ("boat.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "an image"),
            ("big.log", b"x" * 10_000_001, "over 10 MB. Search in it with Grep"),
        ],
    )
    def test_what_is_no_text_to_read_is_refused(
        self, setup: AgentSetup, name: str, content: bytes, told: str
    ) -> None:
        setup.file(name, content)
        assert told in refused(setup, "Read", file_path=name)

    def test_a_missing_file_comes_with_what_may_be_meant(self, setup: AgentSetup) -> None:
        setup.file("boats.py", "")
        setup.file("board.py", "")
        text = refused(setup, "Read", file_path="~/tidebook/boat.py")
        assert text.startswith("~/tidebook/boat.py does not exist. There is ~/tidebook/boats.py")
        assert refused(setup, "Read", file_path="deep/down/x.py").endswith("Use Glob to find it")

    def test_a_directory_is_told_from_a_file(self, setup: AgentSetup) -> None:
        assert refused(setup, "Read", file_path="~/tidebook") == (
            "~/tidebook is a directory. Use Glob to see what is in it"
        )

    @needs_posix
    def test_pipes_sockets_and_devices_are_not_opened(self, setup: AgentSetup) -> None:
        os.mkfifo(setup.project / "pipe")
        assert "no plain file" in refused(setup, "Read", file_path="pipe")
        assert "no plain file" in refused(setup, "Read", file_path="/dev/zero")
        with socket.socket(socket.AF_UNIX) as one:
            before = Path.cwd()
            os.chdir(setup.project)
            try:
                one.bind("socket")
            finally:
                os.chdir(before)
        assert "no plain file" in refused(setup, "Read", file_path="socket")

    def test_bytes_that_are_no_utf8_are_shown_replaced(self, setup: AgentSetup) -> None:
        setup.file("latin.txt", b"caf\xe9\n")
        assert done(setup, "Read", file_path="latin.txt") == "     1\tcaf\ufffd"

    def test_a_byte_order_mark_and_windows_line_ends_are_not_shown(self, setup: AgentSetup) -> None:
        setup.file("dos.txt", b"\xef\xbb\xbfone\r\ntwo\r\n")
        assert done(setup, "Read", file_path="dos.txt") == "     1\tone\n     2\ttwo"

    def test_an_empty_file_is_not_mistaken_for_a_missing_one(self, setup: AgentSetup) -> None:
        setup.file("empty.txt", "")
        assert done(setup, "Read", file_path="empty.txt") == "[~/tidebook/empty.txt has 0 lines]"

    @pytest.mark.parametrize("path", ["", "a\0b", "../../../etc/passwd", "~/../other/x"])
    def test_what_is_no_path_here(self, setup: AgentSetup, path: str) -> None:
        refused(setup, "Read", file_path=path)

    def test_reading_does_not_make_a_file_look_fresh(self, setup: AgentSetup) -> None:
        path = setup.file("a.txt", "one\n")
        os.utime(path, ns=(1_000_000_000, 1_000_000_000))
        done(setup, "Read", file_path="a.txt")
        assert path.stat().st_mtime_ns == 1_000_000_000


class TestEdit:
    def test_one_place_is_replaced(self, setup: AgentSetup) -> None:
        path = setup.file("a.py", "\tx = 1\n\ty = 2\n")
        done(setup, "Read", file_path="a.py")
        text = done(setup, "Edit", file_path="a.py", old_string="\tx = 1", new_string="\tx = 3")
        assert text == "Edited ~/tidebook/a.py: 1 replacement."
        assert path.read_bytes() == b"\tx = 3\n\ty = 2\n"

    @pytest.mark.behaviour("G4")
    def test_a_file_has_to_be_read_first(self, setup: AgentSetup) -> None:
        setup.file("a.py", "x\n")
        text = refused(setup, "Edit", file_path="a.py", old_string="x", new_string="y")
        assert text == "~/tidebook/a.py has not been read. Read it first"

    def test_a_file_that_changed_since_has_to_be_read_again(self, setup: AgentSetup) -> None:
        path = setup.file("a.py", "x = 1\n")
        done(setup, "Read", file_path="a.py")
        path.write_text("x = 1 \n")
        text = refused(setup, "Edit", file_path="a.py", old_string="x", new_string="y")
        assert text == "~/tidebook/a.py has changed since it was read. Read it again"
        assert path.read_text() == "x = 1 \n"

    def test_a_touched_file_with_the_same_content_has_not_changed(self, setup: AgentSetup) -> None:
        path = setup.file("a.py", "x = 1\n")
        done(setup, "Read", file_path="a.py")
        os.utime(path)
        done(setup, "Edit", file_path="a.py", old_string="x", new_string="y")

    def test_edits_follow_each_other_without_reading_again(self, setup: AgentSetup) -> None:
        path = setup.file("a.py", "one two three\n")
        done(setup, "Read", file_path="a.py")
        done(setup, "Edit", file_path="a.py", old_string="one", new_string="1")
        done(setup, "Edit", file_path="a.py", old_string="two", new_string="2")
        assert path.read_text() == "1 2 three\n"

    @pytest.mark.behaviour("G4")
    def test_an_ambiguous_text_is_named_with_its_lines(self, setup: AgentSetup) -> None:
        path = setup.file("a.py", "x = 1\ny = 1\nz = 1\n")
        done(setup, "Read", file_path="a.py")
        text = refused(setup, "Edit", file_path="a.py", old_string=" = 1", new_string=" = 2")
        assert "has old_string 3 times, on lines 1, 2, 3" in text
        done(
            setup, "Edit", file_path="a.py", old_string=" = 1", new_string=" = 2", replace_all=True
        )
        assert path.read_text() == "x = 2\ny = 2\nz = 2\n"

    def test_a_text_that_is_not_there(self, setup: AgentSetup) -> None:
        setup.file("a.py", "\tif x:\n\t\treturn 1\n")
        done(setup, "Read", file_path="a.py")
        spaces = "    if x:\n        return 1\n"
        text = refused(setup, "Edit", file_path="a.py", old_string=spaces, new_string="")
        assert "Line 1 differs in white space" in text
        text = refused(setup, "Edit", file_path="a.py", old_string="while y:", new_string="")
        assert "Read the file again" in text

    @pytest.mark.parametrize(("old", "new"), [("x", "x"), ("", "y")])
    def test_an_edit_that_says_nothing(self, setup: AgentSetup, old: str, new: str) -> None:
        setup.file("a.py", "x\n")
        done(setup, "Read", file_path="a.py")
        refused(setup, "Edit", file_path="a.py", old_string=old, new_string=new)

    def test_windows_line_ends_are_kept(self, setup: AgentSetup) -> None:
        path = setup.file("dos.txt", b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\n")
        done(setup, "Read", file_path="dos.txt")
        done(setup, "Edit", file_path="dos.txt", old_string="one\ntwo", new_string="1\n2\n2.5")
        assert path.read_bytes() == b"\xef\xbb\xbf1\r\n2\r\n2.5\r\nthree\r\n"

    def test_bytes_that_are_no_utf8_are_kept(self, setup: AgentSetup) -> None:
        path = setup.file("latin.txt", b"caf\xe9 one\n")
        done(setup, "Read", file_path="latin.txt")
        done(setup, "Edit", file_path="latin.txt", old_string="one", new_string="two")
        assert path.read_bytes() == b"caf\xe9 two\n"

    @needs_file_modes
    def test_the_mode_is_kept_and_the_time_is_the_clocks(self, setup: AgentSetup) -> None:
        path = setup.file("run.sh", "echo one\n")
        path.chmod(0o750)
        setup.clock.advance(90)
        done(setup, "Read", file_path="run.sh")
        done(setup, "Edit", file_path="run.sh", old_string="one", new_string="two")
        assert stat.S_IMODE(path.stat().st_mode) == 0o750
        assert path.stat().st_mtime == (STORY_START + timedelta(seconds=90)).timestamp()
        assert [entry.name for entry in setup.project.iterdir()] == ["run.sh"]

    @needs_links
    def test_a_link_stays_a_link(self, setup: AgentSetup) -> None:
        target = setup.file("real.txt", "one\n")
        (setup.project / "link.txt").symlink_to(target)
        done(setup, "Read", file_path="link.txt")
        done(setup, "Edit", file_path="link.txt", old_string="one", new_string="two")
        assert (setup.project / "link.txt").is_symlink()
        assert target.read_text() == "two\n"

    def test_a_missing_file(self, setup: AgentSetup) -> None:
        text = refused(setup, "Edit", file_path="no.py", old_string="x", new_string="y")
        assert "~/tidebook/no.py does not exist" in text


class TestWrite:
    def test_a_new_file_and_its_folders(self, setup: AgentSetup) -> None:
        text = done(setup, "Write", file_path="~/tidebook/docs/new.md", content="a\nb\n")
        assert text == "Wrote ~/tidebook/docs/new.md, 2 lines."
        assert (setup.project / "docs" / "new.md").read_bytes() == b"a\nb\n"

    def test_a_file_that_is_there_has_to_be_read_first(self, setup: AgentSetup) -> None:
        path = setup.file("a.py", "kept\n")
        assert "has not been read" in refused(setup, "Write", file_path="a.py", content="new\n")
        assert path.read_text() == "kept\n"
        done(setup, "Read", file_path="a.py")
        done(setup, "Write", file_path="a.py", content="new\n")
        assert path.read_text() == "new\n"

    def test_what_was_written_counts_as_read(self, setup: AgentSetup) -> None:
        done(setup, "Write", file_path="a.py", content="one\n")
        done(setup, "Edit", file_path="a.py", old_string="one", new_string="two")

    def test_windows_line_ends_are_kept(self, setup: AgentSetup) -> None:
        path = setup.file("dos.txt", b"one\r\n")
        done(setup, "Read", file_path="dos.txt")
        done(setup, "Write", file_path="dos.txt", content="one\ntwo\n")
        assert path.read_bytes() == b"one\r\ntwo\r\n"

    @pytest.mark.behaviour("G4")
    def test_a_failed_write_leaves_the_old_file_and_no_other(
        self, setup: AgentSetup, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = setup.file("a.py", "kept\n")
        done(setup, "Read", file_path="a.py")

        def full(*_: Any) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("os.fsync", full)
        assert "No space left" in refused(setup, "Write", file_path="a.py", content="new\n")
        assert path.read_text() == "kept\n"
        assert [entry.name for entry in setup.project.iterdir()] == ["a.py"]

    def test_a_file_where_a_folder_should_be(self, setup: AgentSetup) -> None:
        setup.file("a", "x")
        refused(setup, "Write", file_path="a/b.txt", content="x")


TABS = "---\nname: tabs\ndescription: Robin types code with tabs\ntype: user\n---\n\nTabs.\n"


class TestMemory:
    """Inside the memory directory the store writes: checks, index and journal take part."""

    PATH = "~/.memlab/projects/-home-robin-tidebook/memory"

    @pytest.mark.behaviour("B5")
    def test_a_write_brings_its_pointer_and_its_journal_line(self, setup: AgentSetup) -> None:
        setup.context.session, setup.context.turn = "session-1", "turn-1"
        text = done(setup, "Write", file_path=f"{self.PATH}/tabs.md", content=TABS)
        assert text.startswith(f"Wrote {self.PATH}/tabs.md, 7 lines.")
        assert "(tabs.md)" in (setup.memory / "MEMORY.md").read_text()
        (entry,) = MemoryStore(setup.memory, clock=setup.clock).history()
        assert (entry.who, entry.session, entry.turn) == ("main agent", "session-1", "turn-1")

    @pytest.mark.behaviour("B5")
    def test_what_a_check_refuses_comes_back_with_its_reason(self, setup: AgentSetup) -> None:
        content = TABS.replace("type: user", "type: taste")
        text = refused(setup, "Write", file_path=f"{self.PATH}/tabs.md", content=content)
        assert "user, feedback, project, reference" in text
        assert not (setup.memory / "tabs.md").exists()

    def test_what_is_no_memory_cannot_be_put_there(self, setup: AgentSetup) -> None:
        refused(setup, "Write", file_path=f"{self.PATH}/notes.txt", content="x")
        refused(setup, "Write", file_path=f"{self.PATH}/plain.md", content="no frontmatter")
        assert [path.name for path in setup.memory.iterdir()] in ([], [".memlab"])

    def test_an_edit_takes_the_same_road(self, setup: AgentSetup) -> None:
        done(setup, "Write", file_path=f"{self.PATH}/tabs.md", content=TABS)
        done(
            setup, "Edit", file_path=f"{self.PATH}/tabs.md", old_string="Tabs.", new_string="Tabs!"
        )
        assert len(MemoryStore(setup.memory, clock=setup.clock).history()) == 2

    def test_the_index_may_be_edited_after_the_store_has_changed_it(
        self, setup: AgentSetup
    ) -> None:
        done(setup, "Write", file_path=f"{self.PATH}/tabs.md", content=TABS)
        done(setup, "Read", file_path=f"{self.PATH}/MEMORY.md")
        quotes = TABS.replace("tabs", "quotes")
        done(setup, "Write", file_path=f"{self.PATH}/quotes.md", content=quotes)
        done(
            setup,
            "Edit",
            file_path=f"{self.PATH}/MEMORY.md",
            old_string="Robin types code with tabs",
            new_string="tabs, always",
        )
        assert "tabs, always" in (setup.memory / "MEMORY.md").read_text()

    @pytest.mark.behaviour("B2")
    def test_an_edit_that_leaves_the_index_over_a_cap_is_an_error_and_a_save_is_not(
        self, setup: AgentSetup
    ) -> None:
        done(setup, "Write", file_path=f"{self.PATH}/tabs.md", content=TABS)
        done(setup, "Read", file_path=f"{self.PATH}/MEMORY.md")
        index = setup.memory / "MEMORY.md"
        before = index.read_text()
        full = before + "A line of the model's.\n" * 199
        text = refused(setup, "Write", file_path=f"{self.PATH}/MEMORY.md", content=full + "x\n")
        assert "201 lines" in text
        assert "200 lines and 25,000 bytes" in text
        assert "Merge memories that belong together" in text
        assert index.read_text() == before
        done(setup, "Write", file_path=f"{self.PATH}/MEMORY.md", content=full)
        wide = {"old_string": "Robin types", "new_string": "x" * 25_000}
        text = refused(setup, "Edit", file_path=f"{self.PATH}/MEMORY.md", **wide)
        assert "25,000 bytes" in text
        done(
            setup,
            "Write",
            file_path=f"{self.PATH}/quotes.md",
            content=TABS.replace("tabs", "quotes"),
        )
        assert (setup.memory / "quotes.md").exists()

    def test_an_index_that_is_over_a_cap_may_be_made_smaller_step_by_step(
        self, setup: AgentSetup
    ) -> None:
        done(setup, "Write", file_path=f"{self.PATH}/tabs.md", content=TABS)
        index = setup.memory / "MEMORY.md"
        index.write_text(index.read_text() + "By hand.\n" * 300)
        done(setup, "Read", file_path=f"{self.PATH}/MEMORY.md")
        fewer = index.read_text().replace("By hand.\n", "", 50)
        done(setup, "Write", file_path=f"{self.PATH}/MEMORY.md", content=fewer)
        refused(setup, "Write", file_path=f"{self.PATH}/MEMORY.md", content=fewer + "More.\n")

    @pytest.mark.parametrize("tool", ["Edit", "Write"])
    def test_an_index_that_was_not_read_is_not_edited_and_the_pointer_is_there_all_the_same(
        self, setup: AgentSetup, tool: str
    ) -> None:
        done(setup, "Write", file_path=f"{self.PATH}/tabs.md", content=TABS)
        quotes = TABS.replace("tabs", "quotes")
        done(setup, "Write", file_path=f"{self.PATH}/quotes.md", content=quotes)
        line = "- [quotes](quotes.md) — how Robin quotes\n"
        given = {
            "Edit": {"old_string": "- [quotes]", "new_string": f"{line}- [quotes]"},
            "Write": {"content": line},
        }[tool]
        text = refused(setup, tool, file_path=f"{self.PATH}/MEMORY.md", **given)
        assert "read" in text.lower()
        pointed = [one.file for one in parse_pointers((setup.memory / "MEMORY.md").read_text())]
        assert pointed == ["quotes.md", "tabs.md"]

    @pytest.mark.behaviour("B6")
    def test_a_tombstone_removes_and_says_so(self, setup: AgentSetup) -> None:
        done(setup, "Write", file_path=f"{self.PATH}/tabs.md", content=TABS)
        grave = "---\nname: tabs\ndropped: Robin uses spaces now\n---\n"
        text = done(setup, "Write", file_path=f"{self.PATH}/tabs.md", content=grave)
        assert text.startswith(f"Removed {self.PATH}/tabs.md.")
        assert not (setup.memory / "tabs.md").exists()

    @needs_links
    def test_a_link_into_memory_is_no_way_around_the_store(self, setup: AgentSetup) -> None:
        setup.memory.mkdir(parents=True, exist_ok=True)
        (setup.project / "notes").symlink_to(setup.memory)
        done(setup, "Write", file_path="notes/tabs.md", content=TABS)
        assert "(tabs.md)" in (setup.memory / "MEMORY.md").read_text()

    def test_without_a_store_memory_is_not_written(self, setup: AgentSetup) -> None:
        setup.context.store = None
        text = refused(setup, "Write", file_path=f"{self.PATH}/tabs.md", content=TABS)
        assert "memory cannot be written here" in text
