"""The rest of the ground: events, ledger, settings, text, prompts, errors."""

from __future__ import annotations

import dataclasses
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
from memlab.text import (
    clip_bytes,
    count_tokens,
    fold_space,
    request_text,
    request_tokens,
    shorten,
    tilde,
    words,
)


def call(purpose: str, **tokens: int) -> Call:
    end = STORY_START + timedelta(seconds=2)
    return Call(purpose, "m", STORY_START, end, **tokens)


class TestEvents:
    def test_an_event_carries_the_clocks_time_and_reads_as_one_line(self) -> None:
        clock = CourseClock()
        log = EventLog(clock)
        clock.advance(1.25)
        event = log.emit(Compacted(messages=4, tokens=900))
        assert str(event) == "09:00:01.250 compacted messages=4 tokens=900"

    def test_a_figure_that_says_nothing_is_left_out(self) -> None:
        log = EventLog(CourseClock())
        main = log.emit(ToolDenied(tool="Bash", reason="no"))
        fork = log.emit(ToolDenied(by="extract", tool="Bash", reason="no"))
        assert str(main) == "09:00:00.000 tool_denied tool=Bash reason=no"
        assert str(fork) == "09:00:00.000 tool_denied by=extract tool=Bash reason=no"

    def test_a_subscriber_hears_what_comes_until_it_leaves(self) -> None:
        log, heard = EventLog(CourseClock()), []
        leave = log.subscribe(lambda event: heard.append(event.name))
        log.emit(Compacted(messages=4, tokens=900))
        leave()
        leave()
        log.emit(CompactionFailed(reason="offline"))
        assert heard == ["compacted"]
        assert [event.name for event in log] == ["compacted", "compact_failed"]
        assert [event.reason for event in log.of(CompactionFailed)] == ["offline"]
        assert len(log.of(Compacted, CompactionFailed)) == 2


class TestLedger:
    @pytest.mark.behaviour("M4")
    def test_purposes_are_summed_apart(self) -> None:
        ledger = Ledger()
        ledger.record(call("main", uncached=100, created=1000, output=10))
        ledger.record(call("main", uncached=10, read=1000, output=10))
        ledger.record(call("select", uncached=50, output=5))
        main = ledger.by_purpose()["main"]
        assert list(ledger.by_purpose()) == ["main", "select"]
        assert (main.calls, main.read, main.created, main.uncached) == (2, 1000, 1000, 110)
        assert main.cost == 110 + 1000 * 1.25 + 1000 * 0.1 + 20 * 5
        assert main.seconds == 4.0
        assert ledger.total().calls == 3

    def test_the_hit_share_counts_all_three_kinds_of_input(self) -> None:
        assert Tokens(read=900, created=50, uncached=50, output=7).hit_percent == 90.0
        assert Tokens(read=1, created=1, uncached=1).hit_percent == 33.3
        assert Tokens().hit_percent == 0.0

    @pytest.mark.parametrize("kind", USAGE)
    def test_each_kind_is_read_summed_and_priced(self, kind: str) -> None:
        usage = {USAGE[kind]: 10, "service_tier": "standard"}
        for reported in (usage, SimpleNamespace(**usage, cache_creation=None)):
            assert Tokens.from_usage(reported) == Tokens(**{kind: 10})
        ledger = Ledger()
        ledger.record(call("main", **{kind: 10}))
        ledger.record(call("main", **{kind: 20}))
        total, settings = ledger.total(), Settings()
        price = {
            "created": settings.cost_cache_write,
            "read": settings.cost_cache_read,
            "output": settings.cost_output,
        }.get(kind, 1)
        assert total.as_usage()[USAGE[kind]] == 30
        assert total.cost == 30 * price
        assert total.input == (0 if kind == "output" else 30)

    @pytest.mark.parametrize("usage", [None, {}, {"input_tokens": None}, object()])
    def test_what_the_service_does_not_report_costs_nothing(self, usage: Any) -> None:
        assert Tokens.from_usage(usage) == Tokens()


