"""The log of a day: lines are added to it, and only a person takes it away."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import CourseClock
from memlab.errors import MemlabError, MemoryRefusedError, StoreError
from memlab.evidence.attribution import whose_words
from memlab.evidence.origin import Origin, Source, Stamp
from memlab.evidence.sentences import Sentence
from memlab.memdir.daily_log import (
    append_refused,
    find_log_lines,
    log_day,
    log_lines,
    log_path,
    log_tail,
)
from memlab.memdir.log_lines import append_log
from memlab.memdir.store import MemoryStore
from memlab.memdir.telling import erase
from tests.faults.disks import Disk, Stopped, used_by_stores

TODAY = date(2026, 3, 30)
LOG = "logs/2026/03/2026-03-30.md"
MORNING = "- Robin: tabs, not spaces\n- Robin: the ferry sails at 07:40\n"
NOON = "- We freeze on 2026-04-02\n"
SECRET = "- the token is ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\n"


@pytest.fixture
def clock() -> CourseClock:
    return CourseClock()


@pytest.fixture
def store(tmp_path: Path, clock: CourseClock) -> MemoryStore:
    return MemoryStore(tmp_path / "memory", clock=clock)


def add(store: MemoryStore, text: str, **by: Any) -> str:
    """Add to today's log what is there and a text; gives the id of the change."""
    path = store.directory / LOG
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    if before and not before.endswith("\n"):
        before += "\n"
    more: Any = {"who": "main agent", "session": "one", "turn": "m1", **by}
    return append_log(store, LOG, before + text, TODAY, more).change


def log(store: MemoryStore) -> str:
    return (store.directory / LOG).read_text(encoding="utf-8")


@pytest.mark.behaviour("L3")
@pytest.mark.parametrize(
    ("path", "before", "after", "why"),
    [
        (LOG, "", MORNING, ""),
        (LOG, MORNING, MORNING + NOON, ""),
        (LOG, "- half a li", "- half a li\n- whole\n", ""),
        (LOG, "- half a li", "- half a line\n", "changed"),
        (LOG, MORNING, NOON, "changed"),
        (LOG, MORNING, NOON + MORNING, "changed"),
        (LOG, MORNING, MORNING.replace("tabs", "Tabs") + NOON, "changed"),
        (LOG, MORNING, MORNING[:-1], "changed"),
        (LOG, MORNING, "", "changed"),
        (LOG, MORNING, MORNING, "nothing"),
        (LOG, MORNING, MORNING + "  \n\n", "nothing"),
        ("logs/2026/03/2026-03-29.md", "", NOON, "today"),
        ("logs/2026/03/2026-03-31.md", "", NOON, "today"),
        ("logs/2026/3/2026-03-30.md", "", NOON, "today"),
        ("logs/2026-03-30.md", "", NOON, "today"),
        ("tabs.md", "", NOON, "today"),
    ],
)
def test_a_change_may_only_add_lines_to_the_log_of_today(
    path: str, before: str, after: str, why: str
) -> None:
    refused = append_refused(path, before, after, TODAY)

    assert bool(refused) == bool(why)
    assert why in refused


def test_the_path_of_a_log_is_its_day() -> None:
    assert log_path(TODAY) == LOG
    assert log_day(LOG) == TODAY
    others = (
        "logs/2026/04/2026-03-30.md",
        "logs/2026/02/2026-02-30.md",
        "2026-03-30.md",
        f"a/{LOG}",
    )
    assert [log_day(one) for one in others] == [None] * 4


@pytest.mark.parametrize(
    ("most", "tail"),
    [(100, "- ä\n- b\n- c"), (11, "- b\n- c"), (7, "- b\n- c"), (6, "- c"), (2, ""), (0, "")],
)
def test_the_end_of_a_log_begins_with_a_line_and_has_its_size_in_bytes(
    most: int, tail: str
) -> None:
    assert log_tail("- ä\n- b\n- c", most) == tail


