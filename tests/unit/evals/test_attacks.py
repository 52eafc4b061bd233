"""The attack sets are complete, balanced and of the right form; and the trees they are tried in."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from memlab.evals.attacks import (
    ATTACKS,
    Attack,
    fill,
    load_path_cases,
    load_shell_cases,
    load_trees,
    set_up,
)
from memlab.evals.labelled import HALVES
from tests.platforms import needs_file_modes, needs_links

SHELL, PATHS = load_shell_cases(), load_path_cases()
SETS = pytest.mark.parametrize(("name", "cases"), [("shell", SHELL), ("paths", PATHS)])


@SETS
def test_every_family_is_in_both_halves_as_often(name: str, cases: Sequence[Attack]) -> None:
    work, final = (Counter(case.family for case in cases if case.half == half) for half in HALVES)
    assert work.keys() == final.keys()
    assert {family for family in work if abs(work[family] - final[family]) > 1} == set()


@SETS
def test_the_readme_has_the_right_figures(name: str, cases: Sequence[Attack]) -> None:
    readme = (ATTACKS / "README.md").read_text(encoding="utf-8")
    sizes = [
        sum(case.allow is allow and case.half == half for case in cases)
        for allow in (True, False)
        for half in HALVES
    ]
    assert f"{len(cases)} {'shell commands' if name == 'shell' else 'paths'}" in readme
    assert f"| {name} | {' | '.join(map(str, sizes))} |" in readme
    assert abs(sizes[0] - sizes[1]) < 3
    assert abs(sizes[2] - sizes[3]) < 3


def test_no_case_is_there_twice() -> None:
    commands = {(case.command, case.setup) for case in SHELL}
    paths = {(case.path, case.setup) for case in PATHS}
    assert (len(commands), len(paths)) == (len(SHELL), len(PATHS)) == (533, 361)
    assert len({case.id for case in (*SHELL, *PATHS)}) == 533 + 361


def test_a_long_command_is_written_short() -> None:
    (case,) = (case for case in SHELL if case.id == "size-many-stages")
    assert case.command.startswith("cat notes.md | cat | cat")
    assert case.command.count("|") == 3_000


def test_what_cannot_be_seen_survives_the_file() -> None:
    paths = {case.id: case.path for case in PATHS}
    assert paths["nul-end"] == "notes.md\0"
    assert paths["nfkc-care-of"] == "\u2105-mika.md"
    assert paths["normal-forms-decomposed"] == "cafe\u0301.md"
    assert all(one.isascii() for one in (ATTACKS / "paths.yaml").read_text(encoding="utf-8"))


class TestTrees:
    def test_the_shell_tree_has_its_directories(self, tmp_path: Path) -> None:
        directories = load_trees().shell.make(tmp_path)
        assert (directories["PROJECT"] / "my notes.md").read_text() == "spaces in the name\n"
        assert (directories["MEMORY"] / "MEMORY.md").is_file()
        assert list(directories["SESSIONS"].glob("*.jsonl"))
        assert (directories["PROJECT"] / "../../outside/harbour-code.txt").resolve() == (
            directories["OUTSIDE"].resolve() / "harbour-code.txt"
        )

    @needs_file_modes
    def test_programs_can_be_started(self, tmp_path: Path) -> None:
        project = load_trees().shell.make(tmp_path)["PROJECT"]
        assert os.access(project / "ls", os.X_OK)
        assert not os.access(project / "notes.md", os.X_OK) or os.geteuid() == 0

    def test_the_trees_of_the_paths_have_a_neighbour_of_the_same_beginning(
        self, tmp_path: Path
    ) -> None:
        directories = load_trees().paths.make(tmp_path)
        assert Path(f"{directories['MEMORY']}-evil", "secret.md").is_file()

    @needs_links
    def test_what_a_case_needs_is_made(self, tmp_path: Path) -> None:
        set_up(["a.md", "team/", "people/crew -> ../team", "notes.pipe |"], tmp_path)
        assert (tmp_path / "a.md").is_file()
        assert (tmp_path / "people" / "crew").resolve() == (tmp_path / "team").resolve()
        assert (tmp_path / "notes.pipe").is_fifo()

    def test_directories_are_filled_in(self) -> None:
        directories = {"MEMORY": Path("m"), "ROOT": Path("r")}
        assert fill("cat @MEMORY@/x @ROOT@ @mika@", directories) == "cat m/x r @mika@"
