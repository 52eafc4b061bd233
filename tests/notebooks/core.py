"""``python -m tests.notebooks.core notebooks/04_recall.ipynb``: run the short path of a notebook.

The cells that are tagged ``core`` run alone, in order, and show their stored outputs.
"""

from __future__ import annotations

import sys
from pathlib import Path

from memlab.short_path import TAG, is_on_path
from tests.notebooks.again import Way, code_cells, main, run_cells
from tests.notebooks.store import read


async def the_short_path(path: Path, home: Path) -> list[str]:
    """Run the cells of the short path alone."""
    cells = read(path).cells
    tagged = [index for index in code_cells(path) if is_on_path(cells[index])]
    if not tagged:
        return [f"{path.name}: no code cell has the tag {TAG!r}"]
    return await run_cells(path, home, tagged)


WAYS: dict[str, Way] = {"core": the_short_path}

if __name__ == "__main__":
    sys.exit(main(WAYS, "Run the short path of notebooks."))
