"""The store as its users see it: one write path, a history, undo, and nothing lost by the way."""

from __future__ import annotations

import errno
import json
import os
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import CourseClock
from memlab.errors import (
    MemlabError,
    MemoryPathError,
    MemoryRefusedError,
    StoreError,
)
from memlab.evidence.attribution import whose_words
from memlab.evidence.origin import Source
from memlab.memdir import telling
from memlab.memdir.doctor import diagnose
from memlab.memdir.erase import erase
from memlab.memdir.folder import Folder
from memlab.memdir.index import parse_pointers
from memlab.memdir.memory import Memory, MemoryType, format_memory
from memlab.memdir.rules import Finding
from memlab.memdir.scan import scan_memory_files
from memlab.memdir.store import MemoryStore, Written
from memlab.settings import Settings
from tests.faults.disks import in_memory, tree
from tests.platforms import needs_file_modes, needs_fork, needs_links, needs_pipes
from tests.unit.modes.helpers import memory as memory_text

NS = 1_000_000_000
TABS = memory_text("Tabs", "Robin uses tabs.", type="user")
TEA = memory_text("Tea", "Robin drinks green tea.", type="user")


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Stand in for pytest's own: these tests write thousands of files, and no disk is needed."""
    with tempfile.TemporaryDirectory(dir=in_memory(), prefix="memlab-tests-") as name:
        yield Path(name)


@pytest.fixture
def clock() -> CourseClock:
    return CourseClock()


@pytest.fixture
def store(tmp_path: Path, clock: CourseClock) -> MemoryStore:
    return Unchecked(tmp_path / "memory", clock=clock)


class Unchecked(MemoryStore):
    """A store without rules."""

    def __init__(self, directory: Path, **more: Any) -> None:
        super().__init__(directory, durable=False, **{"clock": CourseClock(), **more})

    def check(self, memory: Memory, others: Sequence[Memory], known: str) -> Sequence[Finding]:
        return ()


def memory(name: str, text: str = "text", **more: Any) -> Memory:
    fields = {"description": f"about {name}", "type": MemoryType.user, **more}
    return Memory(name, body=f"\n{text}\n", **fields)


def index(store: MemoryStore) -> str:
    return (store.directory / "MEMORY.md").read_bytes().decode()


def mtime(store: MemoryStore, file: str) -> int:
    return (store.directory / file).stat().st_mtime_ns


def leaks(directory: Path, word: str) -> list[str]:
    """Name each file with the word in its name or its bytes."""
    found = [path for path in directory.rglob("*") if path.is_file()]
    return [str(path) for path in found if word in path.name or word.encode() in path.read_bytes()]


def everything(store: MemoryStore) -> dict[str, tuple[bytes, int]]:
    """Give all files there are, those of ``.memlab`` included, but for who last held the guard."""
    found = tree(store.directory)
    for path in sorted((store.directory / ".memlab").rglob("*")):
        if path.is_file() and path.name != "guard.lock":
            found[path.name] = (path.read_bytes(), path.stat().st_mtime_ns)
    return found


# Writing


@pytest.mark.behaviour("O2")
def test_times_come_from_the_clock_to_the_microsecond(
    store: MemoryStore, clock: CourseClock
) -> None:
    clock.advance(0.000_001)
    store.write(memory("Tabs"))
    now = int(clock.now().replace(microsecond=0).timestamp()) * NS + 1_000
    assert mtime(store, "tabs.md") == mtime(store, "MEMORY.md") == now


@pytest.mark.behaviour("A7")
def test_the_same_name_is_the_same_file_and_one_slug_may_be_two(store: MemoryStore) -> None:
    first = store.write(memory("Tide times")).path
    assert store.write(memory("Tide times", "newer")).path == first
    assert store.write(memory("tide-times")).path != first
    assert store.read(first.name).body == "\nnewer\n"


def test_a_memory_goes_back_to_the_file_it_came_from(store: MemoryStore) -> None:
    store.write_text("odd name, kept.md", "---\nname: Tabs\ndescription: d\n---\nx\n")
    found = store.read("odd name, kept.md")
    assert store.write(replace(found, name="Spaces")).path.name == "odd name, kept.md"
    assert sorted(tree(store.directory)) == ["MEMORY.md", "odd name, kept.md"]


def test_opening_a_directory_that_is_not_there_makes_none(tmp_path: Path) -> None:
    assert MemoryStore(tmp_path / "none").history() == []
    assert not (tmp_path / "none").exists()


def test_memlabs_own_folder_is_private_and_holds_no_markdown(store: MemoryStore) -> None:
    store.write(memory("Tabs"))
    home = store.directory / ".memlab"
    assert not list(home.rglob("*.md"))
    if os.name != "nt":
        assert stat.S_IMODE(home.stat().st_mode) == 0o700


@needs_file_modes
def test_a_rewrite_keeps_who_may_read_a_file(store: MemoryStore) -> None:
    path = store.write(memory("Tabs")).path
    for mode in (0o600, 0o664):
        path.chmod(mode)
        store.write(memory("Tabs", f"{mode}"))
        assert stat.S_IMODE(path.stat().st_mode) == mode


def test_the_hook_follows_the_description_until_a_person_writes_one(store: MemoryStore) -> None:
    store.write(memory("Tabs"))
    store.write(replace(store.read("tabs.md"), description="four wide"))
    assert index(store) == "- [Tabs](tabs.md) — four wide\n"
    store.write_text("MEMORY.md", "- [Tabs](tabs.md) — NEVER spaces\n")
    store.write(replace(store.read("tabs.md"), description="eight wide"))
    assert index(store) == "- [Tabs](tabs.md) — NEVER spaces\n"


def test_a_memory_that_cannot_be_read_keeps_its_line(store: MemoryStore) -> None:
    store.write_text("tabs.md", TABS)
    index = (store.directory / "MEMORY.md").read_text()
    (store.directory / "tabs.md").write_text(f"<<<<<<< HEAD\n{TABS}=======\n>>>>>>> theirs\n")
    store.commit("index", {})
    assert (store.directory / "MEMORY.md").read_text() == index
    (store.directory / "tabs.md").write_text(TABS.replace("uses tabs", "uses spaces"))
    store.commit("index", {})
    assert "uses spaces" in (store.directory / "MEMORY.md").read_text()


def test_an_index_that_is_not_utf_8_keeps_its_bytes(store: MemoryStore) -> None:
    store.write(memory("Tabs"))
    path = store.directory / "MEMORY.md"
    path.write_bytes(path.read_bytes() + b"caf\xe9 \r\n")
    store.write(memory("Tides"))
    assert path.read_bytes().endswith(b"caf\xe9 \r\n")


