"""Commands that run inside the environment: what they print is theirs alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
MEMORY = ROOT / "data" / "example" / "memory"


def doctor(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "memlab", "doctor", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")


def test_the_diagnosis_is_all_there_is_on_standard_output() -> None:
    said = doctor(str(MEMORY))
    assert said.returncode == 1
    assert said.stdout.startswith("20 memories: ")
    assert "using" in said.stderr


def test_its_own_help_is_shown() -> None:
    assert "--instructions" in doctor("--help").stdout
