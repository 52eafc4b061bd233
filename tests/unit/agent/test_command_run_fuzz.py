"""Any made-up pipeline reads inside its folders, starts nothing else and writes nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.platforms import needs_posix
from tests.unit.agent import test_command_run
from tests.unit.agent.test_command_run import EIGHT, Place, keeps_its_promises

pytestmark = needs_posix
trapped = test_command_run.trapped


WORDS = (
    *(
        "notes.md",
        "tests",
        "*",
        "*/*",
        ".*",
        "../*",
        "-*",
        "[a-n]*",
        ".",
        "..",
        "/",
        "~",
        "-",
        "--",
    ),
    *("gate", "gate/*", "gate.txt", "*/gate*", "@OUTSIDE@", "@OUTSIDE@/*", "../../outside", "/dev"),
    *("@MEMORY@", "@SESSIONS@/*", "-r", "-R", "-la", "-L", "-f", "-e", "total", "-n", "2", "-c"),
    *("-name", "'*.md'", "-newer", "-samefile", "-exec", "cat", "{}", "';'", "-delete", "-o", "!"),
    *("[[:alpha:]]*", "[z-a]", "'*'", "\\*", "*/*/*/*"),
    *("-printf", "'%p %l'", "-ls", "-files0-from", "--files0-from=starts.list", "--file=gate.txt"),
    *(">", "hit.txt", "$(touch hit)", ";", "&", "touch", "-follow", "--include=*.md", "''", "-P"),
)


programs = st.sampled_from([*sorted(EIGHT), *sorted(EIGHT), "touch", "sh", "./ls"])


stages = st.tuples(programs, st.lists(st.sampled_from(WORDS), max_size=5)).map(
    lambda stage: " ".join([stage[0], *stage[1]])
)


pipelines = st.lists(stages, min_size=1, max_size=3).map(" | ".join)


made = st.one_of(
    pipelines, st.lists(st.sampled_from((*WORDS, *EIGHT, "|")), max_size=8).map(" ".join)
)


@settings(max_examples=150, deadline=None)
@given(command=made)
def test_made_up_pipelines_keep_the_promises(command: str, trapped: Place) -> None:
    keeps_its_promises(command, trapped)


@pytest.mark.soak
@settings(max_examples=4_000, deadline=None)
@given(command=made)
def test_many_made_up_pipelines_keep_the_promises(command: str, trapped: Place) -> None:
    keeps_its_promises(command, trapped)
