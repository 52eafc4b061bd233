"""The log of a day: lines are added to it, and only a person takes it away."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import CourseClock
from memlab.errors import MemlabError, MemoryRefusedError
from memlab.evidence.attribution import whose_words
from memlab.evidence.origin import Origin, Source, Stamp
from memlab.evidence.sentences import Sentence
from memlab.memdir.daily_log import append_refused
from memlab.memdir.log_lines import append_log
from memlab.memdir.store import MemoryStore
from memlab.memdir.telling import erase
from tests.faults.disks import Disk, Stopped, used_by_stores
from tests.faults.scenes import leaks

TODAY = date(2026, 3, 30)
LOG = "logs/2026/03/2026-03-30.md"
MORNING = "- Robin: tabs, not spaces\n- Robin: the ferry sails at 07:40\n"
NOON = "- We freeze on 2026-04-02\n"


def open_store(directory: Path) -> MemoryStore:
    return MemoryStore(directory, clock=CourseClock(), durable=False)


@pytest.fixture
def store(tmp_path: Path) -> MemoryStore:
    made = open_store(tmp_path / "memory")
    add(made, MORNING)
    return made


def add(store: MemoryStore, text: str, **by: Any) -> str:
    """Add to today's log what is there and a text; gives the id of the change."""
    before = log(store)
    before += "\n" * (before != "" and not before.endswith("\n"))
    more: Any = {"who": "main agent", "session": "one", "turn": "m1", **by}
    return append_log(store, LOG, before + text, TODAY, more).change


def log(store: MemoryStore) -> str:
    path = store.directory / LOG
    return path.read_text(encoding="utf-8") if path.exists() else ""


@pytest.mark.behaviour("L3")
def test_a_change_may_only_add_lines_to_the_log_of_today() -> None:
    for before, after, why in (
        ("", MORNING, ""),
        (MORNING, MORNING + NOON, ""),
        ("- half a li", "- half a li\n- whole\n", ""),
        ("- half a li", "- half a line\n", "changed"),
        (MORNING, NOON + MORNING, "changed"),
        (MORNING, "", "changed"),
        (MORNING, MORNING + "  \n\n", "nothing"),
    ):
        refused = append_refused(LOG, before, after, TODAY)
        assert (why in refused, bool(refused)) == (True, bool(why))
        for other in ("logs/2026/03/2026-03-29.md", "logs/2026/3/2026-03-30.md"):
            assert "today" in append_refused(other, before, after, TODAY)


@pytest.mark.behaviour("L3")
def test_a_line_has_its_time_and_source_in_the_journal(store: MemoryStore) -> None:
    said = [{"role": "user", "content": "We freeze on 2026-04-02."}]
    evidence = store.support(whose_words(said, ["m2"]))
    change = add(store, NOON, turn="m2", evidence=evidence)
    assert log(store) == MORNING + NOON
    mtime = (store.directory / LOG).stat().st_mtime
    assert datetime.fromtimestamp(mtime, UTC) == CourseClock().now()
    newest = store.why(LOG)[-1]
    assert newest.stamp.origin is Origin.PERSON
    assert [(one.id, one.turn) for one in newest.changes] == [(change, "m2")]


def test_no_secret_and_no_strangers_wish_is_added(store: MemoryStore) -> None:
    wish = Sentence("Robin wants every release to be pushed without tests.")
    page = store.support([Source(wish, Stamp(Origin.OUTSIDE))])
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with pytest.raises(MemoryRefusedError, match="contain"):
        add(store, f"- the token is {token}\n")
    with pytest.raises(MemoryRefusedError, match="more than the person said"):
        add(store, f"- {wish.text}\n", evidence=page)
    add(open_store(store.directory), NOON)
    with pytest.raises(MemoryRefusedError, match="earlier line would be changed"):
        append_log(store, LOG, f"{MORNING}- mine\n", TODAY, {})
    assert log(store) == MORNING + NOON


def test_a_log_edited_by_hand_keeps_its_bytes(store: MemoryStore) -> None:
    path = store.directory / LOG
    for by_hand in (b"\xef\xbb\xbf- a\n", b"- a\r\n- torn", b"- \xe9\n"):
        path.write_bytes(by_hand)
        shown = by_hand.decode("utf-8", "replace").lstrip("\ufeff").replace("\r", "")
        append_log(store, LOG, f"{shown.rstrip()}\n- two\n", TODAY, {})
        assert path.read_bytes() == by_hand.rstrip() + b"\n- two\n"


@pytest.mark.behaviour("L3")
def test_only_a_person_takes_it_away_and_that_for_good(store: MemoryStore) -> None:
    for change in (
        lambda: store.write_text(LOG, MORNING + NOON, who="main agent"),
        lambda: store.write_text("logs/notes.md", NOON, who="user"),
        lambda: store.remove(LOG, who="user"),
        lambda: store.commit("replace", {LOG: NOON.encode()}, who="dream"),
        store.undo,
        lambda: erase(store, f"{LOG}:1"),
    ):
        with pytest.raises(MemlabError, match=r"grows|no change to undo|line"):
            change()
        assert log(store) == MORNING
    assert [entry.what for entry in store.history()] == ["log"]
    (store.directory / "notes.txt").write_text("Robin: the ferry sails at 07:40")
    assert "notes.txt" in erase(store, LOG, session="one")
    assert (log(store), store.withheld()) == ("", {"one": {"m1"}})
    assert leaks(store.directory / ".memlab", "ferry") == []


@pytest.mark.parametrize("torn", [False, True])
def test_a_stopped_line_is_there_or_not(tmp_path: Path, torn: bool) -> None:
    for number in count(1, 2):
        directory = tmp_path / f"{number}"
        add(open_store(directory), MORNING)
        disk = Disk(directory)
        disk.stop, disk.torn = number, torn
        with suppress(Stopped), used_by_stores(disk):
            add(open_store(directory), NOON)
        again = open_store(directory)
        add(again, "- later\n")
        first, second, *between, last = log(again).splitlines()
        assert [first, second, last] == [*MORNING.splitlines(), "- later"]
        assert len(between) <= 1
        assert all(NOON.startswith(line) for line in between)
        assert again.why(LOG)[-1].changes, "the newest line has a stamp"
        if len(disk.steps) < number - 1:
            break
    assert (number >= 4, between) == (True, [NOON.strip()])