# Checks


class Refusing(MemoryStore):
    def check(self, memory: Memory, others: Sequence[Memory], known: str) -> list[Finding]:
        found = [Finding("odd", "flag", f"beside {[other.name for other in others]}")]
        for word, do in (("bad", "Make it good"), ("worse", "")):
            if word in memory.body:
                found.append(Finding(word, "refuse", f"it is {word}", do))
        return found


def test_a_refused_write_changes_nothing_and_says_all_that_is_wrong(tmp_path: Path) -> None:
    store = Refusing(tmp_path / "memory", durable=False)
    store.write(memory("Tabs"))
    before = everything(store)
    with pytest.raises(
        MemoryRefusedError, match=r"tabs.md: it is bad; it is worse. Make it good"
    ) as e:
        store.write(memory("Tabs", "bad and worse"))
    assert e.value.rule == "bad"
    with pytest.raises(MemoryRefusedError):
        store.commit(
            "replace", {"a.md": b"---\nname: A\n---\nfine\n", "b.md": b"---\nname: B\n---\nbad\n"}
        )
    assert everything(store) == before


def test_flags_come_back_and_a_memory_is_not_held_against_itself(tmp_path: Path) -> None:
    store = Refusing(tmp_path / "memory", durable=False)
    store.write(memory("Tides"))
    store.write(memory("Tabs"))
    written = store.write(memory("Tabs", "newer"))
    assert [finding.message for finding in written.findings] == ["beside ['Tides']"]


def test_the_courses_own_checks_are_the_default(tmp_path: Path) -> None:
    store = MemoryStore(tmp_path / "memory")
    with pytest.raises(MemoryRefusedError) as error:
        store.write(memory("Tabs", type=None))
    assert error.value.rule == "type"


# Tombstones and the index as the tools write them


@pytest.mark.behaviour("B6")
@pytest.mark.parametrize("heir", ["tabs.md", "gone.md", "../tabs.md", "MEMORY.md", "spaces"])
def test_a_tombstone_must_name_another_memory(store: MemoryStore, heir: str) -> None:
    store.write(memory("Tabs"))
    with pytest.raises(MemoryRefusedError, match="no other memory"):
        store.write_text("tabs.md", f"---\nname: Tabs\nsuperseded_by: {heir}\n---\n")
    assert store.read("tabs.md").body == "\ntext\n"


def test_what_is_missing_is_looked_for_in_the_index_or_among_the_logs(store: MemoryStore) -> None:
    for file in ("tabs.md", "logs/2026/03/2026-03-29.md"):
        with pytest.raises(StoreError, match=r"no such memory\. Look for .* in logs$"):
            erase(store, file, places=tuple, by={})


