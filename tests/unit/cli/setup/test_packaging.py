"""The lists agree with each other and with Binder; the set-up needs nothing installed."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import memlab
from memlab.cli.setup.clone import find_clone
from memlab.cli.setup.packages import (
    COURSE,
    DEV,
    LIGHT,
    Profile,
    lacking,
    lock_file,
    missing,
    parse_requirement,
    wanted,
)
from tests.unit.cli.setup.scratch import PACKAGE, Scratch

CLONE = find_clone()
LISTED = [
    line for line in CLONE.requirements.read_text("utf-8").splitlines() if line and line[0] != "#"
]


def locked(profile: Profile) -> dict[str, list[str]]:
    """Map each "name==version" of a lock to its hashes."""
    found: dict[str, list[str]] = {}
    for line in lock_file(CLONE, profile).read_text("utf-8").splitlines():
        words = line.removesuffix("\\").split(";")[0].strip()
        if line.startswith("    --hash=sha256:"):
            found[list(found)[-1]].append(words)
        elif not line.startswith("#"):
            found[words] = []
    return found


def test_requirements_for_people_are_the_light_and_the_course_packages() -> None:
    *packages, itself = [line.split("#")[0].strip() for line in LISTED]
    assert itself == "-e ."
    assert sorted(packages) == sorted(f"{r.name}{r.bounds}" for r in wanted(CLONE, COURSE))


def test_every_requirement_has_a_range_and_a_reason() -> None:
    for line in LISTED:
        assert re.search(r"\s# \w+", line), line
        assert line.startswith("-e") or (">=" in line and "<" in line), line


def test_the_locks_are_of_one_resolution() -> None:
    light, course, dev = locked(LIGHT), locked(COURSE), locked(DEV)
    assert light
    assert course == course | light
    assert dev == dev | course
    assert len(light) < len(course) < len(dev)


@pytest.mark.parametrize("profile", [LIGHT, COURSE, DEV], ids=lambda profile: profile.name)
def test_a_lock_has_what_pyproject_asks_for_with_hashes_and_no_address(profile: Profile) -> None:
    lines = locked(profile)
    assert all(lines.values())
    text = lock_file(CLONE, profile).read_text("utf-8")
    assert "://" not in text
    assert "index" not in text
    versions = {}
    for line in lines:
        name, version = line.split("==")
        versions[parse_requirement(name).name] = version
    setuptools = parse_requirement(described()["build-system"]["requires"][0])
    for requirement in [*wanted(CLONE, profile), setuptools]:
        assert requirement.accepts(versions[requirement.name]), requirement


def test_no_jupyter_in_the_light_lock() -> None:
    names = {line.split("==")[0] for line in locked(LIGHT)}
    assert not names & {"jupyterlab", "ipykernel", "matplotlib", "numpy", "pytest"}


def described() -> dict[str, Any]:
    return tomllib.loads(CLONE.pyproject.read_text("utf-8"))


@pytest.mark.parametrize(("name", "version"), [("jupyterlab", "4.4.9"), ("ipywidgets", "8.1.7")])
def test_what_binder_ships_will_do(name: str, version: str) -> None:
    (requirement,) = [each for each in wanted(CLONE, COURSE) if each.name == name]
    assert requirement.accepts(version)


def test_this_python_has_what_is_required() -> None:
    assert lacking(wanted(CLONE, COURSE), sys.path) == []


def test_missing_names_what_lacks() -> None:
    assert "anthropic>=2,<3" in missing(CLONE, [])
    assert "anthropic>=2,<3" not in missing(CLONE, sys.path)


def foreign_imports(path: Path) -> set[str]:
    """Name what a file imports beyond the standard library and the set-up itself."""
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
        and (name.startswith("memlab.cli.chat") or not name.startswith("memlab.cli"))
    }


@pytest.mark.parametrize(
    "path",
    [
        *(PACKAGE / "cli").glob("*.py"),
        *(PACKAGE / "cli" / "setup").glob("*.py"),
        PACKAGE / "__main__.py",
    ],
    ids=lambda path: path.name,
)
def test_what_runs_before_set_up_is_standard_library_only(path: Path) -> None:
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


def test_connect_is_found_when_it_is_first_used(scratch: Scratch) -> None:
    models = scratch.root / "memlab" / "models"
    models.mkdir(exist_ok=True)
    (models / "__init__.py").write_text("", "utf-8")
    (models / "connect.py").write_text("def connect(): return 'ours'", "utf-8")
    asks = (
        "import sys\nimport memlab\nassert 'memlab.models' not in sys.modules\n"
        "from memlab import connect\nassert connect() == memlab.connect() == 'ours'"
    )
    assert loaded_by(asks, scratch) == set()


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'conect'"):
        _ = memlab.conect
