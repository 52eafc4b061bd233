"""A tool call becomes a result, whatever it holds; and what the six tools say of themselves."""

from __future__ import annotations

from typing import Any

import pytest

from memlab.agent.tool import Tool, ToolError
from memlab.agent.tools import check_input, standard_tools, tool_result
from memlab.agent.tools_files import READ_LINES
from memlab.agent.tools_search import GLOB_RESULTS, GREP_RESULTS
from tests.unit.agent.helpers import AgentSetup, check_whole, results, run, use

TOOLS = {tool.name: tool for tool in standard_tools()}


class TestInput:
    @pytest.mark.parametrize(
        ("name", "given", "told"),
        [
            ("Read", {}, "Read: file_path is missing. It takes: file_path, offset, limit"),
            ("Read", {"file_path": 3}, "file_path must be of type string"),
            ("Read", {"file_path": "a", "offset": "3"}, "offset must be of type integer"),
            ("Read", {"file_path": "a", "offset": True}, "offset must be of type integer"),
            ("Read", {"path": "a"}, "file_path is missing; path is not known"),
            ("Edit", {"file_path": "a"}, "old_string is missing; new_string is missing"),
            ("Grep", {"pattern": "a", "output_mode": "x"}, "one of files_with_matches, content"),
            ("Read", ["a"], "Read takes an object with file_path"),
            ("Read", None, "Read takes an object"),
        ],
    )
    def test_everything_that_is_wrong_is_named(self, name: str, given: Any, told: str) -> None:
        with pytest.raises(ToolError) as error:
            check_input(TOOLS[name], given)
        assert told in str(error.value)

    def test_an_option_left_empty_is_left_out(self) -> None:
        given = {"file_path": "a", "offset": None}
        assert check_input(TOOLS["Read"], given) == {"file_path": "a"}

    def test_a_tool_of_another_origin_may_take_anything(self) -> None:
        tool = Tool("free", "…", {"type": "object"}, lambda given, context: "")
        assert check_input(tool, {"x": [1]}) == {"x": [1]}


class TestResult:
    def test_it_is_never_empty_and_always_valid_text(self) -> None:
        assert tool_result({"id": "t"}, "\n\n")["content"] == "(no output)"
        assert tool_result({"id": "t"}, "a\udc80b")["content"] == "a?b"
        assert "is_error" not in tool_result({"id": "t"}, "a")
        assert tool_result({"id": "t"}, "a", error=True)["is_error"] is True

    def test_a_cut_is_never_inside_a_character(self) -> None:
        content = tool_result({"id": "t"}, "ä" * 30_000)["content"]
        assert content.startswith("ä" * 19_999)
        assert "\ufffd" not in content


def test_what_is_said_of_limits_is_so() -> None:
    assert f"at most {READ_LINES:,} lines" in TOOLS["Read"].description
    assert f"at most {GLOB_RESULTS}" in TOOLS["Glob"].description
    grep = TOOLS["Grep"].input_schema["properties"]
    assert f"by default {GREP_RESULTS}" in grep["head_limit"]["description"]
    assert list(grep)[4:8] == ["-i", "-A", "-B", "-C"]


BAD = [
    (use("Fly", high=True), "There is no tool 'Fly'"),
    (use("Read", file="a.py"), "Read: file_path is missing; file is not known"),
    (use("Read", file_path="tides.bin"), "binary"),
    (use("Read", file_path="../../../../etc/passwd"), "leads out of ~"),
    (use("Read", file_path="~/../../etc/passwd"), "leads out of ~"),
    (use("Edit", file_path="a.py", old_string="1", new_string="2"), "has not been read"),
    (use("Grep", pattern="("), "cannot be searched for"),
    (use("Glob", pattern="/etc/*"), "Give the folder as path"),
    (use("Bash", command="rm -rf /"), "There is no shell here"),
]


@pytest.mark.parametrize(("call", "told"), BAD, ids=[call["name"] for call, _ in BAD])
def test_a_bad_call_is_a_result_and_the_turn_goes_on(
    setup: AgentSetup, call: dict[str, Any], told: str
) -> None:
    setup.file("a.py", "1\n")
    setup.file("tides.bin", b"\0\1")
    setup.plays({"Try.": [[call, use("Read", file_path="a.py")], "I tried."]})
    agent = setup.agent(transcript=setup.transcript())
    result = run(lambda: agent.run_turn("Try."))
    assert (result.text, result.error) == ("I tried.", "")
    bad, good = results(agent)
    assert told in bad["content"]
    assert bad["is_error"]
    assert good["content"] == "     1\t1"
    check_whole(agent)
    assert str(setup.home) not in str(agent.messages)
