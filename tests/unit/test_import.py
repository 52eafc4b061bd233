"""What imports load: nothing but the standard library, until something more is used."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

ROOT = Path(__file__).resolve().parents[2]


def third_party(imports: str) -> set[str]:
    """Return the top-level packages, not Python's and not memlab, that an import line loads."""
    shown = subprocess.run(
        [sys.executable, "-c", f"{imports}\nimport sys\nprint(*sys.modules)"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    loaded = {name.partition(".")[0] for name in shown.split()}
    return loaded - set(sys.stdlib_module_names) - {"memlab", "__main__", "__mp_main__"}


@pytest.mark.parametrize(
    ("imports", "loaded"),
    [
        ("import memlab", set()),
        ("import memlab, yaml", {"yaml"}),
        ("import memlab.cli.commands, memlab.memdir.doctor", {"yaml"}),  # `doctor`
    ],
)
def test_an_import_loads_no_more_than_it_has_to(imports: str, loaded: set[str]) -> None:
    always = third_party("pass")  # what an environment's .pth files load
    found = third_party(imports) - always
    assert {name for name in found if "cython" not in name and name != "_yaml"} == loaded


PACKAGES = [
    "memlab",
    *(f"memlab.{each}" for each in ("memdir", "recall", "agent", "extract", "dream")),
    *(f"memlab.{each}" for each in ("modes", "models", "evals", "course")),
]


def test_importing_every_package_loads_no_third_party() -> None:
    always = third_party("pass")
    assert third_party(f"import {', '.join(PACKAGES)}") - always == set()


@pytest.mark.parametrize("package", [name for name in PACKAGES if name != "memlab.modes"])
def test_public_names_can_be_imported_and_listed(package: str) -> None:
    module = import_module(package)
    assert module.__all__
    for name in module.__all__:
        assert getattr(module, name) is not None
    assert set(module.__all__) <= set(dir(module))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        module.nothing  # noqa: B018


@pytest.mark.parametrize("package", PACKAGES)
def test_no_public_name_is_that_of_a_module(package: str) -> None:
    """Importing the module would put it in the place of the name."""
    module = import_module(package)
    modules = {each.name for each in iter_modules(module.__path__)}
    assert modules.isdisjoint(getattr(module, "__all__", ()))


def test_type_checkers_see_the_same_public_names() -> None:
    source = (ROOT / "memlab" / "__init__.py").read_text(encoding="utf-8")
    shown = set(re.findall(r"import \w+ as (\w+)", source))
    assert shown == set(import_module("memlab").__all__)
