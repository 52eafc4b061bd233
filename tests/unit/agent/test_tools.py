"""The six tools: files, searches, and memory, where the store writes."""

from __future__ import annotations

import asyncio
import os
import random
import stat
from typing import Any

import pytest

from memlab.agent import tools_search
from memlab.agent.permissions import Decision
from memlab.agent.tool import ToolContext
from memlab.agent.tools import run_tool, standard_tools, tool_result
from memlab.evals.attacks import set_up
from memlab.events import EventLog
from memlab.memdir.index import parse_pointers
from tests.house import SHOWN, House, note
from tests.platforms import needs_links, needs_posix

TOOLS = {tool.name: tool for tool in standard_tools()}
INDEX, TABS = f"{SHOWN}/MEMORY.md", note("Robin wants tabs.")


class Desk:
    """Tools that may do everything, and what they answer."""

    def __init__(self, context: ToolContext) -> None:
        self.context, self.events = context, EventLog(context.clock)

    def call(self, name: str, **given: Any) -> tuple[str, bool]:
        may, block = (lambda name, given: Decision(True)), {"name": name, "input": given}
        work = run_tool(block, [*TOOLS.values()], self.context, may, self.events)
        result = asyncio.run(work).result
        assert str(self.context.home) not in result["content"]
        return result["content"], result.get("is_error", False)

    def done(self, name: str, path: str = "a.txt", **given: Any) -> str:
        text, wrong = self.call(name, file_path=path, **given)
        assert not wrong, text
        return text

    def refused(self, name: str, path: str = "a.txt", **given: Any) -> str:
        text, wrong = self.call(name, file_path=path, **given)
        assert wrong, text
        return text

    def replace(self, old: str, new: str, path: str = "a.txt", **more: Any) -> str:
        return self.done("Edit", path, old_string=old, new_string=new, **more)


@pytest.fixture
def desk(house: House) -> Desk:
    (house.project / "a.txt").write_text("one\n\n\tthree\n")
    return Desk(house.context())


def test_what_is_wrong_with_a_call_is_named(desk: Desk) -> None:
    assert "offset must be of type integer" in desk.refused("Read", offset="3")
    assert "file_path is missing; path is not" in desk.call("Read", path="a")[0]
    assert "one of files_with_matches" in desk.call("Grep", pattern="a", output_mode="x")[0]
    desk.done("Read", offset=None)
    assert tool_result({"id": "t"}, "a\udc80b")["content"] == "a?b"
    paths = (f"{SHOWN}/x.md", "docs/memory/x.md", "node_modules/memory/x.md")
    assert [desk.context.is_memory(path) for path in paths] == [True, False, False]


def test_a_long_file_is_numbered_and_read_to_its_end(house: House, desk: Desk) -> None:
    file = house.project / "a.txt"
    for path in ("a.txt", "~/tidebook/a.txt", "./sub/../a.txt", str(file)):
        assert desk.done("Read", path) == "     1\tone\n     2\t\n     3\t\tthree"
    assert "read on with offset 3" in desk.done("Read", offset=2, limit=1)
    assert desk.done("Read", offset=4) == "[~/tidebook/a.txt has 3 lines]"
    file.write_text("x\n" * 2_001 + "x" * 9_000)
    assert desk.done("Read").endswith("[2002 lines in all; read on with offset 2001]")
    assert desk.done("Read", offset=2_002).endswith("x… [line cut]")
    file.write_text("".join(f"{n:03} {'ä' * 900}\n" for n in range(50)))
    seen, offset = list[str](), 1
    while offset:
        rows = desk.done("Read", offset=offset).split("\n")
        offset = int(rows.pop().split()[-1].rstrip("]")) if rows[-1][0] == "[" else 0
        seen += [row.split("\t")[1][:3] for row in rows]
    assert (seen, len(rows) < 25) == ([f"{n:03}" for n in range(50)], True)
    file.write_bytes(b"\xef\xbb\xbfcaf\xe9\r\ntwo\r\n")
    assert desk.done("Read") == "     1\tcaf\ufffd\n     2\ttwo"


