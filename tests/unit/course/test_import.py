"""What ``import memlab.course`` may cost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

HEAVY = ("anthropic", "IPython", "ipywidgets", "httpx2", "filelock")
LOADED = f"import json, sys; print(json.dumps([n for n in {HEAVY!r} if n in sys.modules]))"


def loaded_after(*lines: str) -> list[str]:
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    code = "\n".join([*lines, LOADED])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env
    )
    loaded: list[str] = json.loads(done.stdout.splitlines()[-1])
    return loaded


def test_nothing_heavy_is_loaded_until_it_is_used() -> None:
    assert loaded_after("import memlab.course") == []


def test_begin_does_not_load_the_sdk_and_the_client_does() -> None:
    early = "assert 'anthropic' not in __import__('sys').modules"
    lab = "from memlab.course import begin; lab = begin(0)"
    assert "anthropic" in loaded_after(lab, early, "lab.client")
