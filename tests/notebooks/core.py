"""``python -m tests.notebooks.core notebooks/04_recall.ipynb``: run the short path of a notebook.

The cells that are tagged ``core`` run alone, in order, and show their stored outputs.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.notebooks.again import Way, code_cells, main, run_cells
from tests.notebooks.store import read

TAG = "core"


async def the_short_path(path: Path, home: Path) -> list[str]:
    """Run the cells of the short path alone."""
    cells = read(path).cells
    tagged = [index for index in code_cells(path) if TAG in cells[index].metadata.get("tags", ())]
    if not tagged:
        return [f"{path.name}: no code cell has the tag {TAG!r}"]
    return await run_cells(path, home, tagged)


WAYS: dict[str, Way] = {"core": the_short_path}

if __name__ == "__main__":
    sys.exit(main(WAYS, "Run the short path of notebooks."))