class TestSettings:
    def test_every_default_says_unit_reason_and_a_known_source(self) -> None:
        for row in Settings().explain():
            assert row.unit, row.name
            assert len(row.reason) > 10, row.name
            named = list(SOURCES)[:5] if row.source == "all five" else row.source.split(", ")
            assert set(named) <= set(SOURCES), row
            # what another's source says is written down, in words of our own
            from_others = not {"ours", "service"} & set(named)
            assert bool(row.says) is from_others, row

    def test_a_figure_that_the_course_teaches_and_cannot_be_changed_says_so(self) -> None:
        fixed = [row.name for row in Settings().explain() if row.fixed]
        assert {"covered_share", "command_max_characters", "override_min_characters"} <= set(fixed)
        with pytest.raises(SettingsError, match=r"covered_share is always 0\.7\. Leave it out"):
            Settings().with_changes(covered_share=0.1)
        assert Settings().with_changes(covered_share=0.7) == Settings()

    def test_every_setting_is_read_by_the_system_and_not_only_by_the_course(self) -> None:
        package = Path(memlab.__file__).parent
        texts = [
            path.read_text("utf-8")
            for path in package.rglob("*.py")
            if path.relative_to(package).parts[0] not in ("settings.py", "course", "evals")
        ]
        for row in Settings().explain():
            # a time limit is looked up by the purpose of the request
            built = "{own}_" + row.name.partition("_")[2]
            assert any(row.name in text or built in text for text in texts), row.name

    def test_a_changed_copy_leaves_the_first_alone(self) -> None:
        before = Settings()
        after = before.with_changes(index_max_lines=10)
        assert (before.index_max_lines, after.index_max_lines) == (200, 10)

    def test_an_unknown_name_is_answered_with_the_known_ones(self) -> None:
        with pytest.raises(SettingsError, match=r"'index_lines'.*index_max_lines"):
            Settings().with_changes(index_lines=10)

    def test_a_negative_figure_is_refused_with_its_unit(self) -> None:
        with pytest.raises(SettingsError, match=r"dream_min_hours is -1.*hours"):
            Settings().with_changes(dream_min_hours=-1)

    def test_they_cannot_be_changed_in_place(self) -> None:
        with pytest.raises(dataclasses.FrozenInstanceError):
            Settings().index_max_lines = 1  # type: ignore[misc]


class TestText:
    @pytest.mark.parametrize(
        ("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("é" * 4, 2)]
    )
    def test_four_bytes_are_one_token_rounded_up(self, text: str, tokens: int) -> None:
        assert count_tokens(text) == tokens

    def test_a_request_is_read_in_the_order_of_its_prefix(self) -> None:
        request = {
            "messages": [
                {"role": "user", "content": "asked"},
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "content": [{"type": "text", "text": "found"}]}
                    ],
                },
            ],
            "system": [{"type": "text", "text": "rules", "cache_control": {"type": "ephemeral"}}],
            "tools": [{"name": "Read"}],
        }
        read = request_text(request)
        assert [read.index(part) for part in ("Read", "rules", "asked", "found")] == sorted(
            read.index(part) for part in ("Read", "rules", "asked", "found")
        )
        assert "ephemeral" not in read
        bare = {**request, "system": "rules"}
        assert request_tokens(request) == request_tokens(bare)

    def test_cutting_never_splits_a_character(self) -> None:
        assert clip_bytes("aé", 2) == "a"
        assert clip_bytes("aé", 3) == "aé"

    def test_small_helpers(self) -> None:
        assert fold_space(" a \n b\t") == "a b"
        assert shorten("one two three", 8) == "one two…"
        assert words("Use TABS, not_spaces (v2)!") == ["use", "tabs", "not", "spaces", "v2"]

    def test_paths_are_shown_from_home(self) -> None:
        home = Path("/somewhere/my home")
        assert tilde(home / "a" / "b.md", home) == "~/a/b.md"
        assert tilde(home, home) == "~"
        assert tilde("/elsewhere/b.md", home) == "/elsewhere/b.md"
        assert tilde("/somewhere/my homestead/b.md", home) == "/somewhere/my homestead/b.md"


class TestErrors:
    def test_a_message_says_where_what_and_what_to_do(self) -> None:
        error = MemlabError("is a folder", where="notes.md", do="Rename it")
        assert str(error) == "notes.md: is a folder. Rename it"
        assert str(MemlabError("is a folder")) == "is a folder"

    def test_a_format_error_names_file_and_line(self) -> None:
        assert str(MemoryFormatError("no end", where="a.md", line=3)) == "a.md:3: no end"
        assert str(MemoryFormatError("no end")) == "memory: no end"
