"""What imports load: nothing but the standard library, until something more is used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
        ("import memlab.cli.installed, memlab.memdir.doctor", {"yaml"}),  # `doctor`
    ],
)
def test_an_import_loads_no_more_than_it_has_to(imports: str, loaded: set[str]) -> None:
    always = third_party("pass")  # what an environment's .pth files load
    found = third_party(imports) - always
    assert {name for name in found if "cython" not in name and name != "_yaml"} == loaded


def test_the_line_editor_is_loaded_for_a_person_only() -> None:
    conversation = "import memlab.cli.chat.conversation"
    assert "prompt_toolkit" not in third_party(conversation)
    assert "prompt_toolkit" in third_party(f"{conversation}, memlab.cli.chat.editor")
