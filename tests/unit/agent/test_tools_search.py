"""Grep and Glob: what is found, how it is shown, and where the search ends."""

from __future__ import annotations

import os

import pytest

from memlab.agent.search_process import expand
from tests.platforms import needs_links
from tests.unit.agent.helpers import AgentSetup
from tests.unit.agent.test_tools_files import done, refused


@pytest.fixture
def tree(setup: AgentSetup) -> AgentSetup:
    setup.file("tidebook/board.py", "def state():\n\treturn 'LATE'\n\n\ndef render():\n\tpass\n")
    setup.file("tidebook/boats.py", "def free_boats():\n\tpass\n")
    setup.file("tests/test_board.py", "def test_late():\n\tassert state() == 'LATE'\n")
    setup.file("README.md", "late in the day\n")
    setup.file(".git/config", "LATE\n")
    setup.file(".github/workflows/test.yml", "LATE\n")
    setup.file("node_modules/x/index.js", "LATE\n")
    setup.file("tides.bin", b"LATE\0")
    return setup


class TestGrep:
    def test_files_by_default_in_alphabetical_order(self, tree: AgentSetup) -> None:
        assert done(tree, "Grep", pattern="LATE") == (
            "~/tidebook/tests/test_board.py\n~/tidebook/tidebook/board.py"
        )

    def test_content_with_lines_around(self, tree: AgentSetup) -> None:
        text = done(
            tree, "Grep", pattern="'LATE'", output_mode="content", glob="board.py", **{"-C": 1}
        )
        assert text == (
            "~/tidebook/tidebook/board.py-1-def state():\n"
            "~/tidebook/tidebook/board.py:2:\treturn 'LATE'\n"
            "~/tidebook/tidebook/board.py-3-"
        )

    def test_count(self, tree: AgentSetup) -> None:
        assert done(tree, "Grep", pattern="^def ", path="tidebook", output_mode="count") == (
            "~/tidebook/tidebook/board.py:2\n~/tidebook/tidebook/boats.py:1"
        )

    @pytest.mark.parametrize(
        ("given", "files"),
        [
            ({"pattern": "late"}, ["README.md", "tests/test_board.py"]),
            ({"pattern": "late", "-i": True, "glob": "*.md"}, ["README.md"]),
            ({"pattern": "late", "-i": True, "glob": "tests/**/*.py"}, ["tests/test_board.py"]),
            ({"pattern": "pass", "glob": "*.{py,md}"}, ["tidebook/board.py", "tidebook/boats.py"]),
            ({"pattern": "LATE", "path": "~/tidebook/tidebook/board.py"}, ["tidebook/board.py"]),
            ({"pattern": "LATE", "glob": ".github/**"}, [".github/workflows/test.yml"]),
        ],
    )
    def test_where_is_searched(
        self, tree: AgentSetup, given: dict[str, object], files: list[str]
    ) -> None:
        assert done(tree, "Grep", **given).split("\n") == [f"~/tidebook/{file}" for file in files]

    def test_nothing(self, tree: AgentSetup) -> None:
        assert done(tree, "Grep", pattern="submarine") == "No matches."

    def test_what_cannot_be_searched_for(self, tree: AgentSetup) -> None:
        assert "unterminated" in refused(tree, "Grep", pattern="(late")
        assert "~/tidebook/none does not exist" in refused(tree, "Grep", pattern="x", path="none")
        assert "must be one of" in refused(tree, "Grep", pattern="x", output_mode="all")

    @pytest.mark.behaviour("G4")
    def test_results_are_bounded(self, tree: AgentSetup) -> None:
        tree.file("many.txt", "boat\n" * 1_000)
        rows = done(tree, "Grep", pattern="boat", path="many.txt", output_mode="content").split(
            "\n"
        )
        assert len(rows) == 201
        assert rows[-1] == "[the first 200; there are more: ask more narrowly]"
        given = {"pattern": "boat", "path": "many.txt", "output_mode": "content", "head_limit": 3}
        assert len(done(tree, "Grep", **given).split("\n")) == 4

    def test_a_line_is_shown_in_part(self, tree: AgentSetup) -> None:
        tree.file("wide.json", "boat" + "x" * 90_000)
        text = done(tree, "Grep", pattern="boat", path="wide.json", output_mode="content")
        assert len(text) < 500

    @pytest.mark.behaviour("G4")
    def test_a_regular_expression_that_never_ends_is_ended(self, tree: AgentSetup) -> None:
        tree.context.search_seconds = 1.0
        tree.file("aa.txt", "found: " + "a" * 4 + "\n")
        tree.file("zz.txt", "a" * 60 + "!\n")
        text = done(tree, "Grep", pattern="(a+)+$", glob="*.txt")
        assert text == "~/tidebook/aa.txt\n[stopped after 1 s: ask for less]"

    @needs_links
    def test_links_are_not_followed(self, tree: AgentSetup) -> None:
        outside = tree.home / "outside"
        outside.mkdir()
        (outside / "secret.txt").write_text("LATE\n")
        (tree.project / "link").symlink_to(outside)
        (tree.project / "file.txt").symlink_to(outside / "secret.txt")
        assert done(tree, "Grep", pattern="LATE", glob="*.txt") == "No matches."
        assert done(tree, "Glob", pattern="link/*") == "No files."
        assert done(tree, "Grep", pattern="LATE", path="~/outside") == "~/outside/secret.txt"


