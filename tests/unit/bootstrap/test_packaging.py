"""The lists agree with each other and with Binder; the bootstrap needs nothing installed."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from memlab.bootstrap.packages import Requirement, installed, listed, missing, parse_requirement
from memlab.bootstrap.place import Clone, find_clone
from tests.unit.bootstrap.scratch import PACKAGE, Scratch

CLONE = find_clone()
PROJECT = tomllib.loads(CLONE.pyproject.read_text("utf-8"))["project"]
REQUIRED = {requirement.name: requirement for requirement in listed(CLONE)}


def test_pyproject_gives_the_same_ranges_as_requirements() -> None:
    runtime = [parse_requirement(line) for line in PROJECT["dependencies"]]
    assert runtime
    assert all(REQUIRED[requirement.name] == requirement for requirement in runtime)


def test_every_requirement_has_a_range_and_a_reason() -> None:
    lines = [
        line
        for line in CLONE.requirements.read_text("utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    assert len(lines) == len(REQUIRED)
    for line in lines:
        assert re.search(r"\s# \w+", line), line
        assert line.startswith("-e") or (">=" in line and "<" in line), line


@pytest.mark.parametrize(("name", "version"), [("jupyterlab", "4.4.9"), ("ipywidgets", "8.1.7")])
def test_what_binder_ships_will_do(name: str, version: str) -> None:
    assert REQUIRED[name].accepts(version)


def test_this_python_has_what_is_required() -> None:
    there = installed(sys.path)
    for name, requirement in REQUIRED.items():
        if name != "memlab":
            assert requirement.accepts(there[name][0]), (name, there[name])


def test_missing_names_what_lacks() -> None:
    assert "anthropic>=2,<3" in missing(CLONE, [])
    assert "anthropic>=2,<3" not in missing(CLONE, sys.path)


def foreign_imports(path: Path) -> set[str]:
    """Name what a file imports beyond the standard library and the bootstrap itself."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(str(node.module))
    return {
        name
        for name in names
        if name.partition(".")[0] not in sys.stdlib_module_names
        and name != "memlab"
        and not name.startswith("memlab.bootstrap")
    }


@pytest.mark.parametrize(
    "path", [*(PACKAGE / "bootstrap").glob("*.py"), PACKAGE / "__main__.py"], ids=lambda p: p.name
)
def test_the_bootstrap_is_standard_library_only(path: Path) -> None:
    assert foreign_imports(path) == set()


def test_a_foreign_import_would_be_noticed() -> None:
    assert "pytest" in foreign_imports(Path(__file__))


def loaded_by(statement: str, scratch: Scratch) -> set[str]:
    """Name the top-level modules a statement loads that are neither memlab's nor Python's own."""
    report = (
        "import sys; before = set(sys.modules)\n"
        + statement
        + "\nprint(*set(sys.modules) - before)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", report],
        cwd=scratch.root,
        env=os.environ | {"PYTHONPATH": str(scratch.root)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    tops = {name.partition(".")[0] for name in ended.stdout.split()}
    return tops - sys.stdlib_module_names - {"memlab"}


def test_import_memlab_loads_no_third_party(scratch: Scratch) -> None:
    assert loaded_by("import memlab", scratch) == set()
    assert "pytest" in loaded_by("import memlab, pytest", scratch)


@pytest.mark.parametrize(
    "first", ["", "import memlab.connect", "from memlab.connect import connect as early"]
)
def test_connect_is_the_function_however_it_was_loaded(scratch: Scratch, first: str) -> None:
    (scratch.root / "memlab" / "connect.py").write_text("def connect(): return 'ours'", "utf-8")
    asks = (
        f"{first}\nimport memlab\nfrom memlab import connect\n"
        "from memlab import connect as again\n"
        "assert connect() == again() == memlab.connect() == 'ours'"
    )
    assert loaded_by(asks, scratch) == set()


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    import memlab

    with pytest.raises(AttributeError, match="has no attribute 'conect'"):
        _ = memlab.conect


def test_ranges_are_found_where_they_stand(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("a>=1,<2  # why\n\n# b\n-e .\n", "utf-8")
    assert listed(Clone(tmp_path)) == [Requirement("a", ">=1,<2"), Requirement("memlab")]
