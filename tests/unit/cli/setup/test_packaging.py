"""The lists agree with each other and with Binder; the set-up needs nothing installed."""

import os
import re
import subprocess
import sys
import tomllib
from typing import Any

import pytest

import memlab
from memlab.cli.commands import COMMANDS, InstalledCommand
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
def test_no_lock_is_older_than_pyproject_and_none_has_an_address(profile: Profile) -> None:
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
        assert requirement.name in versions, f"make the locks again: {requirement}"
        assert requirement.accepts(versions[requirement.name]), (
            f"make the locks again: {requirement}"
        )


def test_no_jupyter_in_the_light_lock() -> None:
    names = {line.split("==")[0] for line in locked(LIGHT)}
    assert not names & {"jupyterlab", "ipykernel", "pytest"}


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


AFTER_SET_UP = {row.module for row in COMMANDS if isinstance(row, InstalledCommand)}
AFTER_SET_UP.add("memlab.cli.slash")
BEFORE_SET_UP = [
    "memlab.__main__",
    "memlab.copies",
    *(
        name
        for path in sorted((PACKAGE / "cli").glob("[a-z]*.py"))
        if (name := f"memlab.cli.{path.stem}") not in AFTER_SET_UP
    ),
    *(f"memlab.cli.setup.{path.stem}" for path in (PACKAGE / "cli" / "setup").glob("*.py")),
]
"""Every module that may run before anything is installed."""


def on_a_bare_python(code: str) -> str:
    """Run code on a Python without any installed package, and give its complaint."""
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.append('.'); {code}"]
    ended = subprocess.run(command, cwd=CLONE.root, capture_output=True, encoding="utf-8")
    return ended.stderr


def test_what_runs_before_set_up_can_be_imported_on_a_bare_python() -> None:
    assert len(BEFORE_SET_UP) > 12
    assert on_a_bare_python(f"import {', '.join(BEFORE_SET_UP)}") == ""
    assert "No module named 'yaml'" in on_a_bare_python("import memlab, yaml")


IMPORT_NAMES = {
    "import-linter": "importlinter",
    "myst-nb": "myst_nb",
    "pytest-xdist": "xdist",
    "pyyaml": "yaml",
}
"""The packages that are not imported by their own name."""


def test_the_contract_for_the_set_up_lists_every_package_and_every_module() -> None:
    contracts = described()["tool"]["importlinter"]["contracts"]
    (contract,) = [each for each in contracts if "yaml" in each.get("forbidden_modules", ())]
    packages = [each.name for each in wanted(CLONE, DEV) if not each.name.startswith("types-")]
    assert sorted(contract["forbidden_modules"]) == sorted(
        IMPORT_NAMES.get(name, name) for name in packages
    )
    covered = contract["source_modules"]
    others = [name for name in BEFORE_SET_UP if not name.startswith("memlab.cli.setup.")]
    assert sorted(covered) == sorted([*others, "memlab.cli.setup"])


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


def test_a_runtime_is_made_when_it_is_first_asked_for(scratch: Scratch) -> None:
    models = scratch.root / "memlab" / "models"
    models.mkdir(exist_ok=True)
    (models / "__init__.py").write_text("", "utf-8")
    (models / "connect.py").write_text("def make_runtime(): return 'ours'", "utf-8")
    asks = (
        "import sys\nimport memlab\nassert 'memlab.models' not in sys.modules\n"
        "from memlab import make_runtime\nassert make_runtime() == memlab.make_runtime() == 'ours'"
    )
    assert loaded_by(asks, scratch) == set()


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'conect'"):
        _ = memlab.conect
