"""A class in a cell of a real Jupyter kernel: it is saved, and called after a restart.

Python 3.11 cannot find the source of such a class, and a kernel names its cells in its own way.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import KernelManager

from memlab.course.gap import all_gaps, stand_alone

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120


class ThisInterpreter(KernelSpecManager):
    """Offers the running Python, whatever kernels a person has installed."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=command, display_name=kernel_name, language="python")


def kernel(home: Path, *cells: str) -> list[str]:
    """Run cells in a fresh kernel; gives what each one printed."""
    env = {
        **os.environ,
        "MEMLAB_COURSE_HOME": str(home),
        "IPYTHONDIR": str(home / "ipython"),
        "PYTHONPATH": str(ROOT),
    }
    manager = KernelManager(kernel_name="python3", kernel_spec_manager=ThisInterpreter())
    manager.start_kernel(env=env, stderr=subprocess.DEVNULL)
    client = manager.client()
    client.start_channels()
    printed = []
    try:
        client.wait_for_ready(timeout=SECONDS)
        for cell in cells:
            said: list[str] = []

            def hear(message: dict, said: list[str] = said) -> None:  # type: ignore[type-arg]
                content = message["content"]
                shown = content.get("data", {}).get("text/plain", "")
                said.append(content.get("text") or content.get("evalue") or shown)

            client.execute_interactive(cell, output_hook=hear, timeout=SECONDS)
            printed.append("".join(said))
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return printed


BEGIN = "from memlab.course import begin, harness_for, scripted_messages\nlab = begin(8)"

TURNS = """
harness = harness_for(lab, "monday", dreams=False)
for words in scripted_messages(lab)[:2]:
    await harness.say(words)
await harness.drain()
print(*sorted(file.name for file in lab.memory.glob("*winter*")))
print(my.counts())
"""


@pytest.mark.slow
def test_a_class_in_a_cell_becomes_the_machines_extractor(tmp_path: Path) -> None:
    mine = f"{stand_alone(all_gaps()['Extractor'].ours)}\n\ncheck(Extractor)"
    _, fails, passes = kernel(tmp_path, BEGIN, mine.replace("while ", "if ", 1), mine)
    assert fails.startswith("✗ not yet  ")
    assert passes.startswith("✓ pass  Extractor (")
    file = (tmp_path / "parts" / "Extractor.py").read_text(encoding="utf-8")
    assert file.count("class Extractor") == 1

    line, turns = kernel(tmp_path, BEGIN, TURNS)
    assert "Your parts: 1 of" in line
    assert turns.startswith("winter-store-opening.md\n")
    (count,) = (row.split() for row in turns.splitlines() if row.startswith("Extractor"))
    assert count == ["Extractor", "passed", "2"], "once per turn"


@pytest.mark.slow
def test_names_of_the_course_come_without_import_and_survive_a_cell(tmp_path: Path) -> None:
    _, overwritten, still, imported, wrong = kernel(
        tmp_path,
        BEGIN,
        "check = 3\nanswer = hint = check",
        "print(check.__name__, hint.__name__, solution.__name__, answer.__name__)",
        "from memlab.course import check",
        "begin(77)",
    )
    assert overwritten.count("belongs to the course") == 3
    assert still == "check hint solution answer\n"
    assert imported == ""
    assert "there is no notebook with the number 77. Give a number from" in wrong
