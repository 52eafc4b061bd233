"""What a person would notice after two weeks: fourteen sessions and two dreams, replayed once."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
import yaml

from memlab.clock import CourseClock
from memlab.course import contains_evidence
from memlab.course.replay import Replay
from memlab.dream import ConsolidationLock
from memlab.memdir.store import MemoryStore

EXAMPLE = Path(__file__).parents[2] / "data" / "example"
STORY = yaml.safe_load((EXAMPLE / "story.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def home(story: Replay) -> Path:
    return story.memory.parents[3]


@pytest.fixture(scope="module")
def texts(story: Replay) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in story.memory.rglob("*.md")}


@pytest.fixture(scope="module")
def said(home: Path) -> dict[str, list[dict[str, str]]]:
    """The lines of each session's transcript."""
    paths = (home / ".memlab/projects/-home-robin-tidebook").glob("*.jsonl")
    return {one.stem: [json.loads(line) for line in one.open(encoding="utf-8")] for one in paths}


def test_it_ends_as_it_is_stored_to_the_byte_and_the_microsecond(story: Replay) -> None:
    stored = {path.name: path for path in (EXAMPLE / "states/dreamt").iterdir()}
    times = json.loads(stored.pop("times.json").read_text("utf-8"))
    found = {path.name: path for path in story.memory.glob("*.md")}
    assert {name: path.stat().st_mtime_ns for name, path in found.items()} == times
    for name, path in found.items():
        assert path.read_bytes() == stored[name].read_bytes(), name
    assert found.keys() == stored.keys(), "if that is wanted: python -m tests.notebooks.states"


KNOWN = {
    "code-style": "tabs, not spaces, and single quotes",
    "short-replies": "answer first, then five lines",  # said twice, kept once
    "season": "opens on 2026-04-04",  # the deadline moved
    "tide-times": "tide times from Gullwing",  # a change of mind
    "price-list": "2026-04-03",
    "ferry": "17:10",
    "beach-radio": "#beach-radio",
    "rounding": "It no longer holds",
    "two-attempts": "third",
}
FALSE_NOW = {
    "season": "opens on 2026-03-28",
    "tide-times": "come from the Saltmarsh",
    "price-list": "next Friday",
}


def test_what_the_agent_knows(texts: dict[str, str]) -> None:
    assert [one for one, has in KNOWN.items() if has not in texts[f"{one}.md"]] == []
    assert [one for one, has in FALSE_NOW.items() if has in texts[f"{one}.md"]] == []


def test_what_must_not_be_remembered_is_nowhere(story: Replay, texts: dict[str, str]) -> None:
    kinds = ("secret", "poison-", "never-")
    planted = [
        text
        for plant in STORY["planted"]
        if plant["kind"].startswith(kinds) and "by" in plant
        for text in plant["text"]
    ]
    saved = [one for one in planted if contains_evidence("\n".join(texts.values()), one)]
    assert (len(planted), saved) == (11, ["MTU of the tunnel to 1380"]), "notebook 12 says why"
    everything = [path.read_bytes() for path in story.memory.rglob("*") if path.is_file()]
    assert not any(b"Kelp-and-Cockles-77" in data for data in everything)


def test_what_was_to_be_forgotten_is_gone_and_what_to_remember_saved_at_once(
    story: Replay, texts: dict[str, str], said: dict[str, list[dict[str, str]]]
) -> None:
    notices = [one for end in story.session_ends for one in end.notices]
    assert story.session_ends[-1].notices == (), "nothing in the last session is worth a memory"
    assert "Not saved: it looks like a secret." in story.session_ends[3].notices
    assert notices.count("Saved to memory: tuesday-dump.md") == 1
    assert notices.count("Dropped from memory: tuesday-dump.md") == 1
    assert "tuesday-dump.md" not in texts
    assert not any("tuesday-dump" in text for text in texts.values())
    dump = said["20260319-1002-4667-8cb6-c2a58224f0f8"]
    off = [line for line in dump if line["type"] == "off_record"]
    assert off, "no dream reads it again"
    assert not [
        one for one in story.events if one.name.endswith("_failed") and "tool" not in one.name
    ]
    skipped = [one.figures for one in story.events if one.name == "extract_skipped"]
    assert [one["reason"] for one in skipped] == ["direct write"] * 3


