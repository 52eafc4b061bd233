"""The six tools: files, searches, and memory, where the store writes."""

from __future__ import annotations

import asyncio
import os
import stat
from typing import Any
from unittest import mock

import pytest

from memlab.agent import tools_search
from memlab.agent.permissions import Decision
from memlab.agent.tools import run_tool, standard_tools
from memlab.evals.attacks import set_up
from memlab.memdir.index import parse_pointers
from tests.house import SHOWN, House, note
from tests.platforms import needs_links, needs_posix

Patch = pytest.MonkeyPatch
INDEX, TABS = f"{SHOWN}/MEMORY.md", note("Robin wants tabs.")


class Desk:
    """Tools that may do everything, and what they answer."""

    def __init__(self, house: House) -> None:
        self.house, self.context = house, house.context()
        self.path = house.project / "a.txt"
        self.path.write_text("one\n\n\tthree\n")

    def call(self, name: str, **given: Any) -> tuple[str, bool]:
        block, may = {"name": name, "input": given}, lambda name, given: Decision(True)
        work = run_tool(block, standard_tools(), self.context, may, self.house.events)  # type: ignore
        result = asyncio.run(work).result
        assert str(self.house.home) not in result["content"]
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
    return Desk(house)


UNREADABLE = """boat.png: an image; ~/tidebook: is a directory; pipe: no plain; a\0b: not a;
/dev/zero: no plain; b.txt: There is ~/tidebook/a.txt; ../../../etc/passwd: out of ~"""


