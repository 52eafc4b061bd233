"""The assembled agent: what a person notices of memory over turns, sessions and modes."""

from __future__ import annotations

import os

import pytest

from memlab.dream import ConsolidationLock
from memlab.dream.stage import StagedMemory
from memlab.errors import MemlabError
from memlab.events import DreamStarted, ExtractionCompleted, ExtractionSkipped
from memlab.harness import Harness
from memlab.memdir.toggles import Toggles
from memlab.prompts.blocks import read_blocks
from memlab.text import as_blocks, request_text
from tests.house import SHOWN, House, note, reads, run, talk, use, words, writes
from tests.platforms import needs_posix

TABS = note("Tabs, not spaces.", about="tabs, not spaces")
TEA = note("Tea, not coffee.", "Tea")
FILES = {"tabs": TABS, "coffee": "Black coffee.", "boats": "Nine.", "radio": "12."}
PREFERS = "I prefer tabs, not spaces, in all my code."
DRINKS = "I prefer tea, always, in all my breaks."
INDENT = "tabs or spaces?"


def newest(house: House, number: int = -1) -> str:
    """What stands in the last message of a request to the main agent."""
    return words(house.sent()[number]["messages"][-1])


def system(house: House, number: int = -1) -> str:
    return str(house.sent()[number]["system"][0]["text"])


def compacts(harness: Harness, text: str) -> None:
    harness.agent.compact_at_tokens = 1
    talk(harness, text)
    harness.agent.compact_at_tokens = 10**6


@pytest.mark.behaviour("E4", "I0")
def test_told_once_used_in_the_next_session_and_forgotten(house: House) -> None:
    first = house.harness("one")
    texts = ("Remember that I take my coffee black.", PREFERS, "Hello.")
    said, during, after = talk(first, *texts)
    assert said.notices == ("Saved to memory: take-my-coffee-black.md",)  # at once
    assert house.events.of(ExtractionSkipped)[0].reason == "direct write"  # and once
    tabs = next(name for name in house.files() if "tabs" in name)
    assert (during.notices, after.notices) == ((), (f"Saved to memory: {tabs}",))
    found = [(one.who, one.session, one.turn) for one in first.store.history()]
    turns = first.agent.uuids[0], first.agent.uuids[-4]
    assert found == [("main agent", "one", turns[0]), ("extractor", "one", turns[1])]
    (answer,) = talk(house.harness("two"), "Do I want tabs?")
    assert (answer.recalled, "prefer tabs" in answer.text) == ((tabs,), True)
    (dropped,) = talk(house.harness("three"), "forget about the tabs")
    assert dropped.notices == (f"Dropped from memory: {tabs}",)
    assert [*house.files()] == ["take-my-coffee-black.md"]


@pytest.mark.behaviour("A4")
def test_what_is_declined_is_said(house: House) -> None:
    it, secret = "src/app.py holds the routes.", "the password is hunter2-Tr0ub4dor."
    said = talk(house.harness(), f"Remember: {it}", f"Remember that {secret}", it)
    assert "what was surprising" in str(said[0].notices)
    assert "Not saved: it looks like a secret" in str(said[1].notices)
    assert (house.files(), said[2].notices) == ({}, ())


@pytest.mark.behaviour("E3")
@pytest.mark.parametrize("rebuild", [False, True])
def test_new_pointers_come_with_the_turn(house: House, rebuild: bool) -> None:
    house.fill(radio="Channel 12.")
    harness = house.harness("one", rebuild_each_turn=rebuild)
    talk(harness, "Hello.")
    harness.store.write_text("tabs.md", TABS, who="user")
    talk(harness, "Hello again.", "And again.")
    pointer, sees = "- [Tabs](tabs.md) — tabs, not spaces", range(3)
    assert [pointer in system(house, n) for n in sees] == [False, rebuild, rebuild]
    assert [pointer in newest(house, n) for n in sees] == [False, not rebuild, False]
    accounts = [one.account for one in house.model.requests if one.purpose == "main"]
    assert (accounts[1].reason == "system_changed") is rebuild  # the price of it
    assert rebuild or system(house, 0) == system(house)
    harness.forget("tabs.md")
    talk(harness, "And now?")
    assert ("don't rely on it: tabs.md" in newest(house)) is not rebuild


