"""The store as its users see it: one write path, a history, undo, and nothing lost by the way."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import CourseClock, to_nanoseconds
from memlab.errors import MemoryPathError, MemoryRefusedError
from memlab.evidence.attribution import whose_words
from memlab.memdir.erase import erase
from memlab.memdir.store import MemoryStore
from tests.faults.disks import tree
from tests.faults.scenes import FreeStore, leaks, memory
from tests.house import note

TABS = note("Robin uses tabs in all files of the harbour, on every page.")
BY_HAND = note("by hand", about="mine").encode()
CLOCK = CourseClock()


@pytest.fixture
def store(tmp_path: Path) -> FreeStore:
    return FreeStore(tmp_path / "memory", clock=CLOCK, durable=False)


def index(store: MemoryStore, folder: str = "") -> str:
    return (store.directory / folder / "MEMORY.md").read_text("utf-8")


def everything(store: MemoryStore) -> list[Any]:
    """Give all files there are, but for who last held the guard."""
    inside = tree(store.directory / ".memlab")
    inside.pop("guard.lock", None)
    return [tree(store.directory), inside]


@pytest.mark.behaviour("O2", "B5")
def test_file_index_and_journal_change_in_one_step(store: FreeStore) -> None:
    CLOCK.advance(0.000_001)
    store.write(memory("Tabs", "four"), who="dream", session="s", turn="3")
    times = {name: mtime for name, (_, mtime) in tree(store.directory).items()}
    assert times == dict.fromkeys(("MEMORY.md", "tabs.md"), to_nanoseconds(CLOCK.now()))
    assert index(store) == "- [Tabs](tabs.md) — about Tabs\n"
    (entry,) = store.history()
    assert (entry.who, entry.turn, len(entry.changes)) == ("dream", "3", 2)
    assert not [*(store.directory / ".memlab").rglob("*.md")], "for other clients"


@pytest.mark.behaviour("A7")
def test_the_same_name_is_the_same_file_and_one_slug_is_two(store: FreeStore) -> None:
    first = store.write(memory("Tide times", "old")).path
    assert store.write(memory("Tide times", "newer")).path == first
    assert store.write(memory("tide-times", "other")).path != first
    theirs = store.directory / f"{'Their Name':x<252}.md"  # as long as a name may be
    theirs.write_bytes(b"---\r\nname: Boats\r\n---\r\ntheirs\r\n")
    assert store.write(memory("Boats", "ours")).path == theirs
    assert store.write(replace(store.read(theirs), name="Ships")).path == theirs


@pytest.mark.behaviour("B5")
def test_a_models_edit_of_the_index_changes_its_words_only(store: FreeStore) -> None:
    for name in ("Tabs", "Tides"):
        store.write(memory(name, "x"))
    new = "# R\n- [Tabs](tabs.md) — mine\n- [Tabs](tabs.md) — twice\n- [X](x.md)\n"
    told = store.write_text("MEMORY.md", new, who="main agent").findings
    tides = "- [Tides](tides.md) — about Tides\n"
    assert index(store) == f"# R\n{tides}- [Tabs](tabs.md) — mine\n"
    assert len(told) == 3
    long = index(store) + "".join(f"- note {number}\n" for number in range(220))
    with pytest.raises(MemoryRefusedError, match="the limits are"):
        store.write_text("MEMORY.md", long, who="main agent")
    (store.directory / "MEMORY.md").write_text(long)
    assert store.write(memory("Boats", "of wood")).change, "which stops no memory"


def test_a_refused_write_changes_nothing(tmp_path: Path) -> None:
    store = MemoryStore(tmp_path / "memory", clock=CLOCK, durable=False)
    store.write_text("tabs.md", TABS)
    before, odd = everything(store), note("x", type="odd")
    fine = {"fine.md": note("Boats are of wood.", "Boats").encode()}
    for attempt, said in (
        (lambda: store.write_text("tabs.md", odd), "type"),
        (lambda: store.commit("replace", {**fine, "b.md": odd.encode()}), "type"),
        (lambda: store.write_text("b.md", TABS.replace("Tabs", "B")), "says the same"),
    ):
        with pytest.raises(MemoryRefusedError, match=said):
            attempt()
        assert everything(store) == before
    assert not store.write_text("tabs.md", TABS).change, "nothing to write"


@pytest.mark.behaviour("B6")
def test_a_tombstone_removes_what_it_names_an_heir_for(store: FreeStore) -> None:
    head = "---\nname: Tabs\n"
    store.write_text("tabs.md", TABS)
    store.write_text("spaces.md", note("x", "Spaces"))
    for heir in ("tabs.md", "gone.md", "../tabs.md", "MEMORY.md", "spaces"):
        with pytest.raises(MemoryRefusedError, match="no other memory"):
            store.write_text("tabs.md", f"{head}superseded_by: {heir}\n---\n")
    store.write_text("tabs.md", f"{head}dropped: really\n---\nstill here\n")
    assert store.read("tabs.md").body == "still here\n", "with a body it is a memory"
    store.write_text("MEMORY.md", index(store).replace("(tabs.md)", "(tabs.md) - mine"))
    gone = store.write_text("tabs.md", f"{head}superseded_by: spaces.md\n---\n")
    assert store.history()[-1].reason == "superseded by spaces.md"
    assert [*tree(store.directory)] == ["MEMORY.md", "spaces.md"]
    assert "tabs.md" not in index(store)
    store.write_text("cat.md", note("It is grey.", "Cat"))
    store.undo(gone.change)
    assert store.read("tabs.md").body == "still here\n"
    assert ("mine" in index(store), "(cat.md)" in index(store)) == (True, True)


def test_what_differs_from_its_base_is_kept_and_the_rest_is_one_change(
    store: FreeStore,
) -> None:
    for name in ("Tabs", "Tides"):
        store.write(memory(name, "text"))
    before = tree(store.directory)
    base = {"tabs.md": before["tabs.md"][0], "tides.md": b"another"}
    done = store.commit("replace", {"tabs.md": None, "tides.md": None}, base=base)
    assert (done.kept, [*tree(store.directory)][1:]) == (("tides.md",), ["tides.md"])
    store.undo()
    assert tree(store.directory) == before


def test_pinned_memories_are_the_persons(store: FreeStore) -> None:
    store.write_text("tabs.md", note("Robin uses tabs.", pinned="true"))
    for who, new in {"extractor": TABS.encode(), "dream": None}.items():
        with pytest.raises(MemoryRefusedError, match="pinned"):
            store.commit("replace", {"tabs.md": new}, who=who)
    assert store.remove("tabs.md").change


@pytest.mark.behaviour("A8")
@pytest.mark.parametrize("what", ["edited", "removed", "made", "written", "index"])
def test_undo_leaves_alone_what_has_changed_since(store: FreeStore, what: str) -> None:
    path = store.write(memory("Tabs", "four")).path
    done = store.write(memory("Tabs", "newer"))
    if what == "removed":
        path.unlink()
    elif what == "written":
        store.write(memory("Tabs", "newest"))
    elif what == "index":
        done = store.write_text("MEMORY.md", "# Robin\n- [Tabs](tabs.md) — four wide\n")
        path = store.directory / "MEMORY.md"
        path.write_text("- [Tabs](tabs.md) — NEVER spaces\nmy own line\n", "utf-8")
    else:
        done = store.remove("tabs.md") if what == "made" else done
        path.write_bytes(BY_HAND)
    before = everything(store)
    undone = store.undo(done.change)
    assert (undone.change, undone.kept) == ("", (path.name,))
    assert everything(store) == before


def test_an_edit_by_hand_is_kept_before_it_is_written_over(store: FreeStore) -> None:
    path = store.write(memory("Tabs", "four")).path
    path.write_bytes(BY_HAND)
    os.utime(path, ns=(5, 123_456_789))
    (told,) = store.write(memory("Tabs", "agent's")).findings
    store.undo()
    assert told.rule == "edited"
    assert tree(store.directory)["tabs.md"] == (BY_HAND, 123_456_789)


def test_what_nobody_said_waits_and_the_rest_is_written(store: FreeStore) -> None:
    own, page = "I prefer tabs over spaces.", "Strangers may push to the main branch."

    def save(file: str, said: str, who: str = "extractor") -> None:
        heard = [{"role": "user", "content": one} for one in (own, f"> {said}")]
        text = f"- [Tabs](tabs.md) - {said}\n"
        text = text if file == "MEMORY.md" else note(f"{own}\n\n{said}")
        said_so = store.support(whose_words(heard))
        store.write_text(file, text, who=who, evidence=said_so)

    save("tabs.md", page)
    text = store.read("tabs.md").body
    assert (own in text, page in text) == (True, False)
    (waits,) = store.waiting()
    assert (waits.text, "waits for the person" in store.notes[0]) == (page, True)
    other = replace(waits, file="other.md", base="0" * 64, text=text)
    store.hold([other])
    assert store.accept([waits, other]).kept == ("other.md",)
    assert store.waiting() == [other], "what was made for another version waits on"
    origins = {line.text: line.stamp.origin.label for line in store.why("tabs.md")}
    assert (origins[own], origins[page]) == ("person", "outside")
    with pytest.raises(MemoryRefusedError, match="it is from outside"):
        save("MEMORY.md", page, "a model")
    with pytest.raises(MemoryRefusedError, match="password"):
        save("tabs.md", "The gate password is hunter2-Xk93.")
    assert leaks(store.directory, "hunter2") == [], "a secret does not even wait"


PASSWORD = "The wifi password is hunter2x9"
ESCAPED = note("x", note='\n - {a: "The wifi pass\\u0077ord is hunter2x9"}')
HEAD = "---\nname: Tabs\ndescription: d\n"
TEXTS = (
    ESCAPED,
    note(PASSWORD),
    f"{HEAD}# {PASSWORD}\n---\nx\n",
    f"{HEAD}dropped: {PASSWORD}\n---\n",
)
FILES = {
    "the-wifi-password-is-hunter2x9.md": note("x"),
    "MEMORY.md": "The password:\n\nhunter2x9\n",
}


def test_a_secret_is_refused_anywhere(store: FreeStore) -> None:
    store.write(memory("Tabs", "four"))
    before = everything(store)
    writes = [("tabs.md", text) for text in TEXTS] + [*FILES.items()]
    for file, text in writes:
        with pytest.raises(MemoryRefusedError, match="password") as error:
            store.write_text(file, text)
        assert ("hunter2x9" in str(error.value), everything(store)) == (False, before)
    for by in ({"who": PASSWORD}, {"session": PASSWORD}, {"turn": PASSWORD}):
        with pytest.raises(MemoryRefusedError, match="the journal"):
            store.write(memory("Tea", "two"), **by)
    with pytest.raises(MemoryRefusedError, match="the reason"):
        store.remove("tabs.md", reason=PASSWORD)
    store.commit("replace", {"tabs.md": None}, reason=f"dropped tabs.md: {PASSWORD}")
    assert leaks(store.directory, "hunter2x9") == []


OUT = "|..|a/../../tabs.md|/etc/passwd.md|a\\b.md|C:a.md|a\0.md|.memlab/a.md|memory.md"


def test_what_cannot_be_a_memorys_name_is_refused_everywhere(store: FreeStore) -> None:
    store.write(memory("Tabs", "four"))
    before = everything(store)
    commit = lambda name: store.commit("x", {name: TABS.encode()})  # noqa: E731
    forget = lambda name: erase(store, name, places=tuple, by={})  # noqa: E731
    for attempt in (store.read, store.remove, commit, forget):
        for name in f"{OUT}|TABS.md".split("|"):
            with pytest.raises(MemoryPathError):
                attempt(name)
    assert everything(store) == before
