"""The store as its users see it: one write path, a history, undo, and nothing lost by the way."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import CourseClock, to_nanoseconds
from memlab.errors import MemoryPathError, MemoryRefusedError, StoreError
from memlab.evidence.attribution import whose_words
from memlab.memdir.erase import erase
from memlab.memdir.index import parse_pointers
from memlab.memdir.store import MemoryStore, Written
from memlab.settings import Settings
from tests.faults.disks import tree
from tests.faults.scenes import FreeStore, leaks, memory
from tests.house import note
from tests.platforms import needs_links

TABS = note("Robin uses tabs in all files of the harbour, on every page.")


@pytest.fixture
def clock() -> CourseClock:
    return CourseClock()


@pytest.fixture
def store(tmp_path: Path, clock: CourseClock) -> MemoryStore:
    return FreeStore(tmp_path / "memory", clock=clock, durable=False)


def index(store: MemoryStore, folder: str = "") -> str:
    return (store.directory / folder / "MEMORY.md").read_text("utf-8")


def everything(store: MemoryStore) -> dict[str, tuple[bytes, int]]:
    """Give all files there are, those of ``.memlab`` included, but for who last held the guard."""
    inside = tree(store.directory / ".memlab")
    inside.pop("guard.lock", None)
    return tree(store.directory) | {f".memlab/{name}": file for name, file in inside.items()}


# Writing


@pytest.mark.behaviour("O2", "B5")
def test_file_index_and_journal_change_in_one_step_with_the_clocks_time(
    store: MemoryStore, clock: CourseClock
) -> None:
    clock.advance(0.000_001)
    done = store.write(memory("Tabs", "four"), who="dream", session="s", turn="3")
    times = {name: mtime for name, (_, mtime) in tree(store.directory).items()}
    assert times == dict.fromkeys(("MEMORY.md", "tabs.md"), to_nanoseconds(clock.now()))
    assert index(store) == "- [Tabs](tabs.md) — about Tabs\n"
    (entry,) = store.history()
    assert (entry.id, entry.who, entry.session, entry.turn) == (done.change, "dream", "s", "3")
    assert {one.file for one in entry.changes} == {"tabs.md", "MEMORY.md"}
    assert not [*(store.directory / ".memlab").rglob("*.md")], "which other clients would read"


@pytest.mark.behaviour("A7")
def test_the_same_name_is_the_same_file_and_one_slug_may_be_two(store: MemoryStore) -> None:
    first = store.write(memory("Tide times", "old")).path
    assert first.name == "tide-times.md"
    assert store.write(memory("Tide times", "newer")).path == first
    assert store.write(memory("tide-times", "other")).path != first
    assert store.read(first.name).body == "\nnewer\n"
    # a file that another program has named otherwise
    (store.directory / "Their Name.md").write_bytes(b"---\r\nname: Boats\r\n---\r\ntheirs\r\n")
    assert store.write(memory("Boats", "ours")).path.name == "Their Name.md"
    found = replace(store.read("Their Name.md"), name="Ships")
    assert store.write(found).path.name == "Their Name.md"
    assert [store.undo().change != "" for _ in range(2)] == [True, True]
    assert (store.directory / "Their Name.md").read_bytes().endswith(b"theirs\r\n")


@pytest.mark.behaviour("B5")
def test_a_models_edit_of_the_index_changes_its_words_and_not_what_it_points_to(
    store: MemoryStore,
) -> None:
    for name in ("Tabs", "Tides"):
        store.write(memory(name, "text"))
    new = "# Robin\n- [Tabs](tabs.md) — mine\n- [Tabs](tabs.md) — twice\n- [X](x.md)\n"
    written = store.write_text("MEMORY.md", new, who="main agent")
    assert index(store) == "# Robin\n- [Tides](tides.md) — about Tides\n- [Tabs](tabs.md) — mine\n"
    files = [finding.message.split(":")[0] for finding in written.findings]
    assert files == ["tabs.md", "x.md", "tides.md"]
    long = index(store) + "".join(f"- note {number}\n" for number in range(220))
    with pytest.raises(MemoryRefusedError, match="the limits are"):
        store.write_text("MEMORY.md", long, who="main agent")
    (store.directory / "MEMORY.md").write_text(long)
    assert store.write(memory("Boats", "of wood")).change, "which stops no memory"
    assert store.write_text("MEMORY.md", long[:-2000], who="main agent").change, "nearer to it"


@pytest.mark.parametrize("folder", ["", "team/"])
def test_a_full_index_makes_room_and_says_so(
    store: MemoryStore, clock: CourseClock, folder: str
) -> None:
    store.settings = Settings().with_changes(index_max_lines=2)
    for name in ("one", "two", "three"):
        clock.advance(60)
        done = store.write_text(f"{folder}{name}.md", note("It is red.", name))
    assert "1 memory is not in the index" in done.findings[-1].message
    assert [one.file for one in parse_pointers(index(store, folder))] == ["three.md", "two.md"]
    before = everything(store)
    assert store.settled().unlisted == (f"{folder}one.md",)
    assert store.settled({f"{folder}three.md": None}).added == (f"{folder}one.md",)
    assert everything(store) == before, "nothing is written"


def test_a_refused_write_changes_nothing(tmp_path: Path) -> None:
    store = MemoryStore(tmp_path / "memory", clock=CourseClock(), durable=False)
    store.write_text("tabs.md", TABS)
    before, bad = everything(store), note("x", type="odd")
    both = {"fine.md": note("Boats are of wood.", "Boats").encode(), "b.md": bad.encode()}
    for attempt, said in (
        (lambda: store.write_text("tabs.md", bad), "type"),
        (lambda: store.commit("replace", both), "type"),
        (lambda: store.write_text("twin.md", TABS.replace("Tabs", "Twin")), "says the same"),
    ):
        with pytest.raises(MemoryRefusedError, match=said):
            attempt()
        assert everything(store) == before
    assert not store.write_text("tabs.md", TABS).change, "what changes nothing writes nothing"


@pytest.mark.behaviour("B6")
def test_a_tombstone_removes_what_it_names_an_heir_or_a_reason_for(store: MemoryStore) -> None:
    for heir in ("tabs.md", "gone.md", "../tabs.md", "MEMORY.md", "spaces"):
        store.write_text("tabs.md", TABS)
        with pytest.raises(MemoryRefusedError, match="no other memory"):
            store.write_text("tabs.md", f"---\nname: Tabs\nsuperseded_by: {heir}\n---\n")
    with pytest.raises(StoreError, match="no such memory"):
        store.write_text("tea.md", "---\nname: Tea\ndropped: gone\n---\n")
    store.write_text("tabs.md", "---\nname: Tabs\ndropped: really\n---\nstill here\n")
    assert store.read("tabs.md").body == "still here\n", "with a body it is a memory"
    store.write_text("spaces.md", note("Spaces.", "Spaces"))
    store.write_text("MEMORY.md", index(store).replace("(tabs.md)", "(tabs.md) — my hook"))
    gone = store.write_text("tabs.md", "---\nname: Tabs\nsuperseded_by: spaces.md\n---\n")
    assert store.history()[-1].reason == "superseded by spaces.md"
    assert [*tree(store.directory)] == ["MEMORY.md", "spaces.md"]
    assert "tabs.md" not in index(store)
    store.write_text("cat.md", note("It is grey.", "Cat"))
    store.undo(gone.change)
    assert store.read("tabs.md").body == "still here\n"
    assert {"my hook", "(cat.md)"} == {
        one for one in ("my hook", "(cat.md)") if one in index(store)
    }


def test_several_files_are_one_change_and_what_differs_from_its_base_is_kept(
    store: MemoryStore,
) -> None:
    for name in ("Tabs", "Spaces", "Tides"):
        store.write(memory(name, "text"))
    before = tree(store.directory)
    base = {name: data for name, (data, _) in before.items()}
    new = base["tabs.md"].replace(b"text", b"merged")
    text = "- [Tabs](tabs.md) — better words\n- [Gone](gone.md)\n".encode()
    wanted = {"tabs.md": new, "spaces.md": None, "tides.md": None, "MEMORY.md": text}
    done = store.commit("replace", wanted, base=base | {"tides.md": b"another"}, who="dream")
    assert done.kept == ("tides.md",)
    assert [*tree(store.directory)] == ["MEMORY.md", "tabs.md", "tides.md"]
    assert index(store) == "- [Tides](tides.md) — about Tides\n- [Tabs](tabs.md) — better words\n"
    store.undo()
    assert tree(store.directory) == before


def test_pinned_memories_are_the_persons(store: MemoryStore) -> None:
    store.write_text("tabs.md", note("Robin uses tabs.", pinned="true"))
    for who, new in (("extractor", TABS.encode()), ("dream", TABS.encode()), ("dream", None)):
        with pytest.raises(MemoryRefusedError, match="pinned"):
            store.commit("replace", {"tabs.md": new}, who=who)
    store.remove("tabs.md")


# Undo


@pytest.mark.behaviour("A8")
def test_undo_brings_back_bytes_and_times_one_change_after_another(
    store: MemoryStore, clock: CourseClock
) -> None:
    states = [tree(store.directory)]
    changes: list[Callable[[], object]] = [
        lambda: store.write(memory("Tabs", "four")),
        lambda: store.write(memory("Tides", "noon")),
        lambda: store.write(memory("Tabs", "newer", "other")),
        lambda: store.write_text("MEMORY.md", f"mine\n{index(store)}"),
        lambda: store.remove("tides.md"),
    ]
    for change in changes:
        clock.advance(60)
        change()
        states.append(tree(store.directory))
    redo = store.undo()
    assert tree(store.directory) == states[4]
    store.undo(redo.change)
    assert tree(store.directory) == states[5], "an undo can be undone"
    for state in reversed(states[:-1]):
        clock.advance(60)
        store.undo(who="user")
        assert tree(store.directory) == state
    with pytest.raises(StoreError, match="no change to undo"):
        store.undo()
    assert [one.undoes[-1] for one in store.history() if one.undoes] == [*"5654321"]


BY_HAND = note("by hand", about="mine").encode()


@pytest.mark.behaviour("A8")
@pytest.mark.parametrize("what", ["edited", "removed", "made", "written again", "index"])
def test_undo_leaves_alone_what_has_changed_since_and_names_it(
    store: MemoryStore, what: str
) -> None:
    path = store.write(memory("Tabs", "four")).path
    done = store.write(memory("Tabs", "newer"))
    if what == "edited":
        path.write_bytes(BY_HAND)
    elif what == "removed":
        path.unlink()
    elif what == "made":
        done = store.remove("tabs.md")
        path.write_bytes(BY_HAND)
    elif what == "written again":
        store.write(memory("Tabs", "newest"))
    else:
        done = store.write_text("MEMORY.md", "# Robin\n- [Tabs](tabs.md) — four wide\n")
        path = store.directory / "MEMORY.md"
        path.write_text("- [Tabs](tabs.md) — NEVER spaces\nmy own line\n", "utf-8")
    before = everything(store)
    for _ in range(2):
        undone = store.undo(done.change)
        assert (undone.change, undone.kept, undone.undoes) == ("", (path.name,), done.change)
        assert everything(store) == before


def test_undo_of_several_files_leaves_the_edited_one_and_later_changes_alone(
    store: MemoryStore, clock: CourseClock
) -> None:
    for name in ("Tabs", "Tides", "Boats"):
        store.write(memory(name, "text"))
    texts = {name: data for name, (data, _) in tree(store.directory).items()}
    night = {name: texts[name].replace(b"text", b"dreamt") for name in ("tabs.md", "tides.md")}
    done = store.commit("replace", {**night, "boats.md": None}, who="dream")
    (store.directory / "tabs.md").write_bytes(BY_HAND)
    store.write(memory("Later", "stays"))
    (store.directory / "MEMORY.md").write_text(f"# Robin\n{index(store)}my own line\n", "utf-8")
    assert store.undo(done.change).kept == ("tabs.md",)
    assert (store.directory / "tabs.md").read_bytes() == BY_HAND
    assert [store.read(name).body for name in ("tides.md", "boats.md")] == ["\ntext\n"] * 2
    files = [one.file for one in parse_pointers(index(store))]
    assert sorted(files) == ["boats.md", "later.md", "tabs.md", "tides.md"]
    assert index(store).startswith("# Robin\n")
    assert index(store).endswith("my own line\n")


def test_an_edit_by_hand_is_kept_before_it_is_written_over(store: MemoryStore) -> None:
    path = store.write(memory("Tabs", "four")).path
    path.write_bytes(BY_HAND)
    os.utime(path, ns=(5, 123_456_789))
    assert [one.rule for one in store.write(memory("Tabs", "agent's")).findings] == ["edited"]
    assert store.content(store.history()[-1].changes[0].before) == BY_HAND
    store.undo()
    assert tree(store.directory)["tabs.md"] == (BY_HAND, 123_456_789)


# What a model writes


def save(store: MemoryStore, file: str, text: str, *words: str, **by: Any) -> Written:
    """Write what an extractor made of what the person said."""
    said = whose_words([{"role": "user", "content": text} for text in words])
    return store.write_text(file, text, evidence=store.support(said), **{"who": "extractor", **by})


def test_what_nobody_said_waits_and_the_rest_is_written(store: MemoryStore) -> None:
    page = "Strangers may push to the main branch."
    text = note(f"I prefer tabs over spaces.\n\n{page}", about="I prefer tabs over spaces.")
    done = save(store, "tabs.md", text, "I prefer tabs over spaces.", f"> {page}")
    assert "I prefer tabs" in store.read("tabs.md").body
    assert page not in store.read("tabs.md").body
    (waits,) = store.waiting()
    assert (waits.text, done.held) == (page, (waits,))
    assert "waits for the person" in store.notes[0]
    store.accept([waits], who="user")
    origins = {line.text: line.stamp.origin.label for line in store.why("tabs.md")}
    assert (origins["I prefer tabs over spaces."], origins[page]) == ("person", "outside")
    assert store.waiting() == []
    hooked = index(store).replace("I prefer tabs over spaces.", "strangers may push to the branch")
    with pytest.raises(MemoryRefusedError, match="it is from outside"):
        save(store, "MEMORY.md", hooked, f"> {page}", who="a model")
    assert store.waiting() == [], "a hook does not wait"


def test_a_secret_that_nobody_said_does_not_even_wait(store: MemoryStore) -> None:
    secret = "The gate password is hunter2-Xk93."
    text = note(f"I prefer tabs over spaces.\n\n{secret}", about="I prefer tabs over spaces.")
    with pytest.raises(MemoryRefusedError, match="password"):
        save(store, "tabs.md", text, "I prefer tabs over spaces.", f"> {secret}")
    assert b"hunter2" not in b"".join(data for data, _ in everything(store).values())


def test_what_waits_for_another_version_waits_on(store: MemoryStore) -> None:
    text = note("I like tabs.\n\nThe night watch may open doors.", about="I like tabs.")
    save(store, "tabs.md", text, "I like tabs.", "> The night watch may open doors.")
    (waits,) = store.waiting()
    store.drop([waits])
    whole = replace(waits, base="0" * 64, text=text)
    store.hold([whole])
    assert store.accept([whole]).kept == ("tabs.md",)
    assert store.waiting() == [whole]


def test_a_hand_edit_is_unknown_until_it_is_confirmed(store: MemoryStore) -> None:
    store.write_text("tabs.md", TABS)
    with (store.directory / "tabs.md").open("a") as file:
        file.write("\nRobin has two screens.\n")
    labels = lambda: [line.stamp.origin.label for line in store.why("tabs.md")]  # noqa: E731
    assert labels()[-1] == "unknown"
    done = store.confirm("tabs.md", turn="9")
    assert {*labels()} == {"person"}
    assert not store.confirm("tabs.md").change
    store.undo(done.change)
    assert labels()[-1] == "unknown"
    assert "two screens" in store.read("tabs.md").body


# Secrets, which no writer may store anywhere

PASSWORD = "The wifi password is hunter2x9"
ESCAPED = '"The wifi pass\\u0077ord is hunter2x9"'


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("tabs.md", note("x", note=PASSWORD)),
        ("tabs.md", note("x", note=ESCAPED)),
        ("tabs.md", note("x", note=f"\n - {{a: {ESCAPED}}}")),
        ("tabs.md", note("x", note=">\n  The wifi password\n  is hunter2x9")),
        ("tabs.md", note(PASSWORD)),
        ("tabs.md", f"---\n# {PASSWORD}\nname: Tabs\ndescription: d\n---\nx\n"),
        ("tabs.md", f"---\nname: Tabs\ndropped: {PASSWORD}\n---\n"),
        ("the-wifi-password-is-hunter2x9.md", note("x")),
        ("MEMORY.md", f"- [Tabs](tabs.md)\n{PASSWORD}\n"),
        ("MEMORY.md", "The password:\n\nhunter2x9\n"),
    ],
)
def test_a_secret_is_refused_wherever_it_is(store: MemoryStore, file: str, text: str) -> None:
    store.write(memory("Tabs", "four"))
    if "The" not in text:
        store.write_text("MEMORY.md", "The password:\n")
    before = everything(store)
    for attempt in (store.write_text, lambda file, text: store.commit("x", {file: text.encode()})):
        if "dropped" in text and attempt != store.write_text:
            continue
        with pytest.raises(MemoryRefusedError, match="password") as error:
            attempt(file, text)
        assert error.value.rule == "secret"
        assert "hunter2x9" not in str(error.value)
        assert everything(store) == before


def test_a_secret_reaches_no_reason_and_a_persons_own_stops_no_memory(store: MemoryStore) -> None:
    store.write(memory("Tabs", "four"))
    with pytest.raises(MemoryRefusedError, match="the reason"):
        store.remove("tabs.md", reason=PASSWORD)
    store.commit("replace", {"tabs.md": None}, reason=f"dream: dropped tabs.md: {PASSWORD}")
    assert leaks(store.directory, "hunter2x9") == []
    (store.directory / "MEMORY.md").write_text(f"{PASSWORD}\n", "utf-8")
    assert store.write(memory("Tides", "noon")).change
    assert store.write_text("MEMORY.md", f"# Robin\n{index(store)}").change


# Names, links and places where it cannot work


OUTSIDE = [
    "",
    "..",
    "a/../../tabs.md",
    "/etc/passwd.md",
    "a\\b.md",
    "C:a.md",
    "a\0.md",
    ".git/a.md",
]
OUTSIDE += [".memlab/a.md", "a.txt", "memory.md", "ops/MEMORY.md", "a.md) b.md", "TABS.md"]


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_name_that_cannot_be_a_memorys_is_refused_everywhere(
    store: MemoryStore, name: str
) -> None:
    store.write(memory("Tabs", "four"))
    before = everything(store)
    for attempt in (
        store.read,
        store.remove,
        lambda name: store.write_text(name, TABS),
        lambda name: store.commit("replace", {name: TABS.encode()}),
        lambda name: erase(store, name, places=tuple, by={}),
    ):
        with pytest.raises(MemoryPathError) as error:
            attempt(name)
        assert error.value.do
    assert everything(store) == before


@needs_links
@pytest.mark.parametrize(
    "name", ["link.md", "dangling.md", "folder/file.md", "MEMORY.md", ".memlab"]
)
def test_symlinks_are_not_followed(store: MemoryStore, tmp_path: Path, name: str) -> None:
    store.write(memory("Tabs", "four"))
    outside, place = tmp_path / "outside", store.directory / name.split("/")[0]
    outside.mkdir()
    (outside / "file.md").write_text(TABS)
    if place.exists():
        place.rename(tmp_path / "moved")
    targets = {"dangling.md": "outside/new.md", "folder/file.md": "outside", ".memlab": "moved"}
    place.symlink_to(tmp_path / targets.get(name, "outside/file.md"))
    before = tree(outside)
    file = "tides.md" if name in ("MEMORY.md", ".memlab") else name
    for attempt in (store.read, store.remove, lambda name: store.write_text(name, TABS)):
        with pytest.raises((StoreError, MemoryPathError)):
            attempt(file)
    assert tree(outside) == before
    assert not (store.directory / "tides.md").exists()


def test_a_writer_waits_only_so_long_for_another(store: MemoryStore) -> None:
    other = FreeStore(store.directory, wait=0)
    with store.journal.guard(), pytest.raises(StoreError, match="another process is writing"):
        other.write(memory("Tides", "noon"))
    assert other.write(memory("Tides", "noon")).change, "and afterwards it works"