@pytest.mark.behaviour("E3", "F4")
def test_a_refusal_and_a_compaction_let_memories_surface_again(house: House) -> None:
    house.fill(**FILES)
    harness = house.harness("one")
    harness.store.write_text("tea.md", TEA, who="user")
    house.model.faults.add("refusal", purpose="main")
    _, again, repeated = talk(harness, INDENT, INDENT, INDENT)
    assert (again.recalled, repeated.recalled) == (("tabs.md",), ())
    assert "tea.md" in newest(house, 1)
    house.model.faults.add("refusal", purpose="main")
    compacts(harness, INDENT)
    assert talk(harness, INDENT)[0].recalled == ("tabs.md",)
    assert ["tea.md" in system(house, n) for n in (0, -1)] == [False, True]


@needs_posix
@pytest.mark.behaviour("B3")
@pytest.mark.parametrize("how", ["missing", "bad byte", "link"])
def test_a_broken_index_is_built_again(house: House, how: str) -> None:
    house.fill(**FILES)
    index, secret = house.memory / "MEMORY.md", house.home / "secret"
    secret.write_text("elsewhere")
    index.unlink()
    if how == "link":
        index.symlink_to(secret)
    elif how == "bad byte":
        index.write_bytes(b"- [Tabs](tabs.md) - my own words\ncaf\xe9\n")
    seen = [{one: one.lstat().st_mtime_ns for one in house.memory.iterdir()}]
    assert "was not built again" in str(house.harness(mode="recall_only").notices)
    assert {one: one.lstat().st_mtime_ns for one in house.memory.iterdir()} in seen
    harness = house.harness("one")
    text = index.read_text("utf-8")
    assert all(f"({name})" in text for name in house.files())
    assert ("my own words" in text) == (how == "bad byte"), "what can be read stays"
    assert ("set-aside-1" in str(harness.notices)) == (how == "link")
    assert (house.harness("two").notices, secret.read_text()) == ([], "elsewhere")
    if how == "bad byte":
        harness.undo()
        assert b"caf\xe9" in index.read_bytes()


@needs_posix
@pytest.mark.parametrize("how", ["mode", "switch", "words"])
def test_while_off_nothing_is_sent_read_or_saved(house: House, how: str) -> None:
    house.fill(tabs=TABS)
    (house.project / "link.md").symlink_to(house.memory / "tabs.md")
    (house.project / "notes.txt").write_text("The ferry sails.\n")
    find = {"pattern": "not sp.ces", "output_mode": "content"}
    edit = {"file_path": f"{SHOWN}/tabs.md", "old_string": "Tabs", "new_string": "No"}
    looks = [reads("tabs.md"), use("Read", file_path="link.md"), writes("tea.md", TEA)]
    looks += [use("Grep", path=one, **find) for one in (SHOWN, f"{SHOWN}/..")]
    commands = ("cat link.md", "grep -r spaces ../.memlab", "cat notes.txt")
    looks += [use("Edit", **edit), *(use("Bash", command=one) for one in commands)]
    house.plays({"look": [looks, "Done."]})
    mode = "off" if how == "mode" else ""
    harness = house.harness("one", mode=mode, ask=lambda question: True)
    if how == "switch":
        harness.switch("off")
    first = "Ignore memory." if how == "words" else "Hello."
    talk(harness, first, INDENT, DRINKS, "look")
    assert {one.purpose for one in house.model.requests} == {"main"}
    assert not any("not spaces" in request_text(body) for body in house.sent())
    assert "The ferry sails." in newest(house)
    assert house.files() == {"tabs.md": TABS}
    harness.switch("full")
    talk(harness, INDENT, DRINKS)
    assert len(house.files()) == 2


def test_a_model_hears_that_nothing_is_saved(house: House) -> None:
    talk(house.harness(mode="recall_only"), "Hello.")
    assert "nothing is saved" in request_text(house.sent()[0])


@needs_posix
def test_only_the_person_may_open_what_memlab_makes(house: House) -> None:
    before = os.umask(0)
    harness = house.harness("one")
    house.answers("dream", "Nothing to do.")
    run(harness.dream_now())  # the first that makes the memory directory
    talk(harness, PREFERS, "Ignore memory.")
    os.umask(before)
    made = [house.base, *house.base.rglob("*")]
    assert [path for path in made if path.stat().st_mode & 0o077] == []


