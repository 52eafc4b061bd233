"""``python -m tests.notebooks.minutes [NN …]``: the estimated minutes of the notebooks, as a table.

The short path is the cells that are tagged ``core``; see ``memlab/short_path.py``.
The formula is in ``memlab/course/minutes.py``. Two halves are shown for a notebook that is too long
for one sitting.
"""

from __future__ import annotations

import sys

from memlab.course.display import table
from memlab.course.minutes import ONE_SITTING, read_notebook
from tests.notebooks.store import find_notebooks

COLUMNS = (
    "notebook",
    "words",
    "code",
    "outputs",
    "gaps",
    "quiz",
    "minutes",
    "short path",
    "bonus",
    "halves",
)


def main(numbers: list[str]) -> int:
    """Print the table."""
    rows = []
    for path in find_notebooks(numbers):
        found = read_notebook(path)
        whole = found.whole
        gaps = "+".join(map(str, whole.gap_minutes)) or "0"
        halves = ""
        if whole.stated > ONE_SITTING:
            second = found.second_begins.lstrip("# ")
            halves = f"{found.first.stated} + {found.second.stated}, from {second!r} on"
        rows.append(
            (
                path.stem,
                whole.words,
                whole.code_lines,
                whole.output_lines,
                gaps,
                whole.questions,
                whole.stated,
                found.short.stated,
                found.bonus,
                halves,
            )
        )
    print(table(rows, COLUMNS))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
