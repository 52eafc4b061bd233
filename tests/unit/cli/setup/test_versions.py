"""The package's own version, and what an old version of Python gets: a message.

The two files that an old Python reads first have to parse there.
"""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import memlab
from memlab.cli.setup.clone import find_clone
from tests.unit.cli.setup.scratch import PACKAGE, Scratch

TABLES = tomllib.loads(find_clone().pyproject.read_text("utf-8"))
FIRST_READ = [PACKAGE / "__init__.py", PACKAGE / "__main__.py"]


@pytest.mark.parametrize("path", FIRST_READ, ids=lambda path: path.name)
def test_parses_on_python_3_8(path: Path) -> None:
    ast.parse(path.read_text("utf-8"), feature_version=(3, 8))


def test_the_parser_would_notice_newer_syntax() -> None:
    with pytest.raises(SyntaxError):
        ast.parse("match 1:\n    case 1: pass", feature_version=(3, 8))


def test_nothing_of_memlab_is_imported_before_the_version_is_checked() -> None:
    before, _ = (PACKAGE / "__main__.py").read_text("utf-8").split("if sys.version_info", 1)
    assert re.findall(r"^(?:import|from) (\w+)", before, re.MULTILINE) == ["sys"]


@pytest.mark.parametrize(("version", "accepted"), [((3, 10, 13), False), ((3, 11, 0), True)])
def test_the_message(scratch: Scratch, version: tuple[int, ...], accepted: bool) -> None:
    pretend = (
        f"import runpy, sys; sys.version_info = {version}; sys.argv = ['memlab', '--help']; "
        "runpy.run_module('memlab', run_name='__main__')"
    )
    ended = subprocess.run(
        [sys.executable, "-c", pretend],
        cwd=scratch.root,
        env=scratch.environment(),
        capture_output=True,
        encoding="utf-8",
    )
    if accepted:
        assert ended.returncode == 0
        assert "examples:" in ended.stdout
    else:
        assert ended.returncode == 1
        assert ended.stderr.startswith("memlab: this is Python 3.10, and the course needs 3.11")
        assert len(ended.stderr.splitlines()) == 1


def test_the_version_has_one_source_and_the_command_line_shows_it(scratch: Scratch) -> None:
    assert "version" not in TABLES["project"]
    assert TABLES["project"]["dynamic"] == ["version"]
    assert scratch.run("--version").out == f"memlab {memlab.__version__}\n"


def test_the_package_says_that_it_is_typed() -> None:
    """Without py.typed, a type checker ignores the annotations of the installed package."""
    patterns = TABLES["tool"]["setuptools"]["package-data"]["memlab"]
    assert [path.name for pattern in patterns for path in PACKAGE.glob(pattern)] == ["py.typed"]