@pytest.mark.behaviour("I0")
@pytest.mark.parametrize("on", [True, False])
def test_a_dream_that_is_due_follows_extraction(house: House, on: bool) -> None:
    house.fill(tabs=TABS)
    house.answers("dream", "Nothing to do.")
    lock = house.harness("zero").dreams.lock
    assert lock.try_acquire()
    assert lock.finish()
    house.clock.advance(25 * 3600)
    for number in range(5):
        talk(house.harness(f"old-{number}"), "Hello.")
    talk(house.harness("one", toggles=Toggles(auto_dream=on)), DRINKS)
    found = [one.name for one in house.events.of(ExtractionCompleted, DreamStarted)]
    assert found == ["extracted"] * 6 + ["dream_fired"] * on
    fired = [(int(one.hours_since), one.sessions_since) for one in house.events.of(DreamStarted)]
    assert fired == [(25, 5)] * on


def test_what_nobody_can_review_waits_for_the_next_session(house: House) -> None:
    house.fill(tabs=TABS, ferry="It sails at 07:40.")
    gone, files = note("", dropped="nobody needs it any more"), ("tabs.md", "ferry.md")
    drop = [writes(file, gone) for file in files]
    house.answers("dream", [reads(file) for file in files], drop, "Done.")
    assert run(house.harness("one").dream_now()).phase == "waiting"
    assert len(house.files()) == 2
    later, off = house.harness("two"), house.harness(mode="off")
    assert "2 of 2 memories would be removed" in later.notices[0]
    for session, told in ((later, "your review"), (off, "no dream now")):
        with pytest.raises(MemlabError, match=told):
            run(session.dream_now())
    later.dreams.waiting.accept({"ferry.md"})
    assert [*house.files()] == ["tabs.md"]


@pytest.mark.behaviour("J5")
def test_a_crashed_dream_is_put_right_and_a_running_one_left(house: House) -> None:
    house.fill(tabs=TABS)
    lock = ConsolidationLock(house.memory, clock=house.clock)
    assert lock.try_acquire()
    with StagedMemory(house.memory, clock=house.clock) as running:
        assert house.harness("one").notices == []
        assert running.path.exists()
    _, rest = lock.path.read_text("utf-8").split("\n", 1)
    lock.path.write_text(f"999999999\n{rest}", encoding="utf-8")
    assert house.harness("two").notices[0].startswith("A dream did not end: ")
    assert (house.harness("three").notices, lock.last_consolidated_at()) == ([], None)


@pytest.mark.parametrize("who", ["main agent", "extractor"])
def test_what_is_contradicted_is_replaced_only(house: House, who: str) -> None:
    style = note("I indent with tabs. Maren keeps the harbour's keys.")
    house.fill(tabs=style)
    harness = house.harness("one")
    house.answers("main", "Yes.")
    save = [writes("tabs.md", note("The user indents with spaces."))]
    purpose = {"main agent": "main", "extractor": "extract"}[who]
    house.answers(purpose, [reads("tabs.md")], save, "Done.")
    talk(harness, "I now indent with spaces, no more tabs.")
    assert harness.store.history()[-1].who == who
    body = harness.store.read("tabs.md").body.strip()
    assert body == "The user indents with spaces.\n\nMaren keeps the harbour's keys."
    assert "no longer says “I indent with tabs.”" in " ".join(harness.notices)
    harness.undo()
    assert house.files() == {"tabs.md": style}


@pytest.mark.behaviour("B2")
def test_a_setting_sends_it_before_the_first_message(house: House) -> None:
    house.fill(**FILES)
    harness = house.harness("one", toggles=Toggles(index_in_reminder=True))
    talk(harness, "Hello.", PREFERS)
    sent = [*house.sent(), *house.sent("extract")]
    (opening,) = {as_blocks(body["messages"][0]["content"])[0]["text"] for body in sent}
    assert "- [Tabs](tabs.md) — tabs, not spaces" in read_blocks(opening)["index"][0].body
    assert not any("(tabs.md)" in str(body["system"]) for body in sent)
    assert "(tabs.md)" not in (house.folder / "one.jsonl").read_text()


@needs_posix
@pytest.mark.behaviour("H5")
@pytest.mark.parametrize("allowed", [False, True])
def test_a_setting_opens_other_files_to_forks_only(house: House, allowed: bool) -> None:
    (house.home / "elsewhere.txt").write_text("a note outside\n")
    look = [use("Bash", command="cat ../elsewhere.txt"), use("Read", file_path="~/elsewhere.txt")]
    for purpose in ("main", "extract"):
        house.answers(purpose, look, "Done.")
    talk(house.harness("one", toggles=Toggles(fork_reads_anywhere=allowed)), "look")
    seen = [request_text(house.sent(one)[-1]).count("a note outside") for one in house.model.roles]
    assert seen == [0, 2 * allowed]