def test_a_folder_that_may_not_be_listed_is_named_with_what_to_do(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after ``chmod 000 team``: no permission stops the user who runs the tests here."""
    store.write(memory("Tabs"))
    team = store.directory / "team"
    team.mkdir()

    def closed(folder: Folder, failed: list[Any], *more: object) -> Iterator[Any]:
        if "tabs.md" in os.listdir(folder.path):
            failed.append(("team/", PermissionError(errno.EACCES, "Permission denied", "team")))
        return iter(())

    monkeypatch.setattr(Folder, "walk", closed)
    monkeypatch.setattr(os, "access", lambda path, mode: path != team)
    with pytest.raises(StoreError) as raised:
        store.write(memory("Tides"))
    assert str(raised.value) == f"{team}: Permission denied. Give yourself the right to read it"


def test_a_tombstone_over_nothing_is_an_error(store: MemoryStore) -> None:
    with pytest.raises(StoreError, match="no such memory"):
        store.write_text("tabs.md", "---\nname: Tabs\ndropped: gone\n---\n")


def test_a_tombstone_with_a_body_is_a_memory_and_not_carried_out(store: MemoryStore) -> None:
    store.write_text("tabs.md", "---\nname: Tabs\ndropped: really\n---\nstill here\n")
    assert store.read("tabs.md").body == "still here\n"


@pytest.mark.behaviour("B5")
def test_an_edit_of_the_index_changes_its_words_and_not_what_it_points_to(
    store: MemoryStore,
) -> None:
    store.write(memory("Tabs"))
    store.write(memory("Tides"))
    new = "# Robin\n- [Tabs](tabs.md) — mine\n- [Tabs](tabs.md) — twice\n- [X](x.md)\n"
    written = store.write_text("MEMORY.md", new, who="main agent")
    assert index(store) == (
        "# Robin\n- [Tides](tides.md) — about Tides\n- [Tabs](tabs.md) — mine\n"
    )
    said = [finding.message for finding in written.findings]
    assert [text.split(":")[0] for text in said] == ["tabs.md", "x.md", "tides.md"]
    store.undo()
    assert index(store).startswith("- [Tides]")


def test_a_tombstone_removes_and_an_undo_brings_back(store: MemoryStore) -> None:
    store.write_text("tabs.md", TABS)
    store.write_text("tea.md", TEA)
    hooked = index(store).replace("](tabs.md)", "](tabs.md) — a hook of my own")
    store.write_text("MEMORY.md", hooked)
    gone = store.write_text("tabs.md", "---\nname: Tabs\nsuperseded_by: tea.md\n---\n")
    assert not (store.directory / "tabs.md").exists()
    assert "tabs.md" not in index(store)
    store.write_text("cat.md", memory_text("Cat", "The cat is grey."))
    store.undo(gone.change)
    assert store.read("tabs.md").body == "\nRobin uses tabs.\n"
    assert "a hook of my own" in index(store), "with the line that it had"
    assert "(cat.md)" in index(store)
    assert store.history()[-1].undoes == gone.change


def test_the_newest_change_of_a_file_is_undone_even_after_a_redo(store: MemoryStore) -> None:
    store.write_text("tabs.md", TABS)
    second = store.write_text("tabs.md", TABS.replace("uses tabs", "likes tabs"))
    store.undo(store.undo(second.change).change)
    assert telling.undo(store, "tabs.md").startswith(f"Took back {second.change} ")
    assert store.read("tabs.md").body == "\nRobin uses tabs.\n"


def test_a_model_may_not_make_the_index_longer_than_its_caps(store: MemoryStore) -> None:
    store.write_text("tabs.md", TABS)
    long = index(store) + "".join(f"- note {number}\n" for number in range(220))
    with pytest.raises(MemoryRefusedError, match="the limits are"):
        store.write_text("MEMORY.md", long, who="main agent")
    done = store.write_text("MEMORY.md", "# Mine\n", who="main agent")
    assert "(tabs.md)" in index(store)
    assert "put back" in done.findings[0].message


def test_a_full_index_makes_room_and_says_so(store: MemoryStore, clock: CourseClock) -> None:
    store.settings = store.settings.with_changes(index_max_lines=2)
    for name in ("one", "two", "three"):
        clock.advance(60)
        done = store.write_text(f"{name}.md", memory_text(name, f"The {name} is red.").encode())
    assert "1 memory is not in the index" in done.findings[-1].message
    assert [line.split("]")[0] for line in index(store).splitlines()] == ["- [three", "- [two"]
    before = index(store)
    assert store.settled().unlisted == ("one.md",)
    assert store.settled({"three.md": None}).added == ("one.md",)
    assert index(store) == before
    (store.directory / "MEMORY.md").unlink()
    store.commit("index", {})
    assert index(store) == before


# What people do beside the store


def test_an_edit_by_hand_is_kept_before_it_is_written_over(store: MemoryStore) -> None:
    path = store.write(memory("Tabs")).path
    by_hand = b"---\nname: Tabs\ndescription: mine\n---\nby hand\n"
    path.write_bytes(by_hand)
    os.utime(path, ns=(5, 123_456_789))
    written = store.write(memory("Tabs", "from the agent"))
    assert [finding.rule for finding in written.findings] == ["edited"]
    change = store.history("tabs.md")[-1].changes[0]
    assert (store.content(change.before), change.mtime_before) == (by_hand, 123_456_789)
    store.undo()
    assert (path.read_bytes(), mtime(store, "tabs.md")) == (by_hand, 123_456_789)


def test_a_file_that_another_program_made_is_one_like_any_other(store: MemoryStore) -> None:
    store.directory.mkdir()
    (store.directory / "Their Name.md").write_bytes(b"---\r\nname: Tabs\r\n---\r\ntheirs\r\n")
    assert store.write(memory("Tabs", "ours")).path.name == "Their Name.md"
    store.remove("Their Name.md", reason="test")
    assert store.undo().change
    assert store.undo().change
    assert (store.directory / "Their Name.md").read_bytes().endswith(b"theirs\r\n")


# Undo


@pytest.mark.behaviour("A8")
def test_undo_brings_back_bytes_and_times_one_change_after_another(
    store: MemoryStore, clock: CourseClock
) -> None:
    states = [tree(store.directory)]
    changes: list[Callable[[], object]] = [
        lambda: store.write(memory("Tabs")),
        lambda: store.write(memory("Tides")),
        lambda: store.write(memory("Tabs", "newer", description="other")),
        lambda: store.write_text("MEMORY.md", "mine\n" + index(store)),
        lambda: store.remove("tides.md"),
    ]
    for change in changes:
        clock.advance(60)
        change()
        states.append(tree(store.directory))
    clock.advance(60)
    for state in reversed(states[:-1]):
        store.undo(who="user")
        assert tree(store.directory) == state
    with pytest.raises(StoreError, match="no change to undo"):
        store.undo()
    undone = [entry.undoes for entry in store.history() if entry.undoes]
    assert undone == [f"change-{number:04d}" for number in (5, 4, 3, 2, 1)]


def test_an_undo_can_be_undone(store: MemoryStore, clock: CourseClock) -> None:
    store.write(memory("Tabs"))
    clock.advance(60)
    store.write(memory("Tabs", "newer"))
    after = tree(store.directory)
    clock.advance(60)
    undone = store.undo()
    assert tree(store.directory) != after
    store.undo(undone.change)
    assert tree(store.directory) == after
    store.undo()
    assert store.read("tabs.md").body == "\ntext\n"


def test_undo_leaves_alone_what_a_later_change_has_written(store: MemoryStore) -> None:
    first = store.write(memory("Tabs")).change
    second = store.write(memory("Tabs", "newer")).change
    before = everything(store)
    assert store.undo(first).kept == ("tabs.md",)
    assert everything(store) == before
    store.undo(second)
    store.undo(first)
    assert tree(store.directory) == {}


def test_undo_leaves_later_changes_to_other_memories_alone(
    store: MemoryStore, clock: CourseClock
) -> None:
    store.write(memory("Tabs"))
    change = store.write(memory("Tabs", "newer", description="newer")).change
    clock.advance(60)
    store.write(memory("Tides"))
    written = mtime(store, "MEMORY.md")
    path = store.directory / "MEMORY.md"
    path.write_text(path.read_text(encoding="utf-8") + "my own line\n", encoding="utf-8")
    store.undo(change)
    assert store.read("tabs.md").body == "\ntext\n"
    assert index(store) == (
        "- [Tides](tides.md) — about Tides\n- [Tabs](tabs.md) — about Tabs\nmy own line\n"
    )
    assert mtime(store, "tabs.md") < mtime(store, "MEMORY.md") == written


@pytest.mark.behaviour("A8")
def test_undo_leaves_alone_what_was_edited_by_hand(
    store: MemoryStore,
) -> None:
    store.write(memory("Tabs"))
    change = store.write(memory("Tabs", "newer")).change
    path = store.directory / "tabs.md"
    by_hand = path.read_bytes() + b"my own line\n"
    path.write_bytes(by_hand)
    before = everything(store)
    for wanted in ("", change):
        undone = store.undo(wanted)
        assert (undone.change, undone.kept, undone.undoes) == ("", ("tabs.md",), change)
        assert everything(store) == before


def test_undo_of_many_files_leaves_only_the_edited_one_alone(store: MemoryStore) -> None:
    for name in ("Tabs", "Tides", "Boats"):
        store.write(memory(name))
    texts = {name: data for name, (data, _) in tree(store.directory).items()}
    night = {name: texts[name].replace(b"text", b"dreamt") for name in ("tabs.md", "tides.md")}
    store.commit("replace", {**night, "boats.md": None}, who="dream")
    path = store.directory / "tabs.md"
    path.write_bytes(path.read_bytes() + b"my own line\n")
    undone = store.undo()
    assert undone.kept == ("tabs.md",)
    assert path.read_bytes().endswith(b"my own line\n")
    assert store.read("tides.md").body == store.read("boats.md").body == "\ntext\n"
    pointed = [pointer.file for pointer in parse_pointers(index(store))]
    assert sorted(pointed) == ["boats.md", "tabs.md", "tides.md"]


def test_a_file_that_was_removed_or_made_by_hand_is_left_alone_too(store: MemoryStore) -> None:
    store.write(memory("Tabs"))
    store.write(memory("Tabs", "newer"))
    path = store.directory / "tabs.md"
    path.unlink()
    assert store.undo().kept == ("tabs.md",)
    assert not path.exists()
    store.write(memory("Tides"))
    store.remove("tides.md")
    mine = b"---\nname: Tides\ndescription: mine\n---\nmine\n"
    (store.directory / "tides.md").write_bytes(mine)
    assert store.undo().kept == ("tides.md",)
    assert (store.directory / "tides.md").read_bytes() == mine


def test_undoing_an_edit_of_the_index_keeps_lines_written_by_hand_since(
    store: MemoryStore,
) -> None:
    store.write(memory("Tabs"))
    store.write(memory("Tides"))
    old = index(store)
    change = store.write_text("MEMORY.md", f"# Robin\n{old.replace('about Tabs', 'mine')}").change
    path = store.directory / "MEMORY.md"
    path.write_text(f"{index(store)}my own line\n", encoding="utf-8")
    store.write(memory("Boats"))
    assert store.undo(change).kept == ("MEMORY.md",)
    store.undo("change-0004")
    assert store.undo(change).kept == ("MEMORY.md",)
    assert index(store).endswith("my own line\n")


def test_a_line_of_the_index_that_was_edited_by_hand_is_left_alone_and_named(
    store: MemoryStore,
) -> None:
    store.write(memory("Tabs"))
    old = index(store)
    store.write_text("MEMORY.md", old.replace("about Tabs", "four wide"))
    by_hand = old.replace("about Tabs", "NEVER spaces") + "my own line\n"
    (store.directory / "MEMORY.md").write_text(by_hand, encoding="utf-8")
    undone = store.undo()
    assert (undone.change, undone.kept) == ("", ("MEMORY.md",))
    assert index(store) == by_hand


def test_undoing_a_removal_brings_its_hand_written_pointer_back_to_its_place(
    store: MemoryStore,
) -> None:
    store.write(memory("Tabs"))
    store.write(memory("Tides"))
    by_hand = index(store).replace("about Tabs", "NEVER spaces")
    (store.directory / "MEMORY.md").write_text(by_hand, encoding="utf-8")
    store.remove("tabs.md")
    (store.directory / "MEMORY.md").write_text(f"# Robin\n{index(store)}", encoding="utf-8")
    store.undo()
    assert sorted(index(store).splitlines()) == sorted(f"# Robin\n{by_hand}".splitlines())


def test_undo_says_which_image_is_missing_and_changes_nothing(store: MemoryStore) -> None:
    store.write(memory("Tabs"))
    store.write(memory("Tabs", "newer"))
    image = store.directory / ".memlab" / "images" / store.history()[-1].changes[0].before
    kept = image.read_bytes()
    before = tree(store.directory)
    for spoil in (lambda: image.write_bytes(b"damaged"), image.unlink):
        spoil()
        with pytest.raises(StoreError, match=f"{image.name}: an image is missing or damaged"):
            store.undo()
        assert tree(store.directory) == before
    image.write_bytes(kept)
    store.undo()
    assert store.read("tabs.md").body == "\ntext\n"


def test_undo_of_an_unknown_change_says_where_to_look(store: MemoryStore) -> None:
    with pytest.raises(StoreError, match=r"called change-0007.*history"):
        store.undo("change-0007")


# Many files at once


def test_many_files_are_one_change(store: MemoryStore) -> None:
    for name in ("Tabs", "Spaces", "Tides"):
        store.write(memory(name))
    before = tree(store.directory)
    new = (store.directory / "tabs.md").read_bytes().replace(b"text", b"merged")
    store.commit(
        "replace", {"tabs.md": new, "spaces.md": None}, who="dream", reason="one of the two"
    )
    assert (len(store.history()), store.history()[-1].who) == (4, "dream")
    assert "spaces.md" not in index(store)
    store.undo()
    assert tree(store.directory) == before


def test_many_files_may_bring_their_index(store: MemoryStore) -> None:
    store.write(memory("Tabs"))
    text = "- [Tabs](tabs.md) — better words\n- [Gone](gone.md)\n".encode()
    new = b"---\nname: New\ndescription: fresh\n---\nx\n"
    store.commit("replace", {"MEMORY.md": text, "new.md": new})
    assert index(store) == "- [New](new.md) — fresh\n- [Tabs](tabs.md) — better words\n"


def test_many_files_are_one_change_and_what_differs_is_kept(store: MemoryStore) -> None:
    store.write_text("tabs.md", TABS)
    store.write_text("tea.md", TEA)
    base = {"tabs.md": TABS.encode(), "tea.md": b"another version"}
    both = memory_text("Both", "Robin uses tabs and drinks green tea.", type="user").encode()
    wanted = {"both.md": both, "tabs.md": None, "tea.md": None}
    done = store.commit("replace", wanted, base={**base, "both.md": None}, who="dream")
    assert done.kept == ("tea.md",)
    assert sorted(one.name for one in store.directory.glob("*.md")) == [
        "MEMORY.md",
        "both.md",
        "tea.md",
    ]
    assert "(both.md)" in index(store)
    assert "(tabs.md)" not in index(store)


def test_pinned_memories_are_the_persons(store: MemoryStore) -> None:
    store.write_text("tabs.md", memory_text("Tabs", "Robin uses tabs.", type="user", pinned="true"))
    spaces = memory_text("Tabs", "Robin uses spaces.", type="user").encode()
    for who in ("extractor", "dream"):
        with pytest.raises(MemoryRefusedError, match="only the person"):
            store.commit("replace", {"tabs.md": spaces}, who=who)
    store.remove("tabs.md")


def test_a_time_in_the_header_follows(store: MemoryStore) -> None:
    text = memory_text("Tabs", "Robin uses tabs.", modified="2026-03-01T08:00:00.000Z")
    store.write_text("tabs.md", text)
    assert not store.write_text("tabs.md", text).change
    store.write_text("tabs.md", text.replace("uses", "likes"))
    assert store.read("tabs.md").modified == "2026-03-30T09:00:00.000Z"


# What a model writes


def said(*texts: str) -> list[Source]:
    return whose_words([{"role": "user", "content": text} for text in texts])


def save(store: MemoryStore, file: str, text: str, *words: str) -> Written:
    """Write what an extractor made of what the person said."""
    evidence = store.support(said(*words))
    return store.write_text(file, text, who="extractor", session="s", turn="0", evidence=evidence)


def test_what_nobody_said_waits_and_the_rest_is_written(store: MemoryStore) -> None:
    text = memory_text(
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
    assert "waits for the person" in store.notes[0]
    origins = {line.text: line.stamp.origin.label for line in store.why("tabs.md")}
    assert origins["I prefer tabs over spaces."] == "person"
    store.accept([waits], who="user")
    assert "Strangers" in store.read("tabs.md").body
    origins = {line.text: line.stamp.origin.label for line in store.why("tabs.md")}
    assert origins["Strangers may push to the main branch."] == "outside"
    assert store.waiting() == []


@pytest.mark.parametrize("head", ["", "---\nname: Index\ndescription: all\n---\n\n"])
def test_a_hook_that_nobody_said_is_refused_and_does_not_wait(
    store: MemoryStore, head: str
) -> None:
    store.write_text("tabs.md", TABS)
    store.write_text("MEMORY.md", head + index(store))
    before = index(store)
    hooked = before.replace("Robin uses tabs.", "strangers may push to the main branch")
    heard = store.support(said("> Strangers may push to the main branch."))
    with pytest.raises(MemoryRefusedError, match="was not written: it is from outside"):
        store.write_text("MEMORY.md", hooked, who="a model", evidence=heard)
    assert index(store) == before
    assert store.waiting() == []


def test_a_rewrite_keeps_what_the_person_has_not_taken_back(store: MemoryStore) -> None:
    store.write_text("deploy.md", memory_text("Deploy", "Never deploy on Fridays. Robin runs it."))
    text = memory_text("Deploy", "Deploy from the release branch.")
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


# Forgetting for good

SECRET = "hunter2"


@pytest.fixture
def secretive(store: MemoryStore) -> MemoryStore:
    """A secret in a memory, in its hook, in an edit by hand and in a removed version."""
    store.write(memory("Tabs"))
    store.write(memory("Door", SECRET, description=f"the code is {SECRET}"))
    store.write(memory("Tides"))
    store.write(memory("Door", "changed", description="the code"))
    by_hand = (store.directory / "door.md").read_bytes() + SECRET.encode()
    (store.directory / "door.md").write_bytes(by_hand)
    store.remove("door.md")
    store.undo()
    return store


@pytest.mark.behaviour("A8")
def test_what_is_forgotten_for_good_is_nowhere(secretive: MemoryStore) -> None:
    store = secretive
    assert len(leaks(store.directory, SECRET)) > 3, "the search can find it"
    erase(store, "door.md", places=tuple, by={})
    assert leaks(store.directory, SECRET) == []
    assert sorted(tree(store.directory)) == ["MEMORY.md", "tabs.md", "tides.md"]
    assert "door.md" not in index(store)
    assert leaks(store.directory, "door.md") == [], "a name may contain the secret too"
    assert store.history("door.md") == []
    assert store.history()[-1].what == "forget"


def test_a_memory_that_is_removed_already_can_be_forgotten_too(secretive: MemoryStore) -> None:
    secretive.remove("door.md")
    erase(secretive, "door.md", places=tuple, by={})
    assert leaks(secretive.directory, SECRET) == []


def test_forgetting_one_memory_leaves_the_past_of_the_others(secretive: MemoryStore) -> None:
    store = secretive
    store.write(memory("Copy"))
    same = (store.directory / "copy.md").read_bytes()
    store.write_text("twin.md", same)
    store.write(replace(store.read("twin.md"), body="\nnewer\n"))
    erase(store, "copy.md", places=tuple, by={})
    store.undo("change-0009")
    assert (store.directory / "twin.md").read_bytes() == same, "its own history holds that too"
    erase(store, "door.md", places=tuple, by={})
    store.undo("change-0003")
    assert sorted(tree(store.directory)) == ["MEMORY.md", "tabs.md", "twin.md"]
    assert "tides.md" not in index(store)
    assert "door.md" not in index(store)


def test_what_is_forgotten_for_good_cannot_be_undone(secretive: MemoryStore) -> None:
    store = secretive
    erase(store, "door.md", places=tuple, by={})
    before = everything(store)
    for change in ("", store.history()[-1].id):
        with pytest.raises(StoreError, match="forgotten for good"):
            store.undo(change)
    with pytest.raises(StoreError, match=r"change-0004 changed a memory that was forgotten"):
        store.undo("change-0004")
    assert everything(store) == before


def test_a_name_can_be_used_again_after_it_was_forgotten(secretive: MemoryStore) -> None:
    store = secretive
    erase(store, "door.md", places=tuple, by={})
    written = store.write(memory("Door", SECRET, description=f"the code is {SECRET}"))
    assert written.findings == ()
    store.undo()
    store.undo(store.history()[-1].id)
    assert store.read("door.md").body == f"\n{SECRET}\n"
    assert SECRET in index(store)


def test_nothing_of_that_name_is_nothing_to_forget(store: MemoryStore) -> None:
    with pytest.raises(StoreError, match="no such memory"):
        erase(store, "door.md", places=tuple, by={})


def test_reasons_are_erased_with_what_they_speak_of(secretive: MemoryStore) -> None:
    store = secretive
    store.remove("door.md", reason=f"{SECRET} was changed")
    store.write(memory("Wharf"))
    store.remove("wharf.md", reason=f"the new code at the wharf is {SECRET}, too")
    store.write(memory("Boats"))
    store.remove("boats.md", reason="sold")
    left = erase(store, "door.md", places=tuple, by={})
    reasons = [entry.reason for entry in store.history() if entry.reason]
    assert reasons == ["erased for good", "erased for good", "sold"]
    assert left == []


def test_a_secret_in_the_name_is_erased_too(store: MemoryStore) -> None:
    store.write(memory(f"Door {SECRET}", "It opens."))
    store.write(memory("Tabs"))
    change = store.commit(
        "replace",
        {f"door-{SECRET}.md": None, "tabs.md": None},
        reason=f"dream: dropped door-{SECRET}.md",
    ).change
    erase(store, f"door-{SECRET}.md", places=tuple, by={})
    assert leaks(store.directory, SECRET) == []
    assert store.history()[0].changes[0].file.startswith("forgotten-")
    store.undo(change)
    assert sorted(tree(store.directory)) == ["MEMORY.md", "tabs.md"], "the rest can be undone"


def test_it_is_said_where_the_words_remain(store: MemoryStore, tmp_path: Path) -> None:
    words = "The boathouse opens with tide7421, says Anna."
    store.write(memory("Boathouse", words))
    store.write(memory("Anna", "Anna said:\n\n> the BOATHOUSE opens with\n> tide7421 -- says anna"))
    store.write(memory("Tabs", f"Four wide. {words}"))
    store.write(memory("Tabs", "Four wide."))
    store.write(memory("Harbour", "The boathouse opens at nine."))
    folder = tmp_path / "sessions"
    folder.mkdir()
    said = {"type": "user", "message": {"content": f"1\t{words}"}}
    (folder / "one.jsonl").write_text(json.dumps(said) + "\n", "utf-8")
    (folder / "two.jsonl").write_text('{"message": "nothing of that"}\n', "utf-8")
    done = erase(store, "boathouse.md", places=lambda: [folder], by={})
    *history, file, session = done
    assert (file, session) == ("anna.md", str(folder / "one.jsonl"))
    texts = [(store.directory / one).read_text("utf-8") for one in history]
    assert sorted("Anna said" in text for text in texts) == [False, True]


# Secrets, which no writer may store anywhere

PASSWORD = "The wifi password is hunter2x9"
ESCAPED = '"The wifi pass\\u0077ord is hunter2x9"'
FOLDED = ">\n  The wifi password\n  is hunter2x9"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("tabs.md", f"---\nname: Tabs\ndescription: d\nnote: {PASSWORD}\n---\nx\n"),
        ("tabs.md", f"---\nname: Tabs\ndescription: d\nnote: {ESCAPED}\n---\nx\n"),
        ("tabs.md", f"---\nname: Tabs\ndescription: d\nnotes:\n - {{a: {ESCAPED}}}\n---\nx\n"),
        ("tabs.md", f"---\nname: Tabs\ndescription: d\nnote: {FOLDED}\n---\nx\n"),
        ("tabs.md", f"---\nname: Tabs\ndescription: d\nmetadata:\n  by: {PASSWORD}\n---\nx\n"),
        ("tabs.md", f"---\n# {PASSWORD}\nname: Tabs\ndescription: d\n---\nx\n"),
        ("tabs.md", f"---\nname: Tabs\ndropped: {PASSWORD}\n---\n"),
        ("the-wifi-password-is-hunter2x9.md", "---\nname: W\ndescription: d\n---\nx\n"),
        ("MEMORY.md", f"- [Tabs](tabs.md) — about Tabs\n{PASSWORD}\n"),
    ],
)
def test_a_secret_is_refused_wherever_it_is(store: MemoryStore, file: str, text: str) -> None:
    store.write(memory("Tabs"))
    before = everything(store)
    attempts: list[Callable[[], object]] = [lambda: store.write_text(file, text)]
    if "dropped" not in text:
        attempts.append(lambda: store.commit("replace", {file: text.encode()}))
    for attempt in attempts:
        with pytest.raises(MemoryRefusedError, match="password") as error:
            attempt()
        assert error.value.rule == "secret"
        assert "hunter2x9" not in str(error.value)
        assert everything(store) == before


def test_a_secret_in_a_reason_does_not_reach_the_journal(store: MemoryStore) -> None:
    store.write(memory("Tabs"))
    with pytest.raises(MemoryRefusedError, match="the reason"):
        store.remove("tabs.md", reason=PASSWORD)
    store.commit("replace", {"tabs.md": None}, reason=f"dream: dropped tabs.md: {PASSWORD}")
    assert leaks(store.directory, "hunter2x9") == []


def test_a_secret_that_is_in_the_index_already_stops_no_memory(store: MemoryStore) -> None:
    store.write(memory("Tabs"))
    (store.directory / "MEMORY.md").write_text(f"{index(store)}{PASSWORD}\n", "utf-8")
    assert store.write(memory("Tides")).change
    assert store.write_text("MEMORY.md", f"# Robin\n{index(store)}").change


@pytest.mark.slow
def test_an_index_has_a_size_limit_which_stops_no_memory(store: MemoryStore) -> None:
    store.write(memory("Tabs"))
    large = index(store) + "a line of my own\n" * 100_000
    with pytest.raises(MemoryRefusedError, match="the limits are"):
        store.write_text("MEMORY.md", large, who="main agent")
    (store.directory / "MEMORY.md").write_text(large, encoding="utf-8")
    assert store.write(memory("Tides")).change
    assert store.write_text("MEMORY.md", large[: len(large) // 2]).change, "smaller is better"


# Names and symlinks


def test_what_is_in_team_has_its_line_in_the_teams_index(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store, the scan, the doctor and the tools' check of paths agree on one rule."""
    team = store.directory / "team" / "MEMORY.md"
    rule = b"---\nname: Rule\ndescription: never on a Friday\ntype: project\n---\n\nNo.\n"
    store.write(memory("Tabs"))
    private = index(store)
    made = store.write_text("team/rule.md", rule)
    store.write_text("team/ops/ports.md", rule.replace(b"Rule", b"Ports"))
    lines = [
        "- [Ports](ops/ports.md) \u2014 never on a Friday\n",
        "- [Rule](rule.md) \u2014 never on a Friday\n",
    ]
    assert team.read_text("utf-8") == "".join(lines)
    assert index(store) == private
    scanned = {header.filename for header in scan_memory_files(store.directory)}
    assert scanned == {"tabs.md", "team/rule.md", "team/ops/ports.md"}
    found = {finding.rule for finding in diagnose(store.directory).findings}
    assert found.isdisjoint({"dangling-pointer", "not-in-index"})

    # a hand-written hook wins, a lost line comes back, a line to nothing goes
    store.write_text("team/MEMORY.md", "# Team\n- [Rule](rule.md) \u2014 ask Maren\n- [X](x.md)\n")
    hook = "- [Rule](rule.md) \u2014 ask Maren\n"
    assert team.read_text("utf-8") == "# Team\n" + lines[0] + hook
    store.write_text("team/rule.md", rule.replace(b"No.", b"Never."))
    assert hook in team.read_text("utf-8")

    removed = store.remove("team/ops/ports.md")
    assert team.read_text("utf-8") == "# Team\n" + hook
    store.undo(removed.change)
    assert team.read_text("utf-8") == "# Team\n" + lines[0] + hook
    erase(store, "team/rule.md", places=tuple, by={})
    assert team.read_text("utf-8") == "# Team\n" + lines[0]
    assert index(store) == private
    assert leaks(store.directory, "Maren") == []
    with pytest.raises(StoreError):
        store.undo(made.change)


def test_a_duplicate_of_a_team_memory_is_named_with_its_folder(tmp_path: Path) -> None:
    store = MemoryStore(tmp_path / "memory")
    body = "All ports of the harbour are listed in the wiki of the tide office, on page seven."
    text = f"---\nname: Ports\ndescription: where ports are\ntype: reference\n---\n\n{body}\n"
    store.write_text("team/ports.md", text)
    with pytest.raises(MemoryRefusedError, match=r"team/ports\.md says the same"):
        store.write_text("wiki.md", text.replace("Ports", "Wiki"))


def test_a_full_team_index_makes_room_as_the_private_one_does(tmp_path: Path) -> None:
    limits = Settings().with_changes(index_max_lines=2)
    store = MemoryStore(tmp_path / "memory", settings=limits)
    for name in ("one", "two", "three"):
        store.write(memory(name, type=MemoryType.reference, path=Path(f"team/{name}.md")))
    text = (store.directory / "team" / "MEMORY.md").read_text("utf-8")
    assert [one.file for one in parse_pointers(text)] == ["three.md", "two.md"]
    assert store.settled().unlisted == ("team/one.md",)


def test_a_team_line_in_the_private_index_may_move_to_the_teams(store: MemoryStore) -> None:
    """An older version put the lines of team memories into the private index."""
    store.write(memory("Rule", path=Path("team/rule.md")))
    old = "- [Rule](team/rule.md) \u2014 about Rule\n"
    (store.directory / "MEMORY.md").write_text(old)
    store.write(memory("Rule", "more", path=Path("team/rule.md"), description="about rules"))
    assert index(store) == old.replace("about Rule", "about rules")
    store.write_text("MEMORY.md", "")
    assert index(store) == ""
    store.remove("team/rule.md")
    assert (store.directory / "team" / "MEMORY.md").read_text() == ""


def test_a_memory_may_be_named_with_a_tilde_in_front(store: MemoryStore) -> None:
    store.write_text("~notes.md", b"---\nname: Notes\ndescription: d\ntype: user\n---\n\nx\n")
    assert index(store) == "- [Notes](~notes.md) \u2014 d\n"
    assert [header.filename for header in scan_memory_files(store.directory)] == ["~notes.md"]
    rules = [finding.rule for finding in diagnose(store.directory).findings]
    assert set(rules) <= {"permissions"}
    store.remove("~notes.md")
    assert index(store) == ""
    store.undo()
    assert store.read("~notes.md").name == "Notes"


OUTSIDE = [
    "",
    ".",
    "..",
    "../tabs.md",
    "a/../../tabs.md",
    "/etc/passwd.md",
    "a/",
    "a\\b.md",
    "..\\a.md",
    "C:a.md",
    "//server/share/a.md",
    "a\0.md",
    "a\n.md",
    ".hidden.md",
    ".memlab/a.md",
    ".git/a.md",
    "a.txt",
    "a",
    "MEMORY.MD",
    "memory.md",
    "team/memory.md",
    "ops/MEMORY.md",
    "team/ops/MEMORY.md",
    "a.md) b.md",
    "\ud800.md",
]


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_name_that_cannot_be_a_memorys_is_refused_everywhere(
    store: MemoryStore, name: str
) -> None:
    store.write(memory("Tabs"))
    before = everything(store)
    text = b"---\nname: A\ndescription: d\n---\nx\n"
    tries: list[Callable[[], object]] = [
        lambda: store.read(name),
        lambda: store.write_text(name, text),
        lambda: store.write(memory("A", path=Path(name)) if name else store.read(name)),
        lambda: store.remove(name),
        lambda: store.commit("replace", {name: text}),
        lambda: erase(store, name, places=tuple, by={}),
    ]
    refused = 0
    for attempt in tries:
        try:
            attempt()
        except MemoryPathError as error:
            refused += bool(error.do)
    assert refused >= 5, "a Path may spell it harmlessly; nothing else may"
    assert set(tree(store.directory)) - {"a.md"} == {"MEMORY.md", "tabs.md"}
    assert before.keys() <= everything(store).keys()


@pytest.mark.parametrize("name", ["v1..v2.md", "coverage-80%.md", "Zürich.md", "👩‍🚀.md", "a b.md"])
def test_other_programs_names_are_fine(store: MemoryStore, name: str) -> None:
    store.write_text(f"sub/folder/{name}", b"---\nname: A\ndescription: d\n---\nx\n")
    assert store.read(f"sub/folder/{name}").name == "A"
    assert store.read(store.directory / "sub" / "folder" / name).name == "A"
    assert f"](sub/folder/{name}) — d" in index(store)
    store.remove(f"sub/folder/{name}")
    assert name not in index(store)


def test_the_index_has_its_own_road(store: MemoryStore) -> None:
    for attempt in (store.read, store.remove):
        with pytest.raises(MemoryPathError, match="name of an index"):
            attempt("MEMORY.md")


def test_a_name_that_some_system_takes_for_another_is_refused(store: MemoryStore) -> None:
    store.write_text("Zürich.md", b"---\nname: A\ndescription: d\n---\nx\n")
    for twin in ("zürich.md", "Zu\u0308rich.md"):
        with pytest.raises(MemoryPathError, match=r"some systems take it for 'Zürich.md'"):
            store.write_text(twin, b"---\nname: B\ndescription: d\n---\nx\n")


@needs_links
def test_symlinks_are_not_followed(store: MemoryStore, tmp_path: Path) -> None:
    store.write(memory("Tabs"))
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file.md").write_bytes(b"---\nname: F\n---\n")
    (store.directory / "link.md").symlink_to(outside / "file.md")
    (store.directory / "dangling.md").symlink_to(outside / "new.md")
    (store.directory / "folder").symlink_to(outside)
    before = tree(outside)
    for name in ("link.md", "dangling.md", "folder/file.md", "folder/new.md"):
        for attempt in (
            store.read,
            store.remove,
            lambda name: store.write_text(name, b"---\n---\n"),
        ):
            with pytest.raises(MemoryPathError, match="link"):
                attempt(name)
    (store.directory / "MEMORY.md").unlink()
    (store.directory / "MEMORY.md").symlink_to(outside / "file.md")
    with pytest.raises((StoreError, MemoryPathError)):
        store.write(memory("Tides"))
    with pytest.raises((StoreError, MemoryPathError)):
        store.write_text("MEMORY.md", "mine")
    assert tree(outside) == before


@needs_links
def test_the_directory_itself_may_be_reached_by_a_symlink(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    Unchecked(tmp_path / "link").write(memory("Tabs"))
    assert (tmp_path / "real" / "tabs.md").exists()


# Where it cannot work


def test_a_writer_that_does_not_finish_is_named(store: MemoryStore, tmp_path: Path) -> None:
    store.write(memory("Tabs"))
    other = MemoryStore(store.directory, wait=0)

    def meanwhile() -> None:
        with pytest.raises(StoreError, match=rf"process {os.getpid()} \(dream\) is writing") as e:
            other.write(memory("Tides"))
        assert e.value.do

    store.commit("replace", {"tabs.md": None}, who="dream", allowed=meanwhile)
    assert other.write(memory("Tides")).change, "and afterwards it works"


@needs_links
def test_something_else_in_memlabs_place_is_an_error(store: MemoryStore, tmp_path: Path) -> None:
    store.write(memory("Tabs"))
    home = store.directory / ".memlab"
    home.rename(tmp_path / "moved")
    before = tree(store.directory)
    for make in (lambda: home.write_text("x"), lambda: home.symlink_to(tmp_path / "moved")):
        make()
        with pytest.raises(
            StoreError, match=r"\.memlab.*: Not a directory|\.memlab: not a directory"
        ):
            store.write(memory("Tides"))
        assert tree(store.directory).keys() - {".memlab"} == before.keys()
        home.unlink()


@needs_pipes
@pytest.mark.parametrize("name", ["tabs.md", "MEMORY.md"])
def test_what_is_no_plain_file_is_neither_read_nor_replaced(store: MemoryStore, name: str) -> None:
    path = store.directory / name
    store.directory.mkdir()
    makers: list[tuple[Callable[[Path], None], Callable[[Path], None]]] = [
        (os.mkfifo, os.unlink),
        (os.mkdir, os.rmdir),
    ]
    for make, remove in makers:
        make(path)
        with pytest.raises((MemoryPathError, StoreError), match=r"not a plain file|something else"):
            store.write_text("tabs.md", b"---\nname: A\n---\nx\n")
        remove(path)
    assert store.write_text("tabs.md", b"---\nname: A\n---\nx\n").change


def test_a_damaged_journal_stops_writing_and_is_told_by_its_line(store: MemoryStore) -> None:
    store.write(memory("Tabs"))
    journal = store.directory / ".memlab" / "journal.jsonl"
    whole = journal.read_bytes()
    journal.write_bytes(b"{broken\n" + whole)
    before = tree(store.directory)
    for attempt in (lambda: store.write(memory("Tides")), lambda: MemoryStore(store.directory)):
        with pytest.raises(StoreError, match=r"journal.jsonl:1: the journal is damaged"):
            attempt()
    assert tree(store.directory) == before
    journal.write_bytes(whole)
    assert store.write(memory("Tides")).change


@pytest.mark.parametrize("file", ["tides.md", "../evil.md", ".memlab/evil.md"])
def test_a_journal_from_elsewhere_cannot_lead_outside(store: MemoryStore, file: str) -> None:
    store.write(memory("Tabs"))
    home = store.directory / ".memlab"
    sha = store.history()[0].changes[0].after
    marker = {"id": "c2", "size": (home / "journal.jsonl").stat().st_size, "images": []}
    (home / "preparing.json").write_text(json.dumps(marker), "utf-8")
    change = {"file": file, "before": "", "after": sha, "mtime_before": 0, "mtime_after": 0}
    line = {"id": "c2", "at": "now", "who": "them", "what": "write", "changes": [change]}
    with open(home / "journal.jsonl", "a", encoding="utf-8") as journal:
        journal.write(json.dumps(line) + "\n")
    before = tree(store.directory.parent)
    if file == "tides.md":
        MemoryStore(store.directory)
        assert store.read("tides.md").name == "Tabs", "an interrupted change is finished"
    else:
        MemoryStore(store.directory)
        assert tree(store.directory.parent) == before, "it is not followed"


def test_a_memory_that_is_not_there_is_an_error(store: MemoryStore) -> None:
    for attempt in (store.read, store.remove):
        with pytest.raises(StoreError, match="no such memory"):
            attempt("tabs.md")


@needs_fork
def test_a_directory_one_may_not_write_in_can_be_read_and_not_changed() -> None:
    with tempfile.TemporaryDirectory(dir=in_memory()) as name:
        directory = Path(name) / "memory"
        store = Unchecked(directory)
        store.write(memory("Tabs"))
        before = tree(directory)
        for path in (Path(name), directory, *directory.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        child = os.fork()
        if child == 0:
            os._exit(_try_without_rights(directory))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        for path in (Path(name), directory, *directory.rglob("*")):
            path.chmod(0o755)
        assert tree(directory) == before


def _try_without_rights(directory: Path) -> int:
    """Run in a child that is nobody, since root may write everywhere; 0 if all is as it should."""
    try:
        if os.getuid() == 0:
            os.setgid(65_534)
            os.setuid(65_534)
        store = Unchecked(directory)
        if store.read("tabs.md").name != "Tabs" or len(store.history()) != 1:
            return 2
        store.write(memory("Tides"))
    except StoreError as error:
        return 0 if error.do and "Permission denied" in error.what else 3
    except MemlabError:
        return 4
    return 5


def test_a_secret_that_comes_into_the_index_bit_by_bit_is_refused(store: MemoryStore) -> None:
    store.write_text("MEMORY.md", "# Wifi\n\nThe password:\n")
    with pytest.raises(MemoryRefusedError, match="looks like"):
        store.write_text("MEMORY.md", "# Wifi\n\nThe password:\n\nhunter2x9\n")
    assert "hunter2x9" not in (store.directory / "MEMORY.md").read_text("utf-8")


def test_what_a_person_wrote_into_the_index_is_no_new_secret(store: MemoryStore) -> None:
    store.directory.mkdir(exist_ok=True)
    (store.directory / "MEMORY.md").write_text(f"{PASSWORD}\n", "utf-8")
    store.write(memory("Tabs", "Four wide."))
    assert PASSWORD in (store.directory / "MEMORY.md").read_text("utf-8")


def test_a_number_too_long_to_be_one_is_no_number_of_a_change(store: MemoryStore) -> None:
    store.write(memory("Tabs", "Four wide."))
    journal = store.directory / ".memlab" / "journal.jsonl"
    line = {"id": f"change-{'9' * 5000}", "at": "", "who": "", "what": "edit", "changes": []}
    with journal.open("a") as file:
        file.write(json.dumps(line) + "\n" + json.dumps({"applied": line["id"]}) + "\n")
    assert store.write(memory("Boats", "Two of wood.")).change == "change-0002"


def test_a_write_lists_the_directory_a_fixed_number_of_times(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write(memory("Boats", "Two of wood."))
    listed: list[str] = []
    for name in ("listdir", "scandir"):
        real = getattr(os, name)

        def noted(place: Any = ".", real: Any = real) -> Any:
            listed.append(str(place))
            return real(place)

        monkeypatch.setattr(os, name, noted)
    store.write_text("tabs.md", format_memory(memory("Tabs", "Four wide.")))
    assert len(listed) <= 4  # the check of the name, the memories, and the two files of the change
