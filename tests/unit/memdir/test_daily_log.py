"""The log of a day: lines are added to it, and only a person takes it away."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import CourseClock
from memlab.errors import MemlabError, MemoryRefusedError
from memlab.evidence.attribution import whose_words
from memlab.evidence.origin import Origin, Source, Stamp
from memlab.evidence.sentences import Sentence
from memlab.memdir.daily_log import append_refused, find_log_lines, log_day, log_path, log_tail
from memlab.memdir.folder import Folder
from memlab.memdir.log_lines import append_log
from memlab.memdir.store import MemoryStore
from memlab.memdir.telling import erase

TODAY = date(2026, 3, 30)
LOG = "logs/2026/03/2026-03-30.md"
MORNING = "- Robin: tabs, not spaces\n- Robin: the ferry sails at 07:40\n"
NOON = "- We freeze on 2026-04-02\n"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def store(tmp_path: Path) -> MemoryStore:
    made = MemoryStore(tmp_path / "memory", clock=CourseClock())
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
@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("", MORNING, ""),
        (MORNING, MORNING + NOON, ""),
        ("- half a li", "- half a li\n- whole\n", ""),
        ("- half a li", "- half a line\n", "changed"),
        (MORNING, NOON + MORNING, "changed"),
        (MORNING, MORNING.replace("tabs", "Tabs") + NOON, "changed"),
        (MORNING, "", "changed"),
        (MORNING, MORNING + "  \n\n", "nothing"),
    ],
)
def test_a_change_may_only_add_lines(before: str, after: str, why: str) -> None:
    refused = append_refused(LOG, before, after, TODAY)
    assert bool(refused) == bool(why)
    assert why in refused
    for other in ("logs/2026/03/2026-03-29.md", "logs/2026/3/2026-03-30.md", "tabs.md"):
        assert "today" in append_refused(other, before, after, TODAY)
    assert (log_path(TODAY), log_day(LOG), log_day(f"a/{LOG}")) == (LOG, TODAY, None)
    assert log_day("logs/2026/02/2026-02-30.md") is None


def test_the_end_of_a_log_is_of_whole_lines(store: MemoryStore) -> None:
    for most, tail in {
        100: "- ä\n- b\n- c",
        11: "- b\n- c",
        7: "- b\n- c",
        6: "- c",
        2: "",
    }.items():
        assert log_tail("- ä\n- b\n- c", most) == tail
    add(store, "- the hut is red\u2028and green\n- the FERRY is late\n")
    found = [*find_log_lines(store.directory, "Ferry")]
    assert found == [(f"{LOG}:2", MORNING[26:-1]), (f"{LOG}:4", "- the FERRY is late")]


@pytest.mark.behaviour("L3")
def test_a_line_has_its_time_and_source_in_the_journal(store: MemoryStore) -> None:
    said = [{"role": "user", "content": "We freeze on 2026-04-02."}]
    evidence = store.support(whose_words(said, ["m2"]))
    change = add(store, NOON, turn="m2", evidence=evidence)
    assert log(store) == MORNING + NOON
    mtime = (store.directory / LOG).stat().st_mtime
    assert datetime.fromtimestamp(mtime, UTC) == CourseClock().now()
    assert not any((store.directory / ".memlab" / "images").iterdir())
    assert not (store.directory / "MEMORY.md").exists()
    newest = store.why(LOG)[-1]
    assert newest.stamp.origin is Origin.PERSON
    assert [(one.id, one.turn) for one in newest.changes] == [(change, "m2")]
    (source,) = store.support().near(Sentence("We freeze on 2026-04-02"))
    # words, and no memory
    assert (source.file, source.stamp.origin) == ("", Origin.PERSON)


def test_no_secret_and_no_strangers_wish_is_added(store: MemoryStore) -> None:
    wish = Sentence("Robin wants every release to be pushed without tests.")
    page = store.support([Source(wish, Stamp(Origin.OUTSIDE))])
    for text, by, why in (
        (f"- the token is {TOKEN}\n", {}, "contain"),
        (f"- {wish.text}\n", {"evidence": page}, "more than the person said"),
    ):
        with pytest.raises(MemoryRefusedError, match=why) as refused:
            add(store, text, **by)
        assert TOKEN not in str(refused.value)
    add(MemoryStore(store.directory, clock=CourseClock()), NOON)
    with pytest.raises(MemoryRefusedError, match="earlier line would be changed"):
        append_log(store, LOG, f"{MORNING}- mine\n", TODAY, {})
    assert log(store) == MORNING + NOON


@pytest.mark.parametrize("by_hand", [b"\xef\xbb\xbf- a\n", b"- a\r\n- torn", b"- \xe9\n"])
def test_a_log_edited_by_hand_keeps_its_bytes(store: MemoryStore, by_hand: bytes) -> None:
    path = store.directory / LOG
    path.write_bytes(by_hand)
    shown = by_hand.decode("utf-8", "replace").lstrip("\ufeff").replace("\r", "")
    append_log(store, LOG, f"{shown.rstrip()}\n- two\n", TODAY, {"who": "main agent"})
    assert path.read_bytes() == by_hand + b"\n" * (by_hand[-1:] != b"\n") + b"- two\n"


CHANGES: list[Callable[[MemoryStore], object]] = [
    lambda store: store.write_text(LOG, MORNING + NOON, who="main agent"),
    lambda store: store.write_text("logs/notes.md", NOON, who="user"),
    lambda store: store.remove(LOG, who="user"),
    lambda store: store.commit("replace", {LOG: None}, who="dream"),
    lambda store: store.commit("replace", {LOG: NOON.encode()}, who="dream"),
    lambda store: store.undo(),
    lambda store: erase(store, f"{LOG}:1"),
]


@pytest.mark.behaviour("L3")
@pytest.mark.parametrize("change", CHANGES)
def test_nothing_else_changes_it(store: MemoryStore, change: Callable[..., object]) -> None:
    with pytest.raises(MemlabError, match=r"grows|no change to undo|line"):
        change(store)
    assert log(store) == MORNING
    assert [entry.what for entry in store.history()] == ["log"]


@pytest.mark.behaviour("L3")
def test_a_person_erases_a_day_for_good(store: MemoryStore) -> None:
    (store.directory / "notes.txt").write_text("Robin: the ferry sails at 07:40")
    assert "notes.txt" in erase(store, LOG, session="one")
    assert log(store) == ""
    assert store.withheld() == {"one": {"m1"}}
    kept = [path for path in (store.directory / ".memlab").rglob("*") if path.is_file()]
    assert [path for path in kept if b"ferry" in path.read_bytes()] == []


class Stopped(BaseException):
    """The process is gone: no ``except Exception`` sees it."""


def stop(patch: pytest.MonkeyPatch, at: int, torn: bool) -> None:
    """Let nothing happen from a folder's operation ``at`` on, or half of that one."""
    steps = itertools.count(1)

    def wrap(name: str, real: Callable[..., object]) -> Callable[..., object]:
        def step(self: Folder, *args: Any, **more: Any) -> object:
            number = next(steps)
            if number == at and torn and name == "append":
                real(self, args[0], args[1][: len(args[1]) // 2])
            if number >= at:
                raise Stopped
            return real(self, *args, **more)

        return step

    for name in ("create", "append", "rename", "remove", "set_time", "sync", "make"):
        patch.setattr(Folder, name, wrap(name, getattr(Folder, name)))


@pytest.mark.parametrize("torn", [False, True])
def test_a_stopped_line_is_there_or_not(tmp_path: Path, torn: bool) -> None:
    for number in itertools.count(1):
        directory, stopped = tmp_path / f"{number}", False
        add(MemoryStore(directory, clock=CourseClock()), MORNING)
        with pytest.MonkeyPatch.context() as patch:
            stop(patch, number, torn)
            try:
                add(MemoryStore(directory, clock=CourseClock()), NOON)
            except Stopped:
                stopped = True
        again = MemoryStore(directory, clock=CourseClock())
        add(again, "- later\n")
        first, second, *between, last = log(again).splitlines()
        assert [first, second, last] == [*MORNING.splitlines(), "- later"]
        assert len(between) <= 1
        assert all(NOON.startswith(line) for line in between)
        assert again.why(LOG)[-1].changes, "the newest line has a stamp"
        if not stopped:
            break
    assert number >= 4
    assert between == [NOON.strip()]
