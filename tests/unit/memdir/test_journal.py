"""The journal as a file: whole lines count, a torn one does not, a damaged one stops everything."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from memlab.bridge import RealFiles
from memlab.errors import StoreError
from memlab.memdir.journal import ERASED, VERSION, Change, Entry, Journal, redact


def entry(number: int, file: str = "a.md", **more: object) -> Entry:
    change = Change(file, f"hash{number - 1}", f"hash{number}", 1, 2)
    fields = {"changes": (change,), **more}
    return Entry(f"c{number}", "2026-03-30T09:00:00Z", "user", "write", **fields)  # type: ignore[arg-type]


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "journal.jsonl", RealFiles())


def add(journal: Journal, *entries: Entry) -> None:
    for one in entries:
        journal.append(asdict(one))
        journal.append({"applied": one.id})
    assert journal.read() is False


def test_what_is_appended_reads_back(journal: Journal) -> None:
    written = [entry(1, "ö\udcff.md", session="s", reason="because"), entry(2)]
    add(journal, *written)
    assert journal.entries == written
    again = Journal(journal.path, RealFiles())
    again.read()
    assert again.entries == written


def test_no_journal_is_an_empty_one(journal: Journal) -> None:
    assert journal.read() is False
    assert journal.entries == []
    assert not journal.path.exists()


def test_a_change_is_pending_until_it_is_said_to_be_carried_out(journal: Journal) -> None:
    journal.append(asdict(entry(1)))
    journal.read()
    assert journal.pending == entry(1)
    journal.append({"applied": "c1", "kept": {"a.md": "hash9"}})
    journal.read()
    assert journal.pending is None
    assert journal.entries[0].kept == {"a.md": "hash9"}


def test_a_torn_line_is_not_there_wherever_it_was_torn(journal: Journal) -> None:
    add(journal, entry(1))
    size = journal.size
    journal.append(asdict(entry(2)))
    whole = journal.path.read_bytes()
    for end in range(size + 1, len(whole)):
        journal.path.write_bytes(whole[:end])
        assert journal.read() is True
        assert journal.entries == [entry(1)]
        assert journal.size == size
    journal.path.write_bytes(whole)
    assert journal.read() is False
    assert journal.entries == [entry(1), entry(2)]


def test_a_last_line_of_which_the_disk_kept_only_the_end_is_torn_too(journal: Journal) -> None:
    add(journal, entry(1))
    journal.path.write_bytes(journal.path.read_bytes() + b"\0" * 100 + b'"}\n')
    assert journal.read() is True
    assert journal.entries == [entry(1)]


def test_a_torn_line_can_be_cut_off(journal: Journal) -> None:
    add(journal, entry(1))
    whole = journal.path.read_bytes()
    journal.path.write_bytes(whole + b'{"id": "c2", "at')
    journal.read()
    journal.cut(journal.size)
    assert journal.path.read_bytes() == whole


@pytest.mark.parametrize(
    "line", [b"not json\n", b"[]\n", b'{"id": "c7"}\n', b'{"applied": "c1"}\n']
)
def test_a_damaged_line_in_the_middle_is_told_by_its_number(journal: Journal, line: bytes) -> None:
    add(journal, entry(1), entry(2))
    lines = journal.path.read_bytes().splitlines(keepends=True)
    place = 0 if b"applied" in line else 2
    journal.path.write_bytes(b"".join([*lines[:place], line, *lines[place:]]))
    for fresh in (Journal(journal.path, RealFiles()), journal):
        for _ in range(2):
            with pytest.raises(StoreError, match=rf"journal.jsonl:{place + 1}: .*damaged") as error:
                fresh.read()
            assert error.value.do


def test_a_journal_that_was_replaced_is_read_anew(journal: Journal) -> None:
    add(journal, entry(1), entry(2))
    journal.path.unlink()
    assert journal.read() is False
    assert journal.entries == []
    add(journal, entry(3))
    assert journal.entries == [entry(3)]


def test_reading_on_takes_only_what_is_new(journal: Journal) -> None:
    add(journal, entry(1))
    first = journal.entries[0]
    other = Journal(journal.path, RealFiles())
    add(other, entry(2))
    journal.read()
    assert journal.entries[0] is first
    assert journal.entries[1] == entry(2)


def test_a_forgotten_file_leaves_no_hash_to_look_for(journal: Journal) -> None:
    index = Change("MEMORY.md", "index0", "index1")
    both = entry(1, changes=(Change("a.md", "", "secret"), index), kept={"a.md": "by hand"})
    other = entry(2, "b.md")
    forget = entry(3, changes=(), forgets="a.md", swaps={"index1": "clean"})
    add(journal, both, other)
    assert ("a.md", "secret") in journal.entries[0].hashes()
    add(journal, forget)
    assert journal.entries[0].hashes() == {
        ("a.md", ERASED),
        ("MEMORY.md", "index0"),
        ("MEMORY.md", "clean"),
    }
    assert journal.entries[0].changes[0].before == "", "that it was not there is no content"
    assert journal.entries[1] == other


def test_the_newest_change_that_still_stands_is_the_one_to_undo(journal: Journal) -> None:
    add(journal, entry(1), entry(2))
    assert journal.standing()[0].id == "c2"
    add(journal, entry(3, undoes="c2"))
    found, later = journal.standing()
    assert (found.id, later) == ("c1", []), "what was undone since does not count"
    add(journal, entry(4, undoes="c3"))
    assert journal.standing()[0].id == "c2", "an undone undo does not count either"
    assert [one.id for one in journal.standing("c1")[1]] == ["c2"]
    assert [one.id for one in journal.standing("c3")[1]] == ["c4"]


@pytest.mark.parametrize("wanted", ["", "c9", "c1"])
def test_where_nothing_can_be_undone_it_says_so(journal: Journal, wanted: str) -> None:
    add(journal, entry(1, forgets="a.md"))
    with pytest.raises(StoreError, match="no change to undo"):
        journal.standing(wanted)


# Versions, and fields of other versions


def lines(journal: Journal) -> list[dict[str, object]]:
    return [json.loads(line) for line in journal.path.read_bytes().splitlines()]


def test_a_journal_records_its_version_once(journal: Journal) -> None:
    for one in (entry(1), entry(2)):
        add(journal, one)
    versions = [line["version"] for line in lines(journal) if "version" in line]
    assert versions == [VERSION]
    assert Journal(journal.path, RealFiles()).version == 1, "until it is read"
    assert journal.version == VERSION


def test_a_journal_of_the_first_version_is_read_and_gets_a_version_at_its_next_entry(
    journal: Journal,
) -> None:
    add(journal, entry(1))
    old = b"".join(journal.path.read_bytes().splitlines(keepends=True)[1:])
    journal.path.write_bytes(old)
    again = Journal(journal.path, RealFiles())
    assert again.read() is False
    assert (again.entries, again.version) == ([entry(1)], 1)
    add(again, entry(2))
    assert journal.path.read_bytes().startswith(old), "nothing is rewritten"
    assert (again.entries, again.version) == ([entry(1), entry(2)], VERSION)


def test_a_newer_version_is_refused_with_what_to_do(journal: Journal) -> None:
    add(journal, entry(1))
    with journal.path.open("a") as file:
        file.write(f'{{"version": {VERSION + 1}}}\n{{"something": "new"}}\n')
    before = journal.path.read_bytes()
    for fresh in (Journal(journal.path, RealFiles()), journal):
        for _ in range(2):
            with pytest.raises(StoreError, match="newer memlab wrote this journal") as error:
                fresh.read()
            assert "Update memlab" in error.value.do
            assert "damaged" not in str(error.value)
    assert journal.path.read_bytes() == before


def test_fields_of_a_later_memlab_are_kept_even_when_the_journal_is_rewritten(
    journal: Journal,
) -> None:
    record = asdict(entry(1))
    record["origin"] = {"sentences": ["user", "web"], "file": "a.md"}
    record["changes"][0]["mode"] = 0o640
    journal.append(record)
    journal.append({"applied": "c1", "by": "a later memlab"})
    assert journal.read() is False
    assert journal.entries == [entry(1)], "what is known of it is read"
    forget = entry(2, "b.md", forgets="b.md")
    journal.rewrite([redact(line, forget, lambda text: False) for line in journal.records()])
    kept = lines(journal)
    assert kept[1]["origin"] == record["origin"]
    assert kept[1]["changes"][0]["mode"] == 0o640  # type: ignore[index]
    assert kept[2]["by"] == "a later memlab"
    assert journal.entries == [entry(1)]


def test_a_field_of_a_later_memlab_hides_no_words_of_a_forgotten_memory(journal: Journal) -> None:
    record = asdict(entry(1)) | {"note": "about a.md", "of": {"a.md": "x"}, "turn": "t-a"}
    forget = entry(2, forgets="a.md")
    redacted = json.dumps(redact(record, forget, lambda text: "a.md" in text))
    assert "a.md" not in redacted.replace(forget.alias, "")
    assert "t-a" in redacted
