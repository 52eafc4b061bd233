"""Any text gets a verdict, and bash reads an allowed one in the same words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.agent.shell import is_read_only_command
from tests.platforms import needs_bash
from tests.unit.agent.test_shell import EIGHT, agrees_with_bash

QUOTED = ("'my notes.md'", '"a b"', "'*'", "\\*", "'('", "'{a,b}'", '"\\""', '"!"', "''", "'$x'")
PLAIN = ("notes.md", "*.md", "t[ab]?", "x~", "a#b", "a!", "! ", "[!a]", "a=b", "é", "^", "$")
OPTIONS = ("-la", "-n", "-e", "--", "-", "--include=*.py", "-name", "-A 2", "-5", "-exec", "-f")
OBEYED = ("$HOME", '"$x"', "`", "!!", "~", "=~", "{a,b}", "|", "||", "|&", ";", "&", "&&", ">", "<")
OTHERS = ("(", ")", "#", "\n", "\t", "'", '"', "\\", "[!", "\u200b", "\u3000", '"\\a"', "\\\\")
PIECES = (*EIGHT, *QUOTED, *PLAIN, *OPTIONS, *OBEYED, *OTHERS)
pairs = st.tuples(st.sampled_from(PIECES), st.sampled_from(["", " ", " ", " "]))
commands = st.lists(pairs, max_size=12).map(lambda made: "".join(map("".join, made)))


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=60), commands))
def test_no_text_makes_it_raise(command: str) -> None:
    verdict = is_read_only_command(command)
    assert verdict.allowed is not bool(verdict.reason)
    assert {stage.program for stage in verdict.pipeline} <= set(EIGHT)


@pytest.mark.behaviour("H4")
@needs_bash
@pytest.mark.parametrize("count", [60, pytest.param(4_000, marks=pytest.mark.soak)])
def test_bash_reads_made_up_commands_in_the_same_words(count: int, tmp_path: Path) -> None:
    @settings(max_examples=count, deadline=None)
    @given(program=st.sampled_from(EIGHT), rest=commands)
    def agrees(program: str, rest: str) -> None:
        agrees_with_bash(f"{program} {rest}", tmp_path)

    agrees()
