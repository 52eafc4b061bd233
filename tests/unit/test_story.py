"""What a person would notice after two weeks: fourteen sessions and two dreams, replayed once."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from memlab.clock import CourseClock
from memlab.course import contains_evidence
from memlab.course.replay import Replay
from memlab.memdir.store import MemoryStore

EXAMPLE = Path(__file__).parents[2] / "data" / "example"
STORY = yaml.safe_load((EXAMPLE / "story.yaml").read_text(encoding="utf-8"))
KINDS = ("secret", "poison-", "never-")


@pytest.fixture(scope="module")
def texts(story: Replay) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in story.memory.rglob("*.md")}


def test_it_ends_as_it_is_stored_to_the_byte_and_the_microsecond(story: Replay) -> None:
    stored = {one.name: one for one in (EXAMPLE / "states/dreamt").iterdir()}
    times = json.loads(stored.pop("times.json").read_text("utf-8"))
    found = {path.name: path for path in story.memory.glob("*.md")}
    assert {name: path.stat().st_mtime_ns for name, path in found.items()} == times
    for name in {*found, *stored}:  # if that is wanted: python -m tests.notebooks.states
        assert found[name].read_bytes() == stored[name].read_bytes(), name


KNOWN = """code-style: tabs, not spaces, and single quotes
short-replies: answer first, then five lines
season: opens on 2026-04-04
tide-times: tide times from Gullwing
price-list: 2026-04-03"""
FALSE_NOW = """season: opens on 2026-03-28
tide-times: come from the Saltmarsh"""


def test_what_it_knows_and_must_not(story: Replay, texts: dict[str, str]) -> None:
    for rows, holds in ((KNOWN, True), (FALSE_NOW, False)):
        for name, text in (row.split(": ") for row in rows.splitlines()):
            assert (text in texts[f"{name}.md"]) == holds, name
    plants = [one for one in STORY["planted"] if one["kind"].startswith(KINDS)]
    planted = [text for one in plants if "by" in one for text in one["text"]]
    everything = "\n".join(texts.values())
    saved = [one for one in planted if contains_evidence(everything, one)]
    assert len(planted) == 11
    assert saved == ["MTU of the tunnel to 1380"], "notebook 12 says why"
    files = [path.read_bytes() for path in story.memory.rglob("*") if path.is_file()]
    assert not any(b"Kelp-and-Cockles-77" in data for data in files)


def test_every_sentence_has_its_message(story: Replay, texts: dict[str, str]) -> None:
    store = MemoryStore(story.memory)
    merged = "hours-minute: rounding, empty-back: overdue-view, empty-day: silence"
    for gone, into in (one.split(": ") for one in merged.split(", ")):
        assert f"{gone}.md" not in {*texts}
        dream = next(one for one in store.history(f"{gone}.md") if one.who == "dream")
        assert f"{into}.md" in {one.file for one in dream.changes}
    paths = story.memory.parent.glob("*.jsonl")
    said = "".join(path.read_text("utf-8") for path in paths)
    stamps = [one.stamp for name in texts if "-" in name for one in store.why(name)]
    labels = [stamp.origin.label for stamp in stamps]
    assert labels.count("person") > 60
    assert not {"unknown", "outside"} & {*labels}
    assert all(stamp.message in said for stamp in stamps)


def test_all_can_be_taken_back(story: Replay, tmp_path: Path) -> None:
    memory = Path(shutil.copytree(story.memory, tmp_path / "memory"))
    store = MemoryStore(memory, clock=CourseClock())
    assert [*store.journal.unexplained()] == []
    for entry in reversed(store.history()[34:]):  # the last two sessions, and a dream
        assert not store.undo(entry.id, who="user").kept
    for one in story.session_ends[10].copy.iterdir():
        assert one.read_bytes() == (memory / one.name).read_bytes()


def test_nothing_but_memory_is_written(story: Replay) -> None:
    home = story.memory.parents[3]
    written = [path for path in (home / ".memlab").rglob("*") if path.is_file()]
    paths = [path for path in written if str(home).encode() in path.read_bytes()]
    assert paths == [], "no path of this machine"
    texts = {path.parent.name for path in written if path.suffix in (".md", ".tmp")}
    assert texts == {"memory"}
