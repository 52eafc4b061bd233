"""What waits for a person: kept, accepted and dropped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memlab.errors import StoreError
from memlab.evidence.pending import LIST, PendingChange, accepted, add, drop, waiting
from memlab.evidence.sentences import as_memory
from memlab.memdir.folder import Folder
from memlab.memdir.journal import content_hash
from tests.unit.evidence.helpers import memory

FIRST = PendingChange("a.md", "Tea at nine.", who="extractor", session="s", at="2026", why="rise")
SECOND = PendingChange("a.md", "Milk in it.", why="unsupported", stamps={"k": {"origin": "person"}})
OLD = memory("Coffee at eight.")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    (tmp_path / "a.md").write_bytes(OLD)
    return Folder(tmp_path)


def body(data: bytes | None) -> str:
    found = as_memory(data)
    assert found is not None
    return found.body.strip()


def test_what_waits_is_there_until_it_is_dropped(folder: Folder) -> None:
    assert waiting(folder) == []
    add(folder, [FIRST, SECOND], 1)
    add(folder, [replace(FIRST, session="another")], 2)  # it waits already
    assert waiting(folder) == [FIRST, SECOND]
    drop(folder, [FIRST], 3)
    assert waiting(folder) == [SECOND]
    assert FIRST.line == "a.md: Tea at nine. — rise"


def test_a_second_sentence_is_not_stale_when_the_first_is_accepted(folder: Folder) -> None:
    base, data = accepted(folder, [FIRST])["a.md"]
    assert base == content_hash(OLD)
    assert data is not None
    folder.write("a.md", data, 1)
    base, data = accepted(folder, [SECOND])["a.md"]
    assert base == content_hash(folder.read("a.md").data)
    assert body(data) == "Coffee at eight.\n\nTea at nine.\n\nMilk in it."


def test_sentences_without_a_file_make_a_memory(folder: Folder) -> None:
    base, data = accepted(folder, [replace(FIRST, file="my-tea.md")])["my-tea.md"]
    found = as_memory(data)
    assert base == ""
    assert found is not None
    assert (found.name, found.body.strip()) == ("My tea", "Tea at nine.")


@pytest.mark.behaviour("A8")
def test_a_whole_file_names_the_content_that_it_replaces(folder: Folder) -> None:
    new = memory("Coffee at ten.").decode()
    whole = PendingChange("a.md", new, base=content_hash(OLD), group="dream 1")
    gone = PendingChange("b.md", None, base="0" * 64, group="dream 1")
    add(folder, [whole, gone, SECOND], 1)
    found = accepted(folder, [SECOND, whole, gone])
    assert found["b.md"] == ("0" * 64, None)
    base, data = found["a.md"]
    assert base == content_hash(OLD)
    assert body(data).split("\n\n") == ["Coffee at ten.", "Milk in it."]


@pytest.mark.behaviour("J1")
def test_only_a_dream_closes_the_gate(folder: Folder) -> None:
    add(folder, [replace(FIRST, who="dream")], 1)
    assert not any(one.closes_gate for one in waiting(folder))
    add(folder, [PendingChange("a.md", None, base="x", group="dream 2026-04-07")], 1)
    assert [one.closes_gate for one in waiting(folder)] == [False, True]


def test_text_that_is_no_utf_8_comes_back(folder: Folder) -> None:
    text = b"caf\xe9".decode("utf-8", "surrogateescape")
    add(folder, [PendingChange("b.md", text, base="")], 1)
    assert accepted(folder, waiting(folder)) == {"b.md": ("", b"caf\xe9")}


def test_nothing_is_added_to_a_damaged_list(folder: Folder) -> None:
    folder.write(LIST, b'[{"file": ', 1)
    with pytest.raises(StoreError, match="cannot be read"):
        add(folder, [FIRST], 2)
    assert folder.read(LIST).data == b'[{"file": '
