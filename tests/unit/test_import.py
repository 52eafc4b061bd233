"""What ``import memlab`` loads: nothing but the standard library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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


def test_importing_memlab_loads_no_third_party() -> None:
    always = third_party("pass")  # what an environment's .pth files load
    assert third_party("import memlab") - always == set()
    assert "yaml" in third_party("import memlab, yaml") - always
