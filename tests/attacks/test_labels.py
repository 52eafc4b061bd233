"""Every label of the attack sets is proven by running the attack.

The commands run under a real bash as a user that owns nothing else; where that is impossible the
tests are skipped with the reason. Those that have to be seen not to end cost a second each, so
the whole set of commands is among the long tests.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from memlab.evals.attacks import load_path_cases, load_shell_cases, load_trees
from memlab.evals.labelled import Label
from tests.attacks import path_proofs, shell_proofs
from tests.attacks.sandbox import Sandbox, sandbox, why_not
from tests.platforms import lacking, needs_linux

SHELL, PATHS, TREES = load_shell_cases(), load_path_cases(), load_trees()
SHELL_FAMILIES = sorted({case.family for case in SHELL})
PATH_FAMILIES = sorted({case.family for case in PATHS})


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    if reason := why_not():
        lacking("a sandbox", reason)
    with sandbox(TREES.shell) as made:
        yield made


class TestShell:
    @pytest.mark.slow
    @pytest.mark.parametrize("family", SHELL_FAMILIES)
    def test_the_labels_of_a_family_hold(self, family: str, box: Sandbox) -> None:
        cases = [case for case in SHELL if case.family == family]
        problems = {case.id: shell_proofs.what_is_wrong(case, box) for case in cases}
        assert {name: problem for name, problem in problems.items() if problem} == {}

    def test_what_a_command_does_stays_in_its_tree(self, box: Sandbox) -> None:
        wiped = box.run("find . -delete")
        assert len(wiped.changes) > 10
        again = box.run("ls notes.md; whoami; printf %s $UID > ../uid; cat ../uid")
        assert again.stdout == f"notes.md\n{box.uid}"
        assert "home/uid" in again.changes

    @pytest.mark.slow
    def test_nothing_is_left_running(self, box: Sandbox) -> None:
        assert not box.run("tail -f notes.md & tail -F notes.md").ended
        assert box.alive() == []


@needs_linux
class TestPaths:
    @pytest.mark.parametrize("family", PATH_FAMILIES)
    def test_the_labels_of_a_family_hold(self, family: str, tmp_path: Path) -> None:
        cases = [case for case in PATHS if case.family == family]
        assert self.problems(cases, tmp_path) == {}

    def problems(self, cases: list[Label], scratch: Path) -> dict[str, str]:
        """What is wrong, by the id of the case."""
        number = itertools.count()
        found = {
            case.id: path_proofs.what_is_wrong(case, TREES.paths, scratch / str(next(number)))
            for case in cases
        }
        return {name: problem for name, problem in found.items() if problem}
