"""What imports load: nothing but the standard library, until something more is used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMES = "memdir recall agent extract dream modes models evals course"
PACKAGES = ["memlab", *(f"memlab.{name}" for name in NAMES.split())]
DOCTOR = "memlab.cli.commands, memlab.memdir.doctor"


@pytest.mark.parametrize("imports", [", ".join(PACKAGES), DOCTOR])
def test_an_import_loads_no_more_than_it_has_to(imports: str) -> None:
    code = f"import sys; old = {{*sys.modules}}; import {imports}"
    code += "; print(*{*sys.modules} - old)"
    shown = subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True)
    found = {name.partition(".")[0] for name in shown.split() if "cython" not in name}
    loaded = found - {*sys.stdlib_module_names} - {"memlab", "_yaml"}
    assert loaded == ({"yaml"} if imports == DOCTOR else set())
