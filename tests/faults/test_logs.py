"""Two processes that add to one log at the same time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

LOG = "logs/2026/03/2026-03-30.md"
WRITER = """
import sys
from datetime import date
from memlab.errors import MemoryRefusedError
from memlab.memdir.log_lines import append_log
from memlab.memdir.store import MemoryStore

store = MemoryStore(sys.argv[1])
path = store.directory / sys.argv[2]
for number in range(20):
    while True:
        text = path.read_text() if path.exists() else ""
        try:
            line = f"- {sys.argv[3]} {number}\\n"
            by = {"who": sys.argv[3]}
            append_log(store, sys.argv[2], text + line, date(2026, 3, 30), by)
            break
        except MemoryRefusedError:
            pass  # the other one was quicker: read again
"""


@pytest.mark.behaviour("L3")
def test_two_processes_that_add_to_a_log_at_once_lose_no_line(tmp_path: Path) -> None:
    names = ("one", "two")
    command = [sys.executable, "-c", WRITER, str(tmp_path), LOG]
    running = [subprocess.Popen([*command, name]) for name in names]

    assert [process.wait(60) for process in running] == [0, 0]

    lines = (tmp_path / LOG).read_text(encoding="utf-8").splitlines()
    assert sorted(lines) == sorted(f"- {name} {number}" for name in names for number in range(20))
    for name in names:
        mine = [line for line in lines if line.startswith(f"- {name}")]
        assert mine == [f"- {name} {number}" for number in range(20)]