@needs_posix
def test_only_text_is_read_with_its_numbers_and_to_its_end(desk: Desk) -> None:
    for path in ("a.txt", "~/tidebook/a.txt", "./sub/../a.txt", str(desk.path)):
        shown = desk.done("Read", path, offset=None)
        assert shown == "     1\tone\n     2\t\n     3\t\tthree"
    assert "read on with offset 3" in desk.done("Read", offset=2, limit=1)
    (desk.path.parent / "boat.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    set_up(["pipe |"], desk.path.parent)
    for row in UNREADABLE.split(";"):
        path, told = row.strip().split(": ")
        assert told in desk.refused("Read", path)
    desk.path.write_text("x\n" * 2_001 + "x" * 9_000)
    assert desk.done("Read").endswith("[2002 lines in all; read on with offset 2001]")
    assert desk.done("Read", offset=2_002).endswith("x… [line cut]")


@pytest.mark.behaviour("G4")
def test_a_change_needs_reading_and_one_place(desk: Desk) -> None:
    desk.path.write_text("\tx = 1\n\ty = 1\n")
    given = {"old_string": "x = 1", "new_string": "x = 2"}
    assert "has not been read" in desk.refused("Edit", **given)
    assert "has not been read" in desk.refused("Write", content="new\n")
    desk.done("Read")
    for old, told in {" = 1": "on lines 1, 2", "z": "exactly", "": ""}.items():
        assert told in desk.refused("Edit", old_string=old, new_string="y")
    assert "1 replacement." in desk.replace("x = 1", "x = 2")
    assert "2 replacements" in desk.replace(" = ", ": ", replace_all=True)
    desk.replace("\ty: 1\n", "")  # what was written counts as read
    assert desk.path.read_bytes() == b"\tx: 2\n"
    desk.path.write_text("x = 1 \n")
    assert "has changed since" in desk.refused("Write", content="new\n")
    assert desk.path.read_text() == "x = 1 \n"


@needs_links
@pytest.mark.behaviour("G4")
def test_bytes_links_modes_and_full_disks(desk: Desk, monkeypatch: Patch) -> None:
    path, clock = desk.path, desk.house.clock
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\ncaf\xe9 \xe2\x80\xa8 \r.\r\n")
    path.chmod(0o750)
    set_up(["link.txt -> a.txt"], path.parent)
    clock.advance(90)
    desk.done("Read", "link.txt")
    desk.replace("one\ntwo", "1\n2\n2.5", "link.txt")
    new = b"\xef\xbb\xbf1\r\n2\r\n2.5\r\ncaf\xe9 \xe2\x80\xa8 \r.\r\n"
    assert path.read_bytes() == new
    assert stat.S_IMODE(path.stat().st_mode) == 0o750
    assert path.stat().st_mtime == clock.now().timestamp()
    monkeypatch.setattr("os.fsync", mock.Mock(side_effect=OSError(28, "No space left")))
    assert "No space" in desk.refused("Write", "link.txt", content="new\n")
    assert path.read_bytes() == new
    assert sorted(os.listdir(path.parent)) == ["a.txt", "link.txt"]
    assert (path.parent / "link.txt").is_symlink()


@pytest.mark.behaviour("B5", "B6")
def test_in_memory_the_store_writes(house: House, desk: Desk) -> None:
    set_up([f"notes -> {house.memory}"], house.project)
    house.memory.mkdir(parents=True)
    desk.context.session, desk.context.turn = "session-1", "turn-1"
    taste, x = TABS.replace("user", "taste"), f"{SHOWN}/x.md"
    wrong = desk.refused("Write", x, content=taste)
    assert "user, feedback, project, reference" in wrong
    desk.refused("Write", f"{SHOWN}/notes.txt", content="x")
    desk.done("Write", "notes/tabs.md", content=TABS)  # a link is no way around
    [entry] = house.store.history()
    assert (entry.who, entry.session) == ("main agent", "session-1")
    assert entry.turn == "turn-1"
    assert "(tabs.md)" in (house.memory / "MEMORY.md").read_text()
    desk.done("Read", f"{SHOWN}/tabs.md")
    grave = "---\nname: tabs\ndropped: Robin uses spaces now\n---\n"
    assert desk.done("Write", f"{SHOWN}/tabs.md", content=grave).startswith("Removed ")
    assert house.files() == {}
    assert "(tabs.md)" not in (house.memory / "MEMORY.md").read_text()
    desk.context.store = None
    assert "cannot be written here" in desk.refused("Write", x, content=TABS)


@pytest.mark.behaviour("B2")
def test_the_index_is_edited_within_its_caps(house: House, desk: Desk) -> None:
    path = house.memory / "MEMORY.md"
    desk.done("Write", f"{SHOWN}/tabs.md", content=TABS)
    assert "read" in desk.refused("Write", INDEX, content="x\n")
    desk.done("Read", INDEX)
    desk.done("Write", f"{SHOWN}/quotes.md", content=note("Quotes.", "Quotes"))
    # the store's own change is no news
    desk.replace("— Robin wants tabs", "— tabs, always", INDEX)
    index = path.read_text()
    assert "tabs, always" in index
    assert [one.file for one in parse_pointers(index)] == ["quotes.md", "tabs.md"]
    full = index + "A line of the model's.\n" * (200 - index.count("\n"))
    assert "201 lines" in desk.refused("Write", INDEX, content=full + "x\n")
    assert "25,000 bytes" in desk.refused("Write", INDEX, content=index + "x" * 25_000)
    assert path.read_text() == index
    desk.done("Write", INDEX, content=full)


TREE = {
    "src/board.py": "def state():\n\treturn 'LATE'\n\n\ndef render():\n\tpass\n",
    "src/boats.py": "def free_boats():\n\tpass\n",
    "README.md": "late in the day\n",
}
LATE = (".github/t.yml", ".git/x", "node_modules/x.js", "../out/s.txt")
TREE |= dict.fromkeys(LATE, "LATE\n")
SEARCHES = """Grep pattern=LATE: src/board.py; Grep pattern=late glob=*.md -i=1: README.md
Grep pattern=pass glob=src/**/*.{py,md}: src/board.py, src/boats.py; Grep pattern=LATE glob=*.txt:
Grep pattern=LATE glob=.github/**: .github/t.yml; Glob pattern=*: README.md, src/
Grep pattern=^def output_mode=count: src/board.py:2, src/boats.py:1; Glob pattern=link/*:
Grep pattern='LATE' output_mode=content -A=1: src/board.py-3-, src/board.py:2:\treturn 'LATE'
Glob pattern=./s*/*[!d].py: src/boats.py; Glob pattern=.github/**/*.yml: .github/t.yml"""


@needs_links
@pytest.mark.behaviour("G4")
def test_a_search_stays_inside_and_is_bounded(desk: Desk, monkeypatch: Patch) -> None:
    project = desk.path.parent
    set_up((*TREE, "link -> ../out", "file.txt -> ../out/s.txt"), project)
    desk.path.unlink()
    for name, text in TREE.items():
        (project / name).write_text(text)
    kinds: dict[str, Any] = {"-i": bool, "-A": int}
    for row in SEARCHES.replace("\n", ";").split(";"):
        call, found = row.strip(" ").split(":", 1)
        name, *words = call.split()
        pairs = [word.split("=", 1) for word in words]
        given = {key: kinds.get(key, str)(value) for key, value in pairs}
        told = ", ".join(sorted(desk.call(name, **given)[0].split("\n")))
        assert told.replace("~/tidebook/", "") == found.strip(" ") or told[:3] + found == "No "
    for number in range(101):
        (project / f"many{number}.txt").write_text("boat\n" * 3)
        os.utime(project / f"many{number}.txt", (1 + (number == 7),) * 2)
    rows = desk.call("Glob", pattern="many*")[0].split("\n")
    assert rows[:3] == [f"~/tidebook/many{n}.txt" for n in ("7", "0", "1")]  # the newest first
    assert rows[100:] == ["[the first 100; there are more: ask more narrowly]"]
    rows = desk.call("Grep", pattern="boat", output_mode="content")[0].split("\n")
    assert rows[200:] == ["[the first 200; there are more: ask more narrowly]"]
    (project / "a.md").write_text("found: aaaa\n")
    (project / "z.md").write_text("a" * 60 + "!\n")
    monkeypatch.setattr(tools_search, "SECONDS", 1.0)
    text, _ = desk.call("Grep", pattern="(a+)+$", glob="*.md")
    assert text == "~/tidebook/a.md\n[stopped after 1 s: ask for less]"
    for pattern in ("../*", "/etc/*", "~", "~/x", "a/../../b", ""):
        assert "Give the folder as path" in desk.call("Glob", pattern=pattern)[0]