class TestGlob:
    def test_the_newest_first(self, tree: AgentSetup) -> None:
        for age, name in enumerate(
            ["tidebook/boats.py", "tests/test_board.py", "tidebook/board.py"]
        ):
            moment = (1_000_000 - age) * 10**9
            os.utime(tree.project / name, ns=(moment, moment))
        assert done(tree, "Glob", pattern="**/*.py").split("\n") == [
            "~/tidebook/tidebook/boats.py",
            "~/tidebook/tests/test_board.py",
            "~/tidebook/tidebook/board.py",
        ]

    @pytest.mark.parametrize(
        ("pattern", "files"),
        [
            ("*.md", {"README.md"}),
            ("tests/*", {"tests/test_board.py"}),
            ("tests/**", {"tests/test_board.py"}),
            ("**/*board*", {"tests/test_board.py", "tidebook/board.py"}),
            ("t*/*[st].py", {"tidebook/boats.py"}),
            ("{tests,tidebook}/*d.py", {"tests/test_board.py", "tidebook/board.py"}),
            (".github/**/*.yml", {".github/workflows/test.yml"}),
        ],
    )
    def test_patterns(self, tree: AgentSetup, pattern: str, files: set[str]) -> None:
        found = set(done(tree, "Glob", pattern=pattern).split("\n"))
        assert found == {f"~/tidebook/{file}" for file in files}

    def test_a_tilde_may_begin_a_name(self, tree: AgentSetup) -> None:
        tree.file("~notes.md", "x")
        assert done(tree, "Glob", pattern="~*.md") == "~/tidebook/~notes.md"

    @pytest.mark.parametrize("pattern", ["../*", "/etc/*", "~", "~/x", "a/../../b", ""])
    def test_a_pattern_stays_below_its_folder(self, tree: AgentSetup, pattern: str) -> None:
        assert "Give the folder as path" in refused(tree, "Glob", pattern=pattern)

    def test_a_pattern_that_is_none(self, tree: AgentSetup) -> None:
        assert "cannot be searched for" in refused(tree, "Glob", pattern="a**b")

    def test_a_hundred_at_most(self, tree: AgentSetup) -> None:
        for number in range(130):
            tree.file(f"many/{number:03}.txt", "")
        rows = done(tree, "Glob", pattern="many/*").split("\n")
        assert len(rows) == 101
        assert rows[-1] == "[the first 100; there are more: ask more narrowly]"

    def test_equal_times_are_in_alphabetical_order(self, tree: AgentSetup) -> None:
        for name in ("b.sql", "c.sql", "a.sql"):
            os.utime(tree.file(name, ""), ns=(10**18, 10**18))
        rows = done(tree, "Glob", pattern="*.sql").split("\n")
        assert rows == [f"~/tidebook/{name}.sql" for name in "abc"]


@pytest.mark.parametrize(
    ("glob", "globs"),
    [
        ("*.{py,sql}", ["*.py", "*.sql"]),
        ("{a,b}/{c,d}", ["a/c", "a/d", "b/c", "b/d"]),
        ("a/**", ["a/**/*"]),
        ("{a", ["{a"]),
        ("{a,{b,c}}", ["{a,{b,c}}"]),
    ],
)
def test_braces(glob: str, globs: list[str]) -> None:
    assert expand(glob) == globs