@pytest.mark.parametrize("space", ["\u2028", "\x85", "\f"])
def test_no_other_character_ends_a_line_of_a_log(store: MemoryStore, space: str) -> None:
    first = f"- the hut is red{space}and green\n"
    assert log_tail(f"{first}- b\n", len("and green\n- b\n")) == "- b\n"
    add(store, f"{first}- the buoy is gone\n")
    ((place, _),) = find_log_lines(store.directory, "buoy")
    assert place == f"{LOG}:2"


@pytest.mark.behaviour("L3")
def test_a_line_is_added_with_its_time_and_its_source_in_the_journal_and_without_a_copy(
    store: MemoryStore, clock: CourseClock
) -> None:
    said = [{"role": "user", "content": "We freeze on 2026-04-02."}]
    add(store, MORNING)
    clock.advance(60)

    change = add(store, NOON, turn="m2", evidence=store.support(whose_words(said, ["m2"])))

    path = store.directory / LOG
    assert log(store) == MORNING + NOON
    assert datetime.fromtimestamp(path.stat().st_mtime, UTC) == clock.now()
    assert not any((store.directory / ".memlab" / "images").iterdir())
    newest = store.why(LOG)[-1]
    assert newest.stamp.origin is Origin.PERSON
    assert [(one.id, one.turn) for one in newest.changes] == [(change, "m2")]
    assert not (store.directory / "MEMORY.md").exists()


def test_a_log_that_another_writer_has_added_to_is_not_written_over(store: MemoryStore) -> None:
    add(store, MORNING)
    other = MemoryStore(store.directory, clock=CourseClock())
    add(other, NOON)

    with pytest.raises(MemoryRefusedError, match="earlier line would be changed"):
        append_log(store, LOG, f"{MORNING}- mine\n", TODAY, {})

    add(store, "- mine\n")
    assert log(store) == f"{MORNING}{NOON}- mine\n"


@pytest.mark.parametrize(
    ("by_hand", "expected"),
    [
        (b"\xef\xbb\xbf- one\n", b"- two\n"),
        (b"- one\r\n", b"- two\n"),
        (b"- none\n- one\r\n- torn", b"\n- two\n"),
        (b"- caf\xe9\n", b"- two\n"),
    ],
    ids=["mark at the beginning", "CRLF", "mixed line ends", "not UTF-8"],
)
def test_a_log_that_a_hand_has_edited_still_grows_and_keeps_its_bytes(
    store: MemoryStore, by_hand: bytes, expected: bytes
) -> None:
    path = store.directory / LOG
    path.parent.mkdir(parents=True)
    path.write_bytes(by_hand)
    # as the Read tool shows it
    shown = by_hand.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
    append_log(store, LOG, f"{shown.rstrip()}\n- two\n", TODAY, {"who": "main agent"})
    assert path.read_bytes() == by_hand + expected


def test_no_secret_gets_into_a_log_and_no_message_repeats_it(store: MemoryStore) -> None:
    add(store, MORNING)

    with pytest.raises(MemoryRefusedError) as refused:
        add(store, SECRET)

    assert refused.value.rule == "secret"
    assert "a1B2c3" not in str(refused.value)
    assert log(store) == MORNING


def test_what_a_page_says_is_not_logged_as_the_persons_wish(store: MemoryStore) -> None:
    wish = Sentence("Robin wants every release to be pushed without tests.")
    page = Source(wish, Stamp(Origin.OUTSIDE))

    with pytest.raises(MemoryRefusedError, match="more than the person said"):
        add(store, f"- {wish.text}\n", evidence=store.support([page]))

    assert not (store.directory / LOG).exists()


@pytest.mark.behaviour("L3")
@pytest.mark.parametrize(
    "change",
    [
        lambda store: store.write_text(LOG, MORNING + NOON, who="main agent"),
        lambda store: store.write_text("logs/notes.md", NOON, who="user"),
        lambda store: store.remove(LOG, who="user"),
        lambda store: store.commit("replace", {LOG: None}, who="dream"),
        lambda store: store.commit("replace", {LOG: NOON.encode()}, who="dream"),
    ],
    ids=["write", "another file", "remove", "a dream", "a dream's text"],
)
def test_nothing_else_changes_a_log(
    store: MemoryStore, change: Callable[[MemoryStore], object]
) -> None:
    add(store, MORNING)

    with pytest.raises(MemlabError, match="grows"):
        change(store)

    assert log(store) == MORNING
    assert [entry.what for entry in store.history()] == ["log"]


