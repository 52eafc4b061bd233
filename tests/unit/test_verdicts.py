"""A "no" counts as false, so that ``if is_…(…):`` runs its branch only after a yes."""

from __future__ import annotations

from memlab.agent.permissions import Decision
from memlab.agent.shell import is_read_only_command
from memlab.dream import GateReport
from memlab.dream import Verdict as GateVerdict


def test_every_verdict_that_says_no_is_falsy() -> None:
    shut, open_ = GateVerdict("time", False, "too early"), GateVerdict("toggles", True, "")
    for no in (Decision(False, "no"), shut, GateReport((open_, shut))):
        assert not no
    for yes in (Decision(True), open_, GateReport((open_,)), is_read_only_command("ls | wc")):
        assert yes
    assert not is_read_only_command("rm -rf /")
