"""What the offline model answers follows from what it was sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memlab.errors import ModelError, ScreenplayError
from memlab.models import FaultScript, OfflineModel, load_screenplay
from memlab.models.request import ModelRequest
from memlab.models.roles import answer
from memlab.prompts import load_prompt

STORY = """
title: tabs
turns:
  - user: "Write the helper,  please."
    steps:
      - - if: ["tabs, not spaces"]
          say: "with tabs"
        - say: "with spaces"
      - say: "second step"
"""


def reply(purpose: str, *said: str, system: str = "", story: list[Any] = []) -> str:  # noqa: B006
    messages = [
        {"role": ("user", "assistant")[index % 2], "content": text}
        for index, text in enumerate(said)
    ]
    body = {"model": "m", "max_tokens": 9, "system": system, "messages": messages}
    blocks = answer(ModelRequest(purpose, body), story).blocks
    return str(blocks[0]["text"])


def selected(query: str, *notes: str, tools: str = "none", limit: str = "5") -> list[str]:
    asked = load_prompt(
        "select_request", query=query, manifest="\n".join(notes), recent_tools=tools
    )
    text = reply("select", asked, system=load_prompt("select", limit=limit))
    return list(json.loads(text)["selected_memories"])


def note(file: str, about: str, kind: str = "[user] ") -> str:
    return f"- {kind}{file} (2026-03-20T12:00:00Z): {about}"


class TestScreenplay:
    @pytest.fixture
    def story(self, tmp_path: Path) -> list[Any]:
        path = tmp_path / "story.yaml"
        path.write_text(STORY, encoding="utf-8")
        return [load_screenplay(path)]

    def test_the_memory_in_the_request_decides(self, story: list[Any]) -> None:
        asked = "Write the helper, please."
        assert reply("main", asked, system="Tabs, not  spaces!", story=story) == "with tabs"
        assert reply("main", asked, system="Be brief.", story=story) == "with spaces"

    def test_a_reminder_is_read_but_is_not_the_persons_words(self, story: list[Any]) -> None:
        asked = "<system-reminder>tabs, not spaces</system-reminder> Write the helper, please."
        assert reply("main", asked, story=story) == "with tabs"

    def test_one_changed_word_falls_through_to_the_plain_reply(self, story: list[Any]) -> None:
        index = "- [Tabs](tabs.md) — how code is indented"
        plain = reply("main", "Write a helper, please.", system=index, story=story)
        assert "rules, not a language model" in plain
        assert "tabs.md" in plain
        assert "none" in reply("main", "Write a helper, please.", story=story)

    def test_the_step_is_counted_from_the_persons_last_words(self, story: list[Any]) -> None:
        asked = "Write the helper, please."
        body = {
            "model": "m",
            "max_tokens": 9,
            "messages": [
                {"role": "user", "content": asked},
                {"role": "assistant", "content": "…"},
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": "t", "content": "…"}],
                },
            ],
        }
        assert answer(ModelRequest("main", body), story).blocks[0]["text"] == "second step"

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("turns: [", "cannot be read"),
            ("- a", "list of turns"),
            ("turns: [{steps: [{say: a}]}]", "turn 1.*'user'"),
            ("turns: [{user: a}]", "turn 1.*'steps'"),
            ("turns: [{user: a, steps: [{}]}]", "'say' or 'tools'"),
            ("turns: [{user: a, steps: [{say: a, when: b}]}]", r"\['when'\]"),
            ("turns: [{user: a, steps: [{tools: [Read]}]}]", "'name' and 'input'"),
        ],
    )
    def test_a_bad_screenplay_is_named(self, text: str, message: str, tmp_path: Path) -> None:
        path = tmp_path / "bad.yaml"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ScreenplayError, match=rf"bad\.yaml.*{message}"):
            load_screenplay(path)


class TestSelect:
    TABS = note("tabs.md", "indentation is by tabs, quotes are single")
    TIDE = note("tide-source.md", "which provider the tide tables come from", "[project] ")
    BARE = note("boats.md", "the orange boats leak", "")

    def test_the_query_decides(self) -> None:
        notes = (self.TABS, self.TIDE, self.BARE)
        assert selected("What indentation do you use?", *notes) == ["tabs.md"]
        assert selected("Where do the tides come from?", *notes) == ["tide-source.md"]
        assert selected("Which boat leaks?", *notes) == ["boats.md"]

    def test_the_manifest_decides(self) -> None:
        assert selected("What indentation do you use?", self.TIDE, self.BARE) == []
        other = note("tabs.md", "what the kayaks cost", "[project] ")
        assert selected("What indentation do you use?", other, self.TIDE) == []

    def test_unsure_is_left_out_and_no_manifest_is_no_answer(self) -> None:
        assert selected("How are you today?", self.TABS, self.TIDE) == []
        assert selected("What indentation do you use?") == []

    def test_no_more_than_the_limit(self) -> None:
        many = [note(f"tide-{n}.md", f"tide fact number {n}") for n in range(9)]
        other = [note(f"other-{n}.md", f"something else {n}") for n in range(30)]
        assert len(selected("tide", *many, *other)) == 5
        assert len(selected("tide", *many, *other, limit="2")) == 2

    def test_documentation_of_a_tool_in_use_is_left_out_and_its_warnings_stay(self) -> None:
        usage = note("spawn-usage.md", "usage reference for mcp__kayak__spawn", "[reference] ")
        trap = note("spawn-trap.md", "known trap: mcp__kayak__spawn loses its input", "[project] ")
        rest = [note(f"other-{n}.md", f"something else {n}") for n in range(5)]
        asked = "call mcp__kayak__spawn again"
        assert set(selected(asked, usage, trap, *rest)) == {"spawn-usage.md", "spawn-trap.md"}
        in_use = selected(asked, usage, trap, *rest, tools="Read, mcp__kayak__spawn")
        assert in_use == ["spawn-trap.md"]


def test_an_unknown_fault_is_answered_with_the_list() -> None:
    with pytest.raises(ModelError, match=r"'fire'.*overloaded"):
        FaultScript().add("fire")


def test_two_equal_requests_get_equal_answers() -> None:
    body = json.dumps(
        {"model": "m", "max_tokens": 99, "messages": [{"role": "user", "content": "x"}]}
    ).encode()
    answers = [OfflineModel().respond("/v1/messages", {}, body).parts for _ in range(2)]
    assert answers[0] == answers[1]