def test_each_night_with_a_dream_is_the_storys(story: Replay) -> None:
    slept = [end.copy.name for end in story.session_ends if end.dream]
    assert slept == [night["after"] for night in STORY["dreams"]]
    assert story.session_ends[5].dream == "The dream merged 1 memory, rewrote 1."
    assert story.session_ends[11].dream == "The dream merged 2 memories, rewrote 1, changed 2."
    fired = [one.figures for one in story.events if one.name == "dream_fired"]
    assert [one["sessions_since"] for one in fired] == [5, 5]
    assert fired[1]["hours_since"] > 24
    lock = ConsolidationLock(story.memory, clock=CourseClock())
    last = lock.last_consolidated_at()
    assert (f"{last:%F %H:%M}", bool(lock.peek())) == ("2026-03-28 19:48", False)
    assert "done" in lock.path.read_text("utf-8")


@pytest.mark.parametrize(
    ("merged", "into"),
    [("hours-minute", "rounding"), ("empty-back", "overdue-view"), ("empty-day", "silence")],
)
def test_what_a_dream_merged_is_still_known_and_leads_back_to_where_it_was_said(
    story: Replay, texts: dict[str, str], merged: str, into: str
) -> None:
    assert f"{merged}.md" not in texts
    assert f"{merged}.md" not in texts["MEMORY.md"]
    store = MemoryStore(story.memory)
    dream = next(one for one in store.history(f"{merged}.md") if one.who == "dream")
    assert f"{into}.md" in {one.file for one in dream.changes}
    lines = store.why(f"{into}.md")
    assert any("dream" in str(line) and "made from" in str(line) for line in lines)
    assert {line.stamp.origin.label for line in lines} & {"person"}


def test_the_index_has_each_memory_once_on_a_short_line(texts: dict[str, str]) -> None:
    lines = texts["MEMORY.md"].splitlines()
    assert len(lines) <= 200
    assert all(re.fullmatch(r"- \[.+\]\(.+\.md\) — .{10,}", line) for line in lines)
    assert max(map(len, lines)) <= 200
    pointed = [re.findall(r"\((.+?\.md)\)", line)[0] for line in lines]
    assert sorted(pointed) == sorted(texts.keys() - {"MEMORY.md"})
    assert (pointed[0], pointed[-1]) == ("colour-blind.md", "robin.md"), "the newest on top"


def test_every_sentence_leads_to_the_message_it_was_said_in(
    story: Replay, said: dict[str, list[dict[str, str]]]
) -> None:
    messages = {line.get("uuid"): line for lines in said.values() for line in lines}
    store = MemoryStore(story.memory)
    assert {one.who for one in store.history()} == {"main agent", "extractor", "dream"}
    assert {one.session for one in store.history()} <= said.keys()
    labels: Counter[str] = Counter()
    for path in story.memory.glob("*-*.md"):
        for line in store.why(path.name):
            labels[line.stamp.origin.label] += 1
            if line.stamp.message:
                assert messages[line.stamp.message]["type"] in ("user", "off_record")
    assert labels["person"] > 60
    assert not labels.keys() & {"unknown", "outside"}


def test_the_journal_accounts_for_every_byte_and_all_can_be_taken_back(
    story: Replay, tmp_path: Path
) -> None:
    memory = Path(shutil.copytree(story.memory, tmp_path / "memory"))
    store = MemoryStore(memory, clock=CourseClock())
    assert [*store.journal.unexplained()] == []
    for entry in reversed(store.history()[34:]):  # the last two sessions, and a dream
        assert not store.undo(entry.id, who="user").kept
    before = story.session_ends[10].copy
    for path in before.iterdir():
        assert (memory / path.name).read_bytes() == path.read_bytes()
    assert len([*memory.glob("*.md")]) == len([*before.iterdir()])


def test_recall_comes_in_time_and_attaches_a_memory_once_in_a_session(
    story: Replay, said: dict[str, list[dict[str, str]]]
) -> None:
    recalls = [one.figures for one in story.events if one.name == "recall"]
    assert max(len(one["attached"]) for one in recalls) <= 5
    assert {one.figures["when"] for one in story.events if one.name == "prefetch"} == {"in time"}
    attached = {
        session: re.findall(r'<memory file="([^"]+)"', str(lines))
        for session, lines in said.items()
    }
    assert sum(map(len, attached.values())) > 30
    assert all(len(files) == len({*files}) for files in attached.values())


def test_nothing_but_memory_is_written_and_no_path_of_this_machine(home: Path) -> None:
    for path in (home.parent / "tidebook").rglob("*"):
        same = home / "tidebook" / path.relative_to(home.parent / "tidebook")
        assert path.is_dir() or same.read_bytes() == path.read_bytes()
    written = [path for path in (home / ".memlab").rglob("*") if path.is_file()]
    assert not [path for path in written if str(home).encode() in path.read_bytes()]
    assert not [path for path in written if path.suffix == ".tmp"]
    assert {path.parent.name for path in written if path.suffix == ".md"} == {"memory"}
