"""Made-up pipelines show nothing from outside, change nothing and end in time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.agent.shell_run import Limits
from memlab.agent.tool import ToolError
from tests.attacks.sandbox import snapshot
from tests.platforms import needs_posix
from tests.unit.agent.test_shell_run import CANARY, EIGHT, Workspace, watching

pytestmark = needs_posix


FILES = ("notes.md", "tests", "*", "*/*", ".*", "../*", "-*", "[a-n]*", ".", "..", "/", "~", "'*'")
OUTSIDE = ("gate", "gate/*", "gate.txt", "*/gate*", "@OUTSIDE@", "@OUTSIDE@/*", "../../outside")
OPTIONS = ("-r", "-R", "-la", "-L", "-f", "-e", "total", "-n", "2", "-c", "-P", "-follow", "-o")
TESTS = ("-name", "'*.md'", "-newer", "-samefile", "-exec", "cat", "{}", "';'", "-delete", "-ls")
ODD = ("-files0-from", "--files0-from=starts.list", "--file=gate.txt", ">", "hit.txt", "$(touch x)")
WORDS = (*FILES, *OUTSIDE, *OPTIONS, *TESTS, *ODD, "@MEMORY@", "@SESSIONS@/*", "/dev", "[z-a]")
stages = st.tuples(
    st.sampled_from([*sorted(EIGHT), *sorted(EIGHT), "touch", "./ls"]),
    st.lists(st.sampled_from(WORDS), max_size=5),
).map(lambda stage: " ".join([stage[0], *stage[1]]))
pipelines = st.lists(stages, min_size=1, max_size=3).map(" | ".join)


@pytest.fixture(scope="module")
def trapped(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A tree full of links that lead out and of names that look like options."""
    workspace = Workspace(tmp_path_factory.mktemp("trapped"))
    workspace.setup("gate -> ../../outside", "gate.txt -> ../../outside/harbour-code.txt", "-R")
    workspace.setup("tests/gate -> ../../../outside", "-delete", "--files0-from=starts.list", "+1f")
    return workspace


@pytest.mark.parametrize("count", [150, pytest.param(4_000, marks=pytest.mark.soak)])
def test_made_up_pipelines_keep_the_promises(count: int, trapped: Workspace) -> None:
    @settings(max_examples=count, deadline=None)
    @given(command=pipelines)
    def keeps(command: str) -> None:
        before, shown = snapshot(trapped.top), ""
        with watching() as started:
            try:
                shown = trapped.run(command, Limits(seconds=2, output_bytes=2_000))
            except ToolError:
                assert started == []
        assert {Path(name).name for name in started} <= EIGHT, started
        assert {str(Path(name).parent) for name in started} <= {"/bin", "/usr/bin"}
        assert CANARY not in shown
        assert not re.search(r"^(\./)?(outside/)?harbour-code\.txt$", shown, re.MULTILINE)
        assert len(shown.encode()) < 2_100
        assert "[stopped after 2 s" not in shown
        assert snapshot(trapped.top) == before

    keeps()
