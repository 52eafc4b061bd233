"""The version has one source, and the installed package says that it is typed."""

import tomllib

import memlab
from memlab.cli.setup.clone import find_clone
from tests.unit.cli.setup.scratch import PACKAGE, Scratch

TABLES = tomllib.loads(find_clone().pyproject.read_text("utf-8"))


def test_the_version_has_one_source_and_the_command_line_shows_it(scratch: Scratch) -> None:
    assert "version" not in TABLES["project"]
    assert TABLES["project"]["dynamic"] == ["version"]
    assert scratch.run("--version").out == f"memlab {memlab.__version__}\n"


def test_the_package_says_that_it_is_typed() -> None:
    """Without py.typed, a type checker ignores the annotations of the installed package."""
    patterns = TABLES["tool"]["setuptools"]["package-data"]["memlab"]
    assert [path.name for pattern in patterns for path in PACKAGE.glob(pattern)] == ["py.typed"]
