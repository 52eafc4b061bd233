"""Any made-up command is read as bash reads it, or refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.agent.command_policy import is_read_only_command
from tests.platforms import needs_bash
from tests.unit.agent.test_command_policy import EIGHT, agrees_with_bash

PIECES = (
    *EIGHT,
    *(
        "notes.md",
        "'my notes.md'",
        '"a b"',
        "*.md",
        "t[ab]?",
        "'*'",
        "\\*",
        "x~",
        "a#b",
        "a!",
        "! ",
    ),
    *("-la", "-n", "-e", "--", "-", "--include=*.py", "-name", "'('", "-A 2", "-5", "-exec", "-f"),
    *("$", "$HOME", '"$x"', '"a$"', "'$x'", "\\$x", "`", "!!", "~", "=~", "{a,b}", "'{a,b}'", ""),
    *(
        "|",
        "||",
        "|&",
        ";",
        "&",
        "&&",
        ">",
        "<",
        "(",
        ")",
        "#",
        "\n",
        "\t",
        "'",
        '"',
        "\\",
        "é",
        "^",
    ),
    *('"\\""', '"\\a"', '"!"', '"! x"', "[!a]", "[!", "]", "a=b", "''", "\\\\", "\u200b", "\u3000"),
)


commands = st.lists(
    st.tuples(st.sampled_from(PIECES), st.sampled_from(["", " ", " ", " "])), max_size=12
).map(lambda pairs: "".join(piece + blank for piece, blank in pairs))


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=60), commands))
def test_no_text_makes_it_raise(command: str) -> None:
    verdict = is_read_only_command(command)
    assert verdict.allowed is not bool(verdict.reason)
    assert {stage.program for stage in verdict.pipeline} <= set(EIGHT)


@pytest.mark.behaviour("H4")
@needs_bash
@settings(max_examples=60, deadline=None)
@given(program=st.sampled_from(EIGHT), rest=commands)
def test_bash_reads_made_up_commands_in_the_same_words(
    program: str, rest: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    agrees_with_bash(f"{program} {rest}", tmp_path_factory.mktemp("empty"))


@needs_bash
@pytest.mark.soak
@settings(max_examples=4_000, deadline=None)
@given(program=st.sampled_from(EIGHT), rest=commands)
def test_bash_reads_many_commands_in_the_same_words(
    program: str, rest: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp() / "stays-empty"
    folder.mkdir(exist_ok=True)
    agrees_with_bash(f"{program} {rest}", folder)
