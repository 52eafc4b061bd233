"""Fill in our solutions for the parts of earlier notebooks that have not
passed, so that you can begin with a later notebook.

What has passed stays as it is. Before the file is changed, a copy of it is kept.

examples:
  python3 -m memlab start 07    begin with notebook 07
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Sequence

from memlab.course.exercise_files import all_gaps, find_exercise
from memlab.course.my_parts import my, parts_path, shown_parts_path
from memlab.course.parts_file import (
    PREVIOUS,
    Section,
    read_parts_file,
    write_parts_file,
)
from memlab.errors import MemlabError


def start(number: int) -> list[str]:
    """Fill in what is missing before a notebook; gives the names of the parts
    that were filled in.
    """
    file = read_parts_file(parts_path())
    filled = []
    for gap in all_gaps():
        exercise = find_exercise(gap.name)
        if (
            exercise is None
            or gap.planned
            or gap.notebook >= number
            or file.get(gap.name)
        ):
            continue
        section = Section(
            gap.name, gap.notebook, exercise.solution.strip(), by="ours"
        )
        file = file.with_section(section)
        filled.append(gap.name)
    if filled:
        path = parts_path()
        if path.exists():
            shutil.copy2(path, path.with_name(PREVIOUS))
        write_parts_file(path, file)
    return filled


def main(argv: Sequence[str]) -> int:
    """Make the state in which a notebook can begin; gives the exit status."""
    parser = argparse.ArgumentParser(
        prog="python3 -m memlab start",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("notebook", metavar="NN", help="the notebook's number")
    given = parser.parse_args(argv).notebook
    if not re.fullmatch(r"\d\d?", given):
        parser.error(
            f"{given!r} is not a notebook number; a number looks like 07"
        )
    try:
        # a file that cannot be read is set aside here
        for problem in my.load():
            print(problem)
        existed = parts_path().exists()
        filled = start(int(given))
    except (MemlabError, OSError) as error:
        print(f"memlab start: {error}", file=sys.stderr)
        return 2
    if not filled:
        print(f"Nothing to fill in: you can begin notebook {int(given):02d}.")
        return 0
    print(
        f"Our solutions were filled in for {len(filled)} parts of earlier"
        f" notebooks: {', '.join(filled)}."
    )
    print(
        f"They are in {shown_parts_path()}. Your own parts were not changed."
    )
    if existed:
        print(f"The previous version of the file is kept as {PREVIOUS}.")
    return 0
