"""Notebooks are run twice, after a restart, with every gap solved, and on the short path alone.

A made-up notebook shows that each way finds what it is there to find.
"""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.notebooks import core, store, twice
from tests.notebooks.again import in_new_home
from tests.notebooks.store import find_notebooks

pytestmark = pytest.mark.slow

GAP = "memory_block"
BEGIN = "from memlab.course import begin\nlab = begin(0)"
_ID = re.compile(r" \([0-9a-f]{8}\)")
STARTER = f"def {GAP}(file, text):\n    ..."
HOME = "import os\nfrom pathlib import Path\nhome = Path(os.environ['MEMLAB_COURSE_HOME'])"


def write_notebook(folder: Path, *cells: str) -> Path:
    """Write a notebook and store its outputs; a cell that begins with ``# core`` gets the tag."""
    made: list[dict[str, Any]] = []
    for source in cells:
        metadata = {"tags": ["core"]} if source.startswith("# core") else {}
        cell = {"cell_type": "code", "source": source, "metadata": metadata, "outputs": []}
        made.append(cell)
    path = folder / "00_made_up.ipynb"
    path.write_text(json.dumps({"cells": made, "metadata": {}}), encoding="utf-8")
    asyncio.run(store.store(path))
    return path


def test_a_notebook_without_fault_passes_in_every_way(tmp_path: Path) -> None:
    path = write_notebook(
        tmp_path,
        f"# core\n{BEGIN}",
        f"{STARTER}\n\ncheck({GAP})",
        "# core\nprint(my.memory_block('a.md', 'tabs') != 'tabs')",
        "my.counts()",
        "progress()",
        BEGIN,
    )
    for way in (*twice.WAYS.values(), *core.WAYS.values()):
        assert in_new_home(way, path) == []


@pytest.mark.parametrize(
    ("way", "cells", "problems"),
    [
        (
            twice.each_cell_twice,
            ["count = 0", "count += 1\nprint(count)", "print('after', count)"],
            [
                "cell 2 when it is run again: stdout: '1' became '2'",
                "cell 3: stdout: 'after 1' became 'after 2'",
                "cell 3 when it is run again: stdout: 'after 1' became 'after 2'",
            ],
        ),
        (
            twice.each_cell_twice,
            ["names = ['a']", "names.remove('a')"],
            ["cell 2 when it is run again: "],
        ),
        (
            twice.after_a_restart,
            [HOME, "kept = home / 'kept'\nprint(kept.exists())", "kept.touch()", "1", "2", "3"],
            ["cell 2: stdout: 'False' became 'True'"],
        ),
        (
            twice.all_gaps_solved,
            [
                BEGIN,
                f"{STARTER}\n\ncheck({GAP})",
                "print(my)",
            ],
            ["cell 3: stdout: '<my parts: none yet>' became '<my parts: memory_block>'"],
        ),
        (
            core.the_short_path,
            ["boats = 3", "# core\nprint(boats)"],
            ["cell 2: "],
        ),
        (core.the_short_path, ["boats = 3"], ["no code cell has the tag 'core'"]),
    ],
)
def test_each_way_finds_what_it_is_there_for(
    tmp_path: Path, way: twice.Way, cells: list[str], problems: list[str]
) -> None:
    found = in_new_home(way, write_notebook(tmp_path, *cells))
    assert len(found) == len(problems), found
    for said, wanted in zip(found, problems, strict=True):
        assert wanted in _ID.sub("", said)


@pytest.mark.parametrize("name", twice.WAYS)
@pytest.mark.parametrize("path", find_notebooks())
def test_a_notebook_may_be_run_as_learners_run_it(path: Path, name: str) -> None:
    assert in_new_home(twice.WAYS[name], path) == []


@pytest.mark.parametrize("path", find_notebooks())
def test_the_short_path_runs_alone(path: Path) -> None:
    assert in_new_home(core.the_short_path, path) == []
