"""The rest of the ground: events, ledger, settings, text, errors."""

from __future__ import annotations

import dataclasses
import re
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import memlab
from memlab.clock import STORY_START, CourseClock
from memlab.errors import MemlabError, MemoryFormatError, SettingsError
from memlab.events import Compacted, CompactionFailed, EventLog, ToolDenied
from memlab.ledger import USAGE, Call, Ledger, Tokens
from memlab.settings import SOURCES, Settings
from memlab.text import clip_bytes, count_tokens, request_text, request_tokens, shorten, tilde


def call(purpose: str, **tokens: int) -> Call:
    return Call(purpose, "m", STORY_START, STORY_START + timedelta(seconds=2), **tokens)


def test_an_event_reads_as_one_line_and_is_heard_until_the_subscriber_leaves() -> None:
    clock, heard = CourseClock(), list[str]()
    log = EventLog(clock)
    leave = log.subscribe(lambda event: heard.append(event.name))
    clock.advance(1.25)
    event = log.emit(Compacted(messages=4, tokens=900))
    assert str(event) == "09:00:01.250 compacted messages=4 tokens=900"
    leave()
    leave()
    denied = log.emit(ToolDenied(by="extract", tool="Bash", reason="no"))
    assert str(denied).endswith("tool_denied by=extract tool=Bash reason=no")
    log.emit(CompactionFailed(reason="offline"))
    assert (heard, len(log.of(Compacted, CompactionFailed)), len(log)) == (["compacted"], 2, 3)


@pytest.mark.behaviour("M4")
def test_tokens_costs_and_seconds_are_summed_by_purpose() -> None:
    ledger = Ledger()
    ledger.record(call("main", uncached=100, created=1000, output=10))
    ledger.record(call("main", uncached=10, read=1000, output=10))
    ledger.record(call("select", uncached=50, output=5))
    main, total = ledger.by_purpose()["main"], ledger.total()
    assert list(ledger.by_purpose()) == ["main", "select"]
    assert (main.calls, main.read, main.created, main.uncached) == (2, 1000, 1000, 110)
    assert main.cost == 110 + 1000 * 1.25 + 1000 * 0.1 + 20 * 5
    assert (main.seconds, total.calls, total.input) == (4.0, 3, 2160)
    assert Tokens(read=900, created=50, uncached=50, output=7).hit_percent == 90.0
    assert (Tokens(read=1, created=1, uncached=1).hit_percent, Tokens().hit_percent) == (33.3, 0)
    for kind, name in USAGE.items():
        for reported in ({name: 10}, SimpleNamespace(**{name: 10}, cache_creation=None)):
            assert Tokens.from_usage(reported) == Tokens(**{kind: 10})
        assert Tokens(**{kind: 10}).as_usage()[name] == 10
    for nothing in (None, {}, {"input_tokens": None}, object()):
        assert Tokens.from_usage(nothing) == Tokens()


def test_every_default_says_unit_reason_and_source_and_is_read_by_the_system() -> None:
    package = Path(memlab.__file__).parent
    texts = [
        path.read_text("utf-8")
        for path in package.rglob("*.py")
        if path.relative_to(package).parts[0] not in ("settings.py", "course", "evals")
    ]
    for row in Settings().explain():
        named = [*SOURCES][:5] if row.source == "all five" else row.source.split(", ")
        assert (bool(row.unit), len(row.reason) > 10, {*named} <= {*SOURCES}) == (True,) * 3, row
        # what another's source says is written down, in words of our own
        assert bool(row.says) is not bool({"ours", "service"} & {*named}), row
        built = "{own}_" + row.name.partition("_")[2]  # a time limit is looked up by purpose
        assert any(row.name in text or built in text for text in texts), row.name


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"covered_share": 0.1}, r"always 0\.7"),
        ({"index_lines": 10}, "index_max_lines"),
        ({"dream_min_hours": -1}, "hours"),
    ],
)
def test_settings_are_changed_in_a_copy_that_is_checked(change: Any, told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        Settings().with_changes(**change)
    before = Settings()
    after = before.with_changes(index_max_lines=10, covered_share=0.7)
    assert (before.index_max_lines, after.index_max_lines) == (200, 10)
    with pytest.raises(dataclasses.FrozenInstanceError):
        before.index_max_lines = 1  # type: ignore[misc]


def test_tokens_are_four_bytes_and_a_request_is_read_in_the_order_of_its_prefix() -> None:
    sizes = {"": 0, "a": 1, "abcd": 1, "abcde": 2, "é" * 4: 2}
    assert {text: count_tokens(text) for text in sizes} == sizes
    result = {"type": "tool_result", "content": [{"type": "text", "text": "found"}]}
    texts = ("asked", [result])
    request = {
        "messages": [{"role": "user", "content": text} for text in texts],
        "system": [{"type": "text", "text": "rules", "cache_control": {"type": "ephemeral"}}],
        "tools": [{"name": "Read"}],
    }
    places = [request_text(request).index(part) for part in ("Read", "rules", "asked", "found")]
    assert places == sorted(places)
    assert request_tokens(request) == request_tokens({**request, "system": "rules"})


def test_texts_are_cut_between_characters_and_paths_shown_from_home() -> None:
    assert (clip_bytes("aé", 2), clip_bytes("aé", 3)) == ("a", "aé")
    assert shorten("one two three", 8) == "one two…"
    home = Path("/x/my home")
    shown = [tilde(path, home) for path in (home / "a.md", home, "/x/my homestead/b.md")]
    assert shown == ["~/a.md", "~", "/x/my homestead/b.md"]
    error = MemlabError("is a folder", where="notes.md", do="Rename it")
    assert str(error) == "notes.md: is a folder. Rename it"
    assert str(MemoryFormatError("no end", where="a.md", line=3)) == "a.md:3: no end"


def test_no_pattern_has_a_possessive_group_which_fails_before_python_3_11_5() -> None:
    sources = {path: path.read_text("utf-8") for path in Path(memlab.__file__).parent.rglob("*.py")}
    assert len(sources) > 100
    assert [path for path, source in sources.items() if re.search(r"\)[*+?]\+", source)] == []
