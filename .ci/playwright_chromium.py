"""Lets playwright download its Chromium, for machines without apt; prints only the program's path.

The environment with playwright is the one that ``python3 -m memlab test --all`` uses afterwards.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memlab.cli.bootstrap import prepare

ASK = (
    "from playwright.sync_api import sync_playwright\n"
    "with sync_playwright() as p: print(p.chromium.executable_path)"
)

python = prepare("dev")
installing = [python, "-m", "playwright", "install", "chromium"]
if subprocess.run(installing, stdout=sys.stderr).returncode:
    sys.exit(1)
sys.exit(subprocess.run([python, "-c", ASK]).returncode)
