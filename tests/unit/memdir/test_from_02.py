"""What memlab 0.2 left in a memory directory is brought into today's form."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from memlab.evidence.pending import LIST, waiting
from memlab.evidence.sentences import Sentence
from memlab.memdir.from_02 import convert
from memlab.memdir.journal import JOURNAL, Journal, content_hash
from tests.unit.evidence.helpers import memory
from tests.unit.memdir.test_journal import Disk, commit, leftovers, started, state, take_back
from tests.upgrades.test_upgrades import restored

OLD = {"torn": 2, "swapped": 3, "unsaved": 3, "erased": 3, "unerased": 3, "undone": 3, "unnoted": 3}


@pytest.fixture(scope="module")
def old_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return restored("version_0_2.json", tmp_path_factory.mktemp("home"))


def old_memory(old_home: Path, tmp_path: Path, project: str) -> Path:
    folder = old_home / ".memlab" / "projects" / f"-home-robin-{project}" / "memory"
    shutil.copytree(folder, tmp_path / project)
    return tmp_path / project


def opened(path: Path) -> Journal:
    journal = Journal(Disk(path))
    convert(journal, 1)
    journal.open()
    return journal


@pytest.mark.parametrize("project", sorted(OLD))
def test_what_0_2_was_interrupted_in_is_settled(
    old_home: Path, tmp_path: Path, project: str
) -> None:
    path = old_memory(old_home, tmp_path, project)
    journal = opened(path)
    assert len(journal.entries) == OLD[project]
    assert not leftovers(path)
    assert not journal.unfinished
    assert not (path / ".memlab" / "preparing.json").exists()
    for one in journal.entries[-1].changes:
        assert content_hash(journal.folder.read(one.file).data) == one.after
    gone = project in ("erased", "unerased")
    found = [one for one in path.rglob("*") if one.is_file() and b"cat" in one.read_bytes().lower()]
    assert bool(found) != gone, "a memory that it was erasing is erased"
    assert bool(waiting(journal.folder)) == (project == "unsaved")
    if project == "torn":
        assert journal.unexplained() == [], "what it had prepared has gone"


@pytest.mark.parametrize("project", ["attic", "harbour", "mooring", "sloop", "shed"])
def test_a_journal_of_0_2_goes_on(old_home: Path, tmp_path: Path, project: str) -> None:
    path = old_memory(old_home, tmp_path, project)
    old = (path / JOURNAL).read_bytes()
    files = state(path)
    journal = opened(path)
    known = [*journal.entries]
    assert (path / JOURNAL).read_bytes() == old, "reading converts nothing"
    assert commit(journal, {"new.md": b"new\n"}).id == f"change-{len(known) + 1:04d}"
    assert (path / JOURNAL).read_bytes().startswith(old)
    again = opened(path)
    assert again.version == 3
    assert [replace(one, changes=()) for one in again.entries[:-1]] == [
        replace(one, changes=()) for one in known
    ]
    take_back(again)
    assert state(path) == files


@pytest.mark.parametrize("text", ["{", "[]", '{"size": 0}', '{"size": 0, "images": ["../../x"]}'])
def test_a_marker_from_elsewhere_closes_nothing(tmp_path: Path, text: str) -> None:
    path = started(tmp_path / "memory")
    (path / JOURNAL).write_bytes(b"")
    (tmp_path / "x").write_bytes(b"mine")
    (path / ".memlab" / "preparing.json").write_text(text)
    assert commit(opened(path), {"z.md": b"goes on\n"}).id == "change-0002"
    assert (tmp_path / "x").read_bytes() == b"mine"
    assert not (path / ".memlab" / "preparing.json").exists()


def test_a_history_that_0_2_set_aside_is_found(old_home: Path, tmp_path: Path) -> None:
    path = old_memory(old_home, tmp_path, "anchor")
    journal = opened(path)
    assert len(journal.unexplained()) == 4
    assert commit(journal, {"new.md": b"n\n"}).id == "change-0004"
    shutil.copy(old_home / "backup" / "journal.jsonl", path / JOURNAL)
    journal = opened(path)
    with journal.guard():
        files, _, _ = journal.undo(journal.standing())
    assert b"ten kilos" in (files["anchor.md"][1] or b"")


def test_a_list_that_cannot_be_read_stays(tmp_path: Path) -> None:
    path = started(tmp_path / "memory")
    (path / ".memlab" / "pending").mkdir()
    (path / ".memlab" / "pending" / "sentences.json").write_text('[{"file": ')
    assert not waiting(opened(path).folder)
    assert (path / ".memlab" / "pending" / "sentences.json").exists()


def test_what_waited_waits(tmp_path: Path) -> None:
    journal = Journal(Disk(started(tmp_path / "memory")))
    folder, old = journal.folder, memory("Coffee at eight.")
    held = {"file": "a.md", "text": "Tea.", "why": "unsupported", "who": "dream", "at": "2026"}
    held |= {"session": "s", "content": "", "stamp": {"origin": "outside"}}
    whole = held | {"file": "b.md", "content": "the whole file"}
    dream = {"before": {"a.md": old.decode()}, "changed": {"c.md": "new"}, "removed": ["a.md"]}
    dream |= {"at": "2026-04-07", "session": "s", "why": ["too much"], "reasons": {"a.md": "old"}}
    for name, content in (("sentences", [held, whole]), ("dream", dream)):
        folder.write(f".memlab/pending/{name}.json", json.dumps(content).encode(), 1)
    convert(journal, 2)
    found = waiting(folder)
    assert [(one.file, one.text, one.base, one.why) for one in found] == [
        ("a.md", "Tea.", None, "unsupported"),
        ("b.md", "the whole file", "", "unsupported"),
        ("c.md", "new", "", "too much"),
        ("a.md", None, content_hash(old), "old"),
    ]
    assert found[0].stamps == {Sentence("Tea.").key: {"origin": "outside"}}
    assert [one.closes_gate for one in found] == [False, False, True, True]
    left = [path.name for path in (folder.path / ".memlab" / "pending").iterdir()]
    assert left == [Path(LIST).name]