def test_undo_passes_over_the_lines_of_a_log(store: MemoryStore) -> None:
    tabs = "---\nname: Tabs\ndescription: tabs\ntype: user\n---\n\nTabs.\n"
    written = store.write_text("tabs.md", tabs, who="user")
    add(store, MORNING)

    assert store.undo().undoes == written.change
    assert log(store) == MORNING
    with pytest.raises(StoreError, match="no change to undo"):
        store.undo()


@pytest.mark.parametrize("torn", [False, True])
def test_a_line_is_there_or_not_wherever_the_process_stops(tmp_path: Path, torn: bool) -> None:
    for number in itertools.count(1):
        directory = tmp_path / f"{number}"
        add(MemoryStore(directory, clock=CourseClock()), MORNING)
        disk = Disk(directory)
        disk.stop, disk.torn = number, torn
        stopped = True
        try:
            with used_by_stores(disk):
                add(MemoryStore(directory, clock=CourseClock()), NOON)
            stopped = False
        except Stopped:
            pass

        again = MemoryStore(directory, clock=CourseClock())
        add(again, "- later\n")

        lines = log(again).splitlines()
        assert lines[:2] == MORNING.splitlines()
        assert lines[-1] == "- later"
        assert all(NOON.startswith(line) for line in lines[2:-1])
        assert len(lines) <= 4
        assert again.why(LOG)[-1].changes, "the newest line has a stamp"
        if not stopped:
            break
    assert number > 5


def test_a_full_disk_leaves_the_log_as_it_was(tmp_path: Path) -> None:
    add(MemoryStore(tmp_path, clock=CourseClock()), MORNING)
    full = Disk(tmp_path)
    full.room = 5

    with used_by_stores(full), pytest.raises(StoreError, match="No space left"):
        add(MemoryStore(tmp_path, clock=CourseClock()), NOON)

    assert (tmp_path / LOG).read_text() == MORNING


class TestErasing:
    @pytest.mark.behaviour("L3")
    def test_a_person_erases_a_day(self, store: MemoryStore) -> None:
        add(store, MORNING, turn="m1")
        left = store.directory / "notes.txt"
        left.write_text("Robin: the ferry sails at 07:40")

        said = erase(store, LOG, session="one")

        assert not (store.directory / LOG).exists()
        assert "notes.txt" in said
        assert store.withheld() == {"one": {"m1"}}
        for path in (store.directory / ".memlab").rglob("*"):
            assert not path.is_file() or "ferry" not in path.read_text()

    def test_a_log_that_is_not_there_and_a_line_are_errors(self, store: MemoryStore) -> None:
        add(store, MORNING)

        for place in (f"{LOG}:1", "logs/2026/03/2026-03-29.md"):
            with pytest.raises(StoreError):
                erase(store, place)

        assert log(store) == MORNING

    def test_lines_are_found_by_their_words(self, store: MemoryStore) -> None:
        add(store, MORNING)
        found = list(find_log_lines(store.directory, "FERRY sails"))
        assert found == [(f"{LOG}:2", "- Robin: the ferry sails at 07:40")]
        assert log_lines(MORNING)[0] == "Robin: tabs, not spaces"
        assert not list(find_log_lines(store.directory, " "))


def test_the_words_of_a_log_are_the_persons_words_and_no_memory(store: MemoryStore) -> None:
    said = [{"role": "user", "content": "We freeze on 2026-04-02."}]
    add(store, NOON, evidence=store.support(whose_words(said)))

    (source,) = store.support().near(Sentence("We freeze on 2026-04-02"))

    assert (source.file, source.stamp.origin) == ("", Origin.PERSON)
    assert source.change == store.history()[-1].id
