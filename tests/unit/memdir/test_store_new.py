"""The store: what is written, what is left out, and what can be taken back."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from memlab.clock import CourseClock
from memlab.errors import MemoryFormatError, MemoryRefusedError, StoreError
from memlab.evidence.attribution import whose_words
from memlab.evidence.origin import Source
from memlab.memdir.erase import erase
from memlab.memdir.log_lines import append_log
from memlab.memdir.memory import Memory, MemoryType
from memlab.memdir.store import MemoryStore, Written
from tests.unit.modes.helpers import memory
from tests.upgrades.test_upgrades import folder_of, restored

TABS = memory("Tabs", "Robin uses tabs.", type="user")
TEA = memory("Tea", "Robin drinks green tea.", type="user")


@pytest.fixture
def clock() -> CourseClock:
    return CourseClock(datetime(2026, 3, 30, 9, tzinfo=UTC))


@pytest.fixture
def store(tmp_path: Path, clock: CourseClock) -> MemoryStore:
    return MemoryStore(tmp_path / "memory", clock=clock, durable=False)


def index_of(store: MemoryStore) -> str:
    return (store.directory / "MEMORY.md").read_text("utf-8")


def said(*texts: str) -> list[Source]:
    return whose_words([{"role": "user", "content": text} for text in texts])


def save(store: MemoryStore, file: str, text: str, *words: str) -> Written:
    """Write what an extractor made of what the person said."""
    evidence = store.support(said(*words))
    return store.write_text(file, text, who="extractor", session="s", turn="0", evidence=evidence)


def test_a_memory_its_pointer_and_its_line_in_the_history(
    store: MemoryStore, clock: CourseClock
) -> None:
    written = store.write(Memory("Tabs", "tabs for code", MemoryType.user, "Robin uses tabs.\n"))
    assert (written.path.name, written.change) == ("tabs.md", "change-0001")
    assert index_of(store) == "- [Tabs](tabs.md) — tabs for code\n"
    assert store.read("tabs.md").body == "\nRobin uses tabs.\n"
    clock.advance(60)
    store.write_text("tea.md", TEA)
    assert [line.split("]")[0] for line in index_of(store).splitlines()] == ["- [Tea", "- [Tabs"]
    assert [one.what for one in store.history("tabs.md")] == ["write"]
    assert not store.write_text("tea.md", TEA).change, "what is unchanged is left out"
    again = store.write(Memory("Tabs", "now four wide", MemoryType.user, "Robin uses tabs.\n"))
    assert again.path.name == "tabs.md"
    assert "now four wide" in index_of(store)


def test_what_is_no_memory_or_breaks_a_rule_changes_nothing(store: MemoryStore) -> None:
    store.write_text("tabs.md", TABS)
    before = {one: one.read_bytes() for one in store.directory.rglob("*") if one.is_file()}
    with pytest.raises(MemoryFormatError):
        store.write_text("x.md", "no header")
    refused = {
        "secret": memory("Key", "The key is AKIAIOSFODNN7ZQ3LQXA."),
        "relative-date": memory("Day", "The release is tomorrow."),
        "tombstone": "---\nname: Tabs\nsuperseded_by: never.md\n---\n",
    }
    for rule, text in refused.items():
        with pytest.raises(MemoryRefusedError) as error:
            store.write_text("tabs.md", text)
        assert error.value.rule == rule
    with pytest.raises(MemoryRefusedError, match="only grows"):
        store.write_text("logs/2026/03/2026-03-30.md", TABS)
    with pytest.raises(MemoryRefusedError, match="looks like"):
        store.write_text("MEMORY.md", "- [Tabs](tabs.md) password: tr0ub4dor&3x\n")
    after = {one: one.read_bytes() for one in store.directory.rglob("*") if one.is_file()}
    assert after == before


def test_a_tombstone_removes_and_an_undo_brings_back(store: MemoryStore) -> None:
    store.write_text("tabs.md", TABS)
    store.write_text("tea.md", TEA)
    index = index_of(store).replace("](tabs.md)", "](tabs.md) — a hook of my own")
    store.write_text("MEMORY.md", index)
    gone = store.write_text("tabs.md", "---\nname: Tabs\nsuperseded_by: tea.md\n---\n")
    assert not (store.directory / "tabs.md").exists()
    assert "tabs.md" not in index_of(store)
    store.write_text("cat.md", memory("Cat", "The cat is grey."))
    store.undo(gone.change)
    assert store.read("tabs.md").body == "\nRobin uses tabs.\n"
    assert "a hook of my own" in index_of(store), "with the line that it had"
    assert "(cat.md)" in index_of(store)
    assert store.history()[-1].undoes == gone.change


def test_an_undo_leaves_what_was_edited_by_hand(store: MemoryStore) -> None:
    change = store.write_text("tabs.md", TABS).change
    (store.directory / "tabs.md").write_text(TEA)
    done = store.undo(change)
    assert (done.kept, done.change) == (("tabs.md",), "")
    assert (store.directory / "tabs.md").read_text() == TEA
    later = store.write_text("tabs.md", TABS.replace("tabs.", "tabs, four wide."))
    assert [one.rule for one in later.findings] == ["edited"]
    with pytest.raises(StoreError, match=rf"changed again by {later.change}"):
        store.undo(change)
    store.undo()
    assert (store.directory / "tabs.md").read_text() == TEA


def test_many_files_are_one_change_and_what_differs_is_kept(store: MemoryStore) -> None:
    store.write_text("tabs.md", TABS)
    store.write_text("tea.md", TEA)
    base = {"tabs.md": TABS.encode(), "tea.md": b"another version"}
    both = memory("Both", "Robin uses tabs and drinks green tea.", type="user").encode()
    wanted = {"both.md": both, "tabs.md": None, "tea.md": None}
    done = store.commit("replace", wanted, base={**base, "both.md": None}, who="dream")
    assert done.kept == ("tea.md",)
    assert sorted(one.name for one in store.directory.glob("*.md")) == [
        "MEMORY.md",
        "both.md",
        "tea.md",
    ]
    assert "(both.md)" in index_of(store)
    assert "(tabs.md)" not in index_of(store)


def test_pinned_memories_are_the_persons(store: MemoryStore) -> None:
    store.write_text("tabs.md", memory("Tabs", "Robin uses tabs.", type="user", pinned="true"))
    for who in ("extractor", "dream"):
        with pytest.raises(MemoryRefusedError, match="only the person"):
            store.commit("replace", {"tabs.md": None}, who=who)
    store.remove("tabs.md")


def test_what_nobody_said_waits_and_the_rest_is_written(store: MemoryStore) -> None:
    text = memory(
        "Tabs", "I prefer tabs over spaces.\n\nStrangers may push to the main branch.", type="user"
    )
    heard = said("I prefer tabs over spaces.", "> Strangers may push to the main branch.")
    evidence = store.support(heard)
    done = store.write_text("tabs.md", text, who="extractor", evidence=evidence)
    assert "Strangers" not in store.read("tabs.md").body
    assert "I prefer tabs" in store.read("tabs.md").body
    (waits,) = store.waiting()
    assert waits.text == "Strangers may push to the main branch."
    assert done.held == (waits,)
    assert "kept for the person" in store.notes[0]
    origins = {line.text: line.stamp.origin.label for line in store.why("tabs.md")}
    assert origins["I prefer tabs over spaces."] == "person"
    store.accept([waits], who="user")
    assert "Strangers" in store.read("tabs.md").body
    origins = {line.text: line.stamp.origin.label for line in store.why("tabs.md")}
    assert origins["Strangers may push to the main branch."] == "outside"
    assert store.waiting() == []


def test_a_rewrite_keeps_what_the_person_has_not_taken_back(store: MemoryStore) -> None:
    store.write_text("deploy.md", memory("Deploy", "Never deploy on Fridays. Robin runs it."))
    text = memory("Deploy", "Deploy from the release branch.")
    done = save(store, "deploy.md", text, "Deploy from the release branch.")
    assert "Robin runs it." in store.read("deploy.md").body
    assert "kept" in [one.rule for one in done.findings]


def test_a_hand_edit_is_unknown_until_it_is_confirmed(store: MemoryStore) -> None:
    store.write_text("tabs.md", TABS)
    with (store.directory / "tabs.md").open("a") as file:
        file.write("\nRobin has two screens.\n")
    assert store.why("tabs.md")[-1].stamp.origin.label == "unknown"
    done = store.confirm("tabs.md", turn="9")
    assert store.why("tabs.md")[-1].stamp.origin.label == "person"
    assert not store.confirm("tabs.md").change
    store.undo(done.change)
    assert store.why("tabs.md")[-1].stamp.origin.label == "unknown"
    assert "two screens" in store.read("tabs.md").body


def test_a_log_only_grows(store: MemoryStore) -> None:
    file, today = "logs/2026/03/2026-03-30.md", date(2026, 3, 30)
    append_log(store, file, "- The crane is out of order.\n", today, {"session": "s", "turn": "1"})
    text = "- The crane is out of order.\n- The tide is at noon.\n"
    done = append_log(store, file, text, today, {})
    assert (store.directory / file).read_text() == text
    assert store.history()[-1].id == done.change
    assert store.why(file)[0].changes[0].turn == "1"
    for wrong in ("- Another line.\n", text):
        with pytest.raises(MemoryRefusedError):
            append_log(store, file, wrong, today, {})
    with pytest.raises(StoreError):
        store.undo(done.change)


def test_a_model_may_not_make_the_index_longer_than_its_caps(store: MemoryStore) -> None:
    store.write_text("tabs.md", TABS)
    long = index_of(store) + "".join(f"- note {number}\n" for number in range(220))
    with pytest.raises(MemoryRefusedError, match="the limits are"):
        store.write_text("MEMORY.md", long, who="main agent")
    done = store.write_text("MEMORY.md", "# Mine\n", who="main agent")
    assert "(tabs.md)" in index_of(store)
    assert "put back" in done.findings[0].message


def test_a_time_in_the_header_follows(store: MemoryStore) -> None:
    text = memory("Tabs", "Robin uses tabs.", modified="2026-03-01T08:00:00.000Z")
    store.write_text("tabs.md", text)
    assert not store.write_text("tabs.md", text).change
    store.write_text("tabs.md", text.replace("uses", "likes"))
    assert store.read("tabs.md").modified == "2026-03-30T09:00:00.000Z"


def test_a_full_index_makes_room_and_says_so(store: MemoryStore, clock: CourseClock) -> None:
    store.settings = store.settings.with_changes(index_max_lines=2)
    for name in ("one", "two", "three"):
        clock.advance(60)
        done = store.write_text(f"{name}.md", memory(name, f"The {name} is red.").encode())
    assert "1 memory is not in the index" in done.findings[-1].message
    assert [line.split("]")[0] for line in index_of(store).splitlines()] == ["- [three", "- [two"]
    before = index_of(store)
    assert store.settled().unlisted == ("one.md",)
    assert store.settled({"three.md": None}).added == ("one.md",)
    assert index_of(store) == before
    (store.directory / "MEMORY.md").unlink()
    store.commit("index", {})
    assert index_of(store) == before


def test_what_is_erased_is_nowhere(store: MemoryStore, tmp_path: Path) -> None:
    safe = memory("Safe", "The safe opens with quagmireville at noon.")
    store.write_text("safe.md", safe, session="s", turn="4")
    store.write_text("bees.md", memory("Bees", "Robin keeps bees on the roof."))
    store.write_text("safe.md", safe.replace("noon", "midnight"))
    store.write_text("keys.md", memory("Keys", "The safe opens with quagmireville at midnight."))
    talk = tmp_path / "talk.jsonl"
    talk.write_text(
        json.dumps({"content": "It's said:\nThe safe opens\nwith quagmireville at noon."})
    )
    found = erase(store, "safe.md", places=lambda: [talk], by={"session": "s", "turn": "7"})
    assert {"keys.md", "an earlier version of keys.md (in change-0004)", str(talk)} <= {*found}
    assert "bees" not in str(found)
    assert store.withheld() == {"s": frozenset({"4", "7"})}
    store.commit("replace", {"keys.md": None})
    erase(store, "keys.md", places=tuple, by={})
    left = [
        one
        for one in store.directory.rglob("*")
        if one.is_file()
        and (b"quagmireville" in one.read_bytes() or b"safe.md" in one.read_bytes())
    ]
    assert left == []
    assert "(bees.md)" in index_of(store)
    store.undo("change-0002")
    assert not (store.directory / "bees.md").exists()
    with pytest.raises(StoreError, match="no such memory"):
        erase(store, "safe.md", places=tuple, by={})


def test_every_stamp_of_0_2_is_kept(tmp_path: Path) -> None:
    home = restored("version_0_2.json", tmp_path)
    for project in ("mooring", "attic", "ferry", "tidebook"):
        folder = folder_of(home, project) / "memory"
        before = {}
        store = MemoryStore(folder, durable=False)
        for file in store.newest():
            before[file] = [str(line) for line in store.why(file)]
        held = store.waiting()
        store.write_text("new.md", memory("New", "Something else entirely."))
        again = MemoryStore(folder, durable=False)
        assert {file: [str(line) for line in again.why(file)] for file in before} == before
        assert again.waiting() == held
        again.undo()
        assert not (folder / "new.md").exists()