UNREADABLE = (
    "boat.png: an image; big.log: over 10 MB; ~/tidebook: is a directory; pipe: no plain;"
    "/dev/zero: no plain; b.txt: There is ~/tidebook/a.txt; deep/x.py: Use Glob;"
    "../../../etc/passwd: out of ~; a\0b: not a path"
)


@needs_posix
def test_only_text_files_are_read(house: House, desk: Desk) -> None:
    (house.project / "boat.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    set_up(["big.log", "pipe |"], house.project)
    os.truncate(house.project / "big.log", 10_000_001)
    for row in UNREADABLE.split(";"):
        path, told = row.strip().split(": ")
        assert told in desk.refused("Read", path)


@pytest.mark.behaviour("G4")
def test_a_change_needs_reading_and_one_place(house: House, desk: Desk) -> None:
    path = house.project / "a.txt"
    path.write_text("\tx = 1\n\ty = 1\n")
    given = {"old_string": "x = 1", "new_string": "x = 2"}
    assert "has not been read" in desk.refused("Edit", **given)
    assert "has not been read" in desk.refused("Write", content="new\n")
    desk.done("Read")
    os.utime(path)
    assert "on lines 1, 2" in desk.refused("Edit", old_string=" = 1", new_string=" = 2")
    assert "exactly" in desk.refused("Edit", old_string="z", new_string="y")
    for old, new in (("x", "x"), ("", "y")):
        desk.refused("Edit", old_string=old, new_string=new)
    assert "1 replacement." in desk.replace("x = 1", "x = 2")
    assert "2 replacements" in desk.replace(" = ", ": ", replace_all=True)
    desk.replace("\ty: 1\n", "")  # what was written counts as read
    assert path.read_bytes() == b"\tx: 2\n"
    path.write_text("x = 1 \n")
    assert "has changed since" in desk.refused("Write", content="new\n")
    assert path.read_text() == "x = 1 \n"
    assert "does not exist" in desk.refused("Edit", "no.py", **given)


@needs_links
@pytest.mark.behaviour("G4")
def test_bytes_links_modes_and_full_disks(
    house: House, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = house.project / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\ncaf\xe9\r\n")
    path.chmod(0o750)
    set_up(["link.txt -> a.txt"], house.project)
    house.clock.advance(90)
    desk.done("Read", "link.txt")
    desk.replace("one\ntwo", "1\n2\n2.5", "link.txt")
    assert path.read_bytes() == b"\xef\xbb\xbf1\r\n2\r\n2.5\r\ncaf\xe9\r\n"
    assert (house.project / "link.txt").is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o750
    assert path.stat().st_mtime == house.clock.now().timestamp()
    assert "2 lines" in desk.done("Write", "docs/new.md", content="a\nb\n")
    mask = os.umask(0o022)
    os.umask(mask)
    assert stat.S_IMODE((house.project / "docs/new.md").stat().st_mode) == 0o666 & ~mask

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    desk.done("Read")
    before = path.read_bytes()
    assert "No space" in desk.refused("Write", content="new\n")
    assert path.read_bytes() == before
    assert sorted(os.listdir(house.project)) == ["a.txt", "docs", "link.txt"]


@pytest.mark.parametrize("count", [60, pytest.param(3_000, marks=pytest.mark.soak)])
def test_an_edit_changes_no_byte_more(house: House, desk: Desk, count: int) -> None:
    chance, path, edits = random.Random(count), house.project / "a.txt", 0
    for _ in range(count):
        letters = ["".join(chance.choices("ab \t\n\ré\u2028'", k=n)) for n in (3, 1, 1, 2)]
        before, old, new, after = letters
        whole = (before + old + after).encode()
        path.write_bytes(whole)
        desk.done("Read")
        _, wrong = desk.call("Edit", file_path="a.txt", old_string=old, new_string=new)
        unique = old != new and whole.count(old.encode()) == 1
        if wrong or b"\r\n" not in whole:
            assert wrong is not unique or b"\r\n" in whole
            assert path.read_bytes() == (whole if wrong else (before + new + after).encode())
        edits += not wrong
    assert edits > count / 3


@pytest.mark.behaviour("B5", "B6")
def test_in_memory_the_store_writes(house: House, desk: Desk) -> None:
    set_up([f"notes -> {house.memory}"], house.project)
    house.memory.mkdir(parents=True)
    desk.context.session, desk.context.turn = "session-1", "turn-1"
    text = TABS.replace("type: user", "type: taste")
    wrong = desk.refused("Write", f"{SHOWN}/tabs.md", content=text)
    assert "user, feedback, project, reference" in wrong
    desk.refused("Write", f"{SHOWN}/notes.txt", content="x")
    assert (house.files(), house.store.history()) == ({}, [])
    desk.done("Write", "notes/tabs.md", content=TABS)  # a link is no way around
    assert "(tabs.md)" in (house.memory / "MEMORY.md").read_text()
    (entry,) = house.store.history()
    assert (entry.who, entry.session, entry.turn) == ("main agent", "session-1", "turn-1")
    desk.done("Read", f"{SHOWN}/tabs.md")
    desk.replace("wants tabs.\n", "wants tabs!\n", f"{SHOWN}/tabs.md", replace_all=True)
    assert len(house.store.history()) == 2
    grave = "---\nname: tabs\ndropped: Robin uses spaces now\n---\n"
    assert desk.done("Write", f"{SHOWN}/tabs.md", content=grave).startswith("Removed ")
    assert house.files() == {}
    assert "(tabs.md)" not in (house.memory / "MEMORY.md").read_text()
    desk.context.store = None
    assert "cannot be written here" in desk.refused("Write", f"{SHOWN}/x.md", content=TABS)


@pytest.mark.behaviour("B2")
def test_the_index_is_edited_within_its_caps(house: House, desk: Desk) -> None:
    path, quotes = house.memory / "MEMORY.md", note("Robin wants quotes.", "Quotes")
    desk.done("Write", f"{SHOWN}/tabs.md", content=TABS)
    assert "read" in desk.refused("Write", INDEX, content="x\n")
    assert "read" in desk.refused("Edit", INDEX, old_string="tabs", new_string="x")
    desk.done("Read", INDEX)
    desk.done("Write", f"{SHOWN}/quotes.md", content=quotes)
    # that the store has changed it is no news
    desk.replace("— Robin wants tabs", "— tabs, always", INDEX)
    index = path.read_text()
    assert "tabs, always" in index
    assert [one.file for one in parse_pointers(index)] == ["quotes.md", "tabs.md"]
    full = index + "A line of the model's.\n" * (200 - index.count("\n"))
    assert "201 lines" in desk.refused("Write", INDEX, content=full + "x\n")
    assert path.read_text() == index
    desk.done("Write", INDEX, content=full)
    assert "25,000 bytes" in desk.refused("Write", INDEX, content=index + "x" * 25_000)
    # a save is no error, and what is over a cap may be made smaller step by step
    desk.done("Write", f"{SHOWN}/boats.md", content=note("Boats.", "Boats"))
    path.write_text(path.read_text() + "By hand.\n" * 300)
    desk.done("Read", INDEX)
    fewer = path.read_text().replace("By hand.\n", "", 50)
    desk.done("Write", INDEX, content=fewer)
    desk.refused("Write", INDEX, content=fewer + "More.\n")


@pytest.fixture
def tree(house: House, desk: Desk) -> Desk:
    """A small project, links that lead out of it, and what no search shows."""
    late = (".github/test.yml", ".git/config", "node_modules/x.js", "../outside/s.txt")
    links = ("link -> ../outside", "file.txt -> ../outside/s.txt")
    names = ("src/board.py", "src/boats.py", "tests/test_board.py", "README.md", "tides.bin")
    set_up((*late, *links, *names), house.project)
    (house.project / "a.txt").unlink()
    board = "def state():\n\treturn 'LATE'\n\n\ndef render():\n\tpass\n"
    test, made = "def test_late():\n\tassert 'LATE'\n", dict.fromkeys(late, "LATE\n")
    texts = (board, "def free_boats():\n\tpass\n", test, "late in the day\n", "LATE\0")
    for name, text in (made | dict(zip(names, texts, strict=True))).items():
        (house.project / name).write_text(text)
    return desk


LINE = {"pattern": "'LATE'", "output_mode": "content", "path": "src/board.py", "-A": 1}
COUNT = {"pattern": "^def ", "path": "src", "output_mode": "count"}
SEARCHES: list[tuple[str, dict[str, Any], str]] = [
    ("Grep", {"pattern": "LATE"}, "src/board.py|tests/test_board.py"),
    ("Grep", {"pattern": "late", "-i": True, "glob": "*.md"}, "README.md"),
    ("Grep", {"pattern": "LATE", "glob": "tests/**/*.py"}, "tests/test_board.py"),
    ("Grep", {"pattern": "pass", "glob": "*.{py,md}"}, "src/board.py|src/boats.py"),
    ("Grep", {"pattern": "LATE", "glob": ".github/**"}, ".github/test.yml"),
    ("Grep", COUNT, "src/board.py:2|src/boats.py:1"),
    ("Grep", LINE, "src/board.py-3-|src/board.py:2:\treturn 'LATE'"),
    ("Grep", {"pattern": "LATE", "glob": "*.txt"}, ""),
    ("Glob", {"pattern": "*"}, "README.md|src/|tests/|tides.bin"),
    ("Glob", {"pattern": "tests/**"}, "tests/test_board.py"),
    ("Glob", {"pattern": "./s*/*[!d].py"}, "src/boats.py"),
    ("Glob", {"pattern": "{tests,src}/*d.py"}, "src/board.py|tests/test_board.py"),
    ("Glob", {"pattern": ".github/**/*.yml"}, ".github/test.yml"),
    ("Glob", {"pattern": "link/*"}, ""),
]


@needs_links
def test_what_a_search_finds(tree: Desk) -> None:
    for name, given, found in SEARCHES:
        text, wrong = tree.call(name, **given)
        rows = [f"~/tidebook/{one}" for one in found.split("|")] if found else [text]
        assert (sorted(text.split("\n")), wrong) == (rows, False)
        assert found or text in ("No matches.", "No files.")


@pytest.mark.behaviour("G4")
def test_a_search_is_bounded(house: House, tree: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(101):
        (house.project / f"many{number}.txt").write_text("boat\n" * 3)
        age = 1 + (number == 7)
        os.utime(house.project / f"many{number}.txt", (age, age))
    rows = tree.call("Glob", pattern="many*")[0].split("\n")
    assert rows[:3] == [f"~/tidebook/many{n}.txt" for n in ("7", "0", "1")]  # the newest first
    assert rows[100:] == ["[the first 100; there are more: ask more narrowly]"]
    given = {"pattern": "boat", "output_mode": "content"}
    rows = tree.call("Grep", **given)[0].split("\n")
    assert rows[200:] == ["[the first 200; there are more: ask more narrowly]"]
    assert len(tree.call("Grep", head_limit=3, **given)[0].split("\n")) == 4
    (house.project / "a.md").write_text("found: aaaa\n")
    (house.project / "z.md").write_text("a" * 60 + "!\n" + "boat" + "x" * 9_000)
    assert len(tree.call("Grep", glob="z.md", **given)[0]) < 500
    monkeypatch.setattr(tools_search, "SECONDS", 1.0)
    text, _ = tree.call("Grep", pattern="(a+)+$", glob="*.md")
    assert text == "~/tidebook/a.md\n[stopped after 1 s: ask for less]"
    for pattern in ("../*", "/etc/*", "~", "~/x", "a/../../b", ""):
        assert "Give the folder as path" in tree.call("Glob", pattern=pattern)[0]
    assert "unterminated" in tree.call("Grep", pattern="(late")[0]
    assert "does not exist" in tree.call("Grep", pattern="x", path="none")[0]
    (house.memory / "logs" / "2026").mkdir(parents=True)
    assert tree.call("Glob", pattern="*", path=SHOWN) == (f"{SHOWN}/logs/", False)
